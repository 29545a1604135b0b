package drive_test

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

const fleet = "kubernetes-fleet.io/"

var epoch = time.Date(2026, 8, 20, 10, 0, 0, 0, time.UTC)

// world is one run in a hub in memory, with a clock and a loop.
type world struct {
	t testing.TB
	*drive.Memory
	ns       string
	key      types.NamespacedName
	timing   pass.Timing
	failures int
	last     drive.Decision
	ops      []string // what the last pass asked for
	// fault, when it returns an error, is the answer; lost replies are applied
	// before.
	fault func(pass.Effect) (err error, applied bool)
}

// newWorld makes a hub with members a-1, a-2, b-1, b-2, b-3 (label env a or b,
// label order counting down), all bound to snapshot 0 and available, snapshots
// 0 and 1, and a strategy of stages a and b. The run is called run.
func newWorld(t testing.TB, ns string) *world {
	w := &world{t: t, Memory: drive.NewMemory(epoch), ns: ns, timing: pass.DefaultTiming()}
	w.key = types.NamespacedName{Namespace: ns, Name: "run"}
	w.Put(&placement.ResourcePlacement{
		ObjectMeta: w.meta("web"),
		Spec: placement.PlacementSpec{
			Policy:   &placement.PlacementPolicy{PlacementType: placement.PickAll},
			Strategy: placement.RolloutStrategy{Type: placement.RolloutExternal},
		},
	})
	policy := &placement.SchedulingPolicySnapshot{ObjectMeta: w.meta("web-0")}
	policy.Labels = map[string]string{fleet + "parent-CRP": "web", fleet + "is-latest-snapshot": "true", fleet + "policy-index": "0"}
	policy.Status.Conditions = []metav1.Condition{{Type: "Scheduled", Status: "True", ObservedGeneration: 1}}
	w.Put(policy)
	for _, index := range []int{0, 1} {
		w.Put(w.snapshot(index))
	}
	w.Put(&placement.StagedUpdateStrategy{ObjectMeta: w.meta("plan"), Spec: placement.UpdateStrategySpec{
		Stages: []placement.StageConfig{stage("a", "1"), stage("b", "50%")},
	}})
	for i, name := range []string{"a-1", "a-2", "b-1", "b-2", "b-3"} {
		w.join(name, name[:1], 9-i)
	}
	w.otherPlacement()
	return w
}

// otherPlacement puts objects of another placement beside the run's, which no rule
// may look at.
func (w *world) otherPlacement() {
	other := map[string]string{fleet + "parent-CRP": "other", fleet + "is-latest-snapshot": "true", fleet + "policy-index": "7", fleet + "resource-index": "1"}
	policy := &placement.SchedulingPolicySnapshot{ObjectMeta: w.meta("other-7")}
	policy.Labels = other
	b := &placement.ResourceBinding{ObjectMeta: w.meta("other-a-1"), Spec: placement.BindingSpec{TargetCluster: "a-1", State: placement.BindingBound}}
	b.Labels = other
	s := &placement.ResourceSnapshot{ObjectMeta: w.meta("other-1-snapshot")}
	s.Labels = other
	w.Put(policy, b, s)
}

func (w *world) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: w.ns, Name: name, Generation: 1, CreationTimestamp: metav1.NewTime(epoch), UID: types.UID("uid-" + name)}
}

func (w *world) snapshot(index int) *placement.ResourceSnapshot {
	s := &placement.ResourceSnapshot{ObjectMeta: w.meta(fmt.Sprintf("web-%d-snapshot", index))}
	s.Labels = map[string]string{fleet + "parent-CRP": "web", fleet + "resource-index": strconv.Itoa(index)}
	s.Annotations = map[string]string{fleet + "resource-hash": fmt.Sprint("hash-", index), fleet + "number-of-resource-snapshots": "1"}
	return s
}

// join adds a member with a binding that has snapshot 0 and is available.
func (w *world) join(name, env string, order int) {
	member := &cluster.MemberCluster{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1, Labels: map[string]string{"env": env, "order": strconv.Itoa(order)}}}
	w.Put(member)
	b := &placement.ResourceBinding{ObjectMeta: w.meta("web-" + name)}
	b.Labels = map[string]string{fleet + "parent-CRP": "web"}
	b.Finalizers = []string{fleet + "work-cleanup"}
	b.Spec = placement.BindingSpec{
		State: placement.BindingBound, ResourceSnapshotName: "web-0-snapshot", SchedulingPolicySnapshotName: "web-0",
		TargetCluster: name, ApplyStrategy: applied(),
	}
	w.Put(b)
	w.available(name)
}

// start creates the run.
func (w *world) start(state placement.State) {
	w.Put(&placement.StagedUpdateRun{ObjectMeta: w.meta("run"), Spec: placement.UpdateRunSpec{
		PlacementName: "web", ResourceSnapshotIndex: "1", StagedRolloutStrategyName: "plan", State: state,
	}})
}

func (w *world) run() *placement.StagedUpdateRun { return w.Runs[w.key] }

// edit changes a copy of the run and stores it as a user's write does.
func (w *world) edit(change func(*placement.StagedUpdateRun)) {
	run := w.run().DeepCopy()
	change(run)
	w.Put(run)
}

// state is a user's write of spec.state.
func (w *world) state(state placement.State) {
	w.edit(func(r *placement.StagedUpdateRun) { r.Spec.State, r.Generation = state, r.Generation+1 })
}

func (w *world) strategy(change func(*placement.UpdateStrategySpec)) {
	s := w.Strategies[types.NamespacedName{Namespace: w.ns, Name: "plan"}].DeepCopy()
	change(&s.Spec)
	w.Put(s)
}

