package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// mostTargets is how many marked runs one dialog takes. All of them have to be
// scrolled through before the act can be confirmed.
const mostTargets = 40

// bulk is the part of a dialog that is about several runs: one target each, sent
// one after the other. It is empty in other dialogs.
type bulk struct {
	targets []Target
	at      int // the one that is being sent
	// undoes is set when the targets are undone in different ways.
	undoes bool
}

// Target is one of several runs that a dialog is about.
type Target struct {
	Run engine.ID
	// Request is the approval request that it is about; zero for any that the run
	// waits for.
	Request engine.ID

	intent act.Intent
	no     engine.Refusal // why it is not possible
	check  dryRun
	// done is set once its outcome is known.
	done    bool
	outcome act.Outcome
}

// sendable reports whether it is part of what is confirmed.
func (t *Target) sendable() bool { return !t.no.Refused() && !t.check.failed() }

// OpenSeveral asks in one dialog for one act on each of several targets. When none is
// possible it is refused, and nothing opens.
func (d *Dialog) OpenSeveral(a engine.Act, targets []Target) (tea.Cmd, engine.Refusal) {
	if len(targets) > mostTargets {
		return nil, engine.Refusal{Why: engine.Textf("%d are marked, the limit is %d.", len(targets), mostTargets)}
	}
	for _, t := range targets {
		if t.Run.Hub() != targets[0].Run.Hub() {
			return nil, engine.Refusal{Why: engine.Lit("the marked runs are on several hubs"), Hint: engine.Lit("mark runs of one hub")}
		}
	}
	d.begin(confirmation{act: a, run: engine.ID{}.On(targets[0].Run.Hub())})
	cmds := []tea.Cmd{nil}
	for _, t := range targets {
		t.intent, t.no = d.proposeTarget(a, &t)
		if !t.no.Refused() {
			i := t.intent
			q := page.DryRunQuestion{Intent: &i}
			t.check.question = q
			n, ctx, hub := d.number, d.ctx, d.hub
			cmds = append(cmds, func() tea.Msg { return CheckedMsg{Dialog: n, Answer: hub.Ask(ctx, q)} })
		}
		d.targets = append(d.targets, t)
	}
	d.summarize()
	if d.refusal.Refused() {
		d.open = false
		return nil, d.refusal
	}
	cmds[0] = d.waitForQuiet()
	return tea.Batch(cmds...), engine.Refusal{}
}

// proposeTarget asks the rules about one of several targets.
func (d *Dialog) proposeTarget(a engine.Act, t *Target) (act.Intent, engine.Refusal) {
	i, no := d.rules.Propose(d.hubOf(), a, t.Run, d.scene.NowOf(t.Run))
	if !no.Refused() && !t.Request.IsZero() && i.Target != t.Request {
		return act.Intent{}, AnotherApproval(i)
	}
	return i, no
}

// AnotherApproval refuses to give another approval than the one that was chosen.
func AnotherApproval(i act.Intent) engine.Refusal {
	return engine.Refusal{Why: engine.Textf("its run waits for another approval now, %s", i.Target.Title()), Hint: engine.Lit("select that one")}
}

// summarize makes the text of the dialog from its targets.
func (d *Dialog) summarize() {
	n := 0
	sum := act.Intent{Act: d.act}
	d.undoes = false
	for i := range d.targets {
		t := &d.targets[i]
		if !t.sendable() {
			continue
		}
		n++
		sum.Irreversible = sum.Irreversible || t.intent.Irreversible
		undo := t.check.answer.UndoOf(t.intent)
		d.undoes = d.undoes || n > 1 && undo != sum.Undo
		sum.Undo = undo
		if t.intent.Protected {
			sum.Protected, sum.Confirm = true, t.intent.Confirm
		}
	}
	if d.undoes {
		sum.Undo = engine.Text{} // each has its own
	}
	act := engine.Clean(d.act.String())
	if !sum.Protected {
		sum.Confirm = engine.Textf("%s %d", act, n)
	}
	what := engine.Lit("runs")
	if !d.targets[0].Request.IsZero() {
		what = engine.Lit("approvals")
	}
	sum.Title = engine.Textf("%s %d of %d marked %s", engine.Capital(act), n, len(d.targets), what)
	d.intent, d.refusal = sum, engine.Refusal{}
	if n == 0 {
		d.refusal = engine.Refusal{Why: engine.Textf("not possible for any of the marked %s", what)}
		if first := d.targets[0]; first.no.Refused() { // the reason first: the rest may be cut off
			d.refusal = engine.Refusal{Why: first.no.Why, Hint: d.refusal.Why}
		}
	}
}

