package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
)

// rehearsal is one question to the hub whether it would take an intent.
type rehearsal struct {
	question engine.Question
	answered bool
	answer   engine.Answer
	// owed is set when what is asked about has changed and was not asked yet.
	owed bool
}

func (c *rehearsal) refused() bool { return c.answered && !c.answer.Err.IsZero() }

// rehearse asks the hub, in the background, whether it would take the intent of
// the dialog: the right to do it and a server dry run.
func (m *Model) rehearse() tea.Cmd {
	d := &m.dialog
	i := d.intent
	q := engine.Question{Kind: engine.QuestionRehearse, About: i.Target, Intent: &i}
	d.check = rehearsal{question: q}
	n, ctx, src := d.n, m.ctx, m.src
	return func() tea.Msg { return rehearsedMsg{dialog: n, answer: src.Ask(ctx, q)} }
}

// rehearseChoice asks again after something was chosen, once the field is left.
func (m *Model) rehearseChoice() tea.Cmd {
	d := &m.dialog
	if len(d.targets) > 0 || !d.check.owed || d.refusal.Refused() {
		return nil
	}
	return tea.Batch(m.askChoices(), m.rehearse())
}

// onRehearsed takes the answer, if it is about what is on the screen.
func (m *Model) onRehearsed(r rehearsedMsg) {
	d := &m.dialog
	if d.n != r.dialog {
		return
	}
	if c := &d.check; len(d.targets) == 0 && c.question == r.answer.Question {
		c.answered, c.answer = true, r.answer
	}
	for i := range d.targets {
		c := &d.targets[i].check
		if c.question != r.answer.Question || d.step != stepAsk {
			continue
		}
		c.answered, c.answer = true, r.answer
		if was := d.intent.Confirm; c.refused() {
			if d.summarize(); was != d.intent.Confirm {
				d.changed, d.word = true, ""
			}
		}
	}
}

// passedTogether is how many checks that passed share a paragraph: the right,
// the dry run and, of a clone, that it is possible.
const passedTogether = 3

// checks says what was looked at just now.
func (b *dialogBody) checks(c *rehearsal) {
	th := b.m.look.th
	if !c.answered {
		b.add(1, inkSub, "checks", engine.Textf("asking the hub%s", engine.Clean(th.glyph.ellipsis)), 1)
		return
	}
	// What speaks against it comes first and goes last.
	label, rank := "checks", 1
	var passed []engine.Text
	for _, x := range c.answer.Checks {
		k, mark := inkBad, "!"
		switch x.State {
		case engine.CheckPassed:
			passed = append(passed, x.What)
			continue
		case engine.CheckUnknown:
			k, mark = inkWait, "?"
		case engine.CheckWarning:
			k = inkWait
		case engine.CheckFailed:
		}
		b.add(1, k, label, engine.Textf("%s %s", engine.Clean(mark), x.What), 2)
		label, rank = "", 2
	}
	if len(passed) > 0 {
		n := min(len(passed), passedTogether)
		b.addWhole(rank, inkDone, label, engine.Textf("+ %s", engine.Join(passed[:n], "; ")), 3)
		for _, x := range passed[n:] {
			b.addWhole(2, inkDone, "", engine.Textf("+ %s", x), 3)
		}
	}
}