func (w *world) placement(change func(*placement.ResourcePlacement)) {
	o := w.Placements[types.NamespacedName{Namespace: w.ns, Name: "web"}].DeepCopy()
	change(o)
	w.Put(o)
}

func (w *world) policy(change func(*placement.SchedulingPolicySnapshot)) {
	o := w.PolicySnapshots[types.NamespacedName{Namespace: w.ns, Name: "web-0"}].DeepCopy()
	change(o)
	w.Put(o)
}

func (w *world) binding(name string) *placement.ResourceBinding {
	return w.Bindings[types.NamespacedName{Namespace: w.ns, Name: "web-" + name}]
}

func (w *world) editBinding(name string, change func(*placement.ResourceBinding)) {
	b := w.binding(name).DeepCopy()
	change(b)
	w.Put(b)
}

func (w *world) member(name string, change func(*cluster.MemberCluster)) {
	m := w.Members[types.NamespacedName{Name: name}].DeepCopy()
	change(m)
	w.Put(m)
}

// report writes one condition of a binding at its generation.
func (w *world) report(name, kind string, status metav1.ConditionStatus, reason string) {
	w.editBinding(name, func(b *placement.ResourceBinding) {
		meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: kind, Status: status, Reason: reason, ObservedGeneration: b.Generation, LastTransitionTime: metav1.NewTime(w.Now)})
	})
}

func (w *world) available(names ...string) {
	for _, name := range names {
		w.report(name, "Available", "True", "AllWorkAreAvailable")
	}
}

// unschedule makes the placement not want a cluster any more.
func (w *world) unschedule(name string) {
	w.editBinding(name, func(b *placement.ResourceBinding) { b.Spec.State = placement.BindingUnscheduled; b.Generation++ })
}

// approve writes Approved on a request, at its generation.
func (w *world) approve(name string) { w.review(name, "True", 1) }

func (w *world) review(name string, status metav1.ConditionStatus, generation int64) {
	k := types.NamespacedName{Namespace: w.ns, Name: name}
	a := w.Approvals[k].DeepCopy()
	meta.SetStatusCondition(&a.Status.Conditions, metav1.Condition{Type: "Approved", Status: status, Reason: "lgtm", Message: "by hand", ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(w.Now)})
	w.Put(a)
}

// pass runs one reconcile after the given time.
func (w *world) pass(after time.Duration) drive.Decision {
	w.t.Helper()
	w.Now = w.Now.Add(after)
	w.ops = nil
	w.last = drive.Reconcile(w.Input(w.key), w.timing, w.Now, w.do)
	_, _, w.failures = w.last.Schedule(w.failures, w.timing)
	return w.last
}

func (w *world) do(e pass.Effect) (pass.Answer, error) {
	name := ""
	if e.Object != nil {
		name = " " + e.Object.GetName()
	}
	w.ops = append(w.ops, strings.TrimSpace(e.Op.String()+name))
	if v := e.Op.Verb(); (v == pass.Update || v == pass.UpdateStatus) && e.Object.GetResourceVersion() == "" {
		w.t.Errorf("%s without a resourceVersion", e.Op)
	}
	if w.fault != nil {
		if err, applied := w.fault(e); err != nil {
			if applied {
				if _, err := w.Do(e); err != nil {
					return pass.Answer{}, err
				}
			}
			return pass.Answer{}, err
		}
	}
	return w.Do(e)
}

// finish runs the run to its end with members that answer at once and everyone
// approving.
func (w *world) finish() {
	w.t.Helper()
	for range 300 {
		if w.step().Next == drive.Done {
			return
		}
	}
	w.t.Fatal("the run does not end")
}

// step runs one pass, then lets members and people do their part and time go
// on.
func (w *world) step() drive.Decision {
	d := w.pass(time.Second)
	for name, b := range maps.Clone(w.Bindings) {
		if b.DeletionTimestamp != nil {
			delete(w.Bindings, name)
		} else if b.Labels[fleet+"parent-CRP"] == "web" {
			w.available(b.Spec.TargetCluster)
		}
	}
	for name, a := range maps.Clone(w.Approvals) {
		if !meta.IsStatusConditionTrue(a.Status.Conditions, "Approved") {
			w.approve(name.Name)
		}
	}
	w.Now = w.Now.Add(d.Wait)
	return d
}

func (w *world) cond(kind string) string { return cond(w.run().Status.Conditions, kind) }

func (w *world) message(kind string) string {
	c := meta.FindStatusCondition(w.run().Status.Conditions, kind)
	if c == nil {
		return ""
	}
	return c.Message
}

func (w *world) stage(i int) *placement.StageStatus { return &w.run().Status.StagesStatus[i] }

// clusters prints the clusters of a stage with a mark each: . not started,
// > started, + succeeded, ! failed.
func (w *world) clusters(i int) string { return clustersOf(w.stage(i)) }

// bothScopes runs a test cluster-scoped and namespaced.
func bothScopes(t *testing.T, test func(t *testing.T, w *world)) {
	for _, ns := range []string{"", "team"} {
		t.Run("ns="+ns, func(t *testing.T) { test(t, newWorld(t, ns)) })
	}
}

func status(change func(*placement.UpdateRunStatus)) func(*world) {
	return func(w *world) { w.edit(func(r *placement.StagedUpdateRun) { change(&r.Status) }) }
}

func mark(conditions *[]metav1.Condition, kind, value string) {
	meta.SetStatusCondition(conditions, metav1.Condition{Type: kind, Status: metav1.ConditionStatus(value), Reason: "ByHand", Message: "by hand", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(epoch)})
}
