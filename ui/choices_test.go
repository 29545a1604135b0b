package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/palette"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// names are the runs on the screen, in the order of the list.
func names(m *Model) (out []string) {
	for i := range 40 {
		if id := m.runs.Hit(i + 1); !id.IsZero() {
			out = append(out, id.RawName())
		}
	}
	return out
}

// s sorts by a column that is chosen from a list; the cursor stays on its run, the head and
// the line above say the order, and the choice of attention leads back.
func TestTheListIsSorted(t *testing.T) {
	m, _ := start(t, 120, 40, sample())
	before := names(m)
	press(m, "j", "j")
	at := m.runs.Selected()
	press(m, "s")
	shows(t, m, "sort ", "✓ state▴ ", "runs that need attention first (state desc: last)", "clusters ", "CLUSTERS")
	typeIn(m, "run")
	press(m, "enter")
	if got := names(m); !slices.IsSorted(titles(m)) || slices.Equal(got, before) {
		t.Errorf("by name: %v", got)
	}
	shows(t, m, "by RUN▴")
	press(m, "s")
	shows(t, m, "✓ run▴ ", "choose it again to reverse the order")
	press(m, "enter")
	shows(t, m, "by RUN▾")
	press(m, "s")
	shows(t, m, "✓ run▾ ")
	press(m, "esc")
	doCommand(m, "sort run")
	if m.runs.Selected() != at {
		t.Errorf("the cursor is on %s, was on %s", m.runs.Selected().Title(), at.Title())
	}
	for _, command := range []string{"sort run desc", "sort run", "sort -run"} {
		down := command != "sort run"
		doCommand(m, command)
		if got := titles(m); slices.IsSortedFunc(got, func(a, b string) int { return strings.Compare(b, a) }) != down {
			t.Errorf("%s: %v", command, got)
		}
		shows(t, m, "RUN"+map[bool]string{false: "▴", true: "▾"}[down])
	}
	doCommand(m, "sort state desc")
	press(m, "s")
	shows(t, m, "✓ state▾ ", "choose it again to reverse the order")
	press(m, "esc")
	for _, nothing := range []string{"nothing", "-nothing", "-run desc"} {
		doCommand(m, "sort "+nothing)
		shows(t, m, "Cannot sort by "+nothing)
	}
	doCommand(m, "sort state")
	if got := names(m); !slices.Equal(got, before) {
		t.Errorf("by attention: %v, want %v", got, before)
	}
}

// titles are the names of the listed runs as they are compared.
func titles(m *Model) (out []string) {
	for i := range 40 {
		if v := m.scene.Find(m.runs.Hit(i + 1)); v != nil && v.Word != engine.WordNoRun {
			out = append(out, v.ID.Title().String())
		}
	}
	return out
}

// A click on a head sorts, another turns the order round.
func TestAClickOnAHeadSorts(t *testing.T) {
	m, _ := start(t, 120, 40, sample())
	m.mouse = true
	click := func() { m.Update(tea.MouseClickMsg{X: 20, Y: headRows, Button: tea.MouseLeft}) }
	click()
	if by, desc := m.runs.Sorted(); by != "run" || desc {
		t.Fatalf("sorted by %q, %v", by, desc)
	}
	click()
	if by, desc := m.runs.Sorted(); by != "run" || !desc {
		t.Errorf("after the second click: %q, %v", by, desc)
	}
}

