package ui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/dialog"
	"github.com/stagewatch/stagewatch/ui/panes"
)

var update = flag.Bool("update", false, "write the golden screens anew")

// golden compares the screen, without colours, to a file.
func golden(t *testing.T, name string, m *Model) {
	t.Helper()
	compare(t, name, drawn(m))
}

// drawn is the screen without colours, with the cursor of the terminal.
func drawn(m *Model) string {
	v := m.View()
	lines := strings.Split(ansi.Strip(v.Content), "\n")
	if c := v.Cursor; c != nil {
		// The terminal draws it; a golden screen shows it where nothing is written.
		l := lines[c.Y]
		if before := ansi.Truncate(l, c.X, ""); strings.HasPrefix(l[len(before):], " ") {
			lines[c.Y] = before + m.scene.Theme.Glyph.Cursor + l[len(before)+1:]
		}
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// compare compares what was drawn to a file.
func compare(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at it and run with -update if it is right.\ngot:\n%s\nwant:\n%s", file, got, want)
	}
}

// withDetail opens the run that the model shows, if any, in a further snapshot.
func withDetail(m *Model, s *engine.Snapshot) {
	d := *s
	if v := s.Find(m.run.ID()); v != nil {
		d.Detail = detail(s, v)
	}
	m.Update(nextMsg{snap: &d})
}

// shot is a screen that the tests look at.
type shot struct {
	name  string
	snap  *engine.Snapshot
	keys  []string
	after func(*Model)
}

// draw returns the screen in a terminal of w by h, whose panes show all that the hub has.
func (s *shot) draw(t *testing.T, w, h int) *Model {
	t.Helper()
	m, f := start(t, w, h, s.snap)
	press(m, s.keys...)
	if s.after != nil {
		s.after(m)
	}
	if l := m.layout(); l.Has(panes.Diagnosis) {
		readPanes(m, f)
	}
	readChanges(m, f)
	styleless(t, m)
	return m
}

// styled matches a sequence that sets or resets the style of text.
var styled = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// styleless checks that no row of the screen leaves a style on: the renderer writes only the
// rows that have changed, and begins each without a style.
func styleless(t *testing.T, m *Model) {
	t.Helper()
	for y, row := range strings.Split(m.View().Content, "\n") {
		if all := styled.FindAllString(row, -1); len(all) > 0 && all[len(all)-1] != ansi.ResetStyle && all[len(all)-1] != "\x1b[0m" {
			t.Errorf("row %d ends with a style: %q", y, row)
		}
	}
}

// readPanes gives the panes of a wide terminal the run under the cursor with its clusters, and its
// diagnosis.
func readPanes(m *Model, f *fakeSource) {
	if m.scene.Snap == nil {
		return
	}
	d := *m.scene.Snap
	v := d.Find(m.shownRun().ID())
	if v == nil {
		return
	}
	d.Detail = detail(&d, v)
	f.reply = func(q enginepage.Question) enginepage.Answer {
		a := enginepage.DiagnosisPage(enginepage.DiagnosisFacts{Snapshot: &d, Run: v, Detail: d.Detail, Now: d.At})
		a.Question = q
		return a
	}
	m.Update(nextMsg{snap: &d})
	_, cmd := m.Update(restMsg{step: m.panes.Steps()})
	told(m, cmd)
}

// readChanges gives the screen what two snapshots have of difference, where it has room for that.
func readChanges(m *Model, f *fakeSource) {
	q, ok := m.compared().(enginepage.SnapshotsQuestion)
	if !ok {
		return
	}
	f.reply = func(enginepage.Question) enginepage.Answer {
		row := func(mark enginepage.Mark, role engine.Role, s string) enginepage.Row {
			return enginepage.Row{Cells: []enginepage.Cell{{Mark: mark, Role: role, Text: engine.Clean(s)}}}
		}
		return enginepage.Answer{Question: q, At: t0, Sections: []enginepage.Section{{
			Title: engine.Textf("snapshot %d to %d of %s", q.From, q.To, q.Placement.Title()), Note: engine.Lit("1 changed, 0 new, 0 gone, 2 the same"),
			Rows: []enginepage.Row{
				row(enginepage.MarkMine, engine.RoleName, "Deployment "+q.Placement.RawName()+"/web"), row(enginepage.MarkNone, engine.RoleFaint, "  @@ -17,7 +17,7 @@"),
				row(enginepage.MarkNone, engine.RoleSub, "  containers:"),
				row(enginepage.MarkGone, engine.RoleBad, "      - image: registry.contoso.example/web:1.0.0"), row(enginepage.MarkAdded, engine.RoleGood, "      - image: registry.contoso.example/web:1.1.0"),
			},
		}}}
	}
	_, cmd := m.Update(changesRestMsg{step: m.changes.Steps()})
	told(m, cmd)
}

// shots are the screens that the tests look at.
func shots() []shot {
	link := func(l engine.Link, off string) *engine.Snapshot {
		s := sample()
		s.Link, s.WritesOff = l, txt("%s", off)
		return s
	}
	reconnecting := link(engine.Link{State: engine.LinkReconnecting, Since: ago(8 * time.Second), Heard: ago(12 * time.Second), Err: txt("dial tcp 10.1.2.3:443: connect: connection refused"), Hint: txt("is the VPN up?")}, "the hub is not reachable")
	unreachable := link(reconnecting.Link, "the hub is not reachable")
	unreachable.Runs, unreachable.Need, unreachable.Complete, unreachable.Link.Heard = nil, nil, false, time.Time{}
	stale := link(engine.Link{State: engine.LinkStale, Since: ago(14 * time.Second), Heard: ago(24 * time.Second), Err: txt("nothing was heard")}, "the data is stale")
	reset := sample()
	reset.Link.Reset = ago(2 * time.Minute)
	loading := link(engine.Link{State: engine.LinkLoading}, "still loading")
	loading.Complete = false
	empty := sample()
	empty.Runs, empty.Need = nil, nil
	readOnly := sample()
	readOnly.WritesOff = txt("started with --read-only")
	noted := sample()
	noted.Scope.Namespaces, noted.Scope.Short = txt("namespace team-a"), txt("you may not list cluster runs, cluster approvals, cluster placements, members")
	noBindings := sample()
	manyStages := sample()
	many := *find(manyStages, "cert-mgr-r9")
	many.Stages, many.Done, many.Total, many.Updating = nil, 0, 0, 0
	for i := range 14 {
		s := stage("ring-with-a-long-name-"+strconv.Itoa(i), engine.StageComing, 0, 3)
		if s.After = []engine.GateView{approval(engine.GateComing, 0)}; i < 6 {
			s.State, s.Done, s.After[0].State = engine.StageDone, 3, engine.GatePassed
		} else if i == 6 {
			s.State, s.Done, s.Updating = engine.StageUpdating, 1, 1
		}
		many.Stages = append(many.Stages, s)
	}
	many.At = 6
	manyStages.Runs = []*engine.RunView{sum(&many)}

	return []shot{
		{name: "connecting"},
		{name: "list", snap: sample()},
		{name: "list-filtered", snap: sample(), keys: []string{"/", "s", "t", "a", "t", "e", ":", "s", "t", "*", "enter"}},
		{name: "list-typing", snap: sample(), keys: []string{"/", "n", "g"}},
		{name: "list-problems", snap: sample(), keys: []string{"z", "!", "!"}},
		{name: "list-refused", snap: sample(), keys: []string{"j", "j", "R"}},
		{name: "loading", snap: loading},
		{name: "empty", snap: empty},
		{name: "reconnecting", snap: reconnecting, keys: []string{"S"}},
		{name: "unreachable", snap: unreachable},
		{name: "stale", snap: stale},
		{name: "reset", snap: reset},
		{name: "read-only", snap: readOnly},
		{name: "one-namespace", snap: noted},
		{name: "run-stuck", snap: sample(), keys: []string{"enter"}, after: func(m *Model) { withDetail(m, sample()) }},
		{name: "run-approval", snap: sample(), keys: []string{"j", "j", "j", "j", "j", "enter"}, after: func(m *Model) { withDetail(m, sample()) }},
		{name: "run-preempted", snap: sample(), keys: []string{"j", "j", "enter"}, after: func(m *Model) { withDetail(m, sample()) }},
		{name: "run-cleanup", snap: sample(), keys: []string{"G", "enter"}, after: func(m *Model) { withDetail(m, sample()); press(m, "l", "l", "l", "l") }},
		{name: "run-many-stages", snap: manyStages, keys: []string{"enter"}, after: func(m *Model) { withDetail(m, manyStages) }},
		{name: "run-loading", snap: sample(), keys: []string{"enter"}},
		{name: "run-no-bindings", snap: noBindings, keys: []string{"enter"}, after: func(m *Model) {
			d := *noBindings
			d.Detail = detail(&d, d.Find(m.run.ID()))
			d.Detail.Bindings = engine.Coverage{State: engine.CoverForbidden, Why: txt("bindings may not be listed")}
			for i := range d.Detail.Clusters {
				for j := range d.Detail.Clusters[i] {
					d.Detail.Clusters[i][j].Bound = false
				}
			}
			m.Update(nextMsg{snap: &d})
		}},
		{name: "mono", snap: sample(), keys: []string{"enter"}, after: func(m *Model) {
			withDetail(m, sample())
			m.Update(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
		}},
		{name: "run-gone", snap: sample(), keys: []string{"enter"}, after: func(m *Model) {
			s := sample()
			s.Runs = s.Runs[1:]
			m.Update(nextMsg{snap: s})
		}},
		{name: "help", snap: sample(), keys: []string{"?"}},
		{name: "command", snap: sample(), keys: []string{":"}},
		{name: "command-typed", snap: sample(), keys: []string{"j", ":", "s"}},
		{name: "dialog-stop", snap: sample(), keys: []string{"S"}},
		{name: "dialog-approve", snap: sample(), keys: []string{"j", "j", "j", "j", "j", "A"}, after: func(m *Model) { quiet(m); press(m, "c", "a") }},
		{name: "dialog-clone", snap: sample(), keys: []string{"C"}, after: func(m *Model) {
			quiet(m)
			offer(m)
			press(m, "tab", "tab", "tab", "tab", "space", "space")
			due(m)
			m.Update(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: enginepage.Answer{Question: m.dialog.Status().Check.Question, Checks: []engine.Check{
				{State: engine.CheckPassed, What: txt("you may create clusterstagedupdateruns")},
				{State: engine.CheckPassed, What: txt("server dry run passed")},
				{State: engine.CheckPassed, What: txt("possible: 12 clusters in 3 stages; snapshot 1")},
				{State: engine.CheckWarning, What: txt("it takes member-2 and member-3 from example-run; that run then fails")},
			}}})
		}},
		{name: "dialog-clone-snapshots", snap: sample(), keys: []string{"C"}, after: func(m *Model) {
			quiet(m)
			offer(m)
			press(m, "tab", "tab", "tab", "tab", "enter", "j")
			due(m)
			tellDiff(m)
		}},
		{name: "dialog-clone-strategies", snap: sample(), keys: []string{"C"}, after: func(m *Model) {
			quiet(m)
			offer(m)
			press(m, "tab", "tab", "tab", "enter")
		}},
		{name: "dialog-delete", snap: sample(), keys: []string{"X"}, after: quiet},
		{name: "dialog-cloned", snap: sample(), keys: []string{"C"}, after: func(m *Model) {
			quiet(m)
			cmd := press(m, append(strings.Split("example-run-2", ""), "enter")...)
			m.Update(cmd())
		}},
		{name: "dialog-checked", snap: sample(), keys: []string{"S"}, after: func(m *Model) {
			q := m.dialog.Status().Check.Question
			quiet(m)
			m.Update(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: enginepage.Answer{
				Question: q, Err: txt("admission webhook denied the request: freeze until Monday"), Hint: txt("ask the owner of the freeze"),
				Checks: []engine.Check{{State: engine.CheckUnknown, What: txt("the hub does not say whether you may patch clusterstagedupdateruns")}, {State: engine.CheckFailed, What: txt("admission webhook denied the request: freeze until Monday")}},
			}})
		}},
		{name: "dialog-refused", snap: sample(), keys: []string{"S"}, after: func(m *Model) { m.Update(nextMsg{snap: reconnecting}) }},
		{name: "dialog-done", snap: sample(), keys: []string{"S"}, after: func(m *Model) {
			quiet(m)
			m.Update(press(m, "y")())
		}},
	}
}

