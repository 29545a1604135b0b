package dialog

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/ui/field"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Step is how far a dialog has come.
type Step uint8

// The steps.
const (
	StepAsk  Step = iota // nothing is sent; Cancel has the focus at first
	StepSend             // sent once; the outcome is awaited
	StepDone             // the outcome is shown, and what follows from it
)

// Control is what has the focus in a dialog.
type Control uint8

// The controls.
const (
	Cancel Control = iota
	Name           // of the run that a clone makes
	Placement
	Strategy
	Snapshot // which resources it rolls out
	State    // whether it starts automatically
	Note
	Word
)

// confirmation is what every dialog has: the intent, how it is checked and confirmed,
// and its outcome.
type confirmation struct {
	step   Step
	act    engine.Act
	run    engine.ID
	intent act.Intent    // of several runs it is their summary
	lift   time.Duration // for how long writes shall be allowed
	// checks is the server dry run of the intent.
	checks dryRun
	// refusal is why it cannot be confirmed at the moment.
	refusal engine.Refusal
	// changed is set when the text changed since the dialog opened.
	changed bool
	// retire is set when the run that was cloned shall be deleted next.
	retire bool

	armed bool // keys have an effect
	keys  int  // counts keys while they have none
	focus Control
	word  field.Field // typed to confirm
	note  field.Field // reason, recorded in the audit log
	hint  engine.Text

	outcome act.Outcome
}

// blocked is why the intent cannot be confirmed at the moment: the rules, or the
// server dry run.
func (c *confirmation) blocked() engine.Refusal {
	if c.refusal.Refused() || !c.checks.failed() {
		return c.refusal
	}
	return engine.Refusal{Why: c.checks.answer.Err, Hint: c.checks.answer.Hint}
}

// ready reports whether the confirming key would send.
func (d *Dialog) ready() bool {
	if d.intent.Typed() {
		return d.confirmable() && d.word.Value() == d.intent.Confirm.String()
	}
	return d.confirmable() && d.focus == Cancel // in a field y is a letter
}

func (d *Dialog) confirmable() bool {
	return d.armed && d.checked() && !d.blocked().Refused() && d.unread == 0
}

// Close leaves without sending. The outcome of what was sent before is shown in the
// line above the keys when it comes.
func (d *Dialog) Close() {
	if d.step == StepSend {
		d.scene.Say(theme.Wait, engine.Textf("%s: sent, waiting for the answer.", d.intent.Title))
	}
	d.open = false
}

// verb names the act. A placement without a run is not cloned: a run is created for it.
func (d *Dialog) verb() string {
	if k := d.run.Kind(); d.act == engine.ActClone && k.InScope(engine.KindClusterResourcePlacement, engine.KindResourcePlacement) == k {
		return "create"
	}
	return d.act.String()
}

// proposeAgain asks the rules about what the dialog is for.
func (d *Dialog) proposeAgain() (act.Intent, engine.Refusal) {
	switch d.act {
	case engine.ActClone:
		return d.rules.Clone(d.hubOf(), d.run, d.choice)
	case engine.ActRaise:
		return act.ProposeRaise(d.hubOf(), d.lift)
	default:
	}
	return d.rules.Propose(d.hubOf(), d.act, d.run, d.scene.NowOf(d.run))
}

// Recheck asks the rules again whenever data or time moved: the dialog says at once
// when its object is gone, has changed or may no longer be written.
func (d *Dialog) Recheck() tea.Cmd {
	if !d.open || d.step != StepAsk {
		return nil
	}
	if len(d.targets) > 0 {
		return d.recheckTargets()
	}
	intent, no := d.proposeAgain()
	if !no.Refused() && intent.Protected != d.intent.Protected {
		no = engine.Refusal{
			Why:  engine.Lit("The protection of the context has changed since this dialog was opened."),
			Hint: engine.Lit("Close the dialog and open it again."),
		}
	}
	if !no.Refused() && (intent.Target != d.intent.Target || intent.Object != d.intent.Object || intent.Confirm != d.intent.Confirm) {
		no = engine.Refusal{
			Why:  engine.Lit("The object of this dialog was deleted and created again."),
			Hint: engine.Lit("Close the dialog, check the object, open it again."),
		}
	}
	d.refusal = no
	if no.Refused() {
		d.word.Set("")
		return nil
	}
	same := sameWords(d.intent, intent)
	d.intent = intent
	if same || !intent.Irreversible {
		return nil
	}
	// What cannot be undone is confirmed on the text on the screen or not at all.
	d.changed, d.focus = true, Cancel
	d.word.Set("")
	d.restart()
	return tea.Batch(d.waitForQuiet(), d.check())
}

