package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// mostTargets is how many marked runs one dialog takes. All of them have to be
// scrolled through before the act can be confirmed.
const mostTargets = 40

// markOf stands before the word of a marked row.
const markOf = "*"

// markOn is the mark of a row: one that an act is to take goes before one that
// is only waited for.
func (m *Model) markOn(id engine.ID) string {
	switch {
	case m.runs.marks[id]:
		return markOf
	case m.awaits.runs[id]:
		return awaitMark
	}
	return ""
}

// mark marks the row under the cursor, or takes its mark away, and goes on to
// the next.
func (m *Model) mark() {
	v := m.runs.current()
	if v == nil || v.Word == engine.WordNoRun {
		return
	}
	marks := make(map[engine.ID]bool, len(m.runs.marks)+1)
	for id := range m.runs.marks {
		marks[id] = true
	}
	if marks[v.ID] {
		delete(marks, v.ID)
	} else {
		marks[v.ID] = true
	}
	m.runs.marks = marks
	m.runs.list.By(1)
	if n := len(marks); n > 0 {
		m.scene.Say(theme.Text, engine.Textf("%s marked: A, R, S and X act on them; esc clears the marks.", engine.Clean(label.Plural(n, "run"))))
	}
}

// marked lists the marked runs that still exist, in the order of the list.
func (m *Model) marked() []engine.ID {
	var out []engine.ID
	for _, v := range m.scene.Snap.Runs {
		if m.runs.marks[v.ID] {
			out = append(out, v.ID)
		}
	}
	return out
}

// bulk is the part of a dialog that is about several runs: one target each, sent
// one after the other. It is empty in other dialogs.
type bulk struct {
	targets []target
	at      int // the one that is being sent
}

// target is one of several runs that a dialog is about.
type target struct {
	run engine.ID
	// only is the approval request that it is about; zero where any that the
	// run waits for is meant.
	only   engine.ID
	intent act.Intent
	no     engine.Refusal // why the guard does not let it be sent
	check  rehearsal
	// done is set once its outcome is known.
	done    bool
	outcome act.Outcome
}

// sendable reports whether it is part of what is confirmed.
func (t *target) sendable() bool { return !t.no.Refused() && !t.check.refused() }

// openMarked asks for one act on each of the marked runs.
func (m *Model) openMarked(a engine.Act, ids []engine.ID) tea.Cmd {
	if a == engine.ActClone {
		m.scene.Say(theme.Wait, engine.Lit("Cannot clone more than one run; esc clears the marks."))
		return nil
	}
	targets := make([]target, len(ids))
	for i, id := range ids {
		targets[i].run = id
	}
	return m.openTargets(a, targets)
}

// openTargets asks in one dialog for one act on each of several targets.
func (m *Model) openTargets(a engine.Act, targets []target) tea.Cmd {
	if len(targets) > mostTargets {
		m.scene.Say(theme.Wait, engine.Textf("Cannot %s: %d are marked, the limit is %d.", engine.Clean(a.String()), len(targets), mostTargets))
		return nil
	}
	d := dialog{confirmation: confirmation{n: m.dialog.n + 1, act: a}}
	cmds := []tea.Cmd{nil}
	for _, t := range targets {
		t.intent, t.no = m.proposeTarget(a, &t)
		if !t.no.Refused() {
			i := t.intent
			q := enginepage.Question{Kind: enginepage.QuestionRehearse, About: i.Target, Intent: &i}
			t.check.question = q
			n, ctx, src := d.n, m.ctx, m.src
			cmds = append(cmds, func() tea.Msg { return rehearsedMsg{dialog: n, answer: src.Ask(ctx, q)} })
		}
		d.targets = append(d.targets, t)
	}
	d.summarize()
	if d.refusal.Refused() {
		m.refuse(a, d.refusal, nil)
		return nil
	}
	m.runs.list.Held = true
	m.mode, m.dialog = modeDialog, d
	cmds[0] = m.listenLater()
	return tea.Batch(cmds...)
}

// proposeTarget asks the guard about one of several targets.
func (m *Model) proposeTarget(a engine.Act, t *target) (act.Intent, engine.Refusal) {
	i, no := m.propose(m.scene.Snap, a, t.run, m.scene.HubNow())
	if !no.Refused() && !t.only.IsZero() && i.Target != t.only {
		return act.Intent{}, another(i)
	}
	return i, no
}

// summarize makes the words of the dialog from its targets.
func (d *dialog) summarize() {
	n := 0
	sum := act.Intent{Act: d.act}
	for i := range d.targets {
		t := &d.targets[i]
		if !t.sendable() {
			continue
		}
		n++
		sum.Irreversible = sum.Irreversible || t.intent.Irreversible
		sum.Undo = t.intent.Undo
		if t.intent.Protected {
			sum.Protected, sum.Confirm = true, t.intent.Confirm
		}
	}
	act := engine.Clean(d.act.String())
	if !sum.Protected {
		sum.Confirm = engine.Textf("%s %d", act, n)
	}
	what := engine.Lit("runs")
	if !d.targets[0].only.IsZero() {
		what = engine.Lit("approvals")
	}
	sum.Title = engine.Textf("%s %d of %d marked %s", engine.Capital(act), n, len(d.targets), what)
	d.intent, d.refusal = sum, engine.Refusal{}
	if n == 0 {
		d.refusal = engine.Refusal{Why: engine.Textf("this is not possible for any of the marked %s", what)}
		if first := d.targets[0]; first.no.Refused() {
			d.refusal.Hint = first.no.Why
		}
	}
}

