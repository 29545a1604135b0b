package watch

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
)

// TestRestrict makes an open session stricter: the snapshot says so, an act that was confirmed
// before is not sent, and what was lifted ends. Nothing makes a session less strict.
func TestRestrict(t *testing.T) {
	readOnly := engine.Settings{ReadOnly: engine.Lit("the configuration makes it read-only"), Raisable: true}
	for _, tt := range []struct {
		name   string
		set    engine.Settings // at the start, lifted if there is something to lift
		by     engine.Settings
		held   engine.Held
		refuse string
	}{
		{"read-only", engine.Settings{}, readOnly, engine.HeldReadOnly, "makes it read-only"},
		{"protected", engine.Settings{}, engine.Settings{Protected: true}, engine.HeldProtected, "protected again"},
		{"read-only while protection is lifted", engine.Settings{Protected: true}, engine.Settings{ReadOnly: readOnly.ReadOnly, Raisable: true, Protected: true}, engine.HeldReadOnly, "makes it read-only"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := setStage(t, shared, scopes[0], "restricted-"+strings.ReplaceAll(tt.name, " ", "-"), Config{Context: "hub-prod", Settings: tt.set, Audit: func(Record) error { return nil }})
			from, s := time.Now(), st.snapshot
			if tt.set.Protected {
				if out := st.s.Do(t.Context(), raiseOf(t, s, time.Hour)); out.Result != act.ResultApplied {
					t.Fatal(out.What)
				}
				s = until(t, st.s, "protection to be lifted", func(s *engine.Snapshot) bool { return !s.Raised.IsZero() && live(s) })
			}
			i, no := act.Propose(s, engine.ActStop, st.id, s.At)
			if no.Refused() {
				t.Fatal(no.Why)
			}
			if !st.s.Restrict(tt.by) {
				t.Error("stricter than the configuration")
			}
			if out := st.s.Do(t.Context(), i); out.Result != act.ResultRefused || !strings.Contains(out.What.String(), tt.refuse) {
				t.Errorf("after it became stricter: %v: %v", out.Result, out.What)
			}
			if sent := writes(t, shared, hub.AdminUser, from); len(sent) > 0 {
				t.Fatalf("sent %v", sent)
			}
			until(t, st.s, "the snapshot to be as strict", func(s *engine.Snapshot) bool { return s.Held == tt.held && s.Raised.IsZero() })
			if st.s.Restrict(engine.Settings{}) {
				t.Error("as strict as a configuration without protections")
			}
			if out := st.s.Do(t.Context(), i); out.Result != act.ResultRefused {
				t.Errorf("after the configuration permits it: %v: %v", out.Result, out.What)
			}
		})
	}
	flag := setStage(t, shared, scopes[0], "restricted-flag", Config{Settings: engine.Settings{ReadOnly: engine.Lit("--read-only is set")}})
	if !flag.s.Restrict(engine.Settings{}) || !flag.s.Restrict(readOnly) {
		t.Error("--read-only is no matter of the configuration")
	}
}
