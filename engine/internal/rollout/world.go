package rollout

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

// LabelPrefix is the prefix of upstream's labels and annotations.
const LabelPrefix = "kubernetes-fleet.io/"

// Epoch is when a World begins.
var Epoch = time.Date(2026, 8, 20, 10, 0, 0, 0, time.UTC)

// World is one run on a Hub, with a clock and the controller's loop.
type World struct {
	T testing.TB
	*Hub
	Namespace string
	Key       types.NamespacedName
	Timing    pass.Timing
	Failures  int
	Last      drive.Decision
	Requests  []string // of the last pass
	// Fault, when it returns an error, is the answer to a request, which is applied
	// before when applied is true.
	Fault func(pass.Effect) (err error, applied bool)
}

// New returns a hub with members a-1, a-2, b-1, b-2, b-3 (label env a or b,
// label order counting down), all bound to snapshot 0 and available, snapshots
// 0 and 1, and a strategy of stages a and b. The run is called run.
func New(t testing.TB, ns string) *World {
	w := &World{T: t, Hub: NewHub(Epoch), Namespace: ns, Timing: pass.DefaultTiming()}
	w.Key = types.NamespacedName{Namespace: ns, Name: "run"}
	w.Put(&placement.ResourcePlacement{
		ObjectMeta: w.Meta("web"),
		Spec: placement.PlacementSpec{
			Policy:   &placement.PlacementPolicy{PlacementType: placement.PickAll},
			Strategy: placement.RolloutStrategy{Type: placement.RolloutExternal},
		},
	})
	policy := &placement.SchedulingPolicySnapshot{ObjectMeta: w.Meta("web-0")}
	policy.Labels = map[string]string{LabelPrefix + "parent-CRP": "web", LabelPrefix + "is-latest-snapshot": "true", LabelPrefix + "policy-index": "0"}
	policy.Spec.Policy = &placement.PlacementPolicy{PlacementType: placement.PickAll}
	policy.Status.Conditions = []metav1.Condition{{Type: "Scheduled", Status: "True", ObservedGeneration: 1}}
	w.Put(policy)
	for _, index := range []int{0, 1} {
		w.Put(w.Snapshot(index))
	}
	w.Put(&placement.StagedUpdateStrategy{ObjectMeta: w.Meta("plan"), Spec: placement.UpdateStrategySpec{
		Stages: []placement.StageConfig{Stage("a", "1"), Stage("b", "50%")},
	}})
	for i, name := range []string{"a-1", "a-2", "b-1", "b-2", "b-3"} {
		w.Join(name, name[:1], 9-i)
	}
	w.otherPlacement()
	return w
}

// otherPlacement adds objects of another placement, which no rule may use.
func (w *World) otherPlacement() {
	other := map[string]string{LabelPrefix + "parent-CRP": "other", LabelPrefix + "is-latest-snapshot": "true", LabelPrefix + "policy-index": "7", LabelPrefix + "resource-index": "1"}
	policy := &placement.SchedulingPolicySnapshot{ObjectMeta: w.Meta("other-7")}
	policy.Labels = other
	b := &placement.ResourceBinding{ObjectMeta: w.Meta("other-a-1"), Spec: placement.BindingSpec{TargetCluster: "a-1", State: placement.BindingBound}}
	b.Labels = other
	s := &placement.ResourceSnapshot{ObjectMeta: w.Meta("other-1-snapshot")}
	s.Labels = other
	w.Put(policy, b, s)
}

// Meta returns the metadata of an object in the World's namespace.
func (w *World) Meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: w.Namespace, Name: name, Generation: 1, CreationTimestamp: metav1.NewTime(Epoch), UID: types.UID("uid-" + name)}
}

// Snapshot returns the resource snapshot of an index, which is not stored yet.
func (w *World) Snapshot(index int) *placement.ResourceSnapshot {
	s := &placement.ResourceSnapshot{ObjectMeta: w.Meta(fmt.Sprintf("web-%d-snapshot", index))}
	s.Labels = map[string]string{LabelPrefix + "parent-CRP": "web", LabelPrefix + "resource-index": strconv.Itoa(index)}
	s.Annotations = map[string]string{LabelPrefix + "resource-hash": fmt.Sprint("hash-", index), LabelPrefix + "number-of-resource-snapshots": "1"}
	return s
}