// sizes are the terminals that every screen is drawn for.
var sizes = [][2]int{{80, 24}, {120, 36}, {160, 50}, {200, 60}}

// TestScreens compares every screen at each size with its file, which has them one after the other.
func TestScreens(t *testing.T) {
	inOneGoroutine(t)
	for _, tt := range append(shots(), pageShots(t)...) {
		t.Run(tt.name, func(t *testing.T) {
			var all strings.Builder
			for _, size := range sizes {
				fmt.Fprintf(&all, "-- %dx%d --\n%s", size[0], size[1], drawn(tt.draw(t, size[0], size[1])))
			}
			compare(t, tt.name, all.String())
		})
	}
}

// TestScreensOnAWall compares the screens that a team has on a wall with their files.
func TestScreensOnAWall(t *testing.T) {
	inOneGoroutine(t)
	for _, tt := range append(shots(), pageShots(t)...) {
		switch tt.name {
		case "list", "run-stuck", "run-approval", "page-diagnosis", "page-approvals", "page-placement", "page-owners", "page-timeline":
			t.Run(tt.name, func(t *testing.T) { compare(t, tt.name+"-300x80", drawn(tt.draw(t, 300, 80))) })
		}
	}
}

// TestScreensOnLight draws every screen at four sizes on a dark and on a light terminal: the golden
// screens are those of both, since only the colours differ, and no colour is of the other one.
func TestScreensOnLight(t *testing.T) {
	inOneGoroutine(t)
	colours := regexp.MustCompile(`[34]8;2;[0-9]+;[0-9]+;[0-9]+`)
	for _, tt := range append(shots(), pageShots(t)...) {
		for _, size := range sizes {
			m := tt.draw(t, size[0], size[1])
			draw := func(dark bool) (text string, used map[string]bool) {
				m.look.dark = dark
				m.restyle()
				m.Update(tickedMsg{now: m.scene.Now})
				content := m.View().Content
				used = map[string]bool{}
				for _, c := range colours.FindAllString(content, -1) {
					used[c] = true
				}
				return ansi.Strip(content), used
			}
			draw(true) // a dialog asks the rules again with the first second
			dark, ofDark := draw(true)
			light, ofLight := draw(false)
			if dark != light {
				t.Errorf("%s at %dx%d has another text on light:\n%s\non dark:\n%s", tt.name, size[0], size[1], light, dark)
			}
			for c := range ofLight {
				if ofDark[c] {
					t.Errorf("%s at %dx%d: colour %q is used on dark and on light", tt.name, size[0], size[1], c)
				}
			}
			if len(ofLight) < 3 {
				t.Errorf("%s at %dx%d has %d colours", tt.name, size[0], size[1], len(ofLight))
			}
		}
	}
}

