package triage

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// A run onto a snapshot that already fails on a member never starts the cluster, and the
// controller never reports it as stuck: the failing object is the cause at once, and the
// run is STUCK beyond the threshold, not overdue.
func TestARunOntoASnapshotThatFailsAlready(t *testing.T) {
	for scope, ns := range scopes {
		for _, tt := range []struct {
			name, now string
			change    func(*situation)
			word      engine.Word
			late      bool
			cause     string
		}{
			{"at once", "10:00:20", func(*situation) {}, engine.WordRunning, false, "workload-not-ready"},
			{"beyond the threshold", "10:30:00", func(*situation) {}, engine.WordStuck, false, "workload-not-ready"},
			{"other overrides: it will be written", "10:30:00", func(s *situation) {
				s.Run.Status.StagesStatus[0].Clusters[0].ClusterResourceOverrideSnapshots = []string{"o-1"}
			}, engine.WordRunning, true, "controller-overdue"},
			{"another snapshot", "10:30:00", func(s *situation) { s.Bindings[0].SnapshotName = "shop-2-snapshot" }, engine.WordRunning, true, "controller-overdue"},
			{"not its turn", "10:30:00", func(s *situation) { s.Bindings[0].Cluster = "dev-2" }, engine.WordRunning, true, "controller-overdue"},
			{"before its approval", "10:30:00", func(s *situation) {
				s.Run.Status.StagesStatus[0].BeforeStageTaskStatus = []placement.TaskStatus{{Type: placement.TaskApproval, ApprovalRequestName: "r1-before-dev"}}
			}, engine.WordRunning, true, "controller-overdue"},
			{"stopped", "10:30:00", func(s *situation) { s.Run.Spec.State = placement.StateStop }, engine.WordStopping, true, "controller-overdue"},
		} {
			t.Run(tt.name+"/"+scope, func(t *testing.T) {
				all := load(t, "../internal/situation/testdata", 50)
				s, bad := all["ready"], all["stuck-with-binding"]
				s.Run.Spec.State = placement.StateRun
				meta.SetStatusCondition(&s.Run.Status.Conditions, metav1.Condition{
					Type: placement.RunProgressing, Status: metav1.ConditionTrue, Reason: placement.ReasonRunProgressing, ObservedGeneration: 1,
					LastTransitionTime: metav1.NewTime(moment(t, "10:00:01")),
				})
				b := bad.Bindings[slices.IndexFunc(bad.Bindings, func(b bindingData) bool { return len(b.Failed) > 0 })]
				b.Cluster = "dev-1"
				s.Bindings = []bindingData{b}
				tt.change(&s)
				w, id := s.world(t, ns)
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, tt.now))
				v := snap.Find(id)
				if v.Word != tt.word || v.Late != tt.late || v.Why.Cause.String() != tt.cause {
					t.Errorf("%s, late %v, %s: %s", v.Word, v.Late, v.Why.Cause, v.Why.What)
				}
				w.Focus.Run = id
				opened, _ := observe.Observe(nil, w, world.Changed{}, moment(t, tt.now))
				if c := opened.Detail.HeldUp(); (tt.cause == "workload-not-ready") != (c != nil && c.Name.String() == "dev-1") {
					t.Errorf("the cluster whose member is asked: %+v", c)
				}
				clone, no := act.ProposeClone(opened, id, act.Choice{Snapshot: v.Index})
				warns := engine.Join(clone.Warn, " ").String()
				if says := strings.Contains(warns, "A cluster fails with snapshot 3 already. The new run gets stuck there, too") || strings.Contains(warns, "The new run gets stuck too"); no.Refused() || says != (tt.cause == "workload-not-ready") {
					t.Errorf("warnings of a clone: %v %s", no, warns)
				}
				if want := tt.cause == "workload-not-ready"; v.Word != engine.WordStopping && (v.Stages[0].StartBlocked == 1) != want {
					t.Errorf("%d clusters are blocked", v.Stages[0].StartBlocked)
				}
				if tt.cause == "workload-not-ready" && !strings.Contains(v.Why.What.String(), "is not available on dev-1") ||
					tt.cause == "workload-not-ready" && !strings.Contains(v.Why.What.String(), "The cluster has snapshot 3 already: the controller does not start its update while it fails.") {
					t.Errorf("%s", v.Why.What)
				}
				if slices.ContainsFunc(v.Why.Evidence, func(e engine.Evidence) bool { return strings.HasSuffix(e.Field.String(), "[Started]") }) {
					t.Errorf("evidence of a start that did not happen: %v", v.Why.Evidence)
				}
			})
		}
	}
}

