package ui

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/selection"
)

// later gives the messages of commands that are about a selection, also those that follow from
// them.
func later(m *Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	done := make(chan tea.Msg, 1)
	go func() { done <- cmd() }()
	select {
	case msg := <-done:
		switch msg := msg.(type) {
		case tea.BatchMsg:
			for _, c := range msg {
				later(m, c)
			}
		case selection.Msg:
			_, next := m.Update(msg)
			later(m, next)
		}
	case <-time.After(time.Second):
	}
}

// selecting answers which runs a selector selects as an API server does: the ones whose names
// begin with the value of the label app, on all hubs but one that has failed.
func selecting(m *Model, asked *[]enginepage.SelectQuestion, failed string) func(enginepage.Question) enginepage.Answer {
	return func(q enginepage.Question) enginepage.Answer {
		x, ok := q.(enginepage.SelectQuestion)
		if !ok {
			return samplePage(q)
		}
		*asked = append(*asked, x)
		app, valid := strings.CutPrefix(x.Labels.String(), "app=")
		switch {
		case !valid:
			return enginepage.Answer{Question: q, Err: engine.Textf("invalid label selector %q", x.Labels)}
		case failed != "" && x.Hub.Hub().Raw() == failed:
			return enginepage.Answer{Question: q, Err: engine.Lit("connection refused")}
		}
		a := enginepage.Answer{Question: q, Selected: map[engine.ID]bool{}}
		for _, v := range m.scene.Of(x.Hub).Runs {
			if strings.HasPrefix(v.ID.RawName(), app) {
				a.Selected[v.ID] = true
			}
		}
		return a
	}
}

// TestLabelSelector checks that the API server evaluates -l of the filter: once typing has
// paused, and again when the runs have changed.
func TestLabelSelector(t *testing.T) { synctest.Test(t, labelSelector) }

func labelSelector(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {160, 50}} {
		m, f := start(t, size[0], size[1], sample())
		var asked []enginepage.SelectQuestion
		f.reply = selecting(m, &asked, "")
		press(m, "/")
		var cmds []tea.Cmd
		for _, k := range strings.Split("-l app=cert", "") {
			cmds = append(cmds, press(m, k))
		}
		_, ticked := m.Update(tickedMsg{now: t0})
		if later(m, ticked); len(asked) > 0 {
			t.Fatalf("asked while typing: %v", asked)
		}
		later(m, tea.Batch(cmds...))
		if len(asked) != 1 || asked[0].Labels.String() != "app=cert" {
			t.Fatalf("asked %v, want once, for the selector that was typed", asked)
		}
		shows(t, m, "/-l app=cert", "-l is evaluated by the API server")
		press(m, "enter")
		shows(t, m, "filter -l app=cert", "by the API server", "cert-mgr-r9")
		if got := m.runs.Current(); got == nil || got.ID.RawName() != "cert-mgr-r9" {
			t.Errorf("%v is listed", got)
		}
		if at, of := m.runs.At(); at != 0 || of != 1 {
			t.Errorf("run %d of %d, want one", at, of)
		}
		// Nothing has changed: nothing is asked.
		next := *m.scene.Snap
		_, cmd := m.Update(nextMsg{snap: &next})
		later(m, cmd)
		if len(asked) != 1 {
			t.Errorf("asked %d times for the same runs", len(asked))
		}
		// A run has changed: the API server is asked again, but not at once.
		changed := next
		changed.Runs = append([]*engine.RunView(nil), next.Runs...)
		other := *find(&next, "example-run")
		for i, v := range changed.Runs {
			if v.ID == other.ID {
				changed.Runs[i] = &other
			}
		}
		_, cmd = m.Update(nextMsg{snap: &changed})
		later(m, cmd)
		if len(asked) != 1 {
			t.Errorf("asked %d times within a moment", len(asked))
		}
		_, cmd = m.Update(tickedMsg{now: t0.Add(3 * time.Second)})
		later(m, cmd)
		if len(asked) != 2 {
			t.Errorf("asked %d times after a change", len(asked))
		}
		// A new run is asked about at once: it would be hidden for two seconds.
		made := *m.scene.Snap
		fresh := other
		fresh.ID = id("", "cert-mgr-r10")
		made.Runs = append([]*engine.RunView{&fresh}, made.Runs...)
		_, cmd = m.Update(nextMsg{snap: &made})
		later(m, cmd)
		if len(asked) != 3 {
			t.Errorf("asked %d times after a new run", len(asked))
		}
		shows(t, m, "cert-mgr-r10")
		_, cmd = m.Update(nextMsg{snap: &changed})
		later(m, cmd)
		if len(asked) != 3 {
			t.Errorf("asked %d times after a run was deleted", len(asked))
		}
		press(m, "esc")
		if _, of := m.runs.At(); of != len(sample().Runs) {
			t.Errorf("%d runs without a filter", of)
		}
	}
}

