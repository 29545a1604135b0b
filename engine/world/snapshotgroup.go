package world

import (
	"slices"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// SnapshotGroup is one index of a placement's resource snapshots: a master and
// its parts (docs/kubefleet.md#snapshots).
type SnapshotGroup struct {
	Index  int
	Latest bool
	Master *placement.ResourceSnapshot // nil when it is missing
	Parts  []*placement.ResourceSnapshot
}

// GroupSnapshots sorts resource snapshots by index, newest first.
func GroupSnapshots(all []placement.ResourceSnapshot) []SnapshotGroup {
	byIndex := map[int]*SnapshotGroup{}
	for i := range all {
		s := &all[i]
		n := engine.ParseIndex(s.Labels[placement.LabelResourceIndex])
		g := byIndex[n]
		if g == nil {
			g = &SnapshotGroup{Index: n}
			byIndex[n] = g
		}
		if _, master := s.Annotations[placement.AnnotationResourceHash]; master || strings.HasSuffix(s.Name, "-snapshot") {
			g.Master = s
			g.Latest = s.Labels[placement.LabelIsLatestSnapshot] == "true"
		}
		g.Parts = append(g.Parts, s)
	}
	out := make([]SnapshotGroup, 0, len(byIndex))
	for _, g := range byIndex {
		slices.SortFunc(g.Parts, func(a, b *placement.ResourceSnapshot) int { return strings.Compare(a.Name, b.Name) })
		out = append(out, *g)
	}
	slices.SortFunc(out, func(a, b SnapshotGroup) int { return b.Index - a.Index })
	return out
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
