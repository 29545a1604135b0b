package triage

import (
	"slices"
	"strings"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/world"
)

// The next step has a key: each word's leads, and the cluster that they are
// about.
func TestLeads(t *testing.T) {
	for _, c := range []struct {
		situation string
		member    string
		want      []engine.Lead
	}{
		{"stuck-with-binding", "prod-2", []engine.Lead{engine.LeadMember, engine.LeadDiff, engine.LeadClone}},
		{"stuck", "prod-2", []engine.Lead{engine.LeadMember, engine.LeadCluster}},
		{"preempted-with-winner", "prod-2", []engine.Lead{engine.LeadTaker, engine.LeadOwners, engine.LeadClone}},
		{"preempted", "prod-2", []engine.Lead{engine.LeadOwners, engine.LeadClone}},
		{"init-failed-index", "", []engine.Lead{engine.LeadPlacement, engine.LeadClone}},
		{"failed-unknown", "", []engine.Lead{engine.LeadClone}},
		{"approval-before", "", []engine.Lead{engine.LeadApprove, engine.LeadInbox}},
		{"not-accepted", "", []engine.Lead{engine.LeadApprove, engine.LeadInbox}},
		{"stopped", "", []engine.Lead{engine.LeadRun, engine.LeadPlan}},
		{"not-observed-since-creation", "", []engine.Lead{engine.LeadLogs}},
		{"timed-wait", "", []engine.Lead{engine.LeadPlan}},
		{"done", "", nil},
	} {
		for scope, ns := range scopes {
			t.Run(c.situation+"/"+scope, func(t *testing.T) {
				s := load(t, "../internal/situation/testdata", 50)[c.situation]
				w, id := s.world(t, ns)
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
				d := snap.Find(id).Why
				_, member, _ := d.Member.Raw()
				if !slices.Equal(d.Leads, c.want) || member != c.member {
					t.Errorf("leads %v about %q, want %v about %q", d.Leads, member, c.want, c.member)
				}
			})
		}
	}
}

// What begins a fight between two runs is not the next step.
func TestApprovalIsNotNextBesideARival(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["approval-before"]
	other := *s.Run.DeepCopy()
	other.Name, other.UID = "r2", "u-r2"
	other.Spec.ResourceSnapshotIndex, other.Status.ResourceSnapshotIndexUsed = "1", "1"
	s.Others = append(s.Others, other)
	w, id := s.world(t, "")
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	d := snap.Find(id).Why
	if !strings.HasPrefix(d.Next.String(), "First decide which run continues: stop this one or r2") || len(d.Leads) < 2 || d.Leads[0] != engine.LeadOwners {
		t.Errorf("next %q, leads %v", d.Next, d.Leads)
	}
	if !strings.HasPrefix(d.Steps[1].String(), "Approve stage") {
		t.Errorf("the approval is not the second step: %v", d.Steps)
	}
}

// The step of two competing runs says nothing that is done already.
func TestTheStepOfCompetingRunsThatAreStopped(t *testing.T) {
	for _, tt := range []struct {
		mine, other placement.State
		says        string
	}{
		{placement.StateRun, placement.StateRun, "First decide which run continues: stop this one or r2,"},
		{placement.StateRun, placement.StateStop, "First decide which run continues: do not resume r2 before this run has finished, or stop this one."},
		{placement.StateStop, placement.StateRun, "Before you resume this run, let r2 finish, or stop it."},
		{placement.StateStop, placement.StateStop, "First decide which run continues: resume this one or r2;"},
	} {
		s := load(t, "../internal/situation/testdata", 50)["stopped"]
		s.Run.Spec.State = tt.mine
		other := *s.Run.DeepCopy()
		other.Name, other.UID, other.Spec.State = "r2", "u-r2", tt.other
		other.Spec.ResourceSnapshotIndex, other.Status.ResourceSnapshotIndexUsed = "1", "1"
		s.Others = append(s.Others, other)
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if d := snap.Find(id).Why; !strings.Contains(engine.Join(d.Steps, "\n").String(), tt.says) {
			t.Errorf("%s beside %s: %v", tt.mine, tt.other, d.Steps)
		}
	}
}

// An entry that asks for something leads somewhere, once each.
func TestEntriesLeadSomewhere(t *testing.T) {
	for _, e := range catalogue.Entries() {
		leads := e.Actions()
		if len(leads) == 0 && (e.Recovery == engine.HealNewRun || e.Recovery == engine.HealMember || e.Recovery == engine.HealHub || e.Recovery == engine.HealPerson) {
			t.Errorf("%s: nothing to press", e.Cause)
		}
		for i, l := range leads {
			if l == engine.LeadNone || slices.Contains(leads[:i], l) {
				t.Errorf("%s: leads %v", e.Cause, leads)
			}
		}
	}
}
