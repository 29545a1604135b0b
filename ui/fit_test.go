package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"charm.land/bubbles/v2/spinner"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/dialog"
)

// wordy proposes acts with much to read.
func wordy(typed bool) func(*engine.Snapshot, engine.Act, engine.ID, time.Time) (act.Intent, engine.Refusal) {
	return func(_ *engine.Snapshot, a engine.Act, id engine.ID, _ time.Time) (act.Intent, engine.Refusal) {
		i := act.Intent{
			Act: a, Target: id, Object: txt("ClusterStagedUpdateRun %s, generation 2", id.Name()), Title: txt("%s %s", a, id.Name()),
			Effect: []engine.Text{
				txt("%s-alpha: clusters that have begun are updated to the end, all others keep the snapshot that they have.", id.Name()),
				txt("%s-bravo: its approval requests are deleted with it.", id.Name()),
			},
			Warn:    []engine.Text{txt("%s-charlie: another run of the placement waits for the same clusters and starts at once when this one is gone.", id.Name())},
			Undo:    txt("Cannot be undone: %s-delta.", id.Name()),
			Kubectl: txt("kubectl --context hub-prod-weu delete clusterstagedupdaterun %s", id.Name()),
		}
		if typed {
			i.Irreversible, i.Confirm = true, txt("canary")
		}
		return i, engine.Refusal{}
	}
}

// However low the terminal is, every word of the effect, the warnings and what
// cannot be undone can be reached, and nothing is confirmed before it was on the
// screen.
func TestADialogIsConfirmedOnlyWhenItWasRead(t *testing.T) {
	inOneGoroutine(t)
	for _, size := range [][2]int{{160, 50}, {80, 24}, {60, 20}, {44, 14}, {40, 12}} {
		for _, n := range []int{1, 4, 9} {
			for _, typed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%dx%d/%d runs/typed %t", size[0], size[1], n, typed), func(t *testing.T) {
					m, f := start(t, size[0], size[1], sample())
					m.rules.Propose = wordy(typed)
					var names []string
					for range n {
						names = append(names, m.runs.Current().ID.Name().String())
						if n > 1 {
							m.runs.Update(keymap.Mark)
							m.arrange()
						} else {
							press(m, "g")
						}
					}
					press(m, "S")
					answerAll(m)
					quiet(m)
					all := ""
					confirm := func() {
						if m.dialog.Status().Intent.Typed() {
							press(m, "ctrl+u")
							typeIn(m, m.dialog.Status().Intent.Confirm.String())
							if cmd := press(m, "enter"); cmd != nil && m.dialog.Status().Step == dialog.StepSend {
								cmd()
							}
						} else {
							if cmd := press(m, "y"); cmd != nil && m.dialog.Status().Step == dialog.StepSend {
								cmd()
							}
						}
					}
					for range 200 {
						all += ansi.Strip(m.View().Content)
						if m.dialog.Status().Unread == 0 {
							break
						}
						confirm()
						if len(f.sent) > 0 || m.dialog.Status().Step != dialog.StepAsk {
							t.Fatalf("confirmed with %d lines unread", m.dialog.Status().Unread)
						}
						press(m, "pgdown")
					}
					for _, name := range names {
						for _, part := range []string{"alpha", "bravo", "charlie", "delta"} {
							words(t, all, name+"-"+part)
						}
					}
					words(t, all, "Cannot be undone")
					confirm()
					if len(f.sent) == 0 {
						t.Errorf("read to the end, and not confirmed:\n%s", ansi.Strip(m.View().Content))
					}
				})
			}
		}
	}
}

// The effect on the last of several runs is read, too, where it is the same as on those before.
func TestTheSameEffectOnSeveralRunsIsRead(t *testing.T) {
	inOneGoroutine(t)
	for height := 12; height < 40; height++ {
		m, _ := start(t, 80, height, sample())
		m.rules.Propose = func(_ *engine.Snapshot, a engine.Act, id engine.ID, _ time.Time) (act.Intent, engine.Refusal) {
			return act.Intent{
				Act: a, Target: id, Object: txt("ClusterStagedUpdateRun %s, generation 2", id.Name()), Title: txt("%s %s", a, id.Name()),
				Effect: []engine.Text{txt("alpha starts."), txt("bravo starts."), txt("charlie ends.")},
			}, engine.Refusal{}
		}
		last := ""
		for range 4 {
			last = m.runs.Current().ID.Name().String()
			m.runs.Update(keymap.Mark)
			m.arrange()
		}
		press(m, "S")
		answerAll(m)
		quiet(m)
		all := ""
		for range 50 {
			all += inFrame(ansi.Strip(m.View().Content))
			if m.dialog.Status().Unread == 0 {
				break
			}
			press(m, "pgdown")
		}
		if _, rest, _ := strings.Cut(all, last); !strings.Contains(rest, "charlie") || m.dialog.Status().Unread > 0 {
			t.Errorf("%d rows: %d lines unread after\n%s", height, m.dialog.Status().Unread, all)
		}
	}
}

