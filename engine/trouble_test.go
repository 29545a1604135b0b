package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

func TestTrouble(t *testing.T) {
	t0 := time.Unix(100_000, 0)
	at := func(typ string, status metav1.ConditionStatus, gen int64, reason, message string) metav1.Condition {
		return metav1.Condition{Type: typ, Status: status, ObservedGeneration: gen, Reason: reason, Message: message, LastTransitionTime: metav1.Time{Time: t0}}
	}
	rolled := at("RolloutStarted", "True", 2, "RolloutStarted", "")
	failed := func(reason string, n int, envelope *placement.EnvelopeIdentifier) []placement.FailedResourcePlacement {
		var out []placement.FailedResourcePlacement
		for range n {
			f := placement.FailedResourcePlacement{Condition: metav1.Condition{Type: "Applied", Reason: reason}}
			f.Kind, f.Name, f.Namespace, f.Envelope = "ConfigMap", "settings", "web", envelope
			out = append(out, f)
		}
		return out
	}
	notApplied := at("Applied", "False", 2, "NotAllWorkHaveBeenApplied", "Work object web-work has failed to apply")
	tests := []struct {
		name             string
		conds            []metav1.Condition
		failed           []placement.FailedResourcePlacement
		what, heal, next string
	}{
		{"nothing at all", nil, nil, "its rollout has not begun", "Yes", "Wait"},
		{"rollout of an older generation", []metav1.Condition{at("RolloutStarted", "True", 1, "RolloutStarted", "")}, nil, "its rollout has not begun", "Yes", "Wait"},
		{"silent", []metav1.Condition{rolled}, nil, "nothing is reported as failed", "Not known", "agent"},
		{"a False of an older generation says nothing", []metav1.Condition{rolled, at("Applied", "False", 1, "x", "y")}, nil, "nothing is reported as failed", "Not known", "agent"},
		{"overrides", []metav1.Condition{rolled, at("Overridden", "False", 2, "OverriddenFailed", "Failed to apply the override rules on the resources: doc is missing path")}, nil, "the overrides could not be applied (OverriddenFailed: Failed to apply the override rules on the resources: doc is missing path)", "No", "Fix the override"},
		{"works", []metav1.Condition{rolled, at("WorkSynchronized", "False", 2, "SyncWorkFailed", "m")}, nil, "the works for the member could not be written (SyncWorkFailed: m)", "Yes", "leaving the fleet"},
		{"differences", []metav1.Condition{rolled, at("DiffReported", "False", 2, "NotAllWorkHaveDiffReported", "m")}, nil, "differences could not be reported", "Yes", "manifests' conditions"},
		{"being applied", []metav1.Condition{rolled, at("Applied", "False", 2, "ApplyInProgress", "Resources are being applied")}, nil, "the resources are not Applied (ApplyInProgress", "Yes: the resources are being applied", "Wait"},
		{"no manifest is named", []metav1.Condition{rolled, notApplied}, nil, "the resources are not Applied (NotAllWorkHaveBeenApplied: Work object web-work has failed to apply)", "Yes, if the cause is on the member", "at the member"},
		{"owned by others", []metav1.Condition{rolled, notApplied}, failed("ManifestsAlreadyOwnedByOthers", 1, nil), "ConfigMap web/settings is not Applied (ManifestsAlreadyOwnedByOthers)", "Yes, if the object on the member is given up", "foreign owner"},
		{"several", []metav1.Condition{rolled, notApplied}, failed("FailedToTakeOver", 3, nil), "ConfigMap web/settings is not Applied (FailedToTakeOver), and 2 manifests more", "Yes", "foreign owner"},
		{"two placements", []metav1.Condition{rolled, notApplied}, failed("ApplyConflictBetweenPlacements", 1, nil), "(ApplyConflictBetweenPlacements)", "Yes, if the other placement", "only one placement"},
		{"drift", []metav1.Condition{rolled, notApplied}, failed("FoundDrifts", 1, nil), "(FoundDrifts)", "Yes, if the change on the member", "whenToApply"},
		{"refused by the member", []metav1.Condition{rolled, notApplied}, failed("ManifestApplyFailed", 1, nil), "(ManifestApplyFailed)", "Yes, if the member accepts", "Read the manifest's message"},
		{"not usable", []metav1.Condition{rolled, notApplied}, failed("DecodingErred", 1, nil), "(DecodingErred)", "No: the manifest itself", "Fix the manifest"},
		{"a reason of the future", []metav1.Condition{rolled, notApplied}, failed("Hexed\x1b", 1, nil), `(Hexed\x1b)`, "Yes, if the cause is on the member", "Read the manifest's message"},
		{"in an envelope", []metav1.Condition{rolled, notApplied}, failed("Duplicated", 1, &placement.EnvelopeIdentifier{Name: "box", Type: placement.EnvelopeNamespaced}), "ConfigMap web/settings (in ResourceEnvelope box) is not Applied", "No", "Fix the manifest"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, ids := big(1, 2, t0)
			key := placementKey(ids[0], "p-run-000")
			id := NewID(KindClusterResourceBinding, "", "b", "u")
			old := NewID(KindClusterResourceBinding, "", "a", "u") // of an older policy, not in use
			w.Covered[CoverBindings(key)] = Coverage{State: CoverComplete}
			w.Bindings[key] = map[ID]*Binding{
				id:  {ID: id, Cluster: "prod-0000", State: "Bound", SnapshotName: "p-run-000-1-snapshot", Generation: 2, Conditions: tt.conds, Failed: tt.failed},
				old: {ID: old, Cluster: "prod-0000", State: "Unscheduled", SnapshotName: "p-run-000-0-snapshot", Generation: 2},
			}
			w.Focus.Run = ids[0]
			s, _ := Observe(nil, w, Changed{}, t0.Add(stuckDefault+time.Second))
			v := s.Find(ids[0])
			if v.Word != WordStuck {
				t.Fatalf("word %s", v.Word)
			}
			for _, p := range [][2]string{{v.Why.What.String(), tt.what}, {v.Why.Heal.String(), tt.heal}, {v.Why.Next.String(), tt.next}, {s.Detail.Clusters[1][0].Why.String(), tt.what}} {
				if !strings.Contains(p[0], p[1]) {
					t.Errorf("got %q, want it to hold %q", p[0], p[1])
				}
			}
		})
	}
}

