// Package label is how components name a run and its figures: its title, its state
// with what belongs to it, its stage, its counts.
package label

import (
	"strconv"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Title names a row: the run, or in brackets the placement that no run names.
func Title(v *engine.RunView) engine.Text {
	if v.Word == engine.WordNoRun {
		return engine.Textf("(%s)", v.Placement.Title())
	}
	return v.ID.Title()
}

// Done is how many clusters are done, as "4/12"; empty while that is unknown.
func Done(v *engine.RunView) string {
	if v.Partial || (v.Total == 0 && len(v.Stages) == 0) {
		return ""
	}
	return strconv.Itoa(v.Done) + "/" + strconv.Itoa(v.Total)
}

// Snapshot is the one that a run rolls out, or that it asks for before the
// controller has chosen it.
func Snapshot(v *engine.RunView) engine.Text {
	if v.Index.IsZero() {
		return v.IndexAsked
	}
	return v.Index
}

// Stage is the stage that acts or waits, with its place among the stages.
func Stage(th *theme.Theme, v *engine.RunView) string {
	s := v.Current()
	if s == nil {
		return ""
	}
	if s.Deletion {
		return "deletion"
	}
	n := 0
	for i := range v.Stages {
		if !v.Stages[i].Deletion {
			n++
		}
	}
	return strconv.Itoa(v.At+1) + "/" + strconv.Itoa(n) + " " + cell.Text(th, s.Name)
}

// State is the state with what belongs to it: the time left of a wait, the mark of a
// slow run. now is by the hub's clock.
func State(v *engine.RunView, now time.Time) string {
	if v.Word == engine.WordWaiting && !v.Until.IsZero() {
		return v.Word.String() + " " + engine.Age(v.Until.Sub(now)).String()
	}
	if b := v.Beside(); !b.IsZero() {
		return v.Word.String() + " " + b.String()
	}
	return v.Word.String()
}

// StateStyle is the style of the state; a slow run needs a look.
func StateStyle(v *engine.RunView) theme.Style {
	if v.Late || v.Slow && v.Word == engine.WordRunning {
		return theme.Wait
	}
	return theme.OfWord(v.Word)
}

// Plural is a count of things, "1 run" or "2 runs".
func Plural(n int, s string) string {
	if n == 1 {
		return "1 " + s
	}
	return strconv.Itoa(n) + " " + s + "s"
}

// Need is one entry of "needs attention": 2 approvals, 1 stuck, 1 waiting late.
func Need(n engine.Need) string {
	w := strings.ToLower(n.Word.String())
	if n.Word == engine.WordApproval {
		return Plural(n.Count, w)
	}
	if n.Late {
		w += " late"
	}
	return strconv.Itoa(n.Count) + " " + w
}

// Age is how long a run is in its state; empty while that is unknown.
func Age(v *engine.RunView, now time.Time) string {
	if v.Since.IsZero() {
		return ""
	}
	return engine.Age(now.Sub(v.Since)).String()
}

// Server is the address of an API server without what all of them have.
func Server(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
	return strings.TrimSuffix(strings.TrimSuffix(s, "/"), ":443")
}
