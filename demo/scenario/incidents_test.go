package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stagewatch/stagewatch/demo/store"
	rollout "github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
)

// TestIncidents plays the scenario and lets the monitor itself say what is
// wrong with each run, once that has come to be so.
func TestIncidents(t *testing.T) {
	t.Parallel()
	s := Incidents()
	f := play(t, s)
	config := watch.Config{REST: f.Hub().AdminConfig()}
	config.Settings.StuckAfter = quick().StuckAfter
	explain := func(k store.Key) (*watch.Explained, error) {
		return watch.Explain(t.Context(), config, func(s *rollout.Snapshot) (*rollout.RunView, error) {
			for _, v := range s.Runs {
				if ns, name, _ := v.ID.Raw(); v.Word != rollout.WordNoRun && ns == k.Namespace && name == k.Name {
					return v, nil
				}
			}
			return nil, errors.New("there is no such run")
		})
	}
	screens := make(chan *screen, 4)
	for range cap(screens) {
		screens <- newScreen(t, config)
	}
	// Until a cluster is stuck, most diagnoses are not there: asking for them would keep the
	// hub from what leads to them.
	lookAt(t, f.Hub()).awaitRun("", "workload-not-ready-r2", "Progressing=False/UpdateRunStuck")
	causes := map[string]map[string]bool{"": {}, incidentsNamespace: {}}
	t.Run("at once", func(t *testing.T) {
		t.Run("members answer", func(t *testing.T) {
			t.Parallel()
			membersAnswer(t, s, f)
		})
		for _, i := range incidents() {
			if i.noRun {
				continue
			}
			for _, ns := range i.namespaces() {
				want := cmp.Or(i.as, i.cause)
				causes[ns][want] = true
				k := store.Key{Namespace: ns, Name: i.run()}
				t.Run(k.String(), func(t *testing.T) {
					t.Parallel()
					await(t, "the diagnosis, and the same answers on the screen", func() string {
						e, err := explain(k)
						if wrong := diagnosed(e, err)(want); wrong != "" {
							return wrong
						}
						s := <-screens
						defer func() { screens <- s }()
						return s.sameAnswers(t, e)
					})
					if !i.nowhere {
						await(t, "the story", func() string { return f.incidentStory(t, i, ns) })
					}
				})
			}
		}
	})
	if cluster, namespaced := len(causes[""]), len(causes[incidentsNamespace]); cluster < 20 || namespaced < 8 {
		t.Errorf("%d causes of the cluster scope and %d namespaced ones, want 20 and 8", cluster, namespaced)
	}
	t.Run("scheduling", func(t *testing.T) {
		o := lookAt(t, f.Hub())
		for name, want := range map[string]string{
			"not-scheduled":      "ClusterResourcePlacementScheduled=False/SchedulingPolicyUnfulfilled",
			"no-policy-snapshot": "ClusterResourcePlacementScheduled=Unknown/SchedulePending",
			"timed-wait":         "ClusterResourcePlacementScheduled=True/SchedulingPolicyFulfilled",
		} {
			await(t, name, func() string {
				p := live(t, o.Placements, "", name)
				if says(p.Status.Conditions, want) {
					return ""
				}
				return describe(p.Status.Conditions)
			})
		}
	})
	await(t, "the other run is noticed", func() string {
		two, err := explain(store.Key{Name: "competing-runs-r2"})
		if err != nil {
			return err.Error()
		}
		facts := two.Facts()
		if len(facts.CompetingRuns()) != 1 || !slices.ContainsFunc(two.Run.Why.Also, func(f rollout.Finding) bool { return f.Cause.String() == "competing-runs" }) {
			return fmt.Sprintf("also %v, other runs %v", two.Run.Why.Also, facts.CompetingRuns())
		}
		return ""
	})
}

// diagnosed says what is missing to a whole diagnosis with the wanted cause.
func diagnosed(e *watch.Explained, err error) func(want string) string {
	return func(want string) string {
		if err != nil {
			return err.Error()
		}
		d := &e.Run.Why
		if got := d.Cause.String(); got != want {
			return fmt.Sprintf("%s, cause %s, want %s: %s", e.Run.Word, got, want, d.What)
		}
		if d.What.IsZero() || d.RecoveryText.IsZero() || len(d.Steps) == 0 || len(d.Path) == 0 {
			return fmt.Sprintf("the diagnosis is not whole: %+v", d)
		}
		return ""
	}
}
