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

// A run that has started a cluster does not continue when the placement picks the cluster again:
// a new binding preempts it, and a member that joins again is another one. An Unscheduled
// binding gets its state back.
func TestAnUpdatingClusterThatIsPickedAgain(t *testing.T) {
	for _, tt := range []struct {
		name         string
		change       func(*bindingData)
		gone, member bool // the binding, the MemberCluster
		cause        string
		recovery     engine.Recovery
	}{
		{"no binding", nil, true, true, "binding-missing", engine.RecoveryByNewRun},
		{"no binding, no member", nil, true, false, "binding-missing", engine.RecoveryByNewRun},
		{"Unscheduled, no member", func(b *bindingData) { b.State = "Unscheduled" }, false, false, "no-longer-picked", engine.RecoveryByNewRun},
		{"Unscheduled", func(b *bindingData) { b.State = "Unscheduled" }, false, true, "no-longer-picked", engine.RecoveryOnHub},
	} {
		for scope, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
			s.surrounded(t)
			s.rolling(t)
			if !tt.member {
				s.Members = slices.DeleteFunc(s.Members, func(m memberData) bool { return m.Name == "prod-2" })
			}
			s.Bindings = slices.DeleteFunc(s.Bindings, func(b bindingData) bool { return b.Cluster == "prod-2" && tt.gone })
			for i := range s.Bindings {
				if s.Bindings[i].Cluster == "prod-2" {
					tt.change(&s.Bindings[i])
				}
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := snap.Find(id).Why
			steps := engine.Join(d.Steps, "\n").String()
			if d.Cause.String() != tt.cause || d.Recovery != tt.recovery || strings.Contains(steps, "(no valid binding now; a change of the placement's policy fails the run)") != (tt.recovery == engine.RecoveryOnHub) {
				t.Errorf("%s, %s: %s, %s\n%s", tt.name, scope, d.Cause, d.Recovery, steps)
			}
			if n := strings.Count(strings.ToLower(steps), "create a new run (stagewatch clone)"); n != 1 {
				t.Errorf("%s, %s: %d steps create a new run\n%s", tt.name, scope, n, steps)
			}
			if strings.Contains(steps, "join it to the fleet again") == tt.member {
				t.Errorf("%s, %s: %s", tt.name, scope, steps)
			}
		}
	}
}

// What holds a cluster of a run that fails, and needs a new run itself, comes before that new run.
func TestTheFixComesBeforeTheNewRun(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
	s.surrounded(t)
	s.rolling(t)
	policyChanged(true)(&s)
	for i := range s.Bindings {
		if b := &s.Bindings[i]; b.Cluster == "prod-2" {
			b.Failed = nil
			b.Conditions = slices.DeleteFunc(b.Conditions, func(c metav1.Condition) bool { return c.Type == placement.BindingOverridden })
			b.Conditions = append(b.Conditions, metav1.Condition{Type: placement.BindingOverridden, Status: "False", Reason: "OverriddenFailed", Message: "Failed to apply the override rules on the resources: doc is missing path: x", ObservedGeneration: b.Generation})
		}
	}
	w, id := s.world(t, "")
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	d := snap.Find(id).Why
	if steps := engine.Join(d.Steps, "\n").String(); d.Cause.String() != "override-path" || !strings.HasPrefix(steps, "Fix the override, then create a new run (stagewatch clone).") || !strings.HasSuffix(steps, "Delete this run (stagewatch delete) after the new one is created.") || !slices.ContainsFunc(d.Also, func(f engine.Finding) bool { return f.Cause.String() == "run-will-fail" }) {
		t.Errorf("%s %v:\n%s", d.Cause, d.Also, steps)
	}
}

// A run that fails because a member does not exist has one step that creates a new run, before the one
// that deletes it.
func TestOneStepCreatesTheNewRun(t *testing.T) {
	for _, base := range []string{"ready", "approval-before"} {
		s := load(t, "../internal/situation/testdata", 50)[base]
		s.surrounded(t)
		s.rolling(t)
		s.Members = slices.DeleteFunc(s.Members, func(m memberData) bool { return m.Name == "prod-2" })
		_, v := s.diagnosed(t)
		steps := engine.Join(v.Why.Steps, "\n").String()
		if strings.Count(steps, "(stagewatch clone)") != 1 || !strings.Contains(steps, "cluster prod-2 left the fleet, and the scheduler has not removed it from the placement yet") || !strings.HasSuffix(steps, "Delete this run (stagewatch delete) after the new one is created.") {
			t.Errorf("%s:\n%s", base, steps)
		}
	}
}

// A cluster that a new run leaves out is not to be fixed before it.
func TestAClusterThatANewRunLeavesOut(t *testing.T) {
	for name, change := range map[string]func(*bindingData){
		"no longer picked": func(b *bindingData) { b.State = "Unscheduled" },
		"being deleted":    func(b *bindingData) { b.Deleting = metav1.NewTime(moment(t, "10:05:00")) },
	} {
		s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
		s.surrounded(t)
		s.rolling(t)
		for i := range s.Bindings {
			if s.Bindings[i].Cluster == "prod-2" {
				change(&s.Bindings[i])
			}
		}
		failedBy(&s, "cannot continue the updateRun: the number of clusters in index `1` stage has changed, new: 3, existing: 4")
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := snap.Find(id).Why
		if steps := engine.Join(d.Steps, "\n").String(); strings.Contains(steps, "First fix cluster") || !d.LeftFailing.IsZero() {
			t.Errorf("%s: %s\n%s", name, d.LeftFailing, steps)
		}
	}
}
