package triage

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// A binding that was deleted and created again is not called a change by another run, and
// its cluster gets nothing before a new run. Once another run has updated it, it is that run's.
func TestABindingThatWasCreatedAgain(t *testing.T) {
	created := moment(t, "10:10:00")
	const again = "The binding of cluster prod-2 was deleted and created again (stage prod, since 10:10:00 UTC), without a snapshot"
	byOther := func(b *world.Binding) {
		b.State, b.SnapshotName = string(placement.BindingBound), "shop-4-snapshot"
		b.Conditions = []metav1.Condition{{
			Type: placement.BindingRolloutStarted, Status: metav1.ConditionTrue, Reason: "RolloutStarted", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(moment(t, "10:12:00")),
			Message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: 4, updateRun: r9",
		}}
	}
	for _, tt := range []struct {
		name, base              string
		then                    func(*world.Binding)
		cause, what, next, also string
		recovery                engine.Recovery
	}{
		{"in progress", "stuck", nil, "binding-re-created", again, "Create a new run (stagewatch clone): it updates the new binding. Until then the cluster gets no resources of the placement.", "", engine.RecoveryByNewRun},
		{"while stopping", "stuck-while-stopping", nil, "binding-changed-while-stopping", again, "Delete this run (stagewatch delete), then create a new run (stagewatch clone)", "binding-re-created", engine.RecoveryByNewRun},
		{"failed", "preempted-with-winner", nil, "binding-re-created", "; its binding was deleted and created again, and has no snapshot.", "Create a new run (stagewatch clone): it updates the new binding.", "", engine.RecoveryByNewRun},
		{"updated by another run since", "stuck", byOther, "preempted", "Run r9 preempted this run on cluster prod-2 (stage prod, since 10:12:00 UTC) with snapshot 4", "Run r9 no longer exists; create a new run (stagewatch clone)", "", engine.RecoveryByNewRun},
	} {
		for scope, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)[tt.base]
			s.Bindings = []bindingData{{Cluster: "prod-2", State: string(placement.BindingScheduled), Generation: 1}}
			w, id := s.world(t, ns)
			for _, all := range w.Bindings {
				for _, b := range all {
					if b.Created = created; tt.then != nil {
						tt.then(b)
					}
				}
			}
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, "10:20:00"))
			d := snap.Find(id).Why
			if d.Cause.String() != tt.cause || d.Recovery != tt.recovery || !strings.Contains(d.What.String(), tt.what) || !strings.HasPrefix(d.Next.String(), tt.next) {
				t.Errorf("%s/%s: %s (%v): %s\nnext: %s", tt.name, scope, d.Cause, d.Recovery, d.What, d.Next)
			}
			if tt.also != "" && (len(d.Also) == 0 || d.Also[0].Cause.String() != tt.also) {
				t.Errorf("%s/%s: other causes %v", tt.name, scope, d.Also)
			}
			if strings.Contains(d.What.String(), again) && d.Short.String() != "binding was created again on prod-2" {
				t.Errorf("%s/%s: short cause %q", tt.name, scope, d.Short)
			}
			if !hasEvidence(d, "metadata.creationTimestamp: after the start of the cluster (10:0") {
				t.Errorf("%s/%s: evidence %v", tt.name, scope, d.Evidence)
			}
			whole(t, d)
		}
	}
}

func hasEvidence(d engine.Diagnosis, want string) bool {
	for _, e := range d.Evidence {
		if strings.Contains(engine.Textf("%s %s: %s", e.Object, e.Field, e.Value).String(), want) {
			return true
		}
	}
	return false
}

// An update of another run that holds a cluster of a stopping run does not fail because it
// takes its time: from the stuck threshold on, or with a cause that does not pass, it does.
func TestAHeldClusterTakesItsTime(t *testing.T) {
	taken := moment(t, "10:12:00")
	for _, tt := range []struct {
		name, reason string
		after        time.Duration
		recovery     engine.Recovery
	}{
		{"applying", placement.ReasonApplyInProgress, 20 * time.Second, engine.RecoveryAutomatic},
		{"applying for long", placement.ReasonApplyInProgress, 6 * time.Minute, engine.RecoveryByPerson},
	} {
		for scope, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)["stopping"]
			s.Bindings = []bindingData{{Cluster: "prod-2", State: string(placement.BindingBound), SnapshotName: "shop-4-snapshot", Generation: 1, Conditions: []metav1.Condition{
				{
					Type: placement.BindingRolloutStarted, Status: metav1.ConditionTrue, Reason: "RolloutStarted", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(taken),
					Message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: 4, updateRun: r9",
				},
				{Type: placement.BindingApplied, Status: metav1.ConditionFalse, Reason: tt.reason, ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(taken)},
			}}}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, taken.Add(tt.after))
			v := snap.Find(id)
			if d := v.Why; d.Cause.String() != "preempted-while-stopping" || d.Recovery != tt.recovery || !startsWithRecovery(d.Recovery, d.RecoveryText) || strings.Contains(engine.Join(d.Steps, " ").String(), "fix what keeps") != (tt.recovery == engine.RecoveryByPerson) {
				t.Errorf("%s/%s: %s, %s (%v): %s %s\n%q", tt.name, scope, v.Word, d.Cause, d.Recovery, d.What, d.RecoveryText, d.Steps)
			}
		}
	}
}
