package triage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/world"
)

// A plan has no estimate for a run that its diagnosis says does not continue, and gives the
// cause of the diagnosis as the reason.
func TestAPlanFollowsTheDiagnosis(t *testing.T) {
	removing := func(t *testing.T, finalizer string) situation {
		s := load(t, "../internal/situation/testdata", 50)["removing"]
		deleting := metav1.NewTime(moment(t, "10:05:00"))
		s.Bindings = []bindingData{{Cluster: "old-2", State: "Unscheduled", Deleting: deleting, Finalizers: []string{"kubernetes-fleet.io/work-cleanup"}}}
		s.Works = &worksData{Cluster: "old-2"}
		s.Works.Items = slices.Grow(s.Works.Items, 1)[:1]
		s.Works.Items[0].Name, s.Works.Items[0].Deleting, s.Works.Items[0].Finalizers = "shop-work", deleting, []string{finalizer}
		return s
	}
	ready := func(t *testing.T) situation {
		s := load(t, "../internal/situation/testdata", 50)["ready"]
		s.Run.Spec.State = placement.StateRun
		meta.SetStatusCondition(&s.Run.Status.Conditions, metav1.Condition{
			Type: placement.RunProgressing, Status: metav1.ConditionTrue, Reason: placement.ReasonRunProgressing, ObservedGeneration: 1,
			LastTransitionTime: metav1.NewTime(moment(t, "10:00:01")),
		})
		return s
	}
	for _, tt := range []struct {
		name  string
		of    func(t *testing.T) situation
		now   string
		never string // the beginning; empty: the estimate stays
	}{
		{"stuck on a member", func(t *testing.T) situation {
			return load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
		}, "", "Deployment "},
		{"a foreign finalizer on a Work", func(t *testing.T) situation { return removing(t, "example.com/backup") }, "10:05:20", `Finalizer "example.com/backup" on Work`},
		{"Fleet's own finalizer", func(t *testing.T) situation { return removing(t, "kubernetes-fleet.io/work-cleanup") }, "10:05:20", ""},
		{"at its first pass", ready, "10:00:20", ""},
		{"overdue", ready, "10:30:00", "no progress since 10:00:01 UTC. The controller has not started cluster dev-1"},
		{"not observed", func(t *testing.T) situation {
			s := ready(t)
			s.Run.Generation, s.Seen = 2, "10:01:00"
			return s
		}, "10:30:00", "The controller has not observed"},
		{"slow", func(t *testing.T) situation {
			all := load(t, "../internal/situation/testdata", 50)
			s := all["not-stuck-at-the-mark"]
			s.Bindings = all["stuck-with-binding"].Bindings
			return s
		}, "", "Deployment "},
		{"preempted, before it fails", func(t *testing.T) situation {
			return load(t, "../internal/situation/testdata", 50)["preempted-by-binding"]
		}, "", "Run r2 preempted this run on cluster prod-2"},
		{"stopped by a person", func(t *testing.T) situation {
			s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
			s.Run.Spec.State = placement.StateStop
			return s
		}, "", ""},
	} {
		for scope, ns := range scopes {
			t.Run(tt.name+"/"+scope, func(t *testing.T) {
				s := tt.of(t)
				if tt.now != "" {
					s.Now = tt.now
				}
				w, id := s.world(t, ns)
				now := moment(t, s.Now)
				snap, _ := observe.Observe(nil, w, world.Changed{}, now)
				v := snap.Find(id)
				p := plan.Plan{At: now, Initialized: true, Forecast: &plan.Forecast{At: now, Finish: plan.Estimate{Likely: now.Add(time.Minute)}}}
				p.Diagnose(v)
				f := p.Forecast
				if tt.never == "" {
					if f.Held || !f.Never.IsZero() || f.Finish.IsZero() {
						t.Errorf("%s: no estimate: %s", v.Word, f.Never)
					}
					return
				}
				if !strings.HasPrefix(f.Never.String(), tt.never) || !strings.HasSuffix(f.Never.String(), v.Why.What.String()) || !f.Held || !f.Finish.IsZero() || f.Ahead() != (plan.Moment{}) {
					t.Errorf("%s: no estimate: %q, held %v, finish %v; the diagnosis says %q", v.Word, f.Never, f.Held, f.Finish, v.Why.What)
				}
			})
		}
	}
}