// Join adds a member with a binding to snapshot 0 that is available.
func (w *World) Join(name, env string, order int) {
	member := &cluster.MemberCluster{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1, Labels: map[string]string{"env": env, "order": strconv.Itoa(order)}}}
	w.Put(member)
	b := &placement.ResourceBinding{ObjectMeta: w.Meta("web-" + name)}
	b.Labels = map[string]string{LabelPrefix + "parent-CRP": "web"}
	b.Finalizers = []string{LabelPrefix + "work-cleanup"}
	b.Spec = placement.BindingSpec{
		State: placement.BindingBound, ResourceSnapshotName: "web-0-snapshot", SchedulingPolicySnapshotName: "web-0",
		TargetCluster: name, ApplyStrategy: applied(),
	}
	w.Put(b)
	w.Available(name)
}

// Start creates the run.
func (w *World) Start(state placement.State) {
	w.Put(&placement.StagedUpdateRun{ObjectMeta: w.Meta("run"), Spec: placement.UpdateRunSpec{
		PlacementName: "web", ResourceSnapshotIndex: "1", StagedRolloutStrategyName: "plan", State: state,
	}})
}

// Run returns the stored run.
func (w *World) Run() *placement.StagedUpdateRun { return w.Runs[w.Key] }

// Edit changes a copy of the run and stores it as a user's write does.
func (w *World) Edit(change func(*placement.StagedUpdateRun)) {
	run := w.Run().DeepCopy()
	change(run)
	w.Put(run)
}

// SetState is a user's write of spec.state.
func (w *World) SetState(state placement.State) {
	w.Edit(func(r *placement.StagedUpdateRun) { r.Spec.State, r.Generation = state, r.Generation+1 })
}

// EditStrategy changes the strategy.
func (w *World) EditStrategy(change func(*placement.UpdateStrategySpec)) {
	s := w.Strategies[types.NamespacedName{Namespace: w.Namespace, Name: "plan"}].DeepCopy()
	change(&s.Spec)
	w.Put(s)
}

// EditPlacement changes the placement.
func (w *World) EditPlacement(change func(*placement.ResourcePlacement)) {
	o := w.Placements[types.NamespacedName{Namespace: w.Namespace, Name: "web"}].DeepCopy()
	change(o)
	w.Put(o)
}

// EditPolicy changes the policy snapshot.
func (w *World) EditPolicy(change func(*placement.SchedulingPolicySnapshot)) {
	o := w.PolicySnapshots[types.NamespacedName{Namespace: w.Namespace, Name: "web-0"}].DeepCopy()
	change(o)
	w.Put(o)
}

// Binding returns the binding of a cluster.
func (w *World) Binding(name string) *placement.ResourceBinding {
	return w.Bindings[types.NamespacedName{Namespace: w.Namespace, Name: "web-" + name}]
}

// EditBinding changes the binding of a cluster.
func (w *World) EditBinding(name string, change func(*placement.ResourceBinding)) {
	b := w.Binding(name).DeepCopy()
	change(b)
	w.Put(b)
}

// EditMember changes a member cluster.
func (w *World) EditMember(name string, change func(*cluster.MemberCluster)) {
	m := w.Members[types.NamespacedName{Name: name}].DeepCopy()
	change(m)
	w.Put(m)
}

// Report writes one condition of a binding at its generation.
func (w *World) Report(name, kind string, status metav1.ConditionStatus, reason string) {
	w.EditBinding(name, func(b *placement.ResourceBinding) {
		meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: kind, Status: status, Reason: reason, ObservedGeneration: b.Generation, LastTransitionTime: metav1.NewTime(w.Now)})
	})
}

// Available reports clusters as updated.
func (w *World) Available(names ...string) {
	for _, name := range names {
		w.Report(name, "Available", "True", "AllWorkAreAvailable")
	}
}

// Unschedule makes the placement not want a cluster any more.
func (w *World) Unschedule(name string) {
	w.EditBinding(name, func(b *placement.ResourceBinding) { b.Spec.State = placement.BindingUnscheduled; b.Generation++ })
}