// checked reports whether the hub has answered about everything that would be
// sent.
func (d *Dialog) checked() bool {
	if len(d.targets) == 0 {
		return d.checks.answered
	}
	for i := range d.targets {
		if t := &d.targets[i]; t.sendable() && !t.check.answered {
			return false
		}
	}
	return true
}

// recheckTargets asks the rules again about each target. A target that is no
// longer possible stays in the list and is not sent; when what would be sent
// changes, it has to be read and confirmed again.
func (d *Dialog) recheckTargets() tea.Cmd {
	was, changed := d.intent, false
	for i := range d.targets {
		t := &d.targets[i]
		if t.no.Refused() {
			continue // what was refused once stays out of this dialog
		}
		intent, no := d.proposeTarget(d.act, t)
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
	d.changed, d.focus = true, Cancel
	d.word.Set("")
	d.restart()
	return d.waitForQuiet()
}

// sendNext sends the next target, one after the other; the rules are asked once
// more before each.
func (d *Dialog) sendNext() tea.Cmd {
	for d.at = range d.targets {
		t := &d.targets[d.at]
		if t.done || !t.sendable() {
			continue
		}
		intent, no := d.proposeTarget(d.act, t)
		if !no.Refused() && (intent.Target != t.intent.Target || intent.Object != t.intent.Object || intent.Irreversible && !sameWords(t.intent, intent)) {
			no.Why = engine.Lit("it changed after it was confirmed; nothing was sent")
		}
		if no.Refused() {
			t.done = true
			t.outcome = act.Outcome{Intent: t.intent, Result: act.ResultRefused, What: no.Why, Hint: no.Hint, At: d.scene.HubNow()}
			continue
		}
		return d.send(intent)
	}
	d.step = StepDone
	return nil
}

// listTargets lists every target with what it will do, or why it will not be
// sent, or what became of it.
func (d *Dialog) listTargets(b *body) {
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
		case t.check.failed():
			k, x = theme.Bad, engine.Textf("! %s is left out: %s", x, t.check.answer.Err)
		case d.step == StepAsk && !t.check.answered:
			x = engine.Textf("%s: server dry run in progress", t.intent.Object)
		default:
			x = engine.Textf("+ %s", t.intent.Object)
		}
		b.add(k, head, x, whole)
		if t.done {
			d.followTarget(b, t)
		}
		if d.step != StepAsk || !t.sendable() {
			continue
		}
		for _, e := range t.check.answer.EffectOf(t.intent) {
			b.add(theme.Sub, "", engine.Textf("  %s", e), whole)
		}
		for _, w := range t.intent.Warn {
			b.add(theme.Wait, "", engine.Textf("  %s", w), whole)
		}
		if d.undoes {
			b.add(theme.Sub, "", engine.Textf("  undo: %s", t.check.answer.UndoOf(t.intent)), whole)
		}
		if !b.fold {
			b.add(theme.Sub, "", engine.Textf("  %s", t.intent.Kubectl), whole)
		}
	}
}

// commands are the kubectl commands of what would be sent, one a line.
func (d *bulk) commands() (all string, n int) {
	var b strings.Builder
	for i := range d.targets {
		if t := &d.targets[i]; t.sendable() && !t.intent.Kubectl.IsZero() {
			b.WriteString(t.intent.Kubectl.String() + "\n")
			n++
		}
	}
	return b.String(), n
}

// title names a target: its run, or the approval that was chosen.
func (t *Target) title() engine.Text {
	if t.Request.IsZero() {
		return t.Run.Title()
	}
	return t.Request.Title()
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
