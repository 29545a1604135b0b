package scenario

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/stagewatch/stagewatch/api/crds"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/bench"
	"github.com/stagewatch/stagewatch/demo/controller"
	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/demo/store"
)

// quick are waits for tests: a second counts as stuck, because stored times
// have a resolution of one.
//
// With shorter checks the passes of twenty waiting runs keep the hub busy, and
// every test takes longer.
func quick() controller.Timing {
	t := controller.RealTiming()
	t.ClusterCheck = 300 * time.Millisecond
	t.StageCheck = 600 * time.Millisecond
	t.StuckAfter = 2 * time.Second
	t.BackoffMax = 200 * time.Millisecond
	return t
}

// patience is how long a test waits for something on a busy machine.
const patience = 4 * time.Minute

func TestMain(m *testing.M) {
	hub.Silence()
	if len(os.Args) > 1 && os.Args[1] == benchHub {
		if err := bench.ServeHub(context.Background(), os.Args[2:], os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
		return
	}
	// Collecting garbage is a third of the hub's processor time otherwise.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(2 << 30)
	// Tests wait for hubs and sessions for most of their time.
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	m.Run()
}

// newHub starts a hub with Fleet's kinds for a test.
func newHub(t *testing.T) *hub.Hub {
	t.Helper()
	return newHubWith(t, hub.Options{})
}

func newHubWith(t *testing.T, options hub.Options) *hub.Hub {
	t.Helper()
	options.Users = hub.DefaultUsers(tenantNamespace)
	h, err := hub.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Stop(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func installed(t *testing.T, h *hub.Hub) {
	t.Helper()
	manifests, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.InstallCRDs(t.Context(), manifests...); err != nil {
		t.Fatal(err)
	}
}

// play sets a scenario in motion for a test.
func play(t *testing.T, s Scenario) playing {
	t.Helper()
	f, err := startOn(t.Context(), newHub(t), nil, s, Options{Timing: quick(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
	})
	return playing{Fleet: f}
}

// playing is a scenario in motion.
type playing struct{ *Fleet }

// silent reports whether the agent of a member does nothing.
func (f playing) silent(cluster string) bool {
	return slices.ContainsFunc(f.members, func(m Member) bool { return m.Name == cluster && m.SilentFor > 0 })
}

// outside looks at a hub with a client of its own.
type outside struct {
	t *testing.T
	*store.Store
}

func lookAt(t *testing.T, h *hub.Hub) outside {
	t.Helper()
	w, err := store.New(h.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	return outside{t: t, Store: w}
}

func live[T any](t *testing.T, from *store.Table[T], namespace, name string) *T {
	t.Helper()
	object, err := from.Read(t.Context(), store.Key{Namespace: namespace, Name: name})
	if err != nil {
		t.Fatalf("get %s/%s: %v", namespace, name, err)
	}
	return object
}

func (o outside) run(namespace, name string) *placement.StagedUpdateRun {
	o.t.Helper()
	return live(o.t, o.Runs, namespace, name)
}

// await polls until the check returns nothing to complain about.
func (o outside) await(what string, check func() string) {
	o.t.Helper()
	await(o.t, what, check)
}

func await(t *testing.T, what string, check func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		began := time.Now()
		wrong := check()
		if wrong == "" {
			return
		}
		// A check that is work for the hub leaves it as much time as it took.
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %s", what, wrong)
		case <-time.After(max(200*time.Millisecond, time.Since(began))):
		}
	}
}

// says tells whether a list of conditions has the one meant, as
// "Type=Status/Reason".
func says(conditions []metav1.Condition, want string) bool {
	for _, c := range conditions {
		if c.Type+"="+string(c.Status)+"/"+c.Reason == want {
			return true
		}
	}
	return false
}

func (o outside) awaitRun(namespace, name, want string) *placement.StagedUpdateRun {
	o.t.Helper()
	var run *placement.StagedUpdateRun
	o.await(name+" is "+want, func() string {
		run = o.run(namespace, name)
		if says(run.Status.Conditions, want) {
			return ""
		}
		return describe(run.Status.Conditions)
	})
	return run
}

func describe(conditions []metav1.Condition) string {
	text := "has"
	for _, c := range conditions {
		text += " " + c.Type + "=" + string(c.Status) + "/" + c.Reason + " (" + c.Message + ")"
	}
	return text
}

func (o outside) setState(namespace, name string, state placement.State) {
	o.t.Helper()
	o.await("set "+name+" to "+string(state), func() string {
		next := o.run(namespace, name).DeepCopy()
		next.Spec.State = state
		if _, err := o.Runs.Update(o.t.Context(), next, "", metav1.UpdateOptions{}); err != nil {
			return err.Error()
		}
		return ""
	})
}

// approve answers a request as a person should.
func (o outside) approve(namespace, name string) {
	o.t.Helper()
	o.await("approve "+name, func() string {
		next := live(o.t, o.Approvals, namespace, name).DeepCopy()
		meta.SetStatusCondition(&next.Status.Conditions, metav1.Condition{
			Type: placement.ApprovalApproved, Status: metav1.ConditionTrue, Reason: "approved", Message: "go",
			ObservedGeneration: next.Generation,
		})
		if _, err := o.Approvals.Update(o.t.Context(), next, "status", metav1.UpdateOptions{}); err != nil {
			return err.Error()
		}
		return ""
	})
}

// bindingsOf reads the bindings of a placement by cluster.
func (o outside) bindingsOf(namespace, name string) map[string]*placement.ResourceBinding {
	o.t.Helper()
	selector := labels.SelectorFromSet(labels.Set{placement.LabelParentPlacement: name})
	if err := o.Bindings.ReadAll(o.t.Context(), namespace, selector); err != nil {
		o.t.Fatal(err)
	}
	found := map[string]*placement.ResourceBinding{}
	for _, b := range o.Bindings.Of(store.Key{Namespace: namespace, Name: name}) {
		found[b.Spec.TargetCluster] = b
	}
	return found
}
