package act

import "github.com/stagewatch/stagewatch/engine"

// deletionStage returns the deletion stage if the run is in it, nil otherwise.
func deletionStage(v *engine.RunView) *engine.StageView {
	if s := v.Current(); s != nil && s.Deletion {
		return s
	}
	return nil
}

// stopDeletions says what a stop in the deletion stage does. The controller starts
// all deletions in one pass, and none while the state is Stop (updaterun,
// stopDeletingStage).
func stopDeletions(s *engine.StageView) []engine.Text {
	out := []engine.Text{engine.Lit("All clusters are updated; the run is in its deletion stage.")}
	if n := len(s.Coming) + s.ComingMore; n > 0 {
		out = append(out, engine.Textf("No new deletion starts: resources stay on %s that the placement no longer picks: %s.", engine.Count(n, "cluster"), firstComing(s, n)))
	}
	if n := s.Updating + s.Stuck; n > 0 {
		out = append(out, engine.Textf("The deletion of resources from %s continues: it has started and cannot be stopped.", engine.Count(n, "cluster")))
	}
	return append(out, deleted(s)...)
}

// deleted says from how many clusters the resources are deleted already.
func deleted(s *engine.StageView) []engine.Text {
	if s.Done == 0 {
		return nil
	}
	return []engine.Text{engine.Textf("Resources are deleted from %s already; they are not restored.", engine.Count(s.Done, "cluster"))}
}

// leftDeletions says what becomes of a run's deletion stage when the run is deleted.
func leftDeletions(v *engine.RunView) []engine.Text {
	if v.Terminal || v.Word == engine.WordDone {
		return nil
	}
	var out []engine.Text
	for i := range v.Stages {
		s := &v.Stages[i]
		if !s.Deletion {
			continue
		}
		if n := s.Updating + s.Stuck; n > 0 {
			out = append(out, engine.Textf("The deletion of resources from %s continues, but no run checks the result.", engine.Count(n, "cluster")))
		}
		if n := len(s.Coming) + s.ComingMore; n > 0 {
			out = append(out, engine.Textf("The resources stay on %s that the placement no longer picks: %s.", engine.Count(n, "cluster"), firstComing(s, n)))
		}
		out = append(out, deleted(s)...)
	}
	return out
}

// deletionEffect says what a run does in its deletion stage when it goes on.
func deletionEffect(s *engine.StageView) engine.Text {
	switch n := len(s.Coming) + s.ComingMore; {
	case s.Done == s.Total:
		return engine.Lit("Nothing is left to delete; the run finishes.")
	case n == 0:
		return engine.Lit("The run finishes when the deletions in progress are done.")
	default:
		return engine.Textf("Resources are deleted from %s that the placement no longer picks, all at once: %s. Then the run finishes.", engine.Count(n, "cluster"), firstComing(s, n))
	}
}
