package observe

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/world"
)

// The controller compares what a binding has with what the run gave it, not the run
// that its RolloutStarted names (updaterun, executeUpdatingStage).
func TestPreemptionIsDecidedByTheBinding(t *testing.T) {
	always := &placement.ApplyStrategy{WhenToApply: placement.ApplyAlways}
	rollout := func(b *world.Binding, status metav1.ConditionStatus, generation int64) {
		for i := range b.Conditions {
			if c := &b.Conditions[i]; c.Type == placement.BindingRolloutStarted {
				c.Status, c.ObservedGeneration = status, generation
			}
		}
	}
	for _, tt := range []struct {
		name   string
		change func(b *world.Binding)
		want   bool
	}{
		{"another run rolled out the same later", func(*world.Binding) {}, false},
		{"another snapshot", func(b *world.Binding) { b.SnapshotName = "shop-2-snapshot" }, true},
		{"other overrides", func(b *world.Binding) { b.Overrides = []string{"limits-1"} }, true},
		{"another apply strategy", func(b *world.Binding) { b.Apply = &placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted} }, true},
		{"no apply strategy", func(b *world.Binding) { b.Apply = nil }, true},
		{"not bound", func(b *world.Binding) { b.State = "Scheduled" }, true},
		{"RolloutStarted is old", func(b *world.Binding) { rollout(b, "True", b.Generation-1) }, true},
		{"RolloutStarted is False", func(b *world.Binding) { rollout(b, "False", b.Generation) }, true},
		{"RolloutStarted is old: the policy was changed, which fails the run first", func(b *world.Binding) { rollout(b, "True", b.Generation-1); b.PolicyName = "shop-9" }, false},
		{"no longer picked", func(b *world.Binding) { b.State = "Unscheduled" }, false},
	} {
		for _, ns := range []string{"", "web"} {
			t.Run(tt.name+"/"+ns, func(t *testing.T) {
				s := situation.All(t)["same-snapshot-is-not-preempted"]
				s.Run.Status.AppliedStrategy = always
				w, id := s.World(t, ns)
				for _, of := range w.Bindings {
					for _, b := range of {
						b.Apply, b.PolicyName = always.DeepCopy(), "shop-0"
						b.Conditions[0].LastTransitionTime = metav1.NewTime(situation.Moment(t, "10:01:05")) // r0 after the start
						tt.change(b)
					}
				}
				snap, _ := Observe(nil, w, world.Changed{}, situation.Moment(t, s.Now).Add(time.Minute))
				v := snap.Find(id)
				if got := v.Word == engine.WordPreempted; got != tt.want || (v.Preempted > 0) != tt.want {
					t.Fatalf("%s, %d preempted", v.Word, v.Preempted)
				}
				if c := snap.Detail.Clusters[1][1]; tt.name == "another run rolled out the same later" && (!c.Foreign.IsZero() || c.BindingConditions.RolloutStarted.State != engine.BindingConditionTrue) {
					t.Errorf("conditions of the run's own snapshot are foreign: %q, %v", c.Foreign, c.BindingConditions)
				}
			})
		}
	}
}

// A run that wrote the binding after the failure did not cause it.
func TestWhoeverComesLaterDidNotPreempt(t *testing.T) {
	s := situation.All(t)["preempted-with-winner"]
	w, id := s.World(t, "")
	for _, of := range w.Bindings {
		for _, b := range of {
			b.Conditions[0].LastTransitionTime = metav1.NewTime(situation.Moment(t, s.Now))
		}
	}
	snap, _ := Observe(nil, w, world.Changed{}, situation.Moment(t, s.Now).Add(time.Minute))
	if v := snap.Find(id); v.Word != engine.WordPreempted || !v.PreemptedBy.IsZero() {
		t.Errorf("%s by %s", v.Word, v.PreemptedBy.Title())
	}
}

// TestBindingsThatComeLate checks that a binding that looks like another run's proves nothing
// before it is known to be as new as the run: a pass that starts several clusters records the
// starts at its end, and a slow hub brings the bindings later than the run.
func TestBindingsThatComeLate(t *testing.T) {
	for _, ns := range []string{"", "team-a"} {
		for name, tt := range map[string]struct {
			came    string // when the run was received
			start   string // when the start of its clusters was, "" for with it
			version string // of the run that brought the start, "" for the present one
			reached string // the version up to which the bindings are known
			once    bool   // they are not watched
			want    bool
		}{
			"received just now":                       {"10:01:40", "", "", "", false, false},
			"bindings are older":                      {"10:01:40", "", "", "70", false, false},
			"bindings are as new":                     {"10:01:40", "", "", "71", false, true},
			"bindings are newer":                      {"10:01:40", "", "", "108", false, true},
			"received a while ago":                    {"10:01:31", "", "", "70", false, true},
			"versions that cannot be compared":        {"10:01:40", "", "", "abc", false, false},
			"versions that cannot be compared, later": {"10:01:31", "", "", "abc", false, true},
			"received a while ago, started just now":  {"10:01:01", "10:01:40", "", "70", false, false},
			"received just now, the start earlier":    {"10:01:01", "10:01:40", "70", "70", false, true},
			"bindings are older than the start":       {"10:01:01", "10:01:40", "70", "69", false, false},
			"read once, as new as the start":          {"10:01:40", "", "70", "70", true, true},
			"read once, newer":                        {"10:01:40", "", "", "108", true, true},
			"read once, older: time makes no newer":   {"10:01:31", "", "", "70", true, false},
		} {
			t.Run(name+"/"+ns, func(t *testing.T) {
				s := situation.All(t)["binding-not-here-yet"]
				w, id := s.World(t, ns)
				came := situation.Moment(t, tt.came)
				seen := world.Seen{Generation: 1, At: came, First: world.Arrival{At: came, Version: tt.version}}
				if tt.start != "" {
					came = situation.Moment(t, tt.start)
					seen.Starts = map[string]world.Arrival{"prod-2": {At: came, Version: tt.version}}
				}
				w.FirstSeen[id], w.ReadOnce = seen, tt.once
				if tt.reached != "" {
					w.Reached[world.CoverBindings(engine.PlacementKey(id, "shop"))] = tt.reached
				}
				at := situation.Moment(t, "10:01:41")
				snap, next := Observe(nil, w, world.Changed{}, at)
				v := snap.Find(id)
				if got := v.Word == engine.WordPreempted; got != tt.want {
					t.Fatalf("%s, preempted: %v", v.Word, tt.want)
				}
				if late := came.Add(lagMost); !tt.want && !tt.once && !next.Equal(late) {
					t.Errorf("looks again at %v, want %v", next, late)
				}
			})
		}
	}
}
