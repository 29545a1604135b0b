package cli

import (
	"io"
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// namedRuns is how many incomplete runs a note names; the JSON names all.
const namedRuns = 5

// noteMissing says on stderr what rows depend on and was not read: one line a
// reason.
func noteMissing(errs io.Writer, s *engine.Snapshot, rows []*engine.RunView) {
	var reasons []engine.Text
	runs, of := map[engine.Text][]engine.Text{}, map[engine.Text][]engine.Text{}
	for _, r := range rows {
		for _, g := range s.Missing[r.ID] {
			if runs[g.Why] == nil {
				reasons = append(reasons, g.Why)
			}
			if name := r.ID.Title(); !slices.Contains(runs[g.Why], name) {
				runs[g.Why] = append(runs[g.Why], name)
			}
			if !slices.Contains(of[g.Why], g.What) {
				of[g.Why] = append(of[g.Why], g.What)
			}
		}
	}
	for _, why := range reasons {
		verb := engine.Lit("is")
		if len(runs[why]) > 1 {
			verb = engine.Lit("are")
		}
		say(errs, "note: %s (%s) %s incomplete, without %s: %s\n", engine.Count(len(runs[why]), "run"), engine.Enumerate(runs[why], namedRuns), verb, engine.Enumerate(of[why], 3), why)
	}
}
