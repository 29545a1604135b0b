package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
)

// samplePage is a page with everything that one can have.
func samplePage(q enginepage.Question) enginepage.Answer {
	c := func(role engine.Role, s string) enginepage.Cell {
		return enginepage.Cell{Role: role, Text: txt("%s", s)}
	}
	label := func(k string, v enginepage.Cell) enginepage.Row {
		return enginepage.Row{Cells: []enginepage.Cell{c(engine.RoleSub, k), v}}
	}
	owner := label("owner now", c(engine.RoleWait, "nginx-r12  PREEMPTED"))
	owner.Key, owner.Run = txt("owner"), engine.NewID(engine.KindClusterStagedUpdateRun, "", "nginx-r12", "")
	condition := func(m enginepage.Mark, role engine.Role, typ, reason, why string) enginepage.Row {
		return enginepage.Row{Cells: []enginepage.Cell{{Mark: m, Role: role, Text: txt("%s", typ)}, {Role: engine.RoleSub, At: ago(9 * time.Minute)}, {Role: engine.RoleSub, Since: ago(9 * time.Minute)}, c(engine.RoleText, reason)}, Note: txt("%s", why)}
	}
	work := func(name string) enginepage.Row {
		return enginepage.Row{
			Key: txt("work %s", name), Object: engine.NewID(engine.KindWork, "fleet-member-member2", name, "u-"+name),
			Cells: []enginepage.Cell{c(engine.RoleText, name), c(engine.RoleSub, "12"), {Mark: enginepage.MarkNo, Role: engine.RoleBad, Text: txt("SomeManifestsAreNotAvailable")}},
		}
	}
	next := work("and-what-changed")
	next.Page = enginepage.SnapshotsQuestion{Placement: placement("", "nginx"), From: 11, To: 12}
	return enginepage.Answer{Question: q, At: t0, Object: engine.NewID(engine.KindClusterResourceBinding, "", "nginx-member2", "u"), Sections: []enginepage.Section{
		{Title: txt("cluster member2"), Note: txt("crp nginx"), Rows: []enginepage.Row{
			owner, label("snapshot", c(engine.RoleText, "11, and this run wants 12")),
			label("because", c(engine.RoleText, strings.Repeat("a long reason that goes on ", 8))),
		}},
		{Title: txt("conditions"), Note: txt("binding generation 3"), Beside: true, Rows: []enginepage.Row{
			condition(enginepage.MarkYes, engine.RoleGood, "RolloutStarted", "RolloutStarted", ""),
			condition(enginepage.MarkNo, engine.RoleBad, "Available", "NotAllWorkAreAvailable", "Work object nginx-work is not yet available"),
			condition(enginepage.MarkOld, engine.RoleFaint, "Applied", "AllWorkHaveBeenApplied", ""),
		}},
		{Title: txt("works"), Head: []engine.Text{txt("WORK"), txt("SNAPSHOT"), txt("AVAILABLE")}, Rows: []enginepage.Row{
			work("nginx-work"), work("nginx-1"), next,
		}},
		{Title: txt("timeline"), From: ago(time.Hour), To: t0, Rows: []enginepage.Row{
			{Cells: []enginepage.Cell{c(engine.RoleText, "staging"), c(engine.RoleSub, "5/5")}, Strip: []enginepage.Stretch{{Role: engine.RoleGood, From: ago(time.Hour), To: ago(40 * time.Minute)}, {Role: engine.RoleAsk, From: ago(41 * time.Minute), To: ago(20 * time.Minute)}}},
			{Cells: []enginepage.Cell{c(engine.RoleText, "prod"), c(engine.RoleSub, "0/5")}, Strip: []enginepage.Stretch{{Role: engine.RoleBusy, From: ago(20 * time.Minute), To: t0}, {Role: engine.RoleBad, From: ago(5 * time.Minute), To: t0}, {Role: engine.RoleWait, From: ago(30 * time.Minute), To: t0}}},
		}},
		{Title: txt("drift"), Rows: []enginepage.Row{
			{Cells: []enginepage.Cell{c(engine.RoleSub, "  /spec/replicas")}},
			{Cells: []enginepage.Cell{{Mark: enginepage.MarkGone, Role: engine.RoleBad, Text: txt("  3")}}},
			{Cells: []enginepage.Cell{{Mark: enginepage.MarkAdded, Role: engine.RoleGood, Text: txt("  %s", strings.Repeat("word ", 60))}}},
		}},
	}}
}

// told gives the model the messages of a command.
func told(m *Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			told(m, c)
		}
	default:
		m.Update(msg)
	}
}

