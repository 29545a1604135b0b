// Package situation has the objects of many situations of a run, as a hub holds
// them, with the state that a person should see: for the tests of the engine.
package situation

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Situation is one file of testdata: objects as a hub holds them, and what a
// person is told about them. Each is read in both scopes.
type Situation struct {
	Now       string                      `json:"now"`
	Seen      string                      `json:"seen"`
	Want      Wanted                      `json:"want"`
	Run       placement.StagedUpdateRun   `json:"run"`
	Others    []placement.StagedUpdateRun `json:"others"`
	Approvals []placement.ApprovalRequest `json:"approvals"`
	Bindings  []bindingData               `json:"bindings"`
}

type bindingData struct {
	Cluster, State, SnapshotName string
	Generation                   int64
	Conditions                   []metav1.Condition
	Failed                       []placement.FailedResourcePlacement
}

// Wanted is what a person is told. What triage says is checked there, with the
// same files.
type Wanted struct {
	Word, Since, Until, Next, At        string
	Counts                              string
	Slow, Terminal                      bool
	PreemptedBy                         string
	Stages, Gates                       []string
	Coming                              string
	What, RecoveryText, NextStep, Quote string
	Acts                                map[string]string
	Clusters                            []string
	Why, Conditions                     map[string]string
}

//go:embed testdata/*.yaml
var files embed.FS

// All returns all situations by name.
func All(t testing.TB) map[string]Situation {
	t.Helper()
	all, err := fs.Glob(files, "testdata/*.yaml")
	if err != nil || len(all) < 50 {
		t.Fatalf("testdata: %d files, %v", len(all), err)
	}
	out := map[string]Situation{}
	for _, f := range all {
		b, err := files.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var s Situation
		if err := yaml.UnmarshalStrict(b, &s); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		out[strings.TrimSuffix(path.Base(f), ".yaml")] = s
	}
	return out
}

// Moment reads a time of day of the one day on which all situations happen.
func Moment(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05", "2026-03-02 "+s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// World makes the World of a situation, and the run's ID. A namespaced one has
// ns, a cluster-scoped one "".
func (s *Situation) World(t testing.TB, ns string) (*world.World, engine.ID) {
	t.Helper()
	w := world.NewWorld(engine.Settings{ClusterRuns: true, NamespacedRuns: true})
	w.Link.State = engine.LinkLive
	w.Hub.Context, w.Hub.Name = engine.Lit("hub a"), engine.NewHubName("hub a", "")
	for _, k := range []engine.Kind{engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun, engine.KindClusterApprovalRequest, engine.KindApprovalRequest, engine.KindClusterResourcePlacement, engine.KindResourcePlacement} {
		w.Covered[world.CoverAll(k)] = engine.Coverage{State: engine.CoverComplete}
	}
	kind := engine.KindClusterStagedUpdateRun
	if ns != "" {
		kind = engine.KindStagedUpdateRun
	}
	add := func(run placement.StagedUpdateRun) engine.ID {
		run.Namespace = ns
		id := w.Hub.Name.ID(kind, ns, run.Name, string(run.UID))
		w.Runs[id] = &run
		return id
	}
	id := add(s.Run)
	for _, o := range s.Others {
		add(o)
	}
	if s.Seen != "" {
		w.FirstSeen[id] = world.Seen{Generation: s.Run.Generation, At: Moment(t, s.Seen)}
	}
	for _, a := range s.Approvals {
		a.Namespace = ns
		w.Approvals[id.Beside(kind.InScope(engine.KindClusterApprovalRequest, engine.KindApprovalRequest), ns, a.Name, string(a.UID))] = &a
	}
	if s.Bindings != nil {
		key := engine.PlacementKey(id, s.Run.Spec.PlacementName)
		w.Covered[world.CoverBindings(key)] = engine.Coverage{State: engine.CoverComplete}
		w.Bindings[key] = map[engine.ID]*world.Binding{}
		for _, b := range s.Bindings {
			bid := id.Beside(kind.InScope(engine.KindClusterResourceBinding, engine.KindResourceBinding), ns, "shop-"+b.Cluster, "u-"+b.Cluster)
			w.Bindings[key][bid] = &world.Binding{
				ID: bid, Cluster: b.Cluster, State: b.State, SnapshotName: b.SnapshotName,
				Generation: b.Generation, Conditions: b.Conditions, Failed: b.Failed,
			}
		}
	}
	w.Focus.Run = id
	return w, id
}

// SortedNames returns the names of the situations in order.
func SortedNames(all map[string]Situation) []string {
	names := make([]string, 0, len(all))
	for n := range all {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Small makes a run with nothing but the given conditions.
func Small(w *world.World, kind engine.Kind, ns, name, of string, conds ...metav1.Condition) engine.ID {
	id := w.Hub.Name.ID(kind, ns, name, "u-"+name)
	w.Runs[id] = &placement.StagedUpdateRun{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns, UID: "x", Generation: 1, ResourceVersion: "1"},
		Spec:       placement.UpdateRunSpec{PlacementName: of, State: placement.StateRun},
		Status:     placement.UpdateRunStatus{Conditions: conds},
	}
	return id
}

// Is returns a condition of generation 1.
func Is(typ string, status metav1.ConditionStatus, at time.Time) metav1.Condition {
	return metav1.Condition{Type: typ, Status: status, LastTransitionTime: metav1.Time{Time: at}, ObservedGeneration: 1}
}

// Live returns an empty World with a live link.
func Live(set engine.Settings) *world.World {
	w := world.NewWorld(set)
	w.Link.State = engine.LinkLive
	return w
}

// CoverAll sets the coverage of the kinds in a namespace.
func CoverAll(w *world.World, ns string, s engine.CoverState, kinds ...engine.Kind) {
	for _, k := range kinds {
		w.Covered[world.CoverKey{Kind: k, Namespace: ns}] = engine.Coverage{State: s}
	}
}
