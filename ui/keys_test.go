package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/keymap"
)

func selected(m *Model) string {
	if m.screen == screenRun {
		if c := m.run.Cluster(); c != nil {
			return c.Name.String()
		}
		return ""
	}
	return m.runs.Selected().Name().String()
}

func TestSelectionFollowsIdentity(t *testing.T) {
	m, _ := start(t, 100, 30, sample())
	press(m, "j", "j")
	want := selected(m)
	s := sample()
	s.Runs = append(s.Runs[10:], s.Runs[:10]...)
	m.Update(nextMsg{snap: s})
	if selected(m) != want {
		t.Fatalf("selection went from %s to %s", want, selected(m))
	}
	if v := m.runs.Current(); v == nil || v.ID != m.runs.Selected() {
		t.Error("row and selection disagree")
	}
	// A run made anew under its name is another run.
	s = sample()
	gone := find(s, want)
	again := *gone
	again.ID = engine.NewID(gone.ID.Kind(), "", want, "another")
	for i := range s.Runs {
		if s.Runs[i] == gone {
			s.Runs[i] = &again
		}
	}
	at, _ := m.runs.At()
	m.Update(nextMsg{snap: s})
	if now, _ := m.runs.At(); now != at {
		t.Errorf("cursor went from row %d to %d", at, now)
	}
}

func TestCursorRestsOnAttentionUntilMoved(t *testing.T) {
	s := sample()
	late := *s
	late.Runs = s.Runs[5:]
	m, _ := start(t, 100, 30, &late)
	m.Update(nextMsg{snap: s})
	if got := selected(m); got != "example-run" {
		t.Errorf("selected %s, want the first row", got)
	}
}

func TestMovingAround(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		want string
	}{
		{"down", []string{"j", "down"}, "nginx-r12"},
		{"up at the top", []string{"k", "up"}, "example-run"},
		{"last", []string{"G"}, "example-run-0"},
		{"first", []string{"G", "g"}, "example-run"},
		{"half pages", []string{"ctrl+d", "ctrl+d", "ctrl+u"}, "search-r3"},
		{"next problem", []string{"!"}, "web-app-rollout"},
		{"next problem around the end", []string{"G", "!"}, "example-run"},
		{"only problems", []string{"z", "G"}, "cache-r5"},
		{"filter", []string{"/", "r", "9", "enter"}, "cert-mgr-r9"},
		{"keys type in a filter", []string{"/", "q", "?", "j"}, "example-run"},
		{"filter dropped", []string{"j", "/", "r", "9", "esc", "g"}, "example-run"},
		{"match", []string{"/", "s", "t", "a", "t", "e", ":", "s", "t", "*", "enter", "n", "n"}, "ingress-r5"},
		{"previous match", []string{"/", "s", "t", "a", "t", "e", ":", "s", "t", "*", "enter", "N"}, "ingress-r5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := start(t, 100, 20, sample())
			press(m, tt.keys...)
			if got := selected(m); got != tt.want {
				t.Errorf("selected %s, want %s", got, tt.want)
			}
		})
	}
}

// Over a slow line esc and the next key come together, and read as alt.
func TestEscWithTheNextKey(t *testing.T) {
	alt := func(c rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: c, Mod: tea.ModAlt} }
	for _, tt := range []struct {
		name string
		key  tea.KeyPressMsg
		want string
	}{
		{"esc esc", alt(tea.KeyEscape), "example-run"},
		{"esc down", alt(tea.KeyDown), "web-app-rollout"},
		{"esc enter", alt(tea.KeyEnter), "member1"},
		{"esc j", alt('j'), "web-app-rollout"},
		{"esc G", altUpper('G'), "example-run-0"},
		{"esc ctrl-d", tea.KeyPressMsg{Code: 'd', Mod: tea.ModAlt | tea.ModCtrl}, "cert-mgr-r9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := start(t, 120, 40, sample())
			press(m, "enter")
			withDetail(m, sample())
			m.Update(tt.key)
			withDetail(m, sample())
			if got := selected(m); got != tt.want {
				t.Errorf("selected %s, want %s", got, tt.want)
			}
		})
	}
}