// A run that was preempted with its own snapshot names the overrides that differ, and
// offers a new run only when that would change something.
func TestPreemptedWithOtherOverrides(t *testing.T) {
	for scope, ns := range scopes {
		for _, tt := range []struct {
			name, initialized string
			done              bool
			next              string
		}{
			{"by a newer run", "10:01:05", false, "Follow run r2 (stagewatch wait): it rolls out snapshot 3 too, with newer overrides."},
			{"by a newer run that has finished", "10:01:05", true, "Delete this run (stagewatch delete): run r2 has rolled out snapshot 3 since, with newer overrides."},
			{"by an older run", "09:00:00", false, "Wait until run r2 ends, or stop it. Then create a new run (stagewatch clone) with snapshot 3: it uses the latest overrides."},
		} {
			s := load(t, "../internal/situation/testdata", 50)["preempted-with-winner"]
			for i := range s.Bindings {
				s.Bindings[i].SnapshotName, s.Bindings[i].Overrides = "shop-3-snapshot", []string{"limits-1"}
			}
			for i := range s.Run.Status.StagesStatus {
				for j := range s.Run.Status.StagesStatus[i].Clusters {
					s.Run.Status.StagesStatus[i].Clusters[j].ClusterResourceOverrideSnapshots = []string{"limits-0"}
				}
			}
			for i := range s.Others {
				s.Others[i].Status.Conditions = []metav1.Condition{{Type: placement.RunInitialized, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(moment(t, tt.initialized))}}
				if tt.done {
					s.Others[i].Status.Conditions = append(s.Others[i].Status.Conditions, metav1.Condition{Type: placement.RunSucceeded, Status: metav1.ConditionTrue})
				}
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := snap.Find(id).Why
			if d.Cause.String() != "preempted" || !strings.Contains(d.What.String(), "with snapshot 3 and other overrides (limits-1, which this run does not have; without limits-0 of this run)") {
				t.Errorf("%s/%s: %s: %s", scope, tt.name, d.Cause, d.What)
			}
			if !strings.HasPrefix(d.Next.String(), tt.next) {
				t.Errorf("%s/%s: next %s", scope, tt.name, d.Next)
			}
			if v := snap.Find(id); v.Settled() != tt.done || tt.done && d.RecoveryText.String() != "No recovery needed: run r2 has rolled out snapshot 3 since, with newer overrides." {
				t.Errorf("%s/%s: settled %v: %s", scope, tt.name, v.Settled(), d.RecoveryText)
			}
		}
	}
}

// The clock of a cluster that the controller does not start is not the run's Progressing
// condition, which moves whenever another cluster of the run gets stuck or finishes.
func TestTheClockOfAClusterThatIsNotStarted(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
		b := s.Bindings[slices.IndexFunc(s.Bindings, func(b bindingData) bool { return len(b.Failed) > 0 })]
		stage := &s.Run.Status.StagesStatus[1]
		for i := range stage.Clusters { // prod-1 is done, prod-2 is the next
			if i > 0 {
				stage.Clusters[i].Conditions = nil
			}
		}
		meta.SetStatusCondition(&s.Run.Status.Conditions, metav1.Condition{
			Type: placement.RunProgressing, Status: metav1.ConditionTrue, Reason: placement.ReasonRunProgressing, ObservedGeneration: 1,
			LastTransitionTime: metav1.NewTime(moment(t, "10:59:00")),
		})
		for i := range s.Run.Status.Conditions {
			if c := &s.Run.Status.Conditions[i]; c.Type == placement.RunProgressing {
				c.LastTransitionTime = metav1.NewTime(moment(t, "10:59:00"))
			}
		}
		b.Cluster = "prod-2"
		s.Bindings = []bindingData{b}
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, "11:00:00"))
		if v := snap.Find(id); v.Word != engine.WordStuck || v.Stages[1].StartBlocked != 1 {
			t.Errorf("%s: %s, %d blocked: %s", scope, v.Word, v.Stages[1].StartBlocked, v.Why.What)
		}
	}
}

// What is to be done about the run that preempted another is possible: the API server
// rejects Stop for a run in state Initialize, and a stopped run is stopped already.
func TestTheStepOfAPreempterThatCannotBeStopped(t *testing.T) {
	stopped := []metav1.Condition{{Type: placement.RunProgressing, Status: metav1.ConditionFalse, Reason: placement.ReasonRunStopped}}
	deleting := metav1.NewTime(moment(t, "10:02:00"))
	for _, tt := range []struct {
		state placement.State
		conds []metav1.Condition
		next  string
	}{
		{"", nil, "Wait until run r2 is deleted, which was requested. Then create a new run (stagewatch clone) if snapshot 3 is still wanted."}, // "": it is being deleted
		{placement.StateRun, nil, "Wait until run r2 ends, or stop it. Then create a new run (stagewatch clone) if snapshot 3 is still wanted."},
		{placement.StateInitialize, nil, "Wait until run r2 ends, or delete it: in state Initialize it cannot be stopped. Then create a new run (stagewatch clone) if snapshot 3 is still wanted."},
		{placement.StateStop, nil, "Wait until run r2 has stopped: it is stopping. Then create a new run (stagewatch clone) if snapshot 3 is still wanted."},
		{placement.StateStop, stopped, "Run r2 is stopped. Resume it to continue its rollout, or delete it and create a new run (stagewatch clone) if snapshot 3 is still wanted."},
	} {
		for scope, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)["preempted-with-winner"]
			for i := range s.Others {
				s.Others[i].Spec.State, s.Others[i].Status.Conditions = tt.state, tt.conds
				if tt.state == "" {
					s.Others[i].DeletionTimestamp = &deleting
				}
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			if d := snap.Find(id).Why; !strings.HasPrefix(d.Next.String(), tt.next) {
				t.Errorf("%s, %s: next %s", scope, tt.state, d.Next)
			}
		}
	}
}