// onEnter presses what has the focus. Only the field that holds the whole word
// confirms.
func (d *Dialog) onEnter() tea.Cmd {
	switch d.focus {
	case Placement, Strategy, Snapshot:
		return d.openPick()
	case Note, Name, State:
		d.move(1)
		return d.checkChoice()
	case Word:
		if d.word.Value() == d.intent.Confirm.String() {
			return d.confirm()
		}
		d.hint = engine.Textf("Type %s to %s, or press {dialog-cancel}.", d.intent.Confirm, d.verb())
	case Cancel:
		d.Close()
	}
	return nil
}

// confirm sends the intent, once, if the rules still allow it on the newest data and
// its text is the one on the screen.
func (d *Dialog) confirm() tea.Cmd {
	shown := d.intent
	cmd := d.Recheck()
	if d.unread > 0 {
		return cmd // state says so
	}
	if d.blocked().Refused() || (d.intent.Irreversible && !sameWords(shown, d.intent)) {
		return cmd
	}
	if !d.checked() {
		d.hint = engine.Lit("The server dry run has not finished.")
		return cmd
	}
	d.step = StepSend
	if len(d.targets) > 0 {
		return d.sendNext()
	}
	return d.send(d.intent)
}

// send sends an intent with the reason that was typed.
func (d *Dialog) send(i act.Intent) tea.Cmd {
	d.sent++
	n, ctx, hub := d.number, d.ctx, d.hub
	i = i.WithMessage(engine.Clean(d.note.Value()))
	return func() tea.Msg { return OutcomeMsg{Dialog: n, Outcome: hub.Do(ctx, i)} }
}

// Awaits reports whether the outcome of something that was sent is not known yet, also when
// the dialog is closed.
func (d *Dialog) Awaits() bool { return d.sent > 0 }

// onOutcome shows the outcome of an intent: in its dialog or, when that was closed, in
// the line above the keys.
func (d *Dialog) onOutcome(o OutcomeMsg) tea.Cmd {
	if o.Dialog != NoDialog {
		d.sent--
	}
	several := d.number == o.Dialog && len(d.targets) > 0
	if several {
		d.targets[d.at].done, d.targets[d.at].outcome = true, o.Outcome
	}
	if d.open && d.number == o.Dialog {
		if several {
			return d.sendNext()
		}
		d.step, d.outcome = StepDone, o.Outcome
		return nil
	}
	k := theme.Done
	if o.Outcome.Result != act.ResultApplied {
		k = theme.Bad
	}
	x := engine.Textf("%s: %s", o.Outcome.Intent.Title, o.Outcome.Result.String())
	if !o.Outcome.What.IsZero() {
		x = engine.Textf("%s: %s", x, o.Outcome.What.Clause())
	}
	if !o.Outcome.Hint.IsZero() {
		x = engine.Textf("%s; %s", x, o.Outcome.Hint.Clause())
	}
	x = engine.Textf("%s.", x)
	if n := d.unsent(); several && n > 0 {
		x = engine.Textf("%d not sent: the dialog was closed. %s", n, x)
	}
	d.scene.Say(k, x)
	return nil
}

// copyCommand copies the equivalent kubectl commands.
func (d *Dialog) copyCommand() tea.Cmd {
	if all, n := d.commands(); n > 0 {
		return d.scene.Copy(engine.Count(n, "command"), all)
	}
	x := d.intent.Kubectl
	if x.IsZero() {
		d.scene.Say(theme.Sub, engine.Lit("This dialog has no single command to copy."))
		return nil
	}
	return d.scene.Copy(x, x.String())
}
