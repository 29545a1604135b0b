package act

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// settingsFor returns settings as the configuration or a flag makes them.
func settingsFor(held engine.Held, protected bool) engine.Settings {
	s := engine.Settings{Protected: protected}
	switch held {
	case engine.HeldReadOnly:
		s.ReadOnly, s.Raisable = engine.Lit("the configuration makes context hub read-only"), true
	case engine.BlockedPermanently:
		s.ReadOnly = engine.Lit("--read-only is set")
	case engine.HeldNot, engine.HeldProtected:
	}
	return s
}

// TestLiftedWritesEndAutomatically looks at a hub at several times, with nothing
// but the clock moving between them.
func TestLiftedWritesEndAutomatically(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	until := now.Add(15 * time.Minute)
	for _, tt := range []struct {
		name      string
		set       engine.Settings
		held      engine.Held
		before    string // why writes are off
		lifted    string // why they are while it is lifted
		protected bool   // while it is lifted
	}{
		{name: "nothing is held", set: settingsFor(engine.HeldNot, false)},
		{name: "read-only", set: settingsFor(engine.HeldReadOnly, false), held: engine.HeldReadOnly, before: "makes context hub read-only"},
		{name: "protected", set: settingsFor(engine.HeldProtected, true), held: engine.HeldProtected},
		{name: "both: the protection stays", set: settingsFor(engine.HeldReadOnly, true), held: engine.HeldReadOnly, before: "makes context hub read-only", protected: true},
		{name: "a flag", set: settingsFor(engine.BlockedPermanently, false), held: engine.BlockedPermanently, before: "--read-only", lifted: "--read-only"},
		{name: "a flag in a protected context", set: settingsFor(engine.BlockedPermanently, true), held: engine.BlockedPermanently, before: "--read-only", lifted: "--read-only", protected: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := world.NewWorld(tt.set)
			w.Link.State = engine.LinkLive
			check := func(s *engine.Snapshot, off string, protected bool) {
				t.Helper()
				if got := s.WritesOff.String(); (got == "") != (off == "") || !strings.Contains(got, off) {
					t.Errorf("writes off: %q, want %q", got, off)
				}
				if s.Hub.Protected != protected || s.Held != tt.held {
					t.Errorf("protected %t, held %d", s.Hub.Protected, s.Held)
				}
			}
			s, next := observe.Observe(nil, w, world.Changed{}, now)
			check(s, tt.before, tt.set.Protected)
			if !s.Raised.IsZero() || !next.IsZero() {
				t.Errorf("raised until %v, look again at %v", s.Raised, next)
			}
			w.Raised = until
			s, next = observe.Observe(s, w, world.Changed{}, now.Add(time.Second))
			check(s, tt.lifted, tt.protected)
			if !s.Raised.Equal(until) || !next.Equal(until) {
				t.Errorf("raised until %v, look again at %v", s.Raised, next)
			}
			s, _ = observe.Observe(s, w, world.Changed{}, until.Add(-time.Nanosecond))
			check(s, tt.lifted, tt.protected)
			s, next = observe.Observe(s, w, world.Changed{}, until)
			check(s, tt.before, tt.set.Protected)
			if !s.Raised.IsZero() || !next.IsZero() {
				t.Errorf("raised until %v, look again at %v", s.Raised, next)
			}
		})
	}
}

func TestProposeRaise(t *testing.T) {
	until := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		held   engine.Held
		raised bool
		d      time.Duration
		title  string
		why    string
	}{
		{name: "read-only", held: engine.HeldReadOnly, d: 15 * time.Minute, title: "Write to hub for 15m"},
		{name: "protected", held: engine.HeldProtected, d: 8 * time.Hour, title: "Write to hub for 8h"},
		{name: "anew", held: engine.HeldReadOnly, raised: true, d: time.Minute, title: "Write to hub for 1m"},
		{name: "off", held: engine.HeldReadOnly, raised: true, title: "Block writes to hub again"},
		{name: "off when it is", held: engine.HeldReadOnly, why: "nothing is lifted"},
		{name: "too long", held: engine.HeldReadOnly, d: 8*time.Hour + 1, why: "8h at most"},
		{name: "too short", held: engine.HeldReadOnly, d: time.Second, why: "1m at least"},
		{name: "nothing is held", d: time.Hour, why: "neither read-only nor protected"},
		{name: "a flag", held: engine.BlockedPermanently, d: time.Hour, why: "--read-only"},
		{name: "a flag, off", held: engine.BlockedPermanently, why: "--read-only"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &engine.Snapshot{Held: tt.held, Hub: engine.Hub{Context: engine.Lit("hub")}}
			if tt.held == engine.BlockedPermanently {
				s.WritesOff = engine.Lit("--read-only is set")
			}
			if tt.raised {
				s.Raised = until
			}
			i, no := ProposeRaise(s, tt.d)
			if !strings.Contains(no.Why.String(), tt.why) || no.Refused() != (tt.why != "") {
				t.Fatalf("refused: %q, want %q", no.Why, tt.why)
			}
			if i.Title.String() != tt.title || i.Raise() != tt.d && !no.Refused() {
				t.Errorf("title %q for %v", i.Title, i.Raise())
			}
			if !no.Refused() && (!i.Typed() || i.Confirm.String() != "hub" || i.Act != engine.ActRaise) {
				t.Errorf("confirmed by %q, typed %t", i.Confirm, i.Typed())
			}
		})
	}
	if _, no := ProposeRaise(nil, time.Hour); !no.Refused() {
		t.Error("proposed on nothing")
	}
	if _, no := ProposeRaise(&engine.Snapshot{Held: engine.HeldProtected}, time.Hour); !no.Refused() {
		t.Error("a context without a name was confirmed by typing nothing")
	}
	// On a run it is no act.
	if _, no := Propose(&engine.Snapshot{}, engine.ActRaise, engine.ID{}, until); !no.Refused() {
		t.Error("lifted by an act on a run")
	}
}

// While a protected context is lifted the acts ask as they do elsewhere.
func TestProtectionIsLifted(t *testing.T) {
	for _, lifted := range []bool{false, true} {
		s, id, now := look(t, "approval-before", "", func(w *world.World, _ engine.ID) {
			w.Settings.Protected, w.Hub.Context = true, engine.Lit("hub")
			if lifted {
				w.Raised = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
			}
		})
		i, no := Propose(s, engine.ActApprove, id, now)
		if no.Refused() || i.Protected == lifted || (i.Confirm.String() == "hub") == lifted {
			t.Errorf("lifted %t: protected %t, confirmed by %q, %q", lifted, i.Protected, i.Confirm, no.Why)
		}
		if i, _ := Propose(s, engine.ActStop, id, now); i.Typed() == lifted {
			t.Errorf("lifted %t: a stop typed %t", lifted, i.Typed())
		}
	}
}
