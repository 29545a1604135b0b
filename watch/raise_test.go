package watch

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
)

// raiseOf is what a person confirms.
func raiseOf(t *testing.T, s *engine.Snapshot, d time.Duration) act.Intent {
	t.Helper()
	i, no := act.ProposeRaise(s, d)
	if no.Refused() {
		t.Fatal(no.Why)
	}
	return i
}

func TestWritesAreLiftedAndDrop(t *testing.T) {
	const context = "hub-prod"
	for _, tt := range []struct {
		name   string
		set    engine.Settings
		before string // in the audit
		why    string // what a stop that is not typed is refused with
	}{
		{"read-only", engine.Settings{ReadOnly: engine.Lit("the configuration makes it read-only"), Raisable: true}, "read-only", "makes it read-only"},
		{"protected", engine.Settings{Protected: true}, "protected", "protected again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var audit []Record
			st := setStage(t, shared, scopes[0], "lifted-"+tt.name, Config{
				Context: context, Settings: tt.set,
				Audit: func(r Record) error { audit = append(audit, r); return nil },
			})
			from := time.Now()
			do := func(i act.Intent) act.Outcome { return st.s.Do(t.Context(), i) }
			stop := func(s *engine.Snapshot) act.Intent {
				i, _ := act.Propose(s, engine.ActStop, st.id, s.At)
				return i
			}

			raise := raiseOf(t, st.snapshot, 15*time.Minute)
			if a := st.s.Ask(t.Context(), page.DryRunQuestion{Intent: &raise}); !a.Err.IsZero() || len(a.Checks) != 2 {
				t.Errorf("rehearsed: %v, %v", a.Err, a.Checks)
			}
			if out := do(raise); out.Result != act.ResultApplied || !strings.Contains(out.What.String(), "15m from now") {
				t.Fatalf("outcome %v: %v", out.Result, out.What)
			}
			s := until(t, st.s, "what is held back to be lifted", func(s *engine.Snapshot) bool { return !s.Raised.IsZero() && live(s) })
			i := stop(s)
			if i.Act != engine.ActStop || i.Typed() {
				t.Fatalf("%v, typed %t, while it is lifted", i.Act, i.Typed())
			}

			// The dialog is open, and it drops before the answer.
			if out := do(raiseOf(t, s, 0)); out.Result != act.ResultApplied {
				t.Fatalf("off: %v: %v", out.Result, out.What)
			}
			if out := do(i); out.Result != act.ResultRefused || !strings.Contains(out.What.String(), tt.why) {
				t.Errorf("after it dropped: %v: %v", out.Result, out.What)
			}
			a := st.s.Ask(t.Context(), page.DryRunQuestion{Intent: &i})
			if !strings.Contains(a.Err.String(), tt.why) {
				t.Errorf("rehearsed after it dropped: %v", a.Err)
			}
			if sent := writes(t, shared, hub.AdminUser, from); len(sent) > 0 {
				t.Fatalf("sent %v", sent)
			}
			s = until(t, st.s, "it to be held back", func(s *engine.Snapshot) bool { return s.Raised.IsZero() && live(s) })

			if out := do(raiseOf(t, s, time.Hour)); out.Result != act.ResultApplied {
				t.Fatalf("again: %v", out.What)
			}
			if out := do(i); out.Result != act.ResultApplied {
				t.Errorf("while it is lifted: %v: %v", out.Result, out.What)
			}
			if sent := changed(t, shared, hub.AdminUser, from); len(sent) != 1 {
				t.Errorf("sent %v", sent)
			}
			var lines []string
			for _, r := range audit {
				lines = append(lines, strings.Join([]string{r.Action, r.Target.Kind, r.Before, r.After, r.Result}, ", "))
			}
			want := []string{
				"write, Context, " + tt.before + ", lifted for 15m0s, sending", "write, Context, " + tt.before + ", lifted for 15m0s, applied",
				"write, Context, lifted, blocked, sending", "write, Context, lifted, blocked, applied",
				"write, Context, " + tt.before + ", lifted for 1h0m0s, sending", "write, Context, " + tt.before + ", lifted for 1h0m0s, applied",
			}
			if len(lines) != 8 || !slices.Equal(lines[:6], want) || audit[0].Target.Name != context || audit[0].Run != (RecordObject{}) {
				t.Errorf("audit:\n%s", strings.Join(lines, "\n"))
			}
		})
	}
}

// What cannot be recorded is not lifted, and what a flag says never is.
func TestWritesThatAreNotLifted(t *testing.T) {
	set := engine.Settings{ReadOnly: engine.Lit("the configuration"), Raisable: true}
	st := setStage(t, shared, scopes[0], "not-lifted", Config{Context: "hub", Settings: set, Audit: func(Record) error { return errors.New("the disk is full") }})
	i := raiseOf(t, st.snapshot, time.Hour)
	if out := st.s.Do(t.Context(), i); out.Result != act.ResultRefused || !strings.Contains(out.What.String(), "the disk is full") {
		t.Errorf("outcome %v: %v", out.Result, out.What)
	}
	any := act.Intent{Act: engine.ActStop}
	if out := st.s.Do(t.Context(), any); out.What != set.ReadOnly {
		t.Errorf("writes are lifted without a record: %v", out.What)
	}
	fast := openSession(t, Config{REST: shared.Config(hub.AdminUser), Context: "hub", Settings: engine.Settings{ReadOnly: engine.Lit("--read-only is set")}})
	if out := fast.Do(t.Context(), i); out.Result != act.ResultRefused || !strings.Contains(out.What.String(), "--read-only") {
		t.Errorf("outcome %v: %v", out.Result, out.What)
	}
	if out := fast.Do(t.Context(), any); !strings.Contains(out.What.String(), "--read-only") {
		t.Errorf("what a flag says is lifted: %v", out.What)
	}
}
