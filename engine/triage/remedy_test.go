package triage

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// remedy is a cause with the objects around it as they are at the incident and
// after somebody repaired it, and the next step that each gives.
type remedy struct {
	Cause, Base, Message, Index string
	Recorded                    *placement.ApplyStrategy
	Incident                    around
	Repaired                    *around
}

type around struct {
	Placement        *placementData
	Places           []string
	Nearby           *nearbyData
	Bindings         []bindingData
	Members          []memberData
	Approvals        []placement.ApprovalRequest
	What, Next, Then string
}

func remedies(t *testing.T) []remedy {
	t.Helper()
	b, err := os.ReadFile("testdata/remedies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []remedy
	if err := yaml.UnmarshalStrict(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRemediesFollowWhatIsTrueNow(t *testing.T) {
	for i, r := range remedies(t) {
		for scope, ns := range scopes {
			t.Run(fmt.Sprintf("%s %d/%s", r.Cause, i, scope), func(t *testing.T) {
				first := r.diagnosis(t, &r.Incident, ns)
				if r.Repaired == nil {
					return
				}
				if later := r.diagnosis(t, r.Repaired, ns); later.Next == first.Next {
					t.Errorf("the repair does not change the next step: %q", later.Next)
				} else if strings.HasSuffix(later.Next.String(), ": create a new run (C).") && later.Leads[0] != engine.LeadClone {
					t.Errorf("the clone is not the first lead of %q: %v", later.Next, later.Leads)
				}
			})
		}
	}
}

func (r *remedy) diagnosis(t *testing.T, o *around, ns string) engine.Diagnosis {
	t.Helper()
	base := r.Base
	if base == "" {
		base = "refused"
	}
	s := (&row{Now: "10:30:00"}).situation(t, base, expand(r.Message))
	s.Placement, s.Places, s.Nearby, s.Bindings, s.Members, s.Approvals = o.Placement, o.Places, o.Nearby, o.Bindings, o.Members, o.Approvals
	if r.Index != "" {
		s.Run.Spec.ResourceSnapshotIndex = r.Index
	}
	if r.Recorded != nil {
		s.Run.Status.AppliedStrategy = r.Recorded
	}
	w, id := s.world(t, ns)
	snap, _ := engine.Observe(nil, w, engine.Changed{}, moment(t, s.Now))
	d := snap.Find(id).Why
	if d.Cause.String() != r.Cause {
		t.Errorf("cause %s, want %s: %s", d.Cause, r.Cause, d.What)
	}
	if !strings.Contains(d.What.String(), o.What) {
		t.Errorf("what: got %q, want it to hold %q", d.What, o.What)
	}
	if !strings.Contains(d.Next.String(), o.Next) {
		t.Errorf("next: got %q, want it to hold %q", d.Next, o.Next)
	}
	if !strings.Contains(engine.Join(d.Steps, "\n").String(), o.Then) {
		t.Errorf("steps: got %q, want %q among them", d.Steps, o.Then)
	}
	return d
}

// Every cause for which a run failed is in the table, but those of a status that
// contradicts itself: no object that exists now tells anything about them.
func TestEveryFailureHasARemedy(t *testing.T) {
	seen := map[string]bool{
		"status-edited": true, "state-unsupported": true, "removal-inconsistent": true, "stage-failed": true,
		"resources-not-selectable": true, // the plan selects anew
	}
	for _, r := range remedies(t) {
		seen[r.Cause] = true
	}
	for i := range failures {
		if !seen[failures[i].cause.String()] {
			t.Errorf("no remedy for %s", failures[i].cause)
		}
	}
}

// A run that was preempted does not wait for a run that was deleted since.
func TestPreemptedFollowsTheOtherRun(t *testing.T) {
	s := allSituations(t)["engine/preempted-with-winner.yaml"]
	if s == nil {
		s = allSituations(t)["engine/preempted-with-winner"]
	}
	for _, ns := range scopes {
		w, id := s.world(t, ns)
		look := func() engine.Diagnosis {
			snap, _ := engine.Observe(nil, w, engine.Changed{}, moment(t, s.Now))
			return snap.Find(id).Why
		}
		first := look()
		if !strings.Contains(first.Next.String(), "Wait until run ") && !strings.Contains(first.Next.String(), " has ended") {
			t.Errorf("the other run exists: %q", first.Next)
		}
		for other := range w.Runs {
			if other != id {
				delete(w.Runs, other)
			}
		}
		if next := look().Next.String(); !strings.Contains(next, " does not exist any more; create a new run (C)") {
			t.Errorf("the other run was deleted: %q", next)
		}
	}
}
