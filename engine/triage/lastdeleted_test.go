package triage

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestARunThatDeletesTheLastBindings: the check after the deletions fails a run that had no cluster
// to update, for what it did itself; one that has a binding left, or had clusters, failed otherwise.
func TestARunThatDeletesTheLastBindings(t *testing.T) {
	const why = "cannot continue the updateRun: failed to validate the updateRun: no scheduled or to-be-deleted bindings found for the latest policy snapshot shop/shop-0"
	for name, tt := range map[string]struct {
		updates, left, unread bool
		want                  string
	}{
		"all are deleted":            {want: "last-bindings-deleted"},
		"all, and they are not read": {unread: true, want: "last-bindings-deleted"},
		"one is left":                {left: true, want: "no-cluster-picked"},
		"it had clusters, too":       {updates: true, want: "no-cluster-picked"},
	} {
		for scope, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)["removing"]
			s.surrounded(t)
			if !tt.updates {
				s.Run.Status.StagesStatus[0].Clusters = nil
			}
			s.Bindings = nil
			if tt.left {
				s.Bindings = []bindingData{{Cluster: "old-2", State: "Unscheduled"}}
			}
			failedBy(&s, why)
			w, id := s.world(t, ns)
			if !tt.unread {
				w.Covered[world.CoverBindings(engine.PlacementKey(id, "shop"))] = engine.Coverage{State: engine.CoverComplete}
			}
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := snap.Find(id).Why
			if d.Cause.String() != tt.want {
				t.Errorf("%s, %s: %s: %s", name, scope, d.Cause, d.What)
			}
			if tt.want != "last-bindings-deleted" {
				continue
			}
			if d.What.String() != "The deletion stage deleted the last bindings of the placement (2 clusters): the placement picks no cluster." || d.Recovery != engine.RecoveryNotNeeded || !strings.HasPrefix(d.Next.String(), "Nothing to do if the placement is to have no cluster.") {
				t.Errorf("%s: %s, %s, %q", scope, d.What, d.Recovery, d.Next)
			}
		}
	}
}

// TestNoStepIsSaidTwice: what undoes a change and what corrects the strategy have the same warning.
func TestNoStepIsSaidTwice(t *testing.T) {
	d := engine.Diagnosis{Steps: []engine.Text{engine.Lit("Restore the label."), engine.Lit("Look."), engine.Lit("Relabel."), engine.Lit("Look.")}}
	if finish(&d, nil); !slices.Equal(d.Steps, []engine.Text{engine.Lit("Restore the label."), engine.Lit("Look."), engine.Lit("Relabel.")}) {
		t.Errorf("steps: %s", d.Steps)
	}
}

// TestARunWithoutClusters: a run that is done and had no cluster has rolled out nothing.
func TestARunWithoutClusters(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["done"]
		for i := range s.Run.Status.StagesStatus {
			s.Run.Status.StagesStatus[i].Clusters = nil
		}
		s.Run.Status.DeletionStageStatus.Clusters = nil
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if v := snap.Find(id); v.Word != engine.WordDone || v.Why.What.String() != "All stages are done: the run had no clusters." {
			t.Errorf("%s: %s: %s", scope, v.Word, v.Why.What)
		}
	}
}

// A cluster of the deletion stage whose binding is gone, by another run or a person, has nothing left
// to delete.
func TestWhatIsDeletedAlreadyIsNotAnnounced(t *testing.T) {
	for bindings, want := range map[string]string{
		"old-1 old-2": "After the last stage, the run deletes the resources from 2 clusters: old-1 and old-2.",
		"old-2":       "After the last stage, the run deletes the resources from 1 cluster: old-2.",
		"":            "",
		"not read":    "After the last stage, the run deletes the resources from 2 clusters: old-1 and old-2.",
	} {
		s := load(t, "../internal/situation/testdata", 50)["ready"]
		s.surrounded(t)
		s.Bindings = slices.DeleteFunc(s.Bindings, func(b bindingData) bool { return strings.HasPrefix(b.Cluster, "old-") })
		for _, name := range strings.Fields(bindings) {
			s.Bindings = append(s.Bindings, bindingData{Cluster: name, State: "Unscheduled"})
		}
		w, id := s.world(t, "")
		if bindings == "not read" {
			delete(w.Bindings, engine.PlacementKey(id, "shop"))
			delete(w.Covered, world.CoverBindings(engine.PlacementKey(id, "shop")))
		}
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		says := snap.Find(id).Why.What.String()
		if !strings.Contains(says, want) || want == "" && strings.Contains(says, "After the last stage") {
			t.Errorf("bindings of %q: %s", bindings, says)
		}
	}
}