// checked reports whether the hub has answered about everything that would be
// sent.
func (d *dialog) checked() bool {
	if len(d.targets) == 0 {
		return d.check.answered
	}
	for i := range d.targets {
		if t := &d.targets[i]; t.sendable() && !t.check.answered {
			return false
		}
	}
	return true
}

// recheckMarked asks the guard again about each target. A target that is no
// longer possible stays in the list and is not sent; when what would be sent
// changes, it has to be read and confirmed anew.
func (m *Model) recheckMarked() tea.Cmd {
	d := &m.dialog
	was, changed := d.intent, false
	for i := range d.targets {
		t := &d.targets[i]
		if t.no.Refused() {
			continue // what was refused once stays out of this dialog
		}
		intent, no := m.proposeTarget(d.act, t)
		if !no.Refused() && (intent.Target != t.intent.Target || intent.Object != t.intent.Object) {
			no = engine.Refusal{Why: engine.Lit("it was deleted and created again")}
		}
		changed = changed || no.Refused() || intent.Irreversible && !sameWords(t.intent, intent)
		if t.no = no; !no.Refused() {
			t.intent = intent
		}
	}
	d.summarize()
	if !changed && was.Confirm == d.intent.Confirm {
		return nil
	}
	d.changed, d.focus = true, fieldCancel
	d.word.Set("")
	d.restart()
	return m.listenLater()
}

// sendNext sends the next target, one after the other; the guard is asked once
// more before each.
func (m *Model) sendNext() tea.Cmd {
	d := &m.dialog
	for d.at = range d.targets {
		t := &d.targets[d.at]
		if t.done || !t.sendable() {
			continue
		}
		intent, no := m.proposeTarget(d.act, t)
		if !no.Refused() && (intent.Target != t.intent.Target || intent.Object != t.intent.Object || intent.Irreversible && !sameWords(t.intent, intent)) {
			no.Why = engine.Lit("it changed after it was confirmed; nothing was sent")
		}
		if no.Refused() {
			t.done = true
			t.outcome = act.Outcome{Intent: t.intent, Result: act.ResultRefused, What: no.Why, Hint: no.Hint, At: m.scene.HubNow()}
			continue
		}
		n, ctx, src, i := d.n, m.ctx, m.src, intent.WithMessage(engine.Clean(d.note.Value()))
		return func() tea.Msg { return outcomeMsg{dialog: n, outcome: src.Do(ctx, i)} }
	}
	d.step = stepDone
	if s := m.sheet(); s != nil {
		s.ClearMarks()
	} else {
		m.runs.marks = nil
	}
	return nil
}

// dialogTargets lists every target with what it will do, or why it will not be
// sent, or what became of it.
func (m *Model) dialogTargets(b *dialogBody) {
	d := &m.dialog
	for i := range d.targets {
		t := &d.targets[i]
		head := ""
		if i == 0 {
			head = "targets"
		}
		k, x := theme.Name, t.title()
		switch {
		case t.done:
			k, x = theme.Bad, engine.Textf("%s: %s", x, engine.Clean(t.outcome.Result.String()))
			if t.outcome.Result == act.ResultApplied {
				k = theme.Done // what came of it follows
			} else {
				x = engine.Textf("%s. %s %s", x, t.outcome.What, t.outcome.Hint)
			}
		case t.no.Refused():
			k, x = theme.Wait, engine.Textf("! %s is left out: %s", x, t.no.Why)
		case t.check.refused():
			k, x = theme.Bad, engine.Textf("! %s is left out: %s", x, t.check.answer.Err)
		case d.step == stepAsk && !t.check.answered:
			x = engine.Textf("%s: server dry run in progress", t.intent.Object)
		default:
			x = engine.Textf("+ %s", t.intent.Object)
		}
		b.add(k, head, x, dialogWhole)
		if t.done {
			m.followTarget(b, t)
		}
		if d.step != stepAsk || !t.sendable() {
			continue
		}
		for _, e := range t.intent.Effect {
			b.add(theme.Sub, "", engine.Textf("  %s", e), dialogWhole)
		}
		for _, w := range t.intent.Warn {
			b.add(theme.Wait, "", engine.Textf("  %s", w), dialogWhole)
		}
		if !b.fold {
			b.add(theme.Sub, "", engine.Textf("  %s", t.intent.Twin), dialogWhole)
		}
	}
}

// twins are the kubectl commands of what would be sent, one a line.
func (d *bulk) twins() (all string, n int) {
	var b strings.Builder
	for i := range d.targets {
		if t := &d.targets[i]; t.sendable() && !t.intent.Twin.IsZero() {
			b.WriteString(t.intent.Twin.String() + "\n")
			n++
		}
	}
	return b.String(), n
}

// title names a target: its run, or the approval that was chosen.
func (t *target) title() engine.Text {
	if t.only.IsZero() {
		return t.run.Title()
	}
	return t.only.Title()
}

// unsent counts the targets that were confirmed and not sent.
func (d *bulk) unsent() int {
	n := 0
	for i := range d.targets {
		if t := &d.targets[i]; t.sendable() && !t.done {
			n++
		}
	}
	return n
}

// markKey handles the keys of marks on the list; it reports whether a was one.
func (m *Model) markKey(a keymap.Action) bool {
	switch {
	case m.screen != screenRuns:
	case a == keymap.Mark:
		m.mark()
		return true
	case a == keymap.Back && len(m.runs.marks) > 0:
		m.runs.marks = nil
		return true
	}
	return false
}