func openPage(t *testing.T, w, h int) (*Model, *fakeSource) {
	t.Helper()
	m, f := start(t, w, h, sample())
	f.reply = samplePage
	press(m, "enter")
	withDetail(m, sample())
	told(m, press(m, "c"))
	return m, f
}

func TestPageOfSections(t *testing.T) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"80x24", 80, 24}, {"160x50", 160, 50}, {"44x14", 44, 14}} {
		m, _ := openPage(t, size.w, size.h)
		golden(t, "page-"+size.name, m)
	}
}

func TestPageAsksAgainAndDropsWhatIsLate(t *testing.T) {
	m, _ := openPage(t, 120, 40)
	shows(t, m, "nginx-r12")
	late := samplePage(m.sheet().Question())
	late.Sections = []enginepage.Section{{Title: txt("something late")}}
	m.Update(pageMsg{n: m.sheet().Number() - 1, answer: late})
	other := late
	other.Question = enginepage.SnapshotsQuestion{From: 99}
	m.Update(pageMsg{n: m.sheet().Number(), answer: other})
	if strings.Contains(m.View().Content, "something late") {
		t.Error("a late answer is shown")
	}
	_, cmd := m.Update(dueMsg{n: m.sheet().Number()})
	if cmd == nil {
		t.Fatal("the page is not asked for again")
	}
	if _, again := m.Update(dueMsg{n: m.sheet().Number()}); again != nil {
		t.Error("it is asked for while an answer is on its way")
	}
	fail := enginepage.Answer{Question: m.sheet().Question(), Err: txt("no route"), Hint: txt("VPN?")}
	m.Update(pageMsg{n: m.sheet().Number(), answer: fail})
	shows(t, m, "nginx-r12")
	shows(t, m, "as of 22:30:12")
}

// TestFailedLoginIsNotRepeated checks that a page whose login to a member failed is not
// read again until a person asks for it.
func TestFailedLoginIsNotRepeated(t *testing.T) {
	m, _ := atRun(t, 160, "example-run")
	withDetail(m, sample())
	press(m, "m")
	a := samplePage(m.sheet().Question())
	if _, next := m.Update(pageMsg{n: m.sheet().Number(), answer: a}); next == nil {
		t.Fatal("the page is not read again")
	}
	a.LoginFailed = true
	if _, next := m.Update(pageMsg{n: m.sheet().Number(), answer: a}); next != nil {
		t.Error("the login is repeated automatically")
	}
	press(m, "esc", "m")
	if s := m.sheet(); s == nil || !s.IsAsking() {
		t.Error("a person cannot ask again")
	}
}

func TestPageThatCannotBeAnswered(t *testing.T) {
	m, f := start(t, 100, 30, sample())
	f.reply = func(q enginepage.Question) enginepage.Answer {
		return enginepage.Answer{Question: q, Err: txt("bindings: forbidden"), Hint: txt("ask for the right")}
	}
	cmd := press(m, "o")
	shows(t, m, "loading")
	told(m, cmd)
	shows(t, m, "bindings: forbidden")
	shows(t, m, "ask for the right")
	press(m, "esc")
	if m.sheet() != nil || m.screen != screenRuns {
		t.Error("esc does not lead back")
	}
}

func TestPageKeys(t *testing.T) {
	m, f := openPage(t, 120, 40)
	if r := m.sheet().Row(); r == nil || r.Key != txt("owner") {
		t.Fatalf("the cursor is on %v", r)
	}
	press(m, "j", "j")
	if r := m.sheet().Row(); r == nil || r.Key != txt("work nginx-1") {
		t.Fatalf("two down is %v", r)
	}
	// A renewed page keeps the cursor on its row.
	a := samplePage(m.sheet().Question())
	a.Sections[2].Rows = a.Sections[2].Rows[1:]
	m.Update(pageMsg{n: m.sheet().Number(), answer: a})
	if r := m.sheet().Row(); r == nil || r.Key != txt("work nginx-1") {
		t.Errorf("after renewal the cursor is on %v", r)
	}
	var asked enginepage.Question
	f.reply = func(q enginepage.Question) enginepage.Answer {
		asked = q
		return enginepage.Answer{Question: q, Lines: engine.Lines("a: b")}
	}
	told(m, press(m, "Y"))
	if asked != (enginepage.YAMLQuestion{Object: m.sheetObject()}) || m.sheetObject().Name() != txt("nginx-1") {
		t.Errorf("Y asks for %v", asked)
	}
	press(m, "esc")
	if m.sheet() == nil {
		t.Fatal("esc from YAML leaves the page")
	}
	f.reply = samplePage
	told(m, press(m, "j", "enter"))
	if q := (enginepage.SnapshotsQuestion{Placement: placement("", "nginx"), From: 11, To: 12}); len(m.stack.Sheets()) != 2 || m.sheet().Question() != q {
		t.Fatalf("enter opens %v", m.sheet().Question())
	}
	told(m, press(m, "esc"))
	if len(m.stack.Sheets()) != 1 {
		t.Fatal("esc does not lead to the page below")
	}
	press(m, "g")
	if r := m.sheet().Row(); r == nil || r.Key != txt("owner") {
		t.Fatalf("g leads to %v", r)
	}
	press(m, "enter")
	if m.sheet() != nil || m.run.ID() != id("", "nginx-r12") {
		t.Errorf("enter opens %v", m.run.ID().Title())
	}
}

