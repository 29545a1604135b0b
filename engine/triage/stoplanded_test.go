package triage

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// A run that is stopping does not say that a cluster is still updating whose update has finished.
// Where the controller fails it, the list names no cluster as the place of a cause of the whole run.
func TestAStoppingRunWhoseClustersHaveFinished(t *testing.T) {
	for scope, ns := range scopes {
		for _, landed := range []bool{false, true} {
			s := load(t, "../internal/situation/testdata", 50)["stopping"]
			s.surrounded(t)
			for i := range s.Bindings {
				b := &s.Bindings[i]
				b.SnapshotName, b.Failed = "shop-3-snapshot", nil
				b.Conditions = []metav1.Condition{{Type: placement.BindingRolloutStarted, Status: "True", Reason: "RolloutStarted", ObservedGeneration: b.Generation}}
				if landed {
					b.Conditions = append(b.Conditions, metav1.Condition{Type: placement.BindingAvailable, Status: "True", ObservedGeneration: b.Generation})
				}
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			v := snap.Find(id)
			if v.Word != engine.WordStopping {
				t.Fatalf("%s: %s", scope, v.Word)
			}
			if updating, done := strings.Contains(v.Why.What.String(), "still updating"), strings.Contains(v.Why.What.String(), " finished, and no other cluster is started."); updating == landed || done != landed {
				t.Errorf("%s, landed %v: %s", scope, landed, v.Why.What)
			}
			waits := v.Why.RecoveryText.String() == "Recovers automatically: the run stops at the controller's next check." && v.Why.Next.String() == "Wait for the controller's next check."
			if waits != landed || slices.Contains(v.Why.Steps, engine.Lit("Check the updating clusters: a stuck one keeps the run from stopping.")) == landed {
				t.Errorf("%s, landed %v: %s %q", scope, landed, v.Why.RecoveryText, v.Why.Steps)
			}
			if landed {
				continue
			}
			for i := range s.Bindings {
				s.Bindings[i].Conditions = append(s.Bindings[i].Conditions, metav1.Condition{Type: placement.BindingOverridden, Status: "False", Reason: "OverriddenFailed", Message: "x", ObservedGeneration: s.Bindings[i].Generation})
			}
			s.Members = slices.DeleteFunc(s.Members, func(m memberData) bool { return m.Name == "prod-4" })
			w, id = s.world(t, ns)
			snap, _ = observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			if d := snap.Find(id).Why; d.Cause.String() != "run-will-fail" || d.Short.String() != "will fail: cluster left the fleet" {
				t.Errorf("%s: in the list %q (%s: %s)", scope, d.Short, d.Cause, d.What)
			}
		}
	}
}

// TestAStoppingRunNamesThoseThatHaveFinished checks that a cluster whose update has finished is not counted as one that is still
// updating.
func TestAStoppingRunNamesThoseThatHaveFinished(t *testing.T) {
	for landed, want := range map[int]string{
		0: "Stop was requested in stage prod; 3 clusters are still updating, none is started.",
		1: "Stop was requested in stage prod; 2 clusters are still updating, none is started. The update of prod-2 has finished; the controller has not recorded it yet.",
		2: "Stop was requested in stage prod; 1 cluster is still updating, none is started. The updates of prod-2 and prod-3 have finished; the controller has not recorded them yet.",
		3: "Stop was requested in stage prod; the updates of prod-2, prod-3 and prod-4 have finished, and no other cluster is started.",
	} {
		v := diagnosed(t, "stopping", "", func(s *situation) {
			s.Run = *s.Run.DeepCopy()
			clusters, of := s.Run.Status.StagesStatus[1].Clusters[1:], bindingData{State: "Bound", Generation: 1}
			s.Bindings = nil
			for i := range clusters {
				clusters[i].Conditions = clusters[0].Conditions
				of.Cluster, of.SnapshotName, of.Failed = clusters[i].ClusterName, "shop-3-snapshot", nil
				of.Conditions = []metav1.Condition{{Type: placement.BindingRolloutStarted, Status: "True", Reason: "RolloutStarted", ObservedGeneration: of.Generation}}
				if i < landed {
					of.Conditions = append(of.Conditions, metav1.Condition{Type: placement.BindingAvailable, Status: "True", ObservedGeneration: of.Generation})
				}
				s.Bindings = append(s.Bindings, of)
			}
		})
		if got := v.Why.What.String(); got != want {
			t.Errorf("%d have finished: %s", landed, got)
		}
	}
}

// As long as the controller has not observed a stop, no answer says that nothing else starts.
func TestAStopThatIsNotObserved(t *testing.T) {
	for _, tt := range []struct {
		base, says string
		person     bool // once it is observed
		change     func(*situation)
	}{
		{"stopping", "may still start clusters", false, func(*situation) {}},
		{"stopping", "may still start clusters", false, func(s *situation) { // all updates have finished
			for i := range s.Bindings {
				b := &s.Bindings[i]
				b.SnapshotName, b.Failed = "shop-3-snapshot", nil
				b.Conditions = []metav1.Condition{{Type: placement.BindingRolloutStarted, Status: "True", Reason: "RolloutStarted", ObservedGeneration: b.Generation}, {Type: placement.BindingAvailable, Status: "True", ObservedGeneration: b.Generation}}
			}
		}},
		{"timed-wait", "may still start clusters", false, func(s *situation) { s.Run.Spec.State = placement.StateStop }},
		{"removing", "may still start deletions", true, func(s *situation) {
			s.Run.Spec.State = placement.StateStop
			d := s.Run.Status.DeletionStageStatus
			d.Clusters = append(d.Clusters, placement.ClusterStatus{ClusterName: "old-9"})
			s.Bindings = append(s.Bindings, bindingData{Cluster: "old-2", State: "Unscheduled"}, bindingData{Cluster: "old-9", State: "Unscheduled"})
		}},
	} {
		for _, observed := range []bool{false, true} {
			v := diagnosed(t, tt.base, "", func(s *situation) {
				s.Run = *s.Run.DeepCopy()
				tt.change(s)
				s.Run.Generation = engine.NewestObserved(s.Run.Status.Conditions)
				if !observed {
					s.Run.Generation++
				}
			})
			what := v.Why.What.String()
			none := strings.Contains(what, "none is started") || strings.Contains(what, "no other cluster is started") || strings.Contains(what, "no other deletion starts")
			if none != observed || strings.Contains(what, tt.says) == observed || (v.Why.Recovery == engine.RecoveryByPerson) != (tt.person && observed) ||
				(v.Why.Recovery == engine.RecoveryUnknown) != (tt.person && !observed) ||
				tt.person && strings.Contains(v.Why.RecoveryText.String(), "the run stops when") { // deletions are left
				t.Errorf("%s, observed %v: %s (%s)", tt.base, observed, what, v.Why.RecoveryText)
			}
		}
	}
}