// altUpper is esc and an upper-case letter that came together.
func altUpper(c rune) tea.KeyPressMsg {
	return tea.KeyPressMsg{Code: unicode.ToLower(c), ShiftedCode: c, Mod: tea.ModAlt | tea.ModShift}
}

// TestEscWithAWritingKey: esc that came together with a key that writes does what esc does, and the
// other key nothing: nobody has seen which run it would act on. In a dialog esc cancels, whatever
// came with it, and nothing confirms.
func TestEscWithAWritingKey(t *testing.T) {
	ignored := " was ignored: it came together with another key. Press it again."
	m, _ := start(t, 120, 40, sample())
	press(m, "enter")
	withDetail(m, sample())
	m.Update(altUpper('S'))
	shows(t, m, "S"+ignored)
	if m.screen != screenRuns || m.mode != modeBrowse {
		t.Fatalf("esc leads to screen %d, mode %d", m.screen, m.mode)
	}
	for _, k := range []tea.KeyPressMsg{altUpper('Y'), {Code: 'y', Mod: tea.ModAlt}, {Code: tea.KeyEnter, Mod: tea.ModAlt}, altUpper('S')} {
		m, f := start(t, 120, 40, sample())
		press(m, "S")
		if m.mode != modeDialog {
			t.Fatal("S opens no dialog")
		}
		if m.Update(k); m.mode == modeDialog {
			t.Errorf("%s leaves the dialog open", k)
		}
		if len(f.sent) > 0 {
			t.Errorf("%s confirms", k)
		}
	}
	m, _ = start(t, 120, 40, sample())
	press(m, "C")
	m.Update(tea.KeyPressMsg{Code: 'b', Mod: tea.ModAlt})
	if m.mode != modeDialog {
		t.Error("a character that edits a field closes the dialog")
	}
}

// esc and : in one write open the command line; where text is typed, alt and a letter moves in it.
func TestEscWithACharacter(t *testing.T) {
	alt := func(c rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: c, Mod: tea.ModAlt} }
	m, _ := start(t, 120, 40, sample())
	press(m, "?")
	m.Update(alt(':'))
	press(m, "s", "o", "r", "t")
	shows(t, m, ":sort")
	press(m, "esc")
	if got := seen(m); strings.Contains(got, "help for") {
		t.Errorf("the help is still open:\n%s", got)
	}
	press(m, "/", "a", "b")
	m.Update(alt('b'))
	press(m, "c")
	shows(t, m, "/cab")
	m.Update(alt(tea.KeyRight))
	press(m, "d")
	shows(t, m, "/cabd")
	m.Update(tea.KeyPressMsg{Code: 'q', Text: "@", Mod: tea.ModAlt | tea.ModCtrl}) // AltGr
	shows(t, m, "/cabd@")
	before := selected(m)
	m.Update(alt('j'))
	if m.mode != modeBrowse || m.runs.Filter() != "" || selected(m) == before {
		t.Errorf("esc j in a filter: mode %d, filter %q, on %s", m.mode, m.runs.Filter(), selected(m))
	}
	press(m, ":")
	m.Update(altUpper('S'))
	if m.mode != modeBrowse {
		t.Errorf("esc S in a command: mode %d", m.mode)
	}
}

// A key with alt that the configuration binds is no esc.
func TestAltThatIsBound(t *testing.T) {
	m, _ := start(t, 120, 40, sample())
	keys, err := keymap.Default().Bind("help", []string{"alt-h"})
	if err != nil {
		t.Fatal(err)
	}
	m.rebind(keys)
	m.Update(tea.KeyPressMsg{Code: 'h', Mod: tea.ModAlt})
	shows(t, m, "help for")
}

// TestTheFirstRowIsNotChosen checks that Focus.Top is cleared when the cursor moves or a run is
// opened.
func TestTheFirstRowIsNotChosen(t *testing.T) {
	for _, key := range []string{"enter", "j", "k"} {
		m, f := start(t, 120, 40, sample())
		before := f.wanted[len(f.wanted)-1]
		press(m, key)
		if after := f.wanted[len(f.wanted)-1]; !before.Top || before.Cursor.IsZero() || after.Top || after.Cursor.IsZero() {
			t.Errorf("%s: %+v before, %+v after", key, before, after)
		}
	}
}

