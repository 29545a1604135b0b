package triage

import "maps"

// recordedLabels are the labels of a cluster in the stage in which the run recorded it.
func (s *situation) recordedLabels(cluster string) map[string]string {
	strategy := s.Run.Status.StagedUpdateStrategySnapshot
	for i := range s.Run.Status.StagesStatus {
		for _, c := range s.Run.Status.StagesStatus[i].Clusters {
			if c.ClusterName == cluster && strategy != nil && i < len(strategy.Stages) && strategy.Stages[i].LabelSelector != nil {
				return maps.Clone(strategy.Stages[i].LabelSelector.MatchLabels)
			}
		}
	}
	return nil
}