// :ctx and :ns list what there is; what is chosen ends this screen, and why it cannot is said.
func TestAnotherHubAndAnotherNamespace(t *testing.T) {
	for _, tt := range []struct {
		typed string
		keys  []string
		want  Switch
		quits bool
		says  string
	}{
		{"ctx weu", nil, Switch{Context: "hub-prod-weu"}, true, ""},
		{"ctx ", []string{"down", "enter"}, Switch{Context: "hub-prod-weu"}, true, ""},
		{"ctx ", []string{"enter"}, Switch{}, false, "hub-now is already on the screen."},
		{"ctx live", nil, Switch{Context: "hub-prod-weu"}, true, ""},
		{"ctx here", nil, Switch{}, false, "hub-now is already on the screen."},
		{"ctx nowhere", nil, Switch{Context: "nowhere"}, false, "Cannot switch to nowhere: no such context."},
		{"ns my-app", nil, Switch{Namespace: "my-app", InNamespace: true}, true, ""},
		{"ns all", nil, Switch{InNamespace: true}, true, ""},
		{"ns shop", nil, Switch{}, false, "shop is already on the screen."},
		{"login", nil, Switch{Reopen: true, LogIn: true}, true, ""},
	} {
		m, _ := start(t, 120, 40, sample())
		m.opt.Contexts = []palette.Choice{{Value: "hub-now", Also: []string{"here"}, Now: true}, {Value: "hub-prod-weu", Also: []string{"LIVE"}}, {Value: "hub-test"}}
		m.opt.Scope.Namespace = "shop"
		var got Switch
		m.opt.Switch = func(to Switch) engine.Text {
			if got = to; to.Context == "nowhere" {
				return engine.Lit("no such context")
			}
			return engine.Text{}
		}
		typeIn(m, ":")
		m.Update(tea.PasteMsg{Content: tt.typed})
		keys := tt.keys
		if keys == nil {
			keys = []string{"enter"}
		}
		cmd := press(m, keys...)
		if got != tt.want {
			t.Errorf("%s: switches to %+v, want %+v", tt.typed, got, tt.want)
		}
		if quits := cmd != nil && isQuit(cmd); quits != tt.quits {
			t.Errorf("%s: ends the screen %v", tt.typed, quits)
		}
		if tt.says != "" {
			shows(t, m, tt.says)
		}
	}
	m, _ := start(t, 120, 40, sample())
	doCommand(m, "ctx")
	if m.mode != modeCommand {
		t.Error("ctx alone lists no contexts")
	}
	press(m, "esc")
	lost := sample()
	lost.Link.State = engine.LinkReconnecting
	m.Update(nextMsg{snap: lost})
	m.opt.Contexts = []palette.Choice{{Value: "hub-now", Also: []string{"here"}, Now: true}}
	var got Switch
	m.opt.Switch = func(to Switch) engine.Text {
		got = to
		return engine.Text{}
	}
	press(m, "enter") // a run is open
	run := m.openRun()
	if cmd := doCommand(m, "ctx here"); cmd == nil || !isQuit(cmd) || run == "" || got != (Switch{Context: "hub-now", Run: run}) {
		t.Errorf("without a connection, the same context switches to %+v", got)
	}
	m, _ = start(t, 120, 40, sample())
	doCommand(m, "ns test")
	shows(t, m, "this program shows one hub.")
	doCommand(m, "login")
	shows(t, m, "Cannot log in again: this program shows one hub.")
}

// TestAnEmptyList: keys that are about a run say that none is selected, and the foot does not offer
// those that open or copy something.
func TestAnEmptyList(t *testing.T) {
	s := sample()
	s.Runs = nil
	for _, w := range []int{100, 200} {
		m, f := start(t, w, 50, s)
		for _, k := range []string{"enter", "d", "c", "o", "p", "t", "e", "i", "m", "=", "L", "Y", "y", "w", "space", "A", "R", "S", "C", "X"} {
			m.scene.Quiet()
			press(m, k)
			shows(t, m, "No run is selected.")
		}
		if len(f.sent) > 0 || m.mode != modeBrowse || m.sheet() != nil {
			t.Errorf("mode %d, sent %v", m.mode, f.sent)
		}
		m.scene.Quiet()
		m.Update(nil)
		if foot := ansi.Strip(m.bar.View()); strings.Contains(foot, "open") || strings.Contains(foot, "why") || !strings.Contains(foot, "filter") {
			t.Errorf("the foot offers %s", foot)
		}
		press(m, "a")
		if m.sheet() == nil {
			t.Error("a page of all runs does not open")
		}
	}
	// Marks are acted on, whatever the filter lists.
	m, _ := start(t, 100, 50, sample())
	press(m, "space", "space", "/", "n", "o", "n", "e", "s", "u", "c", "h", "enter", "X")
	if m.mode != modeDialog {
		t.Error("the marked runs are not acted on")
	}
}