// A warning of the checks that comes after the rest was read, and stands where the screen is
// not, has to be read, too.
func TestAWarningThatComesLateIsRead(t *testing.T) {
	inOneGoroutine(t)
	m, f := start(t, 60, 16, sample())
	m.rules.Propose = wordy(false)
	press(m, "g")
	press(m, "S")
	q := m.dialog.Status().Check.Question
	m.Update(dialog.QuietMsg{Dialog: m.dialog.Status().Number, Key: m.dialog.Status().Key})
	for range 20 {
		press(m, "pgdown")
	}
	for range 20 {
		press(m, "pgup")
	}
	answer := took(q)
	answer.Checks = append(answer.Checks, engine.Check{State: engine.CheckWarning, What: txt("echo: the new run gets stuck, too")})
	m.Update(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: answer})
	if screen := ansi.Strip(m.View().Content); strings.Contains(screen, "echo") || m.dialog.Status().Unread == 0 {
		t.Fatalf("%d lines unread at\n%s", m.dialog.Status().Unread, screen)
	}
	if press(m, "y"); m.dialog.Status().Step != dialog.StepAsk {
		t.Fatal("confirmed without the warning")
	}
	shows(t, m, "Scroll down before you confirm")
	for n := 0; m.dialog.Status().Unread > 0; n++ {
		if n == 20 {
			t.Fatal("the end is never read")
		}
		press(m, "pgdown")
	}
	shows(t, m, "echo")
	if cmd := press(m, "y"); cmd == nil || m.dialog.Status().Step != dialog.StepSend {
		t.Error("read to the end, and not confirmed")
	} else if cmd(); len(f.sent) != 1 {
		t.Errorf("%d sent", len(f.sent))
	}
}

// Progress of the checks that is drawn where the screen is not is no text to read again.
func TestProgressOfTheChecksIsNoText(t *testing.T) {
	inOneGoroutine(t)
	m, _ := start(t, 60, 14, sample())
	press(m, "g")
	press(m, "C")
	m.Update(dialog.QuietMsg{Dialog: m.dialog.Status().Number, Key: m.dialog.Status().Key})
	shows(t, m, "Clone")
	for range 20 {
		press(m, "pgdown")
	}
	for range 2 {
		m.spinner.Tick(true, m.scene.Theme.Glyph.Spinner)
	}
	m.Update(spinner.TickMsg{})
	screen := ansi.Strip(m.View().Content)
	if m.dialog.Status().Check.Answered || strings.Contains(screen, "in progress") || m.dialog.Status().Unread == 0 {
		t.Fatalf("the progress is not further up:\n%s", screen)
	}
	if strings.Contains(screen, "text changed") {
		t.Errorf("told to read the progress:\n%s", screen)
	}
}

// inFrame is what a screen shows within the frame of a dialog.
func inFrame(screen string) string {
	var b strings.Builder
	for l := range strings.SplitSeq(screen, "\n") {
		_, l, _ = strings.Cut(l, "┃")
		if i := strings.LastIndex(l, "┃"); i >= 0 {
			b.WriteString(l[:i] + "\n")
		}
	}
	return b.String()
}

// words fails unless s was on the screen, whatever line breaks fell into it.
func words(t *testing.T, screen, s string) {
	t.Helper()
	flat := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == ' ' || r == '\n' || r == '│' || r == '┃' {
				return -1
			}
			return r
		}, s)
	}
	if !strings.Contains(flat(inFrame(screen)), flat(s)) {
		t.Errorf("never shown: %s", s)
	}
}

// A dialog that has to be folded keeps a check that failed whole, and says in one
// line what it left out.
func TestAFoldedDialogKeepsWhatFailed(t *testing.T) {
	m, _ := start(t, 60, 20, sample())
	m.rules.Propose = wordy(true)
	press(m, "g", "X")
	long := strings.Repeat("the webhook policy.example denied the request ", 3)
	m.Update(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: enginepage.Answer{Question: m.dialog.Status().Check.Question, Checks: []engine.Check{
		{State: engine.CheckPassed, What: txt("you may delete it")},
		{State: engine.CheckPassed, What: txt("server dry run passed")},
		{State: engine.CheckWarning, What: txt("%s", long)},
	}}})
	all := ""
	for range 20 {
		rest(m)
		all += ansi.Strip(m.View().Content)
		press(m, "pgdown")
	}
	words(t, all, long)
	words(t, all, "2 checks passed, ctrl-y: kubectl command")
	if strings.Contains(all, "you may delete it") {
		t.Error("passed checks are not folded")
	}
}

// TestDialogAlwaysNamesWhere shows at every size whose hub is written to and as
// whom, and has a line for every field that can have the focus.
func TestDialogAlwaysNamesWhere(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 36}, {160, 50}} {
		m, _ := start(t, size[0], size[1], sample())
		press(m, "j", "j", "j", "j", "j", "A")
		quiet(m)
		shows(t, m, "context   hub-prod-weu  as oncall@contoso.com", "https://hub-prod-weu.hcp.westeurope.azmk8s.io:443", "note  ", "type  ", "Cancel")
	}
}
