package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// dryRun is one question to the hub whether it would take an intent.
type dryRun struct {
	question page.DryRunQuestion
	answered bool
	answer   page.Answer
	// owed is set when what is asked about has changed and was not asked yet.
	owed bool
}

func (c *dryRun) failed() bool { return c.answered && !c.answer.Err.IsZero() }

// rehearse asks the hub, in the background, whether it would take the intent of
// the dialog: the right to do it and a server dry run.
func (d *Dialog) check() tea.Cmd {
	i := d.intent
	q := page.DryRunQuestion{Intent: &i}
	d.checks = dryRun{question: q}
	n, ctx, hub := d.number, d.ctx, d.hub
	return func() tea.Msg { return CheckedMsg{Dialog: n, Answer: hub.Ask(ctx, q)} }
}

// checkChoice asks again after something was chosen, once the field is left.
func (d *Dialog) checkChoice() tea.Cmd {
	if len(d.targets) > 0 || !d.checks.owed || d.refusal.Refused() {
		return nil
	}
	return tea.Batch(d.askOffers(), d.check())
}

// onChecked takes the answer, if it is about what is on the screen.
func (d *Dialog) onChecked(r CheckedMsg) {
	if d.number != r.Dialog {
		return
	}
	if c := &d.checks; len(d.targets) == 0 && c.question == r.Answer.Question {
		c.answered, c.answer = true, r.Answer
	}
	for i := range d.targets {
		c := &d.targets[i].check
		if c.question != r.Answer.Question || d.step != StepAsk {
			continue
		}
		c.answered, c.answer = true, r.Answer
		was := d.intent.Confirm
		if d.summarize(); was != d.intent.Confirm {
			d.changed = true
			d.word.Set("")
		}
	}
}

// checks lists the checks that did not pass, or that they are not answered yet.
func (b *body) checks(c *dryRun) {
	if !c.answered {
		b.add(theme.Sub, "checks", engine.Clean(b.d.scene.Busy("server dry run in progress")), 1)
		return
	}
	head := "checks"
	for _, x := range c.answer.Checks {
		k, mark := theme.Bad, "!"
		switch x.State {
		case engine.CheckPassed:
			continue
		case engine.CheckUnknown:
			k, mark = theme.Wait, "?"
		case engine.CheckWarning:
			k = theme.Wait
		case engine.CheckFailed:
		}
		b.add(k, head, engine.Textf("%s %s", engine.Clean(mark), x.What), whole)
		head = ""
	}
}

// passed lists the checks that passed.
func (b *body) passed(c *dryRun) {
	var all []engine.Text
	for _, x := range c.answer.Checks {
		if x.State == engine.CheckPassed {
			all = append(all, x.What)
		}
	}
	if c.answered && len(all) > 0 {
		b.add(theme.Done, "passed", engine.Textf("+ %s", engine.Join(all, "; ")), whole)
	}
}

// folded is the line that stands for the kubectl command and the checks that passed.
func (b *body) folded() {
	d := b.d
	var parts []engine.Text
	n := 0
	for _, x := range d.checks.answer.Checks {
		if d.checks.answered && x.State == engine.CheckPassed {
			n++
		}
	}
	if n > 0 {
		parts = append(parts, engine.Textf("%s passed", engine.Count(n, "check")))
	}
	if _, n := d.commands(); n > 0 {
		parts = append(parts, engine.Textf("{dialog-copy}: %s", engine.Count(n, "kubectl command")))
	} else if !d.intent.Kubectl.IsZero() {
		parts = append(parts, engine.Lit("{dialog-copy}: kubectl command"))
	}
	b.add(theme.Sub, "more", engine.Join(parts, ", "), 1)
}
