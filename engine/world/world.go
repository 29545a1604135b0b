// Package world holds the objects of one hub as last received, raw, and says how
// much of each set is known. It has also what members reported and the Case, the
// input of a diagnosis. The screen cannot import it.
package world

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// World holds the objects of one hub as last received, raw. One goroutine owns
// and changes it; Observe reads it in that goroutine. The objects in it are
// immutable: a newer one replaces the older.
type World struct {
	Hub        engine.Hub
	Link       engine.Link
	Skew       time.Duration
	Namespaces engine.Text // for Scope
	// OneNamespace is set while one namespace is read because this user may not
	// list the runs of all.
	OneNamespace bool
	Settings     engine.Settings
	// Raised is until when what the settings hold back is lifted, in hub time;
	// zero while it is not.
	Raised time.Time
	Focus  engine.Focus
	// Access is replaced, never changed.
	Access engine.Access
	// Triage diagnoses; if nil, every Diagnosis is empty.
	Triage Triage

	// Runs, both scopes as one Go type; Namespace is empty for cluster scope. Those that are
	// packed have no clusters: Whole returns them.
	Runs map[engine.ID]*placement.StagedUpdateRun
	// Packed has the clusters of runs that have succeeded or have many.
	Packed map[engine.ID]*PackedRun
	// Paths has the values of the JSONPaths among Settings.Fields, if there are any.
	Paths map[engine.ID][]string
	// Printed rows of runs whose object is not loaded yet, from a Table.
	Printed map[engine.ID]PrintedRun
	// Approvals by ID, both scopes as one Go type.
	Approvals map[engine.ID]*placement.ApprovalRequest
	// Placements by ID.
	Placements map[engine.ID]*Placement
	// Bindings by placement (ID without UID), then by ID.
	Bindings map[engine.ID]map[engine.ID]*Binding
	// Members by name.
	Members map[string]*Member
	// Nearby by placement (ID without UID), for the placements beside which it
	// was read. The map is replaced, never changed.
	Nearby map[engine.ID]*Nearby
	// FirstSeen is when a run was changed to its present generation, as the API server
	// recorded it, else when it was first seen at it; in hub time: the clock of NOT
	// OBSERVED.
	FirstSeen map[engine.ID]Seen
	// Reached is the resourceVersion up to which a set of bindings is known.
	Reached map[CoverKey]string
	// ReadOnce is set when the bindings are read once and not watched: they become no newer.
	ReadOnce bool
	// ReadAgain is set when bindings that are older than their run are read again.
	ReadAgain bool
	// Covered says what of the above is complete.
	Covered map[CoverKey]engine.Coverage
	// Reports are what members returned about the workloads of runs.
	Reports map[ReportKey]*MemberReport
	// Broken holds objects that could not be decoded: shown, never dropped.
	Broken map[engine.ID]string
}

// NewWorld returns an empty World whose maps are ready.
func NewWorld(s engine.Settings) *World {
	return &World{
		Settings:   s,
		Runs:       map[engine.ID]*placement.StagedUpdateRun{},
		Packed:     map[engine.ID]*PackedRun{},
		Paths:      map[engine.ID][]string{},
		Printed:    map[engine.ID]PrintedRun{},
		Approvals:  map[engine.ID]*placement.ApprovalRequest{},
		Placements: map[engine.ID]*Placement{},
		Bindings:   map[engine.ID]map[engine.ID]*Binding{},
		Members:    map[string]*Member{},
		FirstSeen:  map[engine.ID]Seen{},
		Reached:    map[CoverKey]string{},
		Covered:    map[CoverKey]engine.Coverage{},
		Reports:    map[ReportKey]*MemberReport{},
		Broken:     map[engine.ID]string{},
	}
}

// Seen is a generation and when it was first seen. Changed is false when no older
// generation was seen before: then the change may be much older than At.
type Seen struct {
	Generation int64
	At         time.Time
	Changed    bool
	// First is the first version of the run that was received; Starts are those with the starts
	// of clusters that it did not have, of the last minute.
	First  Arrival
	Starts map[string]Arrival
}

// Arrival is a version of an object and when it was received.
type Arrival struct {
	At      time.Time
	Version string
}

// Start returns the first version that was received with the start of a cluster.
func (s *Seen) Start(cluster string) Arrival {
	if a, is := s.Starts[cluster]; is {
		return a
	}
	return s.First
}

// Placement is what the monitor keeps of a placement.
type Placement struct {
	ID         engine.ID
	Generation int64
	External   bool // spec.strategy.type is External (docs/kubefleet.md#placement)
	// Apply is the apply strategy, nil when it sets none; ApplyRead says that it was read.
	Apply         *placement.ApplyStrategy
	ApplyRead     bool
	ObservedIndex string
	Clusters      int // placementStatuses with a cluster name
	Created       time.Time
	Deleting      time.Time
	Abandons      bool // its resources stay on the members when it is deleted
	Conditions    []metav1.Condition
}

// Binding is what the monitor keeps of a binding (docs/kubefleet.md#binding).
type Binding struct {
	ID           engine.ID
	Cluster      string   // spec.targetCluster
	State        string   // Scheduled, Bound, Unscheduled
	SnapshotName string   // spec.resourceSnapshotName
	PolicyName   string   // spec.schedulingPolicySnapshotName
	Overrides    []string // override snapshots, see OverrideNames
	Apply        *placement.ApplyStrategy
	Generation   int64
	Created      time.Time
	Deleting     time.Time
	ReportDiff   bool
	Conditions   []metav1.Condition
	Failed       []placement.FailedResourcePlacement
	// Changes are the fields in which the objects of Failed drifted or differ.
	Changes    []ObjectChanges
	Drifted    int
	Differing  int
	Finalizers []string
}

