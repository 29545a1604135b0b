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

// TestOwnersReadOnTheMember names who holds an object, once the member was read.
func TestOwnersReadOnTheMember(t *testing.T) {
	rows := readRows(t, "facts-5.3.yaml")
	const unsaid = "nothing was read of the owner"
	for _, tt := range []struct {
		name             string
		owned            []world.MemberObject
		what, next, says string
	}{
		{"not read", nil, "Deployment web/front belongs to another owner on prod-2", "List the object's owners", unsaid},
		{
			"owner",
			[]world.MemberObject{{Kind: "Deployment", Namespace: "web", Name: "front", Owners: []string{"Application shop\x1b"}, Managers: []string{"argocd"}}},
			`Deployment web/front belongs to Application shop`, "Have Application shop", "its owner is Application shop",
		},
		{
			"no owner reference",
			[]world.MemberObject{{Kind: "Deployment", Namespace: "web", Name: "front", Managers: []string{"helm"}}},
			"belongs to another owner", "Wait for the member's agent: it retries and takes the object over.", "its fields were written by helm",
		},
		{"released", []world.MemberObject{{Kind: "Deployment", Namespace: "web", Name: "front"}}, "belongs to another owner", "Wait for the member's agent: it retries and takes the object over.", "it has no owner reference now"},
		{
			"Fleet's own owner",
			[]world.MemberObject{{Kind: "Deployment", Namespace: "web", Name: "front", AppliedWorks: []string{"shop-work"}, Managers: []string{"x"}}},
			"belongs to another owner", "List the object's owners", "its only owner now is Fleet's AppliedWork shop-work",
		},
		{"deleted", []world.MemberObject{{Kind: "Deployment", Namespace: "web", Name: "front", Missing: true}}, "belongs to another owner", "Wait for the member's agent", "the member has no such object now"},
		{"one that was not read", []world.MemberObject{{Kind: "Deployment", Namespace: "web", Name: "front", Why: engine.Lit("no answer in time")}}, "belongs to another owner", "List the object's owners", unsaid},
		{"another object", []world.MemberObject{{Kind: "Service", Namespace: "web", Name: "front", Owners: []string{"Application shop"}}}, "belongs to another owner", "List the object's owners", unsaid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := false
			for i := range rows {
				if rows[i].Tell.Cause != "owned-by-others" || found {
					continue
				}
				found = true
				s := rows[i].situation(t, "flight", "")
				w, run := s.world(t, "")
				now := moment(t, "10:04:00")
				w.Focus.Run = run
				w.Report(&world.MemberReport{Run: run, Member: "prod-2", Context: "ctx", Identity: verified(), Owned: tt.owned, At: now})
				snap, _ := observe.Observe(nil, w, world.Changed{}, now)
				d := &snap.Find(run).Why
				has(t, d.What.String(), tt.what)
				has(t, d.Next.String(), tt.next)
				if says := d.Read.Says.String(); tt.says == unsaid && says != "" || tt.says != unsaid && !strings.Contains(says, tt.says) {
					t.Errorf("says %q, want %q", says, tt.says)
				}
				if want := len(tt.owned) == 1 && !tt.owned[0].Why.IsZero(); d.Read.Why.IsZero() == want {
					t.Errorf("not read: %q", d.Read.Why)
				}
			}
			if !found {
				t.Fatal("no row of owned-by-others")
			}
		})
	}
}

// An object that an AppliedWork owns is placed by another placement, or was: its owner is never to be
// deleted.
func TestAnAppliedWorkAsOwner(t *testing.T) {
	rows := readRows(t, "facts-5.3.yaml")
	i := slices.IndexFunc(rows, func(r row) bool { return r.Tell.Cause == "owned-by-others" })
	front := placement.WorkResourceIdentifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "web", Name: "front"}
	for _, tt := range []struct {
		name, placement, owner, cause, next string
		recovery                            engine.Recovery
	}{
		{"of another placement", "pay", "w", "placements-conflict", "Remove Deployment web/front from ClusterResourcePlacement pay: the member's agent then deletes the object, creates it again for placement shop, and this run continues.", engine.RecoveryOnHub},
		{"of another placement that is External", "lab", "w", "placements-conflict", "Remove Deployment web/front from ClusterResourcePlacement lab: the member's agent then deletes the object, creates it again for placement shop, and this run continues. The removal needs a run of that placement, too: its strategy is External.", engine.RecoveryOnHub},
		{"of this placement", "", "w", "owned-by-others", "Wait for the member's agent to retry: no other Work on prod-2 applies Deployment web/front now.", engine.RecoveryAutomatic},
		{"without a Work on the hub", "", "x", "owned-by-others", "Wait for the member's agent to retry: no other Work on prod-2 applies Deployment web/front now.", engine.RecoveryAutomatic},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := rows[i].situation(t, "flight", "")
			s.Works = &worksData{Cluster: "prod-2"}
			s.Works.Items = append(s.Works.Items, struct {
				Name, Placement, Namespace, Binding string
				Deleting                            metav1.Time
				Finalizers                          []string
				Objects                             []placement.WorkResourceIdentifier
			}{Name: "w", Placement: tt.placement, Objects: []placement.WorkResourceIdentifier{front}})
			s.Places = []string{"lab"}
			w, run := s.world(t, "")
			pay := engine.NewID(engine.KindClusterResourcePlacement, "", "pay", "u-pay")
			w.Placements[pay] = &world.Placement{ID: pay}
			now := moment(t, "10:04:00")
			w.Report(&world.MemberReport{Run: run, Member: "prod-2", Context: "ctx", Identity: verified(), At: now, Owned: []world.MemberObject{{Kind: "Deployment", Namespace: "web", Name: "front", AppliedWorks: []string{tt.owner}}}})
			snap, _ := observe.Observe(nil, w, world.Changed{}, now)
			d := &snap.Find(run).Why
			has(t, d.Next.String(), tt.next)
			if d.Cause.String() != tt.cause || d.Recovery != tt.recovery || strings.Contains(d.Next.String(), "needs a run") != (tt.placement == "lab") || strings.Contains(engine.Join(d.Steps, "\n").String(), "owner on prod-2") {
				t.Errorf("%s, %s: %q", d.Cause, d.Recovery, d.Steps)
			}
		})
	}
}

// The same apply strategy lets two placements place an object only in hubs that report their
// strategies as the conflict; co-ownership never does.
func TestTheStrategyOfTwoPlacements(t *testing.T) {
	tried := 0
	for _, r := range readRows(t, "facts-5.3.yaml") {
		if r.Tell.Cause != "placements-conflict" || r.Tell.Recovery == "automatic" {
			continue
		}
		tried++
		s := r.situation(t, "flight", "")
		w, run := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, "10:04:00"))
		steps := engine.Join(snap.Find(run).Why.Steps, "\n").String()
		if offers := strings.Contains(steps, "same apply strategy"); offers != (r.Manifest.Reason == "ApplyConflictBetweenPlacements") || strings.Contains(steps, "allowCoOwnership") {
			t.Errorf("%s: %s", r.Row, steps)
		}
	}
	if tried < 3 {
		t.Errorf("%d rows", tried)
	}
}
