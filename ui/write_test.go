package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/ui/dialog"
)

// held returns the sample on a hub that the configuration makes read-only.
func held() *engine.Snapshot {
	s := sample()
	s.Held, s.WritesOff = engine.HeldReadOnly, txt("the configuration makes context hub-prod-weu read-only")
	return s
}

func TestWriteLiftsForAWhile(t *testing.T) {
	m, f := start(t, 110, 40, held())
	shows(t, m, "writes are off: the configuration", ":write lifts it")
	m.rules.Propose = func(s *engine.Snapshot, _ engine.Act, _ engine.ID, _ time.Time) (act.Intent, engine.Refusal) {
		return act.Intent{}, engine.Refusal{Why: s.WritesOff}
	}
	press(m, "S")
	shows(t, m, "makes context hub-prod-weu read-only. :write allows writes temporarily")
	doCommand(m, "write")
	if m.mode != modeDialog || m.dialog.Status().Act != engine.ActRaise || m.dialog.Status().Check.Question.Intent == nil {
		t.Fatal("no dialog")
	}
	typeIn(m, "y")
	quiet(m)
	shows(t, m, "Write to hub-prod-weu for 15m", "context hub-prod-weu", "not read-only for 15m from now", "ends automatically", ":write off", "hub-prod-weu to write")
	press(m, "y", "enter")
	if m.dialog.Status().Step != dialog.StepAsk {
		t.Fatal("y confirmed it")
	}
	press(m, "ctrl+u")
	typeIn(m, "hub-prod-weu")
	cmd := press(m, "enter")
	if m.dialog.Status().Step != dialog.StepSend {
		t.Fatalf("not confirmed: %+v", m.dialog.Status().Blocked)
	}
	m.Update(cmd())
	if len(f.sent) != 1 || f.sent[0].Act != engine.ActRaise || f.sent[0].Raise() != 15*time.Minute {
		t.Fatalf("sent %+v", f.sent)
	}
	shows(t, m, "applied", "The hub took it.")

	// The header counts down, and says when it is over.
	press(m, "esc")
	s := sample()
	s.Held, s.Raised = engine.HeldReadOnly, t0.Add(14*time.Minute+32*time.Second)
	m.Update(nextMsg{snap: s})
	shows(t, m, "WRITE 14m")
	golden(t, "write-110x40", m)
	m.Update(tickedMsg{now: t0.Add(14 * time.Minute)})
	shows(t, m, "WRITE 32s")
	m.Update(nextMsg{snap: held()})
	shows(t, m, "Writes to hub-prod-weu are blocked again.", "writes are off")
}

func TestWriteOff(t *testing.T) {
	s := sample()
	s.Held, s.Raised = engine.HeldProtected, t0.Add(time.Minute)
	m, f := start(t, 110, 40, s)
	cmd := doCommand(m, "write off")
	if m.mode == modeDialog || cmd == nil {
		t.Fatal("off is asked about")
	}
	m.Update(cmd())
	if len(f.sent) != 1 || f.sent[0].Raise() != 0 {
		t.Fatalf("sent %+v", f.sent)
	}
	shows(t, m, "Block writes to hub-prod-weu again: applied")
}

func TestWriteRefuses(t *testing.T) {
	fast := held()
	fast.Held, fast.WritesOff = engine.BlockedPermanently, txt("--read-only is set")
	for _, tt := range []struct {
		name, typed, want string
		snap              *engine.Snapshot
	}{
		{"a flag", "write", "Cannot write: --read-only is set", fast},
		{"nothing held", "write", "neither read-only nor protected", sample()},
		{"too long", "write 9h", "at most", held()},
		{"no time", "write soon", "Invalid time soon", held()},
		{"below zero", "write -5m", "Invalid time", held()},
		{"off already", "write off", "Nothing is lifted", held()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, f := start(t, 120, 40, tt.snap)
			if cmd := doCommand(m, tt.typed); cmd != nil || m.mode == modeDialog || len(f.sent) > 0 {
				t.Error("not refused")
			}
			shows(t, m, tt.want)
			if tt.name == "a flag" && strings.Contains(strings.Join(m.lines(), ""), "lifts it") {
				t.Error("the header offers what cannot be")
			}
		})
	}
}

// A dialog that was opened while the protection was lifted does not outlive it:
// its word is not the context's name.
func TestProtectionComesBackUnderADialog(t *testing.T) {
	lifted := sample()
	lifted.Held, lifted.Raised = engine.HeldProtected, t0.Add(time.Minute)
	m, f := start(t, 110, 40, lifted)
	m.rules.Propose = func(s *engine.Snapshot, a engine.Act, run engine.ID, now time.Time) (act.Intent, engine.Refusal) {
		i, no := act.Propose(s, a, run, now)
		if s.Hub.Protected {
			i.Protected, i.Confirm = true, s.Hub.Context
		}
		return i, no
	}
	press(m, "S")
	quiet(m)
	back := sample()
	back.Held, back.Hub.Protected = engine.HeldProtected, true
	m.Update(nextMsg{snap: back})
	press(m, "y")
	if m.dialog.Status().Step != dialog.StepAsk || len(f.sent) > 0 {
		t.Fatal("sent")
	}
	shows(t, m, "The protection of the context has changed")
}
