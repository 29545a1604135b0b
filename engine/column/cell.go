package column

import (
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Script returns a word of the screen in the form that scripts and filters have: lower
// case, with "-".
func Script(word string) string { return strings.ReplaceAll(strings.ToLower(word), " ", "-") }

// Title names a row: the run, or in brackets the placement that no run names.
func Title(v *engine.RunView) engine.Text {
	switch {
	case v.Word != engine.WordNoRun:
		return v.ID.Title()
	case v.Placement.IsZero():
		return engine.Textf("(%s)", v.ID.Title())
	}
	return engine.Textf("(%s)", v.Placement.Title())
}

// State is the state word with the mark beside it.
func State(v *engine.RunView) engine.Text {
	word := engine.Clean(v.Word.String())
	if b := v.Beside(); !b.IsZero() {
		return engine.Textf("%s %s", word, b)
	}
	return word
}

// StateAt is State with the time that is left of a wait.
func StateAt(v *engine.RunView, now time.Time) engine.Text {
	if v.Word == engine.WordWaiting && !v.Until.IsZero() && !v.Late {
		return engine.Textf("%s %s", v.Word, engine.Age(v.Until.Sub(now)))
	}
	return State(v)
}

// placement leaves out the namespace, which is the run's.
func placement(v *engine.RunView, _ time.Time) engine.Text { return v.Placement.Name() }

// snapshot is the one that a run uses, or that it asks for before the controller has
// chosen it.
func snapshot(v *engine.RunView, _ time.Time) engine.Text {
	if v.Index.IsZero() {
		return v.IndexAsked
	}
	return v.Index
}

// current is the name of the stage that updates or waits.
func current(v *engine.RunView) engine.Text {
	if s := v.Current(); s != nil {
		return s.Name
	}
	return engine.Text{}
}

// stage is the stage that updates or waits, with its place among the stages.
func stage(v *engine.RunView, _ time.Time) engine.Text { return Stage(v) }

// Stage is the stage that updates or waits, with its place among the stages; empty where
// that is not known.
func Stage(v *engine.RunView) engine.Text {
	s := v.Current()
	switch {
	case s == nil || v.Partial:
		return engine.Text{}
	case s.Deletion:
		return engine.Lit("deletion")
	}
	n := 0
	for i := range v.Stages {
		if !v.Stages[i].Deletion {
			n++
		}
	}
	return engine.Textf("%d/%d %s", v.At+1, n, s.Name)
}

// Done is how many clusters are done, as 4/12; the clusters alone where no run updates
// them; empty where that is not known.
func Done(v *engine.RunView) engine.Text {
	switch {
	case v.Partial || v.Total == 0 && len(v.Stages) == 0:
		return engine.Text{}
	case v.Word == engine.WordNoRun:
		return engine.Textf("%d", v.Total)
	}
	return engine.Textf("%d/%d", v.Done, v.Total)
}

// InState is how long the run has been in its state; empty where that is not known.
func InState(v *engine.RunView, now time.Time) engine.Text {
	if v.Since.IsZero() {
		return engine.Text{}
	}
	return engine.Age(now.Sub(v.Since))
}

// Age is how long the run has existed; empty where that is not known.
func Age(v *engine.RunView, now time.Time) engine.Text {
	if v.Created.IsZero() {
		return engine.Text{}
	}
	return engine.Age(now.Sub(v.Created))
}

// Cause is the cause of a run's state in a few words: the beginning of WHY for one that
// is not in the catalogue, nothing where nothing is wrong.
func Cause(v *engine.RunView) engine.Text {
	switch {
	case v.Why.Recovery == engine.RecoveryNotNeeded:
		return engine.Text{}
	case v.Why.Short.IsZero():
		return v.Why.What
	}
	return v.Why.Short
}

// CausePlace returns the stage or the cluster whose name Cause ends in; zero for none.
func CausePlace(v *engine.RunView) engine.Text {
	for _, hop := range v.Why.Path {
		isPlace := hop.Level == engine.Lit("stage") || hop.Level == engine.Lit("cluster")
		if isPlace && strings.HasSuffix(Cause(v).String(), " "+hop.Name.String()) {
			return hop.Name
		}
	}
	return engine.Text{}
}