func TestScreensWithASCIIOnly(t *testing.T) {
	dark := true
	m := New(t.Context(), newFake(), Options{Now: t0, Dark: &dark, ASCII: true})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	s := sample()
	s.Runs[1].Why.What = txt("名前 does not fit")
	m.Update(nextMsg{snap: s})
	for _, keys := range [][]string{nil, {"enter"}, {"esc", "?"}, {"esc", "S"}, {"esc", "Y"}, {"esc", "j"}} {
		press(m, keys...)
		for i, l := range strings.Split(ansi.Strip(m.View().Content), "\n") {
			if !cell.IsASCII(l) {
				t.Errorf("after %q line %d is not ASCII: %q", keys, i, l)
			}
		}
	}
	m.mode = modeBrowse
	m.clearStack()
	golden(t, "ascii-100x30", m)
}

// quiet lets the dialog listen, as it does when no key came for a while.
// The hub has taken the rehearsal by then.
func quiet(m *Model) {
	m.Update(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: took(m.dialog.Status().Check.Question)})
	m.Update(dialog.QuietMsg{Dialog: m.dialog.Status().Number, Key: m.dialog.Status().Key})
}

// took is the answer of a hub that would take what it was asked.
func took(q enginepage.Question) enginepage.Answer {
	return enginepage.Answer{Question: q, Checks: []engine.Check{
		{State: engine.CheckPassed, What: txt("you may update clusterapprovalrequests/status")},
		{State: engine.CheckPassed, What: txt("server dry run passed")},
	}}
}
