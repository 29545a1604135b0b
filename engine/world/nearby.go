package world

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// Nearby is what no stream brings and the diagnosis of one run needs: what the
// run could name instead of what it names. It is read for one placement, or
// for the placement that a run names and that may not exist, and it is
// replaced, never changed. Snapshots have metadata only, but policy snapshots that are
// labelled latest are whole.
type Nearby struct {
	// Placement is the key of the placement.
	Placement engine.ID
	// Apply is the placement's apply strategy, nil when it sets none;
	// Policy is its scheduling policy, nil likewise; PlacementRead is false when the placement
	// was not read.
	Apply         *placement.ApplyStrategy
	Policy        *placement.PlacementPolicy
	PlacementRead bool
	// Elsewhere are the placements of that name in the other scope and in other
	// namespaces, read when the placement does not exist.
	Elsewhere []engine.ID
	// Strategies are those of the scope, by name; Resources and Policies are
	// the snapshots of the placement.
	Strategies []*placement.StagedUpdateStrategy
	Resources  []placement.ResourceSnapshot
	Policies   []placement.SchedulingPolicySnapshot
	// Plans are those of runs of the placement that are not initialized; a plan
	// that was not read is absent.
	Plans map[engine.PlanSpec]*plan.Plan
	// Answers are those that diagnoses of runs of the placement are read from.
	Answers map[engine.HubReadOf]*HubAnswer
	// Gaps are what could not be read; the list of it is nil then.
	Gaps []engine.Gap
}

// SnapshotRow is one resource snapshot: a master and its parts.
type SnapshotRow struct {
	Name    string // of the master, or of a part when that is missing
	Label   string // the index as the hub has it: 07 is not 7 for the controller
	Index   int    // -1 when the label is no number
	Created time.Time
	Latest  bool
	// Parts of Want objects exist; Want is 0 when the master does not say, or
	// is missing.
	Parts, Want int
	Master      bool
}

// Whole reports whether every part of the snapshot exists.
func (s *SnapshotRow) Whole() bool { return s.Master && (s.Want == 0 || s.Parts >= s.Want) }

// Snapshots lists the resource snapshots, newest index first, and whether they
// were read.
func (n *Nearby) Snapshots() (rows []SnapshotRow, read bool) {
	if n == nil || n.Resources == nil {
		return nil, false
	}
	for _, g := range GroupSnapshots(n.Resources) {
		first := g.First()
		row := SnapshotRow{Name: first.Name, Label: g.Label, Index: g.Index, Latest: g.Latest, Parts: len(g.Parts), Created: first.CreationTimestamp.Time}
		if g.Master != nil {
			row.Master = true
			row.Want, _ = strconv.Atoi(g.Master.Annotations[placement.AnnotationNumberOfResourceSnapshots])
		}
		rows = append(rows, row)
	}
	return rows, true
}

// Newest returns the resource snapshot that is labelled latest, the highest
// index when none is; nil when there is none or they were not read.
func (n *Nearby) Newest() *SnapshotRow {
	rows, _ := n.Snapshots()
	for i := range rows {
		if rows[i].Latest {
			return &rows[i]
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return &rows[0]
}

// LatestPolicies lists the policy snapshots that are labelled latest, highest
// index first; all of them without such a label.
func (n *Nearby) LatestPolicies() (latest, all []*placement.SchedulingPolicySnapshot, read bool) {
	if n == nil || n.Policies == nil {
		return nil, nil, false
	}
	for i := range n.Policies {
		p := &n.Policies[i]
		all = append(all, p)
		if p.Labels[placement.LabelIsLatestSnapshot] == "true" {
			latest = append(latest, p)
		}
	}
	newest := func(a, b *placement.SchedulingPolicySnapshot) int {
		return cmp.Or(engine.ParseIndex(b.Labels[placement.LabelPolicyIndex])-engine.ParseIndex(a.Labels[placement.LabelPolicyIndex]), strings.Compare(a.Name, b.Name))
	}
	slices.SortFunc(latest, newest)
	slices.SortFunc(all, newest)
	return latest, all, true
}

// Strategy returns the strategy of a name, nil when there is none, and whether
// the strategies were read.
func (n *Nearby) Strategy(name string) (s *placement.StagedUpdateStrategy, read bool) {
	if n == nil || n.Strategies == nil {
		return nil, false
	}
	for _, s := range n.Strategies {
		if s.Name == name {
			return s, true
		}
	}
	return nil, true
}

// NearbyOf returns what was read beside the placement, nil when nothing was.
func (w *World) NearbyOf(of engine.ID) *Nearby { return w.Nearby[of.Key()] }