// TestBindingsForAFilterByCauses checks that the source learns of a filter by causes, and of its end.
func TestBindingsForAFilterByCauses(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	for _, tt := range []struct {
		keys   []string
		causes bool
	}{
		{[]string{"/", "c", "a", "u", "s", "e", ":", "q", "enter"}, true},
		{[]string{"j"}, true},
		{[]string{"esc"}, false},
		{[]string{"/", "q", "enter"}, false},
	} {
		press(m, tt.keys...)
		if got := f.wanted[len(f.wanted)-1].Causes; got != tt.causes {
			t.Errorf("after %v: %v, filter %q", tt.keys, got, m.runs.Filter())
		}
	}
}

// TestNextProblem says so where there is no other problem, and where a filter hides them.
func TestNextProblem(t *testing.T) {
	m, _ := start(t, 120, 40, sample())
	press(m, "/", "e", "d", "g", "e", "enter", "!")
	shows(t, m, "No other listed run has a problem.")
	press(m, "/", "f", "l", "u", "e", "n", "t", "enter", "!")
	shows(t, m, "No listed run has a problem.")
	press(m, "/", "backspace", "e", "x", "a", "m", "p", "l", "e", "-", "r", "u", "n", "enter")
	m.runs.Pick(id("", "example-run"))
	press(m, "enter")
	withDetail(m, sample())
	press(m, "!")
	shows(t, m, "No other listed cluster is slow, stuck, preempted or failed.")
	press(m, "/", "m", "e", "m", "b", "e", "r", "7", "enter", "!")
	shows(t, m, "No listed cluster is slow, stuck, preempted or failed.")
}

func TestRunOpensOnTheTrouble(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	press(m, "enter")
	if got := f.wanted[len(f.wanted)-1]; got.Run != id("", "example-run") {
		t.Fatalf("wanted %v", got)
	}
	withDetail(m, sample())
	if m.run.Stage() != 0 || selected(m) != "member1" {
		t.Errorf("opened on stage %d, %s", m.run.Stage(), selected(m))
	}
	press(m, "l", "j")
	if m.run.Stage() != 1 || selected(m) != "member7" {
		t.Errorf("on stage %d, %s", m.run.Stage(), selected(m))
	}
	withDetail(m, sample())
	if m.run.Stage() != 1 || selected(m) != "member7" {
		t.Error("new data moved the cursor")
	}
	press(m, "!")
	if m.run.Stage() != 0 || selected(m) != "member1" {
		t.Errorf("the next problem is on stage %d, %s", m.run.Stage(), selected(m))
	}
	press(m, "h", "z")
	press(m, "j")
	if got := selected(m); got != "member1" {
		t.Errorf("another cluster than member1 is listed: %s", got)
	}
	press(m, "esc", "esc")
	if m.screen != screenRuns || f.wanted[len(f.wanted)-1].Run != (engine.ID{}) {
		t.Error("esc does not lead back")
	}
}

func TestJumpToTheRunThatTookIt(t *testing.T) {
	m, _ := start(t, 120, 40, sample())
	press(m, "j", "j", "enter")
	withDetail(m, sample())
	press(m, "enter")
	if m.run.ID() != id("", "example-run") {
		t.Errorf("opened %v", m.run.ID().Title())
	}
	press(m, "f")
	shows(t, m, "No run preempted this one")
}

func TestQuit(t *testing.T) {
	quits := func(c tea.Cmd) bool {
		if c == nil {
			return false
		}
		_, ok := c().(tea.QuitMsg)
		return ok
	}
	m, _ := start(t, 100, 30, sample())
	if quits(press(m, "ctrl+c")) {
		t.Error("one ctrl-c quits")
	}
	if quits(press(m, "j", "ctrl+c")) {
		t.Error("a key between does not count")
	}
	if !quits(press(m, "ctrl+c")) {
		t.Error("two do not quit")
	}
	if quits(press(m, "enter", "q")) || m.screen != screenRuns {
		t.Error("q in a run does not lead back")
	}
	if !quits(press(m, "q")) {
		t.Error("q on the list does not quit")
	}
	if quits(press(m, "S", "ctrl+c")) || m.mode != modeBrowse {
		t.Error("ctrl-c does not cancel the dialog")
	}
}

