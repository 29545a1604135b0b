package scenario

import (
	"bytes"
	"context"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/api/crds"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/controller"
	"github.com/stagewatch/stagewatch/demo/members"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/demo/works"
)

// spoken is what a condition says, without its time.
func spoken(conditions []metav1.Condition) []string {
	var said []string
	for _, c := range conditions {
		said = append(said, c.Type+"="+string(c.Status)+" "+c.Reason+": "+c.Message)
	}
	return said
}

func TestHealthyRuns(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	installed(t, h)
	var (
		mu    sync.Mutex
		steps = map[string][]string{}
	)
	watcher, err := store.New(h.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	watcher.Bindings.Observe(func(_, after *placement.ResourceBinding) {
		if after == nil || after.Spec.TargetCluster != "weu-prod-1" || after.Namespace != "" || after.Generation < 2 {
			return
		}
		var at []string
		for _, c := range after.Status.Conditions {
			if c.ObservedGeneration == after.Generation {
				at = append(at, c.Type+"="+string(c.Status))
			}
		}
		mu.Lock()
		defer mu.Unlock()
		step := strings.Join(at, " ")
		if seen := steps["checkout"]; len(seen) == 0 || seen[len(seen)-1] != step {
			steps["checkout"] = append(seen, step)
		}
	})
	streams := startStreams(t, watcher)
	defer streams()
	f := &Fleet{hub: h, log: slog.New(slog.DiscardHandler), stopLoops: func() {}}
	if err := f.play(t.Context(), healthy(), Options{Timing: quick()}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		f.stopLoops()
		f.loops.Wait()
	}()
	o := lookAt(t, h)
	for _, run := range []store.Key{{Name: "checkout-r1"}, {Namespace: "team-web", Name: "storefront-r1"}} {
		done := o.awaitRun(run.Namespace, run.Name, "Succeeded=True/UpdateRunSucceeded")
		want := []string{
			"Initialized=True UpdateRunInitializedSuccessfully: The UpdateRun initialized successfully",
			"Progressing=False UpdateRunSucceeded: All stages are completed",
			"Succeeded=True UpdateRunSucceeded: All stages are completed successfully",
		}
		if got := spoken(done.Status.Conditions); !slices.Equal(got, want) {
			t.Errorf("%s says\n%s\nwant\n%s", run, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if d := done.Status.DeletionStageStatus; d == nil || len(d.Clusters) != 0 || d.StageName != placement.DeletionStageName {
			t.Errorf("%s: deletion stage %+v, want an empty one", run, d)
		}
		if !slices.Equal(done.Finalizers, []string{placement.FinalizerUpdateRun}) {
			t.Errorf("%s: finalizers %v", run, done.Finalizers)
		}
		for _, b := range o.bindingsOf(run.Namespace, done.Spec.PlacementName) {
			if want := placement.MasterSnapshotName(done.Spec.PlacementName, "1"); b.Spec.ResourceSnapshotName != want {
				t.Errorf("%s on %s: snapshot %s, want %s", run, b.Spec.TargetCluster, b.Spec.ResourceSnapshotName, want)
			}
			work := live(t, o.Works, placement.MemberNamespace(b.Spec.TargetCluster), placement.WorkName(run.Namespace, done.Spec.PlacementName))
			if got := work.Labels[placement.LabelParentResourceSnapshotIndex]; got != "1" {
				t.Errorf("%s on %s: the work carries index %s, want 1", run, b.Spec.TargetCluster, got)
			}
		}
	}
	o.await("the placement is available as a whole again", func() string {
		p := live(t, o.Placements, "", "checkout")
		if p.Status.ObservedResourceIndex == "1" && says(p.Status.Conditions, "ClusterResourcePlacementAvailable=True/ResourceAvailable") {
			return ""
		}
		return describe(p.Status.Conditions)
	})
	mu.Lock()
	defer mu.Unlock()
	// Steps may be missed between two looks of a stream; none may be out of order.
	order := []string{
		"",
		"RolloutStarted=True",
		"RolloutStarted=True Overridden=True WorkSynchronized=True Applied=False",
		"RolloutStarted=True Overridden=True WorkSynchronized=True Applied=True Available=False",
		"RolloutStarted=True Overridden=True WorkSynchronized=True Applied=True Available=True",
	}
	at := 0
	for _, step := range steps["checkout"] {
		next := slices.Index(order, step)
		if next < at {
			t.Errorf("steps of the binding of weu-prod-1: %q, want them in the order of %q", steps["checkout"], order)
		}
		at = next
	}
	if at != len(order)-1 {
		t.Errorf("the binding of weu-prod-1 ended at %q", steps["checkout"])
	}
}

// startStreams fills a world until the function that is returned is called.
func startStreams(t *testing.T, w *store.Store) func() {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	stop := func() { cancel(); done.Wait() }
	if err := w.Follow(ctx, true, &done); err != nil {
		stop()
		t.Fatal(err)
	}
	return stop
}

func TestSeedAgainChangesNothing(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	installed(t, h)
	versions := func() map[string]string {
		found := map[string]string{}
		o := lookAt(t, h)
		for _, kind := range []store.Kind{
			o.Kinds.Runs.Cluster, o.Kinds.Runs.Namespaced, o.Kinds.Bindings.Cluster, o.Kinds.Bindings.Namespaced,
			o.Kinds.Placements.Cluster, o.Kinds.ResourceSnapshots.Namespaced, o.Kinds.Members, o.Kinds.Works, o.Kinds.Strategies.Cluster,
		} {
			list, err := o.Hub.Resource(kind.GVR).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if len(list.Items) == 0 {
				t.Errorf("no %s were seeded", kind.GVR.Resource)
			}
			for _, item := range list.Items {
				found[kind.Kind+" "+item.GetNamespace()+"/"+item.GetName()] = item.GetResourceVersion()
			}
		}
		return found
	}
	if err := Seed(t.Context(), h.AdminConfig(), healthy()); err != nil {
		t.Fatal(err)
	}
	first := versions()
	o := lookAt(t, h)
	for _, p := range healthy().Placements { // what is changed after a snapshot may be the fix of a run
		ns := appNamespace(p)
		selected, err := o.Hub.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace(ns).Get(t.Context(), p.Name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		newest := strconv.Itoa(p.Snapshots[len(p.Snapshots)-1].Index)
		snapshot := live(t, o.ResourceSnapshots, p.Namespace, placement.MasterSnapshotName(p.Name, newest))
		written, err := strconv.Atoi(selected.GetResourceVersion())
		taken, err2 := strconv.Atoi(snapshot.ResourceVersion)
		if err != nil || err2 != nil || written > taken {
			t.Errorf("Deployment %s/%s was written at %s, after its snapshot, at %s", ns, p.Name, selected.GetResourceVersion(), snapshot.ResourceVersion)
		}
	}
	if err := Seed(t.Context(), h.AdminConfig(), healthy()); err != nil {
		t.Fatal(err)
	}
	if second := versions(); !reflect.DeepEqual(first, second) {
		t.Errorf("after the second seed %v, want %v", second, first)
	}
}

// TestEngineOnAnotherHub drives a run on a hub that lacks kinds which an older
// one does not serve, and gives it the snapshot of what its placement selects.
func TestEngineOnAnotherHub(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	manifests, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	manifests = slices.DeleteFunc(manifests, func(m []byte) bool { return bytes.Contains(m, []byte("overridesnapshots")) })
	if err := h.InstallCRDs(t.Context(), manifests...); err != nil {
		t.Fatal(err)
	}
	s := healthy()
	if err := Seed(t.Context(), h.AdminConfig(), s); err != nil {
		t.Fatal(err)
	}
	w, err := store.New(h.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := store.Encode(runObject(Run{Name: "newest", Placement: "checkout", Strategy: "rings", State: placement.StateInitialize}))
	if err != nil {
		t.Fatal(err)
	}
	// As a person writes it: without the fields that Go types always have.
	manifest.SetGroupVersionKind(w.Kinds.Runs.Cluster.GVK())
	unstructured.RemoveNestedField(manifest.Object, "spec", "resourceSnapshotIndex")
	delete(manifest.Object, "status")
	if _, err := store.Client(w.Hub, w.Kinds.Runs.Cluster, "").Create(t.Context(), manifest, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	defer engineUntilStopped(t, h.AdminConfig())()
	o := lookAt(t, h)
	o.awaitRun("", "newest", "Initialized=True/UpdateRunInitializedSuccessfully")
	newest := s.Placements[0].Snapshots[len(s.Placements[0].Snapshots)-1].Index
	if used := o.run("", "newest").Status.ResourceSnapshotIndexUsed; used != strconv.Itoa(newest) {
		t.Errorf("the run uses snapshot %s, want the newest, %d: its content is what the placement selects", used, newest)
	}
	// Upstream's first write fills the index in, and counts as a change.
	run := o.run("", "newest")
	if c := run.Status.Conditions[0]; run.Generation != 2 || c.ObservedGeneration != 2 {
		t.Errorf("generation %d, observed %d, want 2 and 2", run.Generation, c.ObservedGeneration)
	}
}

// TestEngineWaitsForKinds holds that the run of a placement whose kind the hub
// does not serve yet is retried: only when the hub serves the kind, the missing
// placement fails the run.
func TestEngineWaitsForKinds(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	manifests, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	isLate := func(m []byte) bool { return bytes.Contains(m, []byte("kind: ClusterResourcePlacement\n")) }
	late := slices.IndexFunc(manifests, isLate)
	if err := h.InstallCRDs(t.Context(), slices.Concat(manifests[:late], manifests[late+1:])...); err != nil {
		t.Fatal(err)
	}
	o := lookAt(t, h)
	run := Run{Name: "early", Placement: "nobody", Strategy: "nobody", State: placement.StateInitialize}
	if _, err := o.Runs.Create(t.Context(), runObject(run)); err != nil {
		t.Fatal(err)
	}
	retries := &countingLog{Handler: slog.DiscardHandler}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- controller.Run(ctx, h.AdminConfig(), quick(), slog.New(retries)) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	o.await("retries", func() string {
		if retries.warnings.Load() < 2 {
			return "none"
		}
		return ""
	})
	if run := o.run("", "early"); len(run.Status.Conditions) > 0 {
		t.Errorf("before the hub serves the kind, the run %s", describe(run.Status.Conditions))
	}
	if err := h.InstallCRDs(t.Context(), manifests[late]); err != nil {
		t.Fatal(err)
	}
	o.awaitRun("", "early", "Initialized=False/UpdateRunInitializedFailed")
}

// countingLog counts warnings.
type countingLog struct {
	slog.Handler
	warnings atomic.Int32
}

func (*countingLog) Enabled(context.Context, slog.Level) bool { return true }

func (l *countingLog) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		l.warnings.Add(1)
	}
	return nil
}

// TestEngineGoesOn ends the engine in the middle of a run, twice, as a killed
// process would, and lets controller.Run, which knows nothing of the one before,
// take the run to its end.
func TestEngineGoesOn(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	installed(t, h)
	s := healthy()
	// One update waits for the test: the run is not over before the engine is stopped.
	const last = "eus-prod-2"
	s.Faults = []members.Fault{{Cluster: last, Placement: "checkout", Pods: &members.PodFault{Tag: "1.1.0", Kind: members.PodsPull, Message: "not found"}}}
	if err := Seed(t.Context(), h.AdminConfig(), s); err != nil {
		t.Fatal(err)
	}
	w, err := store.New(h.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	discard := slog.New(slog.DiscardHandler)
	generator, agents := works.New(w, discard), members.New(w, s.agents(0.2), discard)
	generator.SeedDone()
	stop := startStreams(t, w)
	defer stop()
	life, end := context.WithCancel(t.Context())
	var loops sync.WaitGroup
	defer loops.Wait()
	defer end()
	generator.Start(life, &loops)
	agents.Start(life, &loops)
	o := lookAt(t, h)
	for _, until := range []Moment{{WhileUpdating: 1}, {Done: 2}} {
		stopEngine := engineUntilStopped(t, h.AdminConfig())
		o.await("some clusters", func() string {
			if reached(o.run("", "checkout-r1"), until) {
				return ""
			}
			return "not yet"
		})
		stopEngine()
		if run := o.run("", "checkout-r1"); meta.FindStatusCondition(run.Status.Conditions, placement.RunSucceeded) != nil {
			t.Fatalf("the run was over before the engine was stopped: %s", describe(run.Status.Conditions))
		}
	}
	agents.Repair(last)
	defer engineUntilStopped(t, h.AdminConfig())()
	o.awaitRun("", "checkout-r1", "Succeeded=True/UpdateRunSucceeded")
}

func engineUntilStopped(t *testing.T, config *rest.Config) func() {
	t.Helper()
	return engineAt(t, config, quick())
}

func engineAt(t *testing.T, config *rest.Config, timing controller.Timing) func() {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- controller.Run(ctx, config, timing, slog.New(slog.DiscardHandler)) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
