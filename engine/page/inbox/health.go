package inbox

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/page"
)

// health sums up what the bindings of a run's snapshot report.
type health struct {
	why                                                engine.Text // no binding was read
	clusters, unavailable, failing, drifted, different int
	// reporting is how many of the clusters only report differences.
	reporting int
	// unreported is how many have not reported on what they are to apply now: that is no failure.
	unreported int
}

// healthOf reads the bindings of the placement of a run.
func (f *Facts) healthOf(v *engine.RunView) health {
	key := v.Placement.Key()
	if why, ok := f.BindingsWhy[key]; ok {
		return health{why: engine.Textf("Its bindings are not shown: %s.", why)}
	}
	list, ok := f.Bindings[key]
	if !ok {
		return health{why: engine.Lit("Its bindings were not read.")}
	}
	var h health
	for i := range list {
		b := &list[i]
		if v.Index.IsZero() || message.SnapshotIndex(b.Spec.ResourceSnapshotName) != v.Index.String() {
			continue
		}
		h.clusters++
		if engine.ReportsDiff(b.Spec.ApplyStrategy) {
			h.reporting++
		}
		switch mark := page.AvailableCell(b).Mark; {
		case mark == page.MarkYes:
		case mark == page.MarkNo, engine.ReportsDiff(b.Spec.ApplyStrategy):
			h.unavailable++
		default:
			h.unreported++
		}
		h.failing += len(b.Status.FailedPlacements)
		h.drifted += len(b.Status.DriftedPlacements)
		h.different += len(b.Status.DiffedPlacements)
	}
	return h
}

// fine reports whether nothing is wrong on any cluster.
func (h *health) fine() bool { return h.unavailable+h.unreported+h.failing+h.drifted+h.different == 0 }

// reports reports whether every cluster only reports differences.
func (h *health) reports() bool { return h.clusters > 0 && h.reporting == h.clusters }

// compared says where the clusters compare what they have with the snapshot.
func (h *health) compared(v *engine.RunView) engine.Text {
	return engine.Textf("Snapshot %s is compared on %s (ReportDiff, nothing is applied)", engine.OrUnknown(v.Index), engine.Count(h.clusters, "cluster"))
}

// missing is what a cluster has not done that counts as unavailable.
func (h *health) missing() engine.Text {
	if h.reports() {
		return engine.Lit("not compared yet")
	}
	return engine.Lit("not available")
}

// cell is the health in a few words.
func (h *health) cell() page.Cell {
	switch {
	case !h.why.IsZero():
		return page.Cell{Mark: page.MarkUnknown, Role: engine.RoleWait, Text: engine.Lit("not read")}
	case h.clusters == 0:
		return page.TextCell(engine.RoleSub, engine.Lit("not on any cluster"))
	case h.fine():
		says := engine.Lit("all available")
		if h.reports() {
			says = engine.Lit("no difference")
		}
		return page.Cell{Mark: page.MarkYes, Role: engine.RoleGood, Text: says}
	}
	says := engine.Join(h.counts(engine.Textf("%d failing", h.failing), engine.Textf("%d drifted", h.drifted), engine.Textf("%d different", h.different),
		engine.Textf("%d %s", h.unavailable, h.missing()), engine.Textf("%d not reported yet", h.unreported)), ", ")
	if h.unavailable+h.failing+h.drifted+h.different == 0 {
		return page.Cell{Mark: page.MarkUnknown, Role: engine.RoleWait, Text: says}
	}
	return page.Cell{Mark: page.MarkNo, Role: engine.RoleBad, Text: says}
}

// counts returns the words of what is not zero; those of the manifests come first.
func (h *health) counts(failing, drifted, different, unavailable, unreported engine.Text) (out []engine.Text) {
	for _, c := range []struct {
		n    int
		says engine.Text
	}{{h.failing, failing}, {h.drifted, drifted}, {h.different, different}, {h.unavailable, unavailable}, {h.unreported, unreported}} {
		if c.n > 0 {
			out = append(out, c.says)
		}
	}
	return out
}

// sentence says it in full.
func (h *health) sentence(v *engine.RunView) engine.Text {
	switch {
	case !h.why.IsZero():
		return h.why
	case h.clusters == 0 && v.Done > 0:
		return engine.Textf("No cluster has snapshot %s any more.", engine.OrUnknown(v.Index))
	case h.clusters == 0:
		return engine.Textf("No cluster has snapshot %s yet.", engine.OrUnknown(v.Index))
	case h.fine() && h.reports():
		return engine.Textf("%s. No manifest is failing or different.", h.compared(v))
	case h.fine():
		return engine.Textf("Snapshot %s is available on %s. No manifest is failing, drifted or different.", engine.OrUnknown(v.Index), engine.Count(h.clusters, "cluster"))
	}
	manifests := func(n int, what engine.Text) engine.Text {
		return engine.Textf("%s %s", engine.Count(n, "manifest"), what)
	}
	ill := h.counts(manifests(h.failing, engine.Lit("failing")), manifests(h.drifted, engine.Lit("drifted")), manifests(h.different, engine.Lit("different")), engine.Textf("%s %s", engine.Count(h.unavailable, "cluster"), h.missing()),
		engine.Textf("%s without a report yet", engine.Count(h.unreported, "cluster")))
	if h.reports() {
		return engine.Textf("%s; %s.", h.compared(v), engine.Enumerate(ill, len(ill)))
	}
	return engine.Textf("Snapshot %s is on %s; %s.", engine.OrUnknown(v.Index), engine.Count(h.clusters, "cluster"), engine.Enumerate(ill, len(ill)))
}