// TestSearchOnAPage: what is typed after / presses no key, esc ends the search before it leaves the
// page, and a cancelled search is that of before.
func TestSearchOnAPage(t *testing.T) {
	m, _ := openPage(t, 120, 40)
	press(m, "/", "n", "g", "i", "n", "X", "S", "backspace", "backspace", "x", "-")
	shows(t, m, "/nginx-", "match 1/4")
	if m.mode != modeFilter || len(m.stack.Sheets()) != 1 {
		t.Fatalf("letters act: mode %v, %d pages", m.mode, len(m.stack.Sheets()))
	}
	press(m, "enter")
	first := m.sheet().Selected()
	press(m, "n", "n")
	shows(t, m, "match 3/4")
	if m.sheet().Selected() == first {
		t.Errorf("n leaves the cursor on %q", first)
	}
	third := m.sheet().Selected()
	press(m, "/", "z", "z", "backspace", "backspace", "n", "g", "i", "esc")
	shows(t, m, "match 3/4")
	if got := m.sheet().Selected(); got != third {
		t.Errorf("a cancelled search leaves the cursor on %q, not on %q", got, third)
	}
	if m.sheet().Filter() != "nginx-" {
		t.Errorf("a cancelled search leaves %q", m.sheet().Filter())
	}
	told(m, press(m, ":", "s", "e", "a", "r", "c", "h", " ", "x", "x", "enter"))
	shows(t, m, "match 0/0")
	if press(m, "esc"); m.sheet() == nil || m.sheet().Filter() != "" {
		t.Error("esc leaves the page, or the search")
	}
	if press(m, "esc"); m.sheet() != nil {
		t.Error("esc does not leave the page")
	}
}

func TestWritesFromAPageAimAtItsRun(t *testing.T) {
	m, _ := openPage(t, 120, 40)
	press(m, "j")
	if got := m.target(); got != m.run.ID() {
		t.Errorf("keys aim at %v", got.Title())
	}
	press(m, "k")
	if got := m.target(); got != id("", "nginx-r12") {
		t.Errorf("on the row of another run keys aim at %v", got.Title())
	}
	press(m, "j", "S")
	if m.mode != modeDialog {
		t.Fatal("S asks nothing")
	}
	press(m, "esc")
	if m.sheet() == nil {
		t.Error("the dialog does not lead back to the page")
	}
}

func TestPagesNeedSomethingToBeAbout(t *testing.T) {
	m, _ := start(t, 100, 30, sample())
	press(m, "enter", "c")
	shows(t, m, "elect a cluster")
	if m.sheet() != nil {
		t.Error("a page about nothing is open")
	}
}

func TestPagesFitEveryTerminal(t *testing.T) {
	inOneGoroutine(t)
	m, _ := openPage(t, 120, 40)
	for h := 0; h <= 60; h += 1 + h/12 {
		for w := 0; w <= 220; w += 1 + w/14 {
			m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			press(m, "ctrl+d")
			checkSize(t, m, w, h)
			press(m, "g")
			checkSize(t, m, w, h)
		}
	}
}

func TestMarksOfTheListDoNotReachIntoPages(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	f.reply = samplePage
	press(m, "space", "space")
	told(m, press(m, "a"))
	want := m.target()
	press(m, "S")
	if m.mode == modeDialog && (len(m.dialog.Status().Targets) > 0 || m.dialog.Status().Run != want) {
		t.Errorf("S on a page aims at %d marked runs, %v", len(m.dialog.Status().Targets), m.dialog.Status().Run.Title())
	}
	for _, id := range m.runs.Marked() {
		if id == want {
			t.Fatal("the test shows nothing: the page is about a marked run")
		}
	}
}