// TestLabelSelectorThatIsInvalid checks that the error of the parser stands in the filter line
// with the key that was typed, and after it, that no hub is asked, and no run hidden.
func TestLabelSelectorThatIsInvalid(t *testing.T) { synctest.Test(t, labelSelectorThatIsInvalid) }

func labelSelectorThatIsInvalid(t *testing.T) {
	for typed, want := range map[string]string{
		"-l":         "-l needs a label selector such as app=web",
		"-l ":        "-l needs a label selector such as app=web",
		"-l =x":      "-l: found '=', expected: !, identifier, or 'end of string'",
		"-l a in (":  "-l: found '', expected: ',', ')' or identifier",
		"-l 'a in (": "-l: found '', expected: ',', ')' or identifier",
		"-l a=b,":    "-l: found '', expected: identifier after ','",
	} {
		m, f := start(t, 120, 36, sample())
		var asked []enginepage.SelectQuestion
		f.reply = selecting(m, &asked, "")
		press(m, "/")
		shows(t, m, "-l app=web")
		var last tea.Cmd
		for _, k := range strings.Split(typed, "") {
			last = press(m, k)
		}
		if line := regexp.MustCompile(`(?m)^ /` + regexp.QuoteMeta(typed) + `.? +` + regexp.QuoteMeta(want)); !line.MatchString(drawn(m)) {
			t.Errorf("%q: the filter line has no error:\n%s", typed, drawn(m))
		}
		later(m, last)
		press(m, "enter")
		shows(t, m, "filter "+strings.TrimSpace(typed), want)
		if _, of := m.runs.At(); of != len(sample().Runs) || len(asked) > 0 {
			t.Errorf("%q: %d runs are listed, want all; asked %v", typed, of, asked)
		}
	}
	m, _ := start(t, 120, 36, sample())
	press(m, "enter", "/")
	press(m, strings.Split("-l app=x", "")...)
	shows(t, m, "-l selects runs, in the list of runs")
}

// TestLabelSelectorOfSeveralHubs checks that each hub evaluates the selector, and that one that
// fails is named and hides nothing.
func TestLabelSelectorOfSeveralHubs(t *testing.T) { synctest.Test(t, labelSelectorOfSeveralHubs) }

func labelSelectorOfSeveralHubs(t *testing.T) {
	m, f := start(t, 160, 50, onTwoHubs())
	var asked []enginepage.SelectQuestion
	f.reply = selecting(m, &asked, "hub-prod-eus")
	press(m, "/")
	var cmds []tea.Cmd
	for _, k := range strings.Split("-l app=cert", "") {
		cmds = append(cmds, press(m, k))
	}
	later(m, tea.Batch(cmds...))
	if len(asked) != 2 || asked[0].Hub.Hub() == asked[1].Hub.Hub() {
		t.Fatalf("asked %v", asked)
	}
	press(m, "enter")
	shows(t, m, "-l not evaluated: hub-prod-eus: connection refused")
	if _, of := m.runs.At(); of != len(sample().Runs)+1 {
		t.Errorf("%d runs are listed, want one of weu and all of eus", of)
	}
}

// TestLabelSelectorWithoutRuns checks that a hub that lists no run is not waited for.
func TestLabelSelectorWithoutRuns(t *testing.T) { synctest.Test(t, labelSelectorWithoutRuns) }

func labelSelectorWithoutRuns(t *testing.T) {
	s := onTwoHubs()
	closed := *s.Hubs[1]
	closed.Runs, closed.Complete, closed.Link.State = nil, false, engine.LinkRefused
	s.Hubs[1], s.Runs = &closed, s.Hubs[0].Runs
	m, f := start(t, 160, 50, s)
	var asked []enginepage.SelectQuestion
	f.reply = selecting(m, &asked, "")
	m.runs.SetFilter("-l app=cert")
	_, cmd := m.Update(tickedMsg{now: t0})
	later(m, cmd)
	shows(t, m, "-l by the API server")
}
