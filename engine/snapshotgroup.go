package engine

import (
	"slices"
	"strconv"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// ParseIndex returns the number of a snapshot index, -1 when it is no number.
func ParseIndex(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// snapshotGroup is one index of a placement's resource snapshots: a master and
// its parts (docs/kubefleet.md#snapshots).
type snapshotGroup struct {
	index  int
	latest bool
	master *placement.ResourceSnapshot // nil when it is missing
	parts  []*placement.ResourceSnapshot
}

// groupSnapshots sorts resource snapshots by index, newest first.
func groupSnapshots(all []placement.ResourceSnapshot) []snapshotGroup {
	byIndex := map[int]*snapshotGroup{}
	for i := range all {
		s := &all[i]
		n := ParseIndex(s.Labels[placement.LabelResourceIndex])
		g := byIndex[n]
		if g == nil {
			g = &snapshotGroup{index: n}
			byIndex[n] = g
		}
		if _, master := s.Annotations[placement.AnnotationResourceHash]; master || strings.HasSuffix(s.Name, "-snapshot") {
			g.master = s
			g.latest = s.Labels[placement.LabelIsLatestSnapshot] == "true"
		}
		g.parts = append(g.parts, s)
	}
	out := make([]snapshotGroup, 0, len(byIndex))
	for _, g := range byIndex {
		slices.SortFunc(g.parts, func(a, b *placement.ResourceSnapshot) int { return strings.Compare(a.Name, b.Name) })
		out = append(out, *g)
	}
	slices.SortFunc(out, func(a, b snapshotGroup) int { return b.index - a.index })
	return out
}

func (g *snapshotGroup) resources() (n, bytes int) {
	for _, p := range g.parts {
		n += len(p.Spec.SelectedResources)
		for i := range p.Spec.SelectedResources {
			bytes += len(p.Spec.SelectedResources[i].Raw)
		}
	}
	return n, bytes
}
