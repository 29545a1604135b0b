package scenario

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/stagewatch/stagewatch/demo/store"
)

// TestScenariosFit checks what a slip in the data would break: that names exist,
// and that each run's stages take every cluster exactly once.
func TestScenariosFit(t *testing.T) {
	for _, s := range []Scenario{tour(), healthy()} {
		t.Run(s.Name, func(t *testing.T) {
			faultsFit(t, s)
			members := map[string]Member{}
			for _, m := range s.Members {
				members[m.Name] = m
			}
			strategies := map[store.Key]Strategy{}
			for _, st := range s.Strategies {
				strategies[store.Key{Namespace: st.Namespace, Name: st.Name}] = st
			}
			placements := map[store.Key]Placement{}
			for _, p := range s.Placements {
				placements[store.Key{Namespace: p.Namespace, Name: p.Name}] = p
				if p.Namespace != "" && !slices.Contains(s.Namespaces, p.Namespace) {
					t.Errorf("placement %s: no namespace", p.Key())
				}
				if !slices.ContainsFunc(p.Snapshots, func(snap Snapshot) bool { return snap.Index == p.At }) {
					t.Errorf("placement %s: no snapshot %d", p.Key(), p.At)
				}
				for _, name := range slices.Concat(p.Clusters, p.Leaving) {
					if _, known := members[name]; !known {
						t.Errorf("placement %s: no member %s", p.Key(), name)
					}
				}
			}
			runs := slices.Clone(s.Runs)
			for _, act := range s.Acts {
				if act.Do.Create != nil {
					runs = append(runs, *act.Do.Create)
				}
			}
			for _, r := range runs {
				p, known := placements[store.Key{Namespace: r.Namespace, Name: r.Placement}]
				st, hasStrategy := strategies[store.Key{Namespace: r.Namespace, Name: r.Strategy}]
				if !known || !hasStrategy {
					t.Errorf("run %s: no placement %s or no strategy %s", r.Name, r.Placement, r.Strategy)
				}
				for _, name := range p.Clusters {
					stages := 0
					for _, stage := range st.Stages {
						selector, err := metav1.LabelSelectorAsSelector(stage.LabelSelector)
						if err != nil {
							t.Fatal(err)
						}
						if selector.Matches(labels.Set(memberCluster(members[name], time.Now()).Labels)) {
							stages++
						}
					}
					if stages != 1 {
						t.Errorf("run %s: cluster %s is in %d stages, want 1", r.Name, name, stages)
					}
				}
			}
		})
	}
}

func TestIncidentsFit(t *testing.T) { faultsFit(t, Incidents()) }

// faultsFit holds that each fault and each override of a scenario is about a
// placement, a cluster of it and a tag that there are.
func faultsFit(t *testing.T, s Scenario) {
	t.Helper()
	at := func(key string) *Placement {
		i := slices.IndexFunc(s.Placements, func(p Placement) bool { return p.Key() == key })
		if i < 0 {
			t.Errorf("no placement %s", key)
			return &Placement{}
		}
		return &s.Placements[i]
	}
	for _, f := range s.Faults {
		p := at(f.Placement)
		if !slices.Contains(p.Clusters, f.Cluster) || (f.Refuses == nil) == (f.Pods == nil) {
			t.Errorf("fault of %s on %s", f.Placement, f.Cluster)
		}
		if f.Pods != nil && !slices.ContainsFunc(p.Snapshots, func(snap Snapshot) bool { return snap.Tag == f.Pods.Tag && snap.Index != p.At }) {
			t.Errorf("fault of %s: no new snapshot %s", f.Placement, f.Pods.Tag)
		}
	}
	for _, o := range s.Overrides {
		p := at(o.Placement)
		if o.Cluster != "" && !slices.Contains(p.Clusters, o.Cluster) || o.Namespace != "" && (o.Namespace != appNamespace(*p) || !slices.Contains(s.Namespaces, o.Namespace)) {
			t.Errorf("override %s: %+v", o.Name, o)
		}
	}
}

func TestNamed(t *testing.T) {
	if s, err := Named("tour"); err != nil || s.Name != "tour" {
		t.Errorf("tour: %q, %v", s.Name, err)
	}
	if _, err := Named("nowhere"); err == nil || err.Error() != `no scenario "nowhere" (there are empty, healthy, incidents, tour)` {
		t.Errorf("nowhere: %v", err)
	}
}