// CoverKey names one set of objects: a kind within a namespace, everywhere
// (All), or of one placement.
type CoverKey struct {
	Kind      engine.Kind
	Namespace string
	Placement engine.ID
}

// CoverAll returns the key of all objects of a kind, in every namespace.
func CoverAll(k engine.Kind) CoverKey { return CoverKey{Kind: k} }

// CoverBindings returns the key of the bindings of one placement, whose UID
// does not matter. The key in World.Bindings is placement.Key().
func CoverBindings(placement engine.ID) CoverKey {
	p := placement.Key()
	return CoverKey{
		Kind:      p.Kind().InScope(engine.KindClusterResourceBinding, engine.KindResourceBinding),
		Namespace: p.RawNamespace(),
		Placement: p,
	}
}

// Changed says what moved in the World since the last Observe, so that runs
// that did not can keep their view. A run moved when the object itself, one of
// its approval requests, a binding of its placement, another run of it, or a
// member that it names did.
type Changed struct {
	All  bool // everything: first time, settings, coverage
	Runs map[engine.ID]bool
	// Requests says that an approval request or a run came, changed or went.
	Requests bool
}

// BoundByCluster returns the bindings of a placement by cluster; nil unless all
// of them are known, since a missing one would be taken for a fact. Of several
// for one cluster the one in use counts. They are put into room, an empty map, or into a
// new one if it is nil.
func (w *World) BoundByCluster(key engine.ID, room map[string]*Binding) map[string]*Binding {
	if w.Covered[CoverBindings(key)].State != engine.CoverComplete {
		return nil
	}
	out := room
	if out == nil {
		out = make(map[string]*Binding, len(w.Bindings[key]))
	}
	for _, b := range w.Bindings[key] {
		other := out[b.Cluster]
		if other == nil || inUse(b) && !inUse(other) || inUse(b) == inUse(other) && b.ID.Compare(other.ID) < 0 {
			out[b.Cluster] = b
		}
	}
	return out
}

func inUse(b *Binding) bool {
	return b.Deleting.IsZero() && b.State != string(placement.BindingUnscheduled)
}

// Complete reports whether every set that was asked for is whole. A set that
// the hub does not permit or does not serve is outside the scope, and a note
// says so; one that failed is missing.
func (w *World) Complete() bool {
	whole := false
	for _, k := range w.runKinds() {
		c, asked := w.coverOf(k)
		if !asked || !c.Settled() {
			return false
		}
		whole = whole || c != engine.CoverForbidden
	}
	for key, c := range w.Covered {
		if key.Placement.IsZero() && key.Kind != engine.KindMemberCluster && c.State != engine.CoverNotAsked && !c.State.Settled() {
			return false
		}
	}
	for id := range w.Printed {
		if w.Runs[id] == nil && w.Broken[id] == "" {
			return false
		}
	}
	return whole
}

// runKinds returns the kinds of run that are asked for.
func (w *World) runKinds() []engine.Kind {
	var out []engine.Kind
	if w.Settings.ClusterRuns {
		out = append(out, engine.KindClusterStagedUpdateRun)
	}
	if w.Settings.NamespacedRuns {
		out = append(out, engine.KindStagedUpdateRun)
	}
	return out
}

// coverOf returns the state of a kind's set, in whatever namespace it was asked
// for. When there are several the least complete one counts.
func (w *World) coverOf(k engine.Kind) (state engine.CoverState, asked bool) {
	worst := engine.CoverComplete
	for key, c := range w.Covered {
		if key.Kind != k || !key.Placement.IsZero() || c.State == engine.CoverNotAsked {
			continue
		}
		asked = true
		if c.State != engine.CoverComplete {
			worst = c.State
		}
	}
	if !asked {
		return engine.CoverNotAsked, false
	}
	return worst, true
}

// Known reports whether the objects of the kind in the namespace are all
// known.
func (w *World) Known(k engine.Kind, ns string) bool {
	return w.Covered[CoverAll(k)].State == engine.CoverComplete ||
		ns != "" && w.Covered[CoverKey{Kind: k, Namespace: ns}].State == engine.CoverComplete
}

// Unread says in a clause why the objects of a set, named in the plural, are not all known; zero if
// they are.
func Unread(c engine.Coverage, what engine.Text) engine.Text {
	switch c.State {
	case engine.CoverComplete:
		return engine.Text{}
	case engine.CoverForbidden:
		return engine.Textf("you may not read %s", what)
	case engine.CoverNotServed:
		return engine.Textf("this hub does not serve %s", what)
	case engine.CoverTruncated:
		return engine.Textf("%s are incomplete: %s", what, c.Truncated())
	case engine.CoverFailed:
		if !c.Why.IsZero() {
			return engine.Textf("%s could not be read (%s)", what, c.Why)
		}
		return engine.Textf("%s could not be read", what)
	case engine.CoverNotAsked, engine.CoverLoading:
	}
	return engine.Textf("%s are still being read", what)
}

// OverrideNames lists override snapshots as a binding or a run names them: those of the
// cluster scope by name, then the namespaced ones as NAMESPACE/NAME.
func OverrideNames(clusterWide []string, namespaced []placement.NamespacedName) []string {
	out := slices.Clone(clusterWide)
	for _, n := range namespaced {
		out = append(out, n.Namespace+"/"+n.Name)
	}
	return out
}