func TestStart(t *testing.T) {
	for _, tt := range []struct {
		name, start string
		want        string
		says        string
	}{
		{"cluster run", "pay-api-r41", "pay-api-r41", ""},
		{"namespaced run", "my-app/web-app-rollout", "web-app-rollout", ""},
		{"namespaced run by its name", "web-app-rollout", "web-app-rollout", ""},
		{"unknown", "nope", "", "Run \"nope\" not found, neither as a cluster run nor in any namespace."},
		{"misspelt", "csur/pay-api-r14", "", "Did you mean \"pay-api-r41\"? cluster run \"pay-api-r14\" not found."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ref, _ := runref.Scope{}.Parse(tt.start)
			m := New(t.Context(), newFake(), Options{Now: t0, Start: ref})
			m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
			m.Update(nextMsg{snap: sample()})
			got := ""
			if m.screen == screenRun {
				got = m.run.ID().Name().String()
			}
			if got != tt.want {
				t.Errorf("opened %q, want %q", got, tt.want)
			}
			if tt.says != "" {
				shows(t, m, tt.says)
			}
		})
	}
}

func TestOneWaitForData(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFake()
	m := New(ctx, f, Options{Now: t0})
	f.snaps <- sample()
	msg, ok := m.waitNext()().(nextMsg)
	if !ok || msg.snap == nil {
		t.Fatal("no snapshot")
	}
	_, cmd := m.Update(msg)
	if cmd == nil {
		t.Fatal("does not wait again")
	}
	cancel()
	if got := m.waitNext()(); got != nil {
		t.Errorf("after the end: %v", got)
	}
	_, cmd = m.Update(nextMsg{err: errors.New("the session is closed")})
	if cmd != nil {
		t.Error("waits for a source that ended")
	}
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	shows(t, m, "ENDED", "the session is closed")
}

func TestAnswersToOldQuestionsAreDropped(t *testing.T) {
	m, _ := start(t, 100, 30, sample())
	press(m, "Y")
	old := m.page.Question()
	press(m, "esc", "j", "Y")
	m.Update(answeredMsg{answer: enginepage.Answer{Question: old, Lines: engine.Lines("old: news")}})
	shows(t, m, "loading")
	m.Update(answeredMsg{answer: enginepage.Answer{Question: m.page.Question(), Err: txt("forbidden"), Hint: txt("ask for rights")}})
	shows(t, m, "YAML of sur my-app/web-app-rollout", "forbidden", "ask for rights")
}

func TestPasteTypesOnlyWhereTextIsTyped(t *testing.T) {
	m, f := start(t, 100, 30, sample())
	m.Update(tea.PasteMsg{Content: "q\nS\ny\n"})
	if m.mode != modeBrowse || m.screen != screenRuns || len(f.sent) > 0 {
		t.Fatal("a paste pressed keys")
	}
	press(m, "/")
	m.Update(tea.PasteMsg{Content: "r9\x1b[31m\nenter"})
	if got := m.filtered().Filter(); got != `r9\x1b[31m` {
		t.Errorf("filter is %q", got)
	}
}

// Conditions of another run's rollout are not drawn as marks of this one.
func TestConditionsOfAnotherRolloutHaveNoMarks(t *testing.T) {
	for _, mono := range []bool{false, true} {
		m, _ := start(t, 124, 40, sample())
		m.look.mono = mono
		m.restyle()
		m.runs.Pick(id("", "pay-api-r41"))
		press(m, "enter")
		withDetail(m, m.scene.Snap)
		press(m, "l")
		row, _, _ := strings.Cut(screenFrom(m, "member13"), "\n")
		if got := strings.Fields(row); !slices.Equal(got[len(got)-9:], []string{"·", "·", "·", "·", "·", "on", "snapshot", "40,", "available"}) {
			t.Errorf("row %q", row)
		}
		shows(t, m, "Now on snapshot 40, available. These are not the conditions of this run")
	}
}

// screenFrom is what is drawn from the last row that has s in it.
func screenFrom(m *Model, s string) string {
	all := ansi.Strip(m.View().Content)
	i := strings.Index(all, s)
	if i < 0 {
		return ""
	}
	return all[i:]
}

