package act

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestAnApprovalThatIsNotAccepted looks at a run whose approval was given, with
// nothing but the clock moving.
func TestAnApprovalThatIsNotAccepted(t *testing.T) {
	for _, ns := range []string{"", "team-a"} {
		sent := situation.All(t)["approval-sent"]
		w, id := sent.World(t, ns)
		given := situation.Moment(t, "10:08:59")
		var prev *engine.Snapshot
		for _, tt := range []struct {
			after     time.Duration
			beside    string
			inTrouble bool
		}{
			{0, "SENT", false}, {9 * time.Second, "SENT", false}, {10 * time.Second, "LATE", true}, {time.Hour, "LATE", true},
		} {
			s, next := observe.Observe(prev, w, world.Changed{}, given.Add(tt.after))
			prev = s
			v := s.Find(id)
			if v.Word != engine.WordRunning || v.Beside().String() != tt.beside || v.InTrouble() != tt.inTrouble {
				t.Errorf("after %v: %s %s, inTrouble %t", tt.after, v.Word, v.Beside(), v.InTrouble())
			}
			if want := given.Add(10 * time.Second); tt.beside == "SENT" && !next.Equal(want) {
				t.Errorf("after %v: look again at %v, want %v", tt.after, next, want)
			}
		}
		// A run that was resumed a moment ago has waited for a moment.
		v := prev.Find(id)
		w.FirstSeen[id] = world.Seen{Generation: v.Generation, At: given.Add(time.Hour), Changed: true}
		s, _ := observe.Observe(nil, w, world.Changed{}, given.Add(time.Hour+time.Second))
		if v := s.Find(id); v.Late || !v.Sent {
			t.Errorf("resumed: late %t, sent %t", v.Late, v.Sent)
		}
	}
	s, id, _ := look(t, "approval-before", "", nil)
	if v := s.Find(id); v.Sent || v.Late || !v.Beside().IsZero() {
		t.Error("an approval that nobody gave is on its way")
	}
}

func TestFollow(t *testing.T) {
	set := func(state string) func(*Intent, *engine.RunView) {
		return func(i *Intent, _ *engine.RunView) { i.wantState = state }
	}
	for _, tt := range []struct {
		name, situation string
		act             engine.Act
		change          func(*Intent, *engine.RunView)
		what            string
		waits           bool
	}{
		{name: "an approval that is sent", situation: "approval-sent", act: engine.ActApprove, what: "not accepted it yet", waits: true},
		{name: "an approval that is accepted", situation: "approval-accepted", act: engine.ActApprove, what: "accepted by the controller"},
		{name: "an approval the watch has not returned", situation: "approval-before", act: engine.ActApprove, what: "watch has not returned", waits: true},
		{name: "an approval of another generation", situation: "not-accepted", act: engine.ActApprove, what: "another generation", waits: true},
		{name: "an approval of nothing", situation: "approval-sent", act: engine.ActApprove, change: func(i *Intent, _ *engine.RunView) { i.Target = engine.ID{} }, what: "no longer listed"},
		{name: "a stop the watch has not returned", situation: "updating", act: engine.ActStop, change: set("Stop"), what: "watch has not returned", waits: true},
		{name: "a stop nobody looked at", situation: "stop-just-asked", act: engine.ActStop, change: set("Stop"), what: "has not observed the change yet: observedGeneration 1 of 2", waits: true},
		{name: "stopping", situation: "stopping", act: engine.ActStop, change: set("Stop"), what: "updating"},
		{name: "stopping with a stuck cluster", situation: "stuck-while-stopping", act: engine.ActStop, change: set("Stop"), what: "1 is stuck and keeps"},
		{name: "stopped", situation: "stopped", act: engine.ActStop, change: set("Stop"), what: "no cluster is updating"},
		{name: "a run nobody looked at", situation: "run-just-asked", act: engine.ActRun, change: set("Run"), what: "has not observed", waits: true},
		{name: "a run that goes on", situation: "updating", act: engine.ActRun, change: set("Run"), what: "observed by the controller: observedGeneration "},
		{name: "a deletion not shown", situation: "updating", act: engine.ActDelete, what: "watch has not returned", waits: true},
		{name: "a deletion", situation: "deleting", act: engine.ActDelete, what: "deletes its approval requests", waits: true},
		{name: "deleted", situation: "updating", act: engine.ActDelete, change: func(i *Intent, _ *engine.RunView) { i.Run = i.Run.Key() }, what: "it is deleted"},
		{name: "gone", situation: "updating", act: engine.ActStop, change: func(i *Intent, _ *engine.RunView) { i.Run = i.Run.Key() }, what: "no longer listed"},
		{name: "a clone", situation: "ready", act: engine.ActClone, what: "initialized by"},
		{name: "a clone nobody looked at", situation: "pending", act: engine.ActClone, what: "has not", waits: true},
		{name: "a clone that cannot be", situation: "init-failed-index", act: engine.ActClone, what: ""},
		{name: "lifting", situation: "updating", act: engine.ActRaise, what: ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, ns := range []string{"", "team-a"} {
				s, id, now := look(t, tt.situation, ns, nil)
				v := s.Find(id)
				o := Outcome{Intent: Intent{Act: tt.act, Run: id, Target: id}, Result: ResultApplied, At: now}
				if tt.act == engine.ActClone {
					o.Made = id
				}
				if c := v.Current(); tt.act == engine.ActApprove && c != nil {
					for _, g := range append(append([]engine.GateView(nil), c.Before...), c.After...) {
						if !g.Timed {
							o.Intent.Target = g.Request
						}
					}
				}
				if tt.change != nil {
					tt.change(&o.Intent, v)
				}
				f := Follow(s, o, now.Add(reactWithin-1))
				if !strings.Contains(f.What.String(), tt.what) || f.Waits != tt.waits || !f.Late.IsZero() {
					t.Errorf("%q, waits %t, late %q", f.What, f.Waits, f.Late)
				}
				f = Follow(s, o, now.Add(reactWithin))
				if f.Late.IsZero() == tt.waits || tt.waits && !strings.Contains(f.Late.String(), "No reaction for 10s") {
					t.Errorf("late: %q", f.Late)
				}
				s.Link.State = engine.LinkStale
				if f = Follow(s, o, now.Add(reactWithin)); tt.waits && !strings.Contains(f.Late.String(), "not live") {
					t.Errorf("late while stale: %q", f.Late)
				}
				o.Result = ResultRefused
				if f = Follow(s, o, now.Add(time.Hour)); f != (Followed{}) {
					t.Errorf("refused and followed: %+v", f)
				}
			}
		})
	}
	if f := Follow(nil, Outcome{}, time.Time{}); f != (Followed{}) {
		t.Errorf("followed %+v", f)
	}
}

// Who stops a run wants to know which clusters still move.
func TestFollowNamesUpdatingClusters(t *testing.T) {
	s, id, now := look(t, "stopping", "", func(w *world.World, id engine.ID) { w.Focus.Run = id })
	f := Follow(s, Outcome{Intent: Intent{Act: engine.ActStop, Run: id, wantState: "Stop"}, Result: ResultApplied, At: now}, now)
	names := 0
	for _, stage := range s.Detail.Clusters {
		for i := range stage {
			if stage[i].State == engine.ClusterUpdating || stage[i].State == engine.ClusterSlow {
				names++
				if !strings.Contains(f.What.String(), stage[i].Name.String()) {
					t.Errorf("%q does not name %s", f.What, stage[i].Name)
				}
			}
		}
	}
	if names == 0 || f.Role != engine.RoleBusy {
		t.Errorf("%d in flight, %q", names, f.What)
	}
}
