// Package latest is what happened last to runs, as their stages and gates show it, a line
// for each event.
package latest

import (
	"slices"
	"sort"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Moment is something that happened to a run.
type Moment struct {
	At    time.Time
	Style theme.Style
	What  string
	// Run names the run in a list of those of several runs.
	Run string
}

// Of returns the moments of a run and those of more, in order. A moment without a time is left
// out.
func Of(th *theme.Theme, v *engine.RunView, more ...Moment) []Moment {
	var out []Moment
	add := func(at time.Time, k theme.Style, s string) { out = append(out, Moment{At: at, Style: k, What: s}) }
	if v.Word != engine.WordNoRun {
		add(v.Created, theme.Text, "created")
	}
	for i := range v.Stages {
		s := &v.Stages[i]
		name := cell.Text(th, s.Name)
		if s.Deletion {
			name = "deletion"
		}
		if s.Total == 0 {
			continue
		}
		add(s.Started, theme.Text, name+" started")
		if s.State == engine.StageDone {
			add(s.Ended, theme.Done, name+" done")
		}
		for g := range s.Gates() {
			if k, what := ofGate(g); what != "" {
				add(g.Since, k, what)
			}
		}
	}
	out = append(out, more...)
	switch v.Word {
	case engine.WordStuck:
		add(v.Since, theme.Bad|theme.Bold, "stuck")
	case engine.WordStopped:
		add(v.Since, theme.Text, "stopped")
	case engine.WordDone:
		add(v.Ended, theme.Done|theme.Bold, "done")
	case engine.WordInitFailed:
		add(v.Since, theme.Bad|theme.Bold, "initialization failed")
	case engine.WordFailed, engine.WordPreempted:
		add(v.Ended, theme.Bad|theme.Bold, "failed")
	}
	out = slices.DeleteFunc(out, func(m Moment) bool { return m.At.IsZero() })
	Sort(out)
	return out
}

// Sort brings moments into the order in which they happened.
func Sort(all []Moment) {
	sort.SliceStable(all, func(i, j int) bool { return all[i].At.Compare(all[j].At) < 0 })
}

// ofGate says what began for a gate when its state did.
func ofGate(g *engine.GateView) (theme.Style, string) {
	switch {
	case g.Timed && g.State == engine.GateRunning:
		return theme.Wait, "wait started"
	case g.Timed && g.State == engine.GatePassed:
		return theme.Text, "wait ended"
	case g.Timed:
	case g.State == engine.GateOpen:
		return theme.Ask, "approval requested"
	case g.State == engine.GateNotAccepted:
		return theme.Bad, "not accepted"
	case g.State == engine.GatePassed, g.State == engine.GateSent:
		return theme.Text, "approved"
	}
	return 0, ""
}

// Head is the height of the heading, with a blank above.
const Head = 2

// Lines writes the last moments into at most n lines of w cells, the heading included; none
// where there is no room for one.
func Lines(th *theme.Theme, all []Moment, now time.Time, w, n int) []string {
	if n <= Head || len(all) == 0 {
		return nil
	}
	all = all[max(0, len(all)-(n-Head)):]
	run, when := 0, 0
	for i := range all {
		run = max(run, cell.Width(all[i].Run))
		when = max(when, cell.Width(engine.Time(all[i].At, now).String()))
	}
	run = min(run, w/2)
	out := []string{"", Heading(th, "LATEST", w)}
	for i := range all {
		m := &all[i]
		r := cell.NewRow(th, w, theme.Plain).To(1).Col(theme.Sub, engine.Time(m.At, now).String(), when).Gap(2)
		if run > 0 {
			r.Col(theme.Text, cell.CutTitle(th, m.Run, run), run).Gap(2)
		}
		out = append(out, r.Put(m.Style, m.What).String())
	}
	return out
}

// Heading is the heading of a part of a pane.
func Heading(th *theme.Theme, s string, w int) string {
	return cell.NewRow(th, w, theme.Plain).To(1).Put(theme.Faint, s).String()
}
