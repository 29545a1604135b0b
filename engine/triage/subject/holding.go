package subject

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Holdings says which snapshot the finished clusters of the run have now, if their
// bindings are read. Success does not prove that it is the run's: a cluster that
// another run updates while this one is stopping counts as finished, and later runs
// update clusters again.
func (k *Subject) Holdings() engine.Text {
	all, known := k.Case.Holdings()
	reports := engine.ReportsDiff(k.Case.Run.Status.AppliedStrategy)
	if !known && reports {
		return engine.Textf("The run compared its clusters with snapshot %s (ReportDiff, nothing is applied).", engine.OrUnknown(k.View.Index))
	}
	does := engine.Textf("The run rolled out snapshot %s", engine.OrUnknown(k.View.Index))
	if !known {
		return engine.Textf("%s.", does)
	}
	n := len(all[0].Clusters)
	if n == 0 && !slices.ContainsFunc(all[1:], func(h world.Holding) bool { return !h.Gone }) {
		return engine.Textf("%s: none of its clusters has a binding now.", does)
	}
	parts := []engine.Text{engine.Textf("%s: %s %s it now", does, engine.Count(n, "cluster"), Agree(n, "has", "have"))}
	switch {
	case n == 0:
		parts[0] = engine.Textf("%s: no cluster has it any longer", does)
	case reports:
		parts[0] = engine.Textf("Snapshot %s is compared on %s (ReportDiff, nothing is applied): %s", all[0].Index, engine.Count(n, "cluster"), differing(&all[0]))
	}
	for i := range all[1:] {
		h := &all[1+i]
		parts = append(parts, engine.Textf("%s: %s", k.HeldBy(h), engine.Enumerate(engine.CleanAll(h.Clusters), 3)))
	}
	return engine.Textf("%s.", engine.Join(parts, "; "))
}

// differing names the clusters on which something differs, and those that report nothing now.
func differing(h *world.Holding) engine.Text {
	var says []engine.Text
	if n := len(h.Different); n > 0 {
		says = append(says, engine.Textf("%d %s, %s", n, Agree(n, "differs", "differ"), engine.Enumerate(engine.CleanAll(h.Different), 3)))
	}
	if n := len(h.Unreported); n > 0 {
		says = append(says, engine.Textf("%d %s no differences now, %s", n, Agree(n, "reports", "report"), engine.Enumerate(engine.CleanAll(h.Unreported), 3)))
	}
	if len(says) == 0 {
		return engine.Lit("none differs")
	}
	return engine.Join(says, "; ")
}

// Have is a clause about clusters that have what the run rolls out.
func (k *Subject) Have(names []engine.Text) engine.Text {
	if engine.ReportsDiff(k.Case.Run.Status.AppliedStrategy) {
		return engine.Textf("%s %s compared with snapshot %s (ReportDiff, nothing is applied)", engine.Enumerate(names, 3), Agree(len(names), "is", "are"), engine.OrUnknown(k.View.Index))
	}
	return engine.Textf("%s %s snapshot %s", engine.Enumerate(names, 3), Agree(len(names), "has", "have"), engine.OrUnknown(k.View.Index))
}

// SameReplaced reports whether all of these clusters have the snapshot of the run: their overrides or
// apply strategy differ, which a new run takes as they are now.
func (k *Subject) SameReplaced() bool {
	all, known := k.Case.Holdings()
	return known && !slices.ContainsFunc(all, func(h world.Holding) bool {
		return h.Replaced(k.View.Index.String()) && len(h.Clusters) > 0 && !h.Same
	})
}

// SayReplaced says which done clusters do not have what the run rolled out.
func (k *Subject) SayReplaced() (says engine.Text, names []engine.Text) {
	all, _ := k.Case.Holdings()
	var parts []engine.Text
	var raw []string
	var only *world.Holding
	for i := range all {
		if h := &all[i]; h.Replaced(k.View.Index.String()) && len(h.Clusters) > 0 {
			only, raw, parts = h, append(raw, h.Clusters...), append(parts, engine.Textf("%s: %s", k.HeldBy(h), engine.Enumerate(engine.CleanAll(h.Clusters), 3)))
		}
	}
	switch names := engine.CleanAll(raw); len(names) {
	case 0:
		return engine.Text{}, nil
	case 1:
		return engine.Textf("Cluster %s is recorded as done, but has %s.", names[0], k.HeldBy(only)), names
	case k.View.Done:
		return engine.Textf("None of the %d clusters recorded as done still has what this run rolled out: %s.", len(raw), engine.Join(parts, "; ")), names
	default:
		return engine.Textf("%d of the %d clusters recorded as done no longer have what this run rolled out: %s.", len(raw), k.View.Done, engine.Join(parts, "; ")), names
	}
}