// TestAllNamespaces: 0 shows all namespaces, as :ns all does, in every preset.
func TestAllNamespaces(t *testing.T) {
	for _, preset := range keymap.Presets() {
		m, _ := start(t, 120, 40, sample())
		m.rebind(keymap.Preset(preset))
		var got []Switch
		m.opt.Switch = func(to Switch) engine.Text {
			got = append(got, to)
			return engine.Text{}
		}
		press(m, "0")
		shows(t, m, "All namespaces are already on the screen.")
		m.opt.Scope.Namespace = "shop"
		if cmd := press(m, "0"); cmd == nil || !isQuit(cmd) || !slices.Equal(got, []Switch{{InNamespace: true}}) {
			t.Errorf("%s: switches to %+v", preset, got)
		}
	}
}

func isQuit(cmd tea.Cmd) bool {
	_, quits := cmd().(tea.QuitMsg)
	return quits
}

// TestContextsFollowTheHub: a list of contexts that was opened while a hub loads says what the hub is
// like now, with the same one selected.
func TestContextsFollowTheHub(t *testing.T) {
	s, live := sample(), sample()
	s.Link.State, s.Hub.Name = engine.LinkLoading, engine.NewHubName("here", "")
	live.Hub.Name = s.Hub.Name
	m, _ := start(t, 120, 40, s)
	m.opt.Contexts = []palette.Choice{{Value: "one", About: engine.Lit("cluster x")}, {Value: "here", About: engine.Lit("cluster y")}, {Value: "other"}}
	typeIn(m, ":ctx ")
	press(m, "down")
	shows(t, m, "LOADING, cluster y")
	at, _ := m.command.Choosing(keymap.Context)
	m.Update(nextMsg{snap: live})
	m.Update(tickedMsg{now: m.scene.Now})
	if now, _ := m.command.Choosing(keymap.Context); at != "other" || now != at || strings.Contains(ansi.Strip(m.View().Content), "LOADING, cluster y") {
		t.Errorf("selected %q, then %q:\n%s", at, now, ansi.Strip(m.View().Content))
	}
}

// :theme shows each theme while the selection moves; esc goes back to the one before, enter
// keeps it. A name that is no theme is said.
func TestThemesAreShownWhileTheyAreSelected(t *testing.T) {
	m, _ := start(t, 120, 40, sample())
	before := m.scene.Theme
	doCommand(m, "theme")
	shows(t, m, "theme ", "dark or light, to match the terminal", "deuteranopia")
	typeIn(m, "nord")
	if m.scene.Theme == before {
		t.Error("the selected theme is not shown")
	}
	nord := m.scene.Theme
	for l := range strings.SplitSeq(m.body(), "\n") {
		if strings.Contains(ansi.Strip(l), "NOT ACCEPTED") && strings.Count(l, "38;2;") < 4 {
			t.Errorf("the list behind recedes: %q", l)
		}
	}
	press(m, "esc")
	if got := m.scene.Theme.Sequence(theme.Plain, theme.Bad); got != before.Sequence(theme.Plain, theme.Bad) {
		t.Errorf("after esc: %q", got)
	}
	doCommand(m, "theme nord")
	if got := m.scene.Theme.Sequence(theme.Plain, theme.Bad); got != nord.Sequence(theme.Plain, theme.Bad) || m.theme != "nord" {
		t.Errorf("after enter: %q, %s", got, m.theme)
	}
	doCommand(m, "theme nothing")
	shows(t, m, "Unknown theme nothing: :theme lists them.")
	if got := m.scene.Theme.Sequence(theme.Plain, theme.Bad); got != before.Sequence(theme.Plain, theme.Bad) {
		t.Errorf("after an unknown one: %q", got)
	}
}

// The lists above the command line move by the keys that move in the list of a dialog.
func TestTheListOfChoicesMovesToItsEnds(t *testing.T) {
	m, _ := start(t, 80, 24, sample())
	doCommand(m, "theme")
	all := theme.Names()
	for _, tt := range []struct {
		key  string
		want int
	}{{"end", len(all) - 1}, {"up", len(all) - 2}, {"home", 0}, {"pgdown", 9}, {"ctrl+n", 10}, {"pgup", 1}, {"ctrl+p", 0}} {
		press(m, tt.key)
		if m.previewed != all[tt.want] {
			t.Errorf("%s: on %s, want %s", tt.key, m.previewed, all[tt.want])
		}
	}
	if press(m, "end", "enter"); m.theme != all[len(all)-1] {
		t.Errorf("taken: %s", m.theme)
	}
}
