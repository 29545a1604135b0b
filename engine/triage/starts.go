package triage

import "github.com/stagewatch/stagewatch/engine"

// goesOnWith ends a sentence with what a start or a resume of the run does
// next: ": stage prod, 8 clusters, max 2."
func goesOnWith(v *engine.RunView) engine.Text {
	for i := max(0, v.At); i < len(v.Stages); i++ {
		s := &v.Stages[i]
		if s.Total == 0 || s.Done == s.Total {
			continue
		}
		return engine.Textf(": %s.", stageWork(s))
	}
	return engine.Lit(".")
}

// stageWork says what a stage has left to do: "stage prod, 8 clusters, max 2".
func stageWork(s *engine.StageView) engine.Text {
	if s.Deletion {
		return engine.Textf("deletion from %s that the placement no longer picks", engine.Count(s.Total-s.Done, "cluster"))
	}
	return engine.Textf("%s, %s", engine.StageName(s), stageLeft(s))
}

// stageLeft says how many clusters a stage has left: "8 clusters, max 2".
func stageLeft(s *engine.StageView) engine.Text {
	left := s.Total - s.Done
	if left == 1 {
		return engine.Lit("1 cluster")
	}
	return engine.Textf("%s, %s", engine.Count(left, "cluster"), engine.Concurrency(s.AtOnce))
}

// approvalStarts ends a sentence with what the open approval lets begin.
func approvalStarts(v *engine.RunView) engine.Text {
	g := v.Gate(engine.GateOpen)
	if s := v.Current(); g != nil && g.Before && s.Total > s.Done {
		return engine.Textf(": %s.", stageLeft(s))
	}
	n := nextStage(v)
	if n == nil {
		return engine.Lit(": the run finishes.")
	}
	return engine.Textf(": next is %s.", stageWork(n))
}

// nextStage returns the stage after the current one that has work, nil when
// there is none.
func nextStage(v *engine.RunView) *engine.StageView {
	for i := v.At + 1; i >= 0 && i < len(v.Stages); i++ {
		if v.Stages[i].Total > 0 {
			return &v.Stages[i]
		}
	}
	return nil
}
