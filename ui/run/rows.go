package run

import "github.com/stagewatch/stagewatch/engine"

// troubledStage is where a person wants to look first: a stage in trouble,
// else the one that acts or waits, else the last that was finished.
func troubledStage(v *engine.RunView) int {
	for i := range v.Stages {
		s := &v.Stages[i]
		if s.Stuck > 0 || s.Preempted > 0 || s.State == engine.StageFailed {
			return i
		}
	}
	if v.At >= 0 {
		return v.At
	}
	last := 0
	for i := range v.Stages {
		if v.Stages[i].State == engine.StageDone && v.Stages[i].Total > 0 {
			last = i
		}
	}
	return last
}

// listClusters lists the clusters of the chosen stage, after the filter.
func (p *Pane) listClusters() {
	p.rows = p.rows[:0:0]
	var keys []engine.Text
	if all := p.clusters(p.stage); all != nil {
		keys = make([]engine.Text, 0, len(all))
		for i := range all {
			c := &all[i]
			if (p.problems && !InTrouble(c)) || !p.filter.Cluster(&p.view.Stages[p.stage], c) {
				continue
			}
			p.rows = append(p.rows, c)
			keys = append(keys, c.Name)
		}
	}
	p.list.Set(keys)
	p.list.Rest(worst(p.rows, p.view))
}

// clusters returns the clusters of stage i, nil while they are not known.
func (p *Pane) clusters(i int) []engine.ClusterView {
	if p.detail == nil || i < 0 || i >= len(p.detail.Clusters) {
		return nil
	}
	return p.detail.Clusters[i]
}

// InTrouble reports whether a cluster is a problem: what ! and z look for.
func InTrouble(c *engine.ClusterView) bool {
	switch c.State {
	case engine.ClusterSlow, engine.ClusterStuck, engine.ClusterPreempted, engine.ClusterFailed:
		return true
	}
	return false
}

// worst returns the row to look at first: the one that holds the run up, the
// first in trouble, else the first that updates.
func worst(rows []*engine.ClusterView, v *engine.RunView) int {
	if v != nil && !v.Why.Member.IsZero() {
		for i, c := range rows {
			if c.Member == v.Why.Member {
				return i
			}
		}
	}
	busy := -1
	for i, c := range rows {
		switch {
		case InTrouble(c):
			return i
		case busy < 0 && (c.State == engine.ClusterUpdating || c.State == engine.ClusterDeleting):
			busy = i
		}
	}
	return max(0, busy)
}
