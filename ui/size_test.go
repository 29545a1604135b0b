package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/palette"
)

// start returns a model that has seen a snapshot in a terminal of w by h, with colours.
func start(t testing.TB, w, h int, s *engine.Snapshot) (*Model, *fakeSource) {
	t.Helper()
	dark := true
	f := newFake()
	m := New(t.Context(), f, Options{Now: t0, Dark: &dark})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m.Update(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	if s != nil {
		m.Update(nextMsg{snap: s})
	}
	return m, f
}

// press gives keys to the model by their names and returns the last command.
func press(m *Model, keys ...string) tea.Cmd {
	var cmd tea.Cmd
	for _, k := range keys {
		_, cmd = m.Update(keyMsg(k))
	}
	return cmd
}

func keyMsg(k string) tea.KeyPressMsg {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace, "backspace": tea.KeyBackspace, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "up": tea.KeyUp, "down": tea.KeyDown}
	if c, ok := codes[k]; ok {
		return tea.KeyPressMsg{Code: c}
	}
	if c, ok := strings.CutPrefix(k, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(c[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
}

// screens lists ways to every screen.
var screens = []struct {
	name string
	keys []string
}{
	{"list", nil},
	{"filter", []string{"/", "s", "t"}},
	{"nothing listed", []string{"/", "x", "y", "z", "q", "enter"}},
	{"stuck run", []string{"enter"}},
	{"approval run", []string{"j", "j", "j", "j", "j", "enter"}},
	{"run without stages", []string{"j", "j", "j", "j", "enter"}},
	{"help", []string{"?"}},
	{"yaml", []string{"Y"}},
	{"command line", []string{":"}},
	{"command line over a run", []string{"enter", ":", "a"}},
	{"owners", []string{"o"}},
	{"placement over owners", []string{"enter", "o", "p"}},
	{"themes", []string{":", "t", "h", "e", "m", "e", "enter"}},
	{"orders", []string{"s"}},
	{"stop dialog", []string{"S"}},
	{"approve dialog", []string{"j", "j", "j", "j", "j", "A"}},
}

func TestNothingIsWiderOrHigherThanTheTerminal(t *testing.T) {
	inOneGoroutine(t)
	s := sample()
	long := *s.Runs[0]
	long.ID = id(strings.Repeat("n", 63), strings.Repeat("名前", 60))
	long.Why.What = txt("%s", strings.Repeat("wide字́ words 👩‍👩‍👧 🇩🇪 ", 40))
	s.Runs = append([]*engine.RunView{&long}, s.Runs...)
	for _, sc := range screens {
		t.Run(sc.name, func(t *testing.T) {
			m, f := start(t, 120, 40, s)
			f.reply = func(q enginepage.Question) enginepage.Answer {
				return enginepage.Answer{Question: q, Lines: engine.Lines("a: b\nc: d")}
			}
			press(m, sc.keys...)
			if m.screen == screenRun {
				d := *s
				d.Detail = detail(s, s.Find(m.run.ID()))
				m.Update(nextMsg{snap: &d})
			}
			for h := 0; h <= 100; h += 1 + h/7 {
				for w := 0; w <= 300; w += 1 + w/9 {
					m.Update(tea.WindowSizeMsg{Width: w, Height: h})
					checkSize(t, m, w, h)
				}
			}
			m.Update(tea.WindowSizeMsg{Width: 300, Height: 100})
			checkSize(t, m, 300, 100)
		})
	}
}

// TestEveryScreenFitsEveryTerminal resizes each screen of the golden files, pages and dialogs too,
// as a window is dragged.
func TestEveryScreenFitsEveryTerminal(t *testing.T) {
	inOneGoroutine(t)
	for _, tt := range slices.Concat(shots(), pageShots(t), hubShots()) {
		t.Run(tt.name, func(t *testing.T) {
			m := tt.draw(t, 120, 36)
			for _, h := range []int{5, 13, 24, 61} {
				for _, w := range []int{20, 41, 80, 139, 140, 190, 300} {
					m.Update(tea.WindowSizeMsg{Width: w, Height: h})
					checkSize(t, m, w, h)
					if w >= leastWidth && h >= leastHeight {
						checkPins(t, m)
					}
				}
			}
		})
	}
}

// hubShots are screens of several hubs, whose names are long, and the lists of contexts and
// namespaces.
func hubShots() []shot {
	list := func(command string) func(*Model) {
		return func(m *Model) {
			m.opt.Contexts = []palette.Choice{{Value: "hub-now", Now: true}}
			for i := range 12 {
				name := fmt.Sprintf("arn:aws:eks:eu-central-1:0123456789%02d:cluster/hub-prod", i)
				m.opt.Contexts = append(m.opt.Contexts, palette.Choice{Value: name, Also: []string{"prod-名前"}, About: txt("cluster %s of user oncall@contoso.com", engine.Clean(name))})
			}
			doCommand(m, command)
		}
	}
	broken := onTwoHubs()
	broken.Hubs[1].Link = engine.Link{State: engine.LinkReconnecting, Since: ago(8 * time.Second), Err: txt("dial tcp 10.1.2.3:443: connect: connection refused"), Hint: txt("is the VPN up?")}
	return []shot{
		{name: "hubs", snap: onTwoHubs()},
		{name: "hubs, one reconnecting", snap: broken},
		{name: "hubs, filtered", snap: onTwoHubs(), keys: []string{"/", "h", "u", "b", ":", "e", "u", "s"}},
		{name: "hubs, a run", snap: onTwoHubs(), keys: []string{"enter"}},
		{name: "hubs, a dialog", snap: onTwoHubs(), keys: []string{"S"}},
		{name: "hubs, marked", snap: onTwoHubs(), keys: []string{"space", "space", "S"}},
		{name: "hubs, runs to open", snap: onTwoHubs(), after: list("open")},
		{name: "contexts", snap: sample(), after: list("ctx")},
		{name: "contexts of several hubs", snap: onTwoHubs(), after: list("ctx")},
		{name: "namespaces", snap: sample(), after: list("ns")},
		{name: "namespaces of several hubs", snap: onTwoHubs(), after: list("ns")},
	}
}

// checkPins fails unless the last line of the screen has the keys that lead back, to the help and
// to the command line; in a field and in a dialog the one that leads back.
func checkPins(t *testing.T, m *Model) {
	t.Helper()
	all := strings.Split(ansi.Strip(m.View().Content), "\n")
	last := strings.Fields(all[len(all)-1])
	pins := []string{"esc"}
	if m.mode == modeBrowse || m.mode == modePage {
		pins = []string{"esc", "?", ":"}
	}
	for _, key := range pins {
		if !slices.Contains(last, key) {
			t.Fatalf("%d columns: no %s in %q", m.look.w, key, all[len(all)-1])
		}
	}
}

func checkSize(t *testing.T, m *Model, w, h int) {
	t.Helper()
	content := m.View().Content
	if content == "" {
		return
	}
	lines := strings.Split(content, "\n")
	if len(lines) > h {
		t.Fatalf("%dx%d: %d lines", w, h, len(lines))
	}
	for i, l := range lines {
		if n := max(ansi.StringWidth(l), ansi.StringWidthWc(l)); n > w {
			t.Fatalf("%dx%d: line %d is %d cells wide: %q", w, h, i, n, ansi.Strip(l))
		}
	}
}

func TestSmallTerminalSaysSo(t *testing.T) {
	m, _ := start(t, 30, 8, sample())
	if got := ansi.Strip(m.View().Content); !strings.Contains(strings.Join(strings.Fields(got), " "), "needs 40 columns and 12 rows; this terminal has 30 x 8") {
		t.Errorf("got %q", got)
	}
}

func TestResizeKeepsTheSelection(t *testing.T) {
	m, _ := start(t, 120, 40, sample())
	press(m, "j", "j", "j")
	want := m.runs.Selected()
	for _, size := range [][2]int{{80, 24}, {10, 3}, {0, 0}, {200, 60}, {41, 12}} {
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if m.runs.Selected() != want {
			t.Fatalf("%v: selection is %v, want %v", size, m.runs.Selected().Title(), want.Title())
		}
	}
	from, to := m.runs.Window()
	if at, _ := m.runs.At(); at < from || at >= to {
		t.Errorf("row %d is outside of the window %d..%d", at, from, to)
	}
}