func TestStarting(t *testing.T) {
	stage := func(coming, more, flying, atOnce int) *StageView {
		s := &StageView{Name: Lit("prod"), Updating: flying, AtOnce: atOnce, ComingMore: more, Total: coming + more + flying}
		for i := range coming {
			s.Coming = append(s.Coming, Textf("c%d", i+1))
		}
		return s
	}
	tests := []struct {
		name string
		in   *StageView
		want string
	}{
		{"one", stage(1, 0, 0, 1), "Stage prod: c1 is updated at once."},
		{"one of several", stage(3, 0, 0, 1), "Stage prod: c1 is updated at once, then 2 more, 1 at a time."},
		{"beside one in flight", stage(3, 0, 1, 3), "Stage prod: c1 and c2 are updated at once, then 1 more, 3 at a time."},
		{"no room", stage(3, 0, 2, 2), "Stage prod starts its 3 clusters that are left, 2 at a time, when those in flight have finished."},
		{"none left", stage(0, 0, 2, 2), "Stage prod starts nothing new: all its clusters were started."},
		{"many", stage(10, 90, 0, 25), "Stage prod: c1, c2, c3, c4, c5 and 20 more are updated at once, then 75 more, 25 at a time."},
		{"all of many", stage(10, 90, 0, 100), "Stage prod: c1, c2, c3, c4, c5 and 95 more are updated at once."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := starting(tt.in).String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestNames checks that every value of every enumeration has a name of its own.
func TestNames(t *testing.T) {
	names := func(kind string, n int, name func(i int) string) {
		t.Helper()
		seen := map[string]bool{}
		for i := range n {
			s := name(i)
			if s == "" || s == "unknown" || seen[s] {
				t.Errorf("%s %d is %q", kind, i, s)
			}
			seen[s] = true
		}
		if s := name(n + 100); seen[s] && kind != "kind" {
			t.Errorf("%s %d passes for %q", kind, n+100, s)
		}
	}
	names("link", 5, func(i int) string { return LinkState(i).String() })
	names("stage", 9, func(i int) string { return StageState(i).String() })
	names("gate", 7, func(i int) string { return GateState(i).String() })
	names("cluster", 9, func(i int) string { return ClusterState(i).String() })
	names("cover", 6, func(i int) string { return CoverState(i).String() })
	names("act", 4, func(i int) string { return Act(i).String() })
	names("result", 3, func(i int) string { return Result(i).String() })
	names("kind", len(kindNames), func(i int) string { return Kind(i).String() })
	id := NewID(KindStagedUpdateRun, "team\x1b", "web", "u")
	if b, err := id.MarshalText(); err != nil || string(b) != `sur/team\x1b/web` || fmt.Sprint(id.Namespace()) != `team\x1b` {
		t.Errorf("an ID is written as %q, %v", b, err)
	}
}
