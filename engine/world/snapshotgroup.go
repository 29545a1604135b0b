package world

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// SnapshotGroup is one index of a placement's resource snapshots: a master and
// its parts (docs/kubefleet.md#snapshots).
type SnapshotGroup struct {
	Label  string // the index as the hub has it: 07 is not 7 for the controller
	Index  int    // -1 when the label is no number
	Latest bool
	Master *placement.ResourceSnapshot // nil when it is missing
	Parts  []*placement.ResourceSnapshot
}

// GroupSnapshots sorts resource snapshots by index, newest first.
func GroupSnapshots(all []placement.ResourceSnapshot) []SnapshotGroup {
	byLabel := map[string]*SnapshotGroup{}
	for i := range all {
		s := &all[i]
		label := s.Labels[placement.LabelResourceIndex]
		g := byLabel[label]
		if g == nil {
			g = &SnapshotGroup{Label: label, Index: engine.ParseIndex(label)}
			byLabel[label] = g
		}
		if _, master := s.Annotations[placement.AnnotationResourceHash]; master || strings.HasSuffix(s.Name, "-snapshot") {
			g.Master = s
			g.Latest = s.Labels[placement.LabelIsLatestSnapshot] == "true"
		}
		g.Parts = append(g.Parts, s)
	}
	out := make([]SnapshotGroup, 0, len(byLabel))
	for _, g := range byLabel {
		slices.SortFunc(g.Parts, func(a, b *placement.ResourceSnapshot) int { return strings.Compare(a.Name, b.Name) })
		out = append(out, *g)
	}
	sort.Slice(out, func(i, j int) bool {
		return cmp.Or(out[j].Index-out[i].Index, strings.Compare(out[i].Label, out[j].Label)) < 0
	})
	return out
}

// First returns the master of the snapshot, or its first part when the master is missing.
func (g *SnapshotGroup) First() *placement.ResourceSnapshot {
	if g.Master != nil {
		return g.Master
	}
	return g.Parts[0]
}

// Resources counts the resources of the snapshot and their bytes as JSON.
func (g *SnapshotGroup) Resources() (n, bytes int) {
	for _, p := range g.Parts {
		n += len(p.Spec.SelectedResources)
		for i := range p.Spec.SelectedResources {
			bytes += len(p.Spec.SelectedResources[i].Raw)
		}
	}
	return n, bytes
}
