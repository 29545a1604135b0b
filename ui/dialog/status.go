package dialog

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
)

// Status is a dialog as values: what it is about, how far it has come, what was typed
// and what it waits for. The tests of the whole screen read it.
type Status struct {
	Number, Key, Change int // of the dialog, its last key, its last choice
	Step                Step
	Act                 engine.Act
	Run                 engine.ID
	Intent              act.Intent
	Blocked             engine.Refusal
	Focus               Control
	Word, Note          string
	Armed, Ready        bool
	Top, Unread         int
	Choice              act.Choice
	Check               Asked[page.DryRunQuestion]
	Offers              Asked[page.ChoicesQuestion]   // of a clone
	Diff                Asked[page.SnapshotsQuestion] // of the list of its snapshots
	Picking             bool
	Targets             []TargetStatus
}

// Asked is a question and whether it is answered.
type Asked[Q page.Question] struct {
	Question Q
	Answered bool
	Owed     bool // it has to be asked again
}

// TargetStatus is one of several targets.
type TargetStatus struct {
	Run   engine.ID
	Check Asked[page.DryRunQuestion]
	Done  bool
}

func (c *dryRun) status() Asked[page.DryRunQuestion] {
	return Asked[page.DryRunQuestion]{c.question, c.answered, c.owed}
}

// Status returns the dialog as values.
func (d *Dialog) Status() Status {
	s := Status{
		Number: d.number, Key: d.keys, Change: d.due, Step: d.step, Act: d.act, Run: d.run, Intent: d.intent, Blocked: d.blocked(), Focus: d.focus,
		Word: d.word.Value(), Note: d.note.Value(), Armed: d.armed, Ready: d.ready(), Top: d.top, Unread: d.unread, Choice: d.choice,
		Check: d.checks.status(), Offers: Asked[page.ChoicesQuestion]{Question: d.offers.question, Answered: d.offers.answered}, Picking: d.pick != nil,
	}
	if d.pick != nil {
		s.Diff = Asked[page.SnapshotsQuestion]{Question: d.pick.diff, Answered: d.pick.answered}
	}
	for i := range d.targets {
		t := &d.targets[i]
		s.Targets = append(s.Targets, TargetStatus{t.Run, t.check.status(), t.done})
	}
	return s
}