// Approve writes Approved on a request, at its generation.
func (w *World) Approve(name string) { w.Review(name, "True", 1) }

// Review writes the condition Approved of a request.
func (w *World) Review(name string, status metav1.ConditionStatus, generation int64) {
	k := types.NamespacedName{Namespace: w.Namespace, Name: name}
	a := w.Approvals[k].DeepCopy()
	meta.SetStatusCondition(&a.Status.Conditions, metav1.Condition{Type: "Approved", Status: status, Reason: "lgtm", Message: "by hand", ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(w.Now)})
	w.Put(a)
}

// Pass runs one reconcile after the given time.
func (w *World) Pass(after time.Duration) drive.Decision {
	w.T.Helper()
	w.Now = w.Now.Add(after)
	w.Requests = nil
	w.Last = drive.Reconcile(w.Input(w.Key), w.Timing, w.Now, w.Answer)
	_, _, w.Failures = w.Last.Schedule(w.Failures, w.Timing)
	return w.Last
}

// Answer answers a request of a pass: it records the request and applies Fault.
func (w *World) Answer(e pass.Effect) (pass.Answer, error) {
	name := ""
	if e.Object != nil {
		name = " " + e.Object.GetName()
	}
	w.Requests = append(w.Requests, strings.TrimSpace(e.Op.String()+name))
	if v := e.Op.Verb(); (v == pass.Update || v == pass.UpdateStatus) && e.Object.GetResourceVersion() == "" {
		w.T.Errorf("%s without a resourceVersion", e.Op)
	}
	if w.Fault != nil {
		if err, applied := w.Fault(e); err != nil {
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

// Finish runs the run to its end with members that answer at once and everyone
// approving.
func (w *World) Finish() {
	w.T.Helper()
	for range 300 {
		if w.Step().Next == drive.Done {
			return
		}
	}
	w.T.Fatal("the run does not end")
}

// Step runs one pass, then lets members and people do their part and time go
// on.
func (w *World) Step() drive.Decision {
	d := w.Pass(time.Second)
	for name, b := range maps.Clone(w.Bindings) {
		if b.DeletionTimestamp != nil {
			delete(w.Bindings, name)
		} else if b.Labels[LabelPrefix+"parent-CRP"] == "web" {
			w.Available(b.Spec.TargetCluster)
		}
	}
	for name, a := range maps.Clone(w.Approvals) {
		if !meta.IsStatusConditionTrue(a.Status.Conditions, "Approved") {
			w.Approve(name.Name)
		}
	}
	w.Now = w.Now.Add(d.Wait)
	return d
}

// Condition prints one of the run's conditions.
func (w *World) Condition(kind string) string { return Condition(w.Run().Status.Conditions, kind) }

// Message returns the message of one of the run's conditions.
func (w *World) Message(kind string) string {
	c := meta.FindStatusCondition(w.Run().Status.Conditions, kind)
	if c == nil {
		return ""
	}
	return c.Message
}

// Stage returns the status of a stage.
func (w *World) Stage(i int) *placement.StageStatus { return &w.Run().Status.StagesStatus[i] }

// Clusters prints the clusters of a stage with a mark each: . not started,
// > started, + succeeded, ! failed.
func (w *World) Clusters(i int) string { return ClusterMarks(w.Stage(i)) }

// BothScopes runs a test cluster-scoped and namespaced.
func BothScopes(t *testing.T, test func(t *testing.T, w *World)) {
	for _, ns := range []string{"", "team"} {
		t.Run("ns="+ns, func(t *testing.T) { test(t, New(t, ns)) })
	}
}

// EditStatus returns a change of the run's status.
func EditStatus(change func(*placement.UpdateRunStatus)) func(*World) {
	return func(w *World) { w.Edit(func(r *placement.StagedUpdateRun) { change(&r.Status) }) }
}

// SetCondition sets a condition as if by hand.
func SetCondition(conditions *[]metav1.Condition, kind, value string) {
	meta.SetStatusCondition(conditions, metav1.Condition{Type: kind, Status: metav1.ConditionStatus(value), Reason: "ByHand", Message: "by hand", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(Epoch)})
}
