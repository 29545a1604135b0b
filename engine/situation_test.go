package engine

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
)

// situation is one file of testdata: objects as a hub holds them, and what a
// person is told about them. Each is read in both scopes.
type situation struct {
	Now       string                      `json:"now"`
	Seen      string                      `json:"seen"`
	Want      wanted                      `json:"want"`
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

// wanted is what a person is told. What triage says is checked there, with the
// same files.
type wanted struct {
	Word, Since, Until, Next, At string
	Counts                       string
	Slow, Terminal               bool
	TakenBy                      string
	Stages, Gates                []string
	Coming                       string
	What, Heal, NextStep, Quote  string
	Acts                         map[string]string
	Clusters                     []string
	Why, Ladders                 map[string]string
}

//go:embed testdata/*.yaml
var files embed.FS

func situations(t testing.TB) map[string]situation {
	t.Helper()
	all, err := fs.Glob(files, "testdata/*.yaml")
	if err != nil || len(all) < 50 {
		t.Fatalf("testdata: %d files, %v", len(all), err)
	}
	out := map[string]situation{}
	for _, f := range all {
		b, err := files.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var s situation
		if err := yaml.UnmarshalStrict(b, &s); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		out[strings.TrimSuffix(path.Base(f), ".yaml")] = s
	}
	return out
}

// moment reads a time of day of the one day on which all situations happen.
func moment(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05", "2026-03-02 "+s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// world makes the World of a situation, and the run's ID. A namespaced one has
// ns, a cluster-scoped one "".
func (s *situation) world(t testing.TB, ns string) (*World, ID) {
	t.Helper()
	w := NewWorld(Settings{ClusterRuns: true, NamespacedRuns: true})
	w.Link.State = LinkLive
	w.Hub.Context = Lit("hub a")
	for _, k := range []Kind{KindClusterStagedUpdateRun, KindStagedUpdateRun, KindClusterApprovalRequest, KindApprovalRequest, KindClusterResourcePlacement, KindResourcePlacement} {
		w.Covered[CoverAll(k)] = Coverage{State: CoverComplete}
	}
	kind := KindClusterStagedUpdateRun
	if ns != "" {
		kind = KindStagedUpdateRun
	}
	add := func(run placement.StagedUpdateRun) ID {
		run.Namespace = ns
		id := NewID(kind, ns, run.Name, string(run.UID))
		w.Runs[id] = &run
		return id
	}
	id := add(s.Run)
	for _, o := range s.Others {
		add(o)
	}
	if s.Seen != "" {
		w.FirstSeen[id] = Seen{Generation: s.Run.Generation, At: moment(t, s.Seen)}
	}
	for _, a := range s.Approvals {
		a.Namespace = ns
		w.Approvals[NewID(kind.Twin(KindClusterApprovalRequest, KindApprovalRequest), ns, a.Name, string(a.UID))] = &a
	}
	if s.Bindings != nil {
		key := PlacementKey(id, s.Run.Spec.PlacementName)
		w.Covered[CoverBindings(key)] = Coverage{State: CoverComplete}
		w.Bindings[key] = map[ID]*Binding{}
		for _, b := range s.Bindings {
			bid := NewID(kind.Twin(KindClusterResourceBinding, KindResourceBinding), ns, "shop-"+b.Cluster, "u-"+b.Cluster)
			w.Bindings[key][bid] = &Binding{
				ID: bid, Cluster: b.Cluster, State: b.State, SnapshotName: b.SnapshotName,
				Generation: b.Generation, Conditions: b.Conditions, Failed: b.Failed,
			}
		}
	}
	w.Focus.Run = id
	return w, id
}

func sortedNames(all map[string]situation) []string {
	names := make([]string, 0, len(all))
	for n := range all {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// small makes a run with nothing but the given conditions.
func small(w *World, kind Kind, ns, name, of string, conds ...metav1.Condition) ID {
	id := NewID(kind, ns, name, "u-"+name)
	w.Runs[id] = &placement.StagedUpdateRun{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns, UID: "x", Generation: 1, ResourceVersion: "1"},
		Spec:       placement.UpdateRunSpec{PlacementName: of, State: placement.StateRun},
		Status:     placement.UpdateRunStatus{Conditions: conds},
	}
	return id
}

func is(typ string, status metav1.ConditionStatus, at time.Time) metav1.Condition {
	return metav1.Condition{Type: typ, Status: status, LastTransitionTime: metav1.Time{Time: at}, ObservedGeneration: 1}
}

func live(set Settings) *World {
	w := NewWorld(set)
	w.Link.State = LinkLive
	return w
}

func coverAll(w *World, ns string, s CoverState, kinds ...Kind) {
	for _, k := range kinds {
		w.Covered[CoverKey{Kind: k, Namespace: ns}] = Coverage{State: s}
	}
}