// Every field is edited as a shell's line: the cursor moves, ctrl-w and ctrl-u
// delete before it, a paste goes where it is.
func TestEveryFieldIsEditedAtItsCursor(t *testing.T) {
	edit := []string{"a", "b", " ", "c", "d", "left", "x", "ctrl+w", "home", "1", "end", "2"}
	for _, tt := range []struct {
		name  string
		open  []string
		value func(m *Model) string
	}{
		{"filter", []string{"/"}, func(m *Model) string { return m.runs.Filter() }},
		{"command line", []string{":"}, func(m *Model) string { return m.command.Value() }},
		{"note", []string{"S", "tab"}, func(m *Model) string { return m.dialog.Status().Note }},
		{"word", []string{"X"}, func(m *Model) string { return m.dialog.Status().Word }},
	} {
		m, _ := start(t, 100, 30, sample())
		press(m, tt.open[0])
		if m.mode == modeDialog {
			quiet(m)
		}
		press(m, tt.open[1:]...)
		press(m, edit...)
		if got := tt.value(m); got != "1ab d2" {
			t.Errorf("%s: %q", tt.name, got)
		}
		c := m.View().Cursor
		if c == nil {
			t.Fatalf("%s: no cursor", tt.name)
		}
		line := ansi.Strip(strings.Split(m.View().Content, "\n")[c.Y])
		if before := ansi.Truncate(line, c.X, ""); !strings.HasSuffix(before, "1ab d2") {
			t.Errorf("%s: the cursor stands behind %q", tt.name, before)
		}
		press(m, "left", "left")
		m.Update(tea.PasteMsg{Content: "p\nq"})
		want := "1ab pd2"
		if tt.name == "word" {
			want = "1ab d2" // what confirms is typed
		}
		if got := tt.value(m); got != want {
			t.Errorf("%s: a paste made %q, want %q", tt.name, got, want)
		}
		press(m, "ctrl+u")
		if got := tt.value(m); got != "d2" {
			t.Errorf("%s: ctrl-u left %q", tt.name, got)
		}
	}
	m, _ := start(t, 100, 30, sample())
	press(m, "C")
	quiet(m)
	press(m, "tab", "ctrl+u", "w", "e", "-", "2", "left", "left", "b")
	if got := m.dialog.Status().Choice.Name.String(); got != "web-2" {
		t.Errorf("the name of a clone is %q", got)
	}
}

func TestAKeyThatDoesNothingSaysSo(t *testing.T) {
	for _, tt := range []struct {
		opens []string
		key   string
		want  string
	}{
		{nil, "ctrl+g", "ctrl-g: not bound here · ? keys"},
		{[]string{"enter"}, "ctrl+g", "ctrl-g: not bound here"},
		{[]string{"o"}, "1", "1: not bound here"},
		{[]string{"?"}, "ctrl+g", "ctrl-g: not bound here"},
	} {
		m, f := start(t, 100, 30, sample())
		f.reply = samplePage
		press(m, tt.opens...)
		press(m, tt.key)
		shows(t, m, tt.want)
	}
	m, _ := start(t, 100, 30, sample())
	press(m, "/", "s")
	if strings.Contains(seen(m), "not bound") {
		t.Error("a letter of a filter is answered as a key")
	}
}

// TestTheBarOfKeysFollows checks that the bar of keys offers writes anew when nothing but a right or a
// block of writes has changed, within the same second.
func TestTheBarOfKeysFollows(t *testing.T) {
	may := func(s *engine.Snapshot, g engine.Grant) {
		s.Access = s.Access.With(engine.Needs(engine.ActDelete, engine.KindClusterStagedUpdateRun, ""), g)
	}
	for name, change := range map[string]func(*engine.Snapshot){
		"right": func(s *engine.Snapshot) { may(s, engine.GrantNo) },
		"block": func(s *engine.Snapshot) { s.WritesOff = engine.Lit("writes are blocked") },
	} {
		s := sample()
		may(s, engine.GrantYes)
		m, _ := start(t, 120, 40, s)
		m.runs.Pick(id("", "pay-api-r41"))
		m.arrange()
		if !m.guard.can[engine.ActDelete] {
			t.Fatal("a run cannot be deleted")
		}
		next := *s
		change(&next)
		m.Update(nextMsg{snap: &next})
		if m.guard.can[engine.ActDelete] {
			t.Errorf("%s: a run can be deleted still", name)
		}
	}
}
