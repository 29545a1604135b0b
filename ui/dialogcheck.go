package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// rehearsal is one question to the hub whether it would take an intent.
type rehearsal struct {
	question enginepage.Question
	answered bool
	answer   enginepage.Answer
	// owed is set when what is asked about has changed and was not asked yet.
	owed bool
}

func (c *rehearsal) refused() bool { return c.answered && !c.answer.Err.IsZero() }

// rehearse asks the hub, in the background, whether it would take the intent of
// the dialog: the right to do it and a server dry run.
func (m *Model) rehearse() tea.Cmd {
	d := &m.dialog
	i := d.intent
	q := enginepage.Question{Kind: enginepage.QuestionRehearse, About: i.Target, Intent: &i}
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
				d.changed = true
				d.word.Set("")
			}
		}
	}
}

// checks lists the checks that did not pass, or that they are not answered yet.
func (b *dialogBody) checks(c *rehearsal) {
	th := b.m.scene.Theme
	if !c.answered {
		b.add(theme.Sub, "checks", engine.Textf("server dry run in progress%s", engine.Clean(th.Glyph.Ellipsis)), 1)
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
		b.add(k, head, engine.Textf("%s %s", engine.Clean(mark), x.What), dialogWhole)
		head = ""
	}
}

// passed lists the checks that passed.
func (b *dialogBody) passed(c *rehearsal) {
	var all []engine.Text
	for _, x := range c.answer.Checks {
		if x.State == engine.CheckPassed {
			all = append(all, x.What)
		}
	}
	if c.answered && len(all) > 0 {
		b.add(theme.Done, "passed", engine.Textf("+ %s", engine.Join(all, "; ")), dialogWhole)
	}
}

// folded is the line that stands for the server, the kubectl command and the
// checks that passed.
func (b *dialogBody) folded() {
	d := &b.m.dialog
	var parts []engine.Text
	n := 0
	for _, x := range d.check.answer.Checks {
		if d.check.answered && x.State == engine.CheckPassed {
			n++
		}
	}
	if n > 0 {
		parts = append(parts, engine.Textf("%s passed", engine.Count(n, "check")))
	}
	if _, n := d.twins(); n > 0 {
		parts = append(parts, engine.Textf("ctrl-y: %s", engine.Count(n, "kubectl command")))
	} else if !d.intent.Twin.IsZero() {
		parts = append(parts, engine.Lit("ctrl-y: kubectl command"))
	}
	th := b.m.scene.Theme
	r := cell.NewRow(th, b.w, theme.Plain).Put(theme.Sub, "more").To(dialogLabel).Put(theme.Sub, cell.Cut(th, cell.Text(th, engine.Join(parts, ", ")), b.w-dialogLabel))
	if server := cell.Text(th, b.m.scene.Snap.Hub.Server); server != "" && b.w-r.At() > 14 {
		r.Put(theme.Sub, ", "+cell.CutMiddle(th, shortServer(server), b.w-r.At()-2))
	}
	b.row(r)
}
