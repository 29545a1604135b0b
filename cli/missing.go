package cli

import (
	"io"
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// noteMissing says on stderr what rows depend on and was not read: one line a
// reason.
func noteMissing(errs io.Writer, s *engine.Snapshot, rows []*engine.RunView) {
	var reasons []engine.Text
	runs, of := map[engine.Text]map[engine.ID]bool{}, map[engine.Text][]engine.Text{}
	for _, r := range rows {
		for _, g := range s.Missing[r.ID] {
			if runs[g.Why] == nil {
				runs[g.Why] = map[engine.ID]bool{}
				reasons = append(reasons, g.Why)
			}
			runs[g.Why][r.ID] = true
			if !slices.Contains(of[g.Why], g.What) {
				of[g.Why] = append(of[g.Why], g.What)
			}
		}
	}
	for _, why := range reasons {
		say(errs, "note: %s incomplete, without %s: %s\n", engine.Are(len(runs[why]), "run"), engine.Enumerate(of[why], 3), why)
	}
}
