package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/field"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// deafFor is how long no key may come before a dialog listens: a key that is
// held, or typed ahead, must not answer a question that nobody has read.
const deafFor = 400 * time.Millisecond

// step is how far a dialog has come.
type step uint8

const (
	stepAsk  step = iota // nothing is sent; Cancel has the focus at first
	stepSend             // sent once; the outcome is awaited
	stepDone             // the outcome is known; its effect is followed
)

// control is what has the focus in a dialog.
type control uint8

const (
	fieldCancel control = iota
	fieldName           // of the run that a clone makes
	fieldPlacement
	fieldStrategy
	fieldSnapshot // which resources it rolls out
	fieldState    // whether it starts by itself
	fieldNote
	fieldWord
)

// dialog asks before one write, or before one for each of several marked runs. It
// holds the intent whose words are on the screen: what is sent is what was shown.
type dialog struct {
	confirmation
	reading
	cloneForm // of a clone
	bulk      // of several runs
}

// confirmation is what every dialog has: the intent, how it is checked and
// confirmed, and its outcome.
type confirmation struct {
	n      int // numbers dialogs, so that late replies are known
	step   step
	act    engine.Act
	run    engine.ID
	intent act.Intent    // of several runs it is their summary
	lift   time.Duration // for how long writes shall be let through
	// check is what the hub says to the intent before it is confirmed.
	check rehearsal
	// refusal is why it cannot be confirmed at the moment.
	refusal engine.Refusal
	// changed is set when the words changed since the dialog opened.
	changed bool

	armed bool // keys have an effect
	keys  int  // counts keys while they have none
	focus control
	word  field.Field // typed to confirm
	note  field.Field // reason, recorded in the audit log
	hint  engine.Text

	outcome act.Outcome
}

// reading is how far the text of a dialog was read.
type reading struct {
	// top is the first line on the screen of the part that scrolls, seen how many of
	// its lines were on the screen without a gap, unread how many have to be read yet.
	top, seen, unread int
	laid              step    // that top is for
	shown             control // that was last scrolled to
}

// restart begins anew, for other words.
func (r *reading) restart() { r.top, r.seen = 0, 0 }

// openDialog asks for an act on the run that is opened or under the cursor;
// an act that is not possible is answered with the reason instead.
func (m *Model) openDialog(a engine.Act) tea.Cmd {
	if !m.pending.IsZero() {
		// The row under the cursor is not the run that was asked for, and opening
		// that one would close the dialog.
		m.scene.Say(theme.Wait, engine.Textf("Run %s is not open yet: wait, or press esc to stay on the list.", m.pending.Name()))
		return nil
	}
	id := m.target()
	if marks := m.marked(); m.screen == screenRuns && len(marks) == 1 {
		id = marks[0]
	} else if m.screen == screenRuns && len(marks) > 1 {
		return m.openMarked(a, marks)
	}
	if id.IsZero() {
		return nil
	}
	return m.openDialogOn(a, id)
}

// openDialogOn is openDialog for a run that may be neither opened nor under
// the cursor.
func (m *Model) openDialogOn(a engine.Act, id engine.ID) tea.Cmd {
	return m.openDialogBy(a, id, engine.Text{})
}

// openDialogBy is openDialogOn for a clone by another strategy; for a placement
// without a run, which has none to clone, it has to be given.
func (m *Model) openDialogBy(a engine.Act, id engine.ID, strategy engine.Text) tea.Cmd {
	var intent act.Intent
	var no engine.Refusal
	if strategy.IsZero() {
		intent, no = m.propose(m.scene.Snap, a, id, m.scene.HubNow())
	} else {
		intent, no = m.clone(m.scene.Snap, id, act.Choice{Strategy: strategy})
	}
	if no.Choose && m.sheet() == nil {
		return m.openSheet(enginepage.QuestionPlan)
	}
	if no.Refused() {
		if no.Why == m.scene.Snap.WritesOff && m.scene.Snap.Held == engine.HeldReadOnly {
			no.Hint = engine.Lit(":write lifts it for a while")
		}
		m.refuse(a, no, func() engine.Refusal {
			if !strategy.IsZero() {
				_, no = m.clone(m.scene.Snap, id, act.Choice{Strategy: strategy})
			} else {
				_, no = m.propose(m.scene.Snap, a, id, m.scene.HubNow())
			}
			return no
		})
		return nil
	}
	m.runs.list.Held = true
	m.mode = modeDialog
	m.dialog = dialog{confirmation: confirmation{n: m.dialog.n + 1, act: a, run: id, intent: intent}}
	cmds := []tea.Cmd{m.listenLater(), m.rehearse()}
	if a == engine.ActClone {
		cmds = append(cmds, m.openChoices(strategy))
	}
	return tea.Batch(cmds...)
}

// again asks the guard about what the dialog is for.
func (m *Model) again() (act.Intent, engine.Refusal) {
	d := &m.dialog
	switch d.act {
	case engine.ActClone:
		return m.clone(m.scene.Snap, d.run, d.choice)
	case engine.ActRaise:
		return act.ProposeRaise(m.scene.Snap, d.lift)
	default:
	}
	return m.propose(m.scene.Snap, d.act, d.run, m.scene.HubNow())
}

// blocked is why the dialog cannot be confirmed at the moment: the guard says
// so, or the hub did when it was asked.
func (d *confirmation) blocked() engine.Refusal {
	if d.refusal.Refused() || !d.check.refused() {
		return d.refusal
	}
	return engine.Refusal{Why: d.check.answer.Err, Hint: d.check.answer.Hint}
}

// ready reports whether the confirming key would send.
func (d *dialog) ready() bool {
	if d.intent.Typed() {
		return d.confirmable() && d.word.Value() == d.intent.Confirm.String()
	}
	return d.confirmable() && d.focus == fieldCancel // elsewhere y is a letter
}

func (d *dialog) confirmable() bool {
	return d.armed && d.checked() && !d.blocked().Refused() && d.unread == 0
}

func refusalText(a engine.Act, no engine.Refusal) engine.Text {
	if no.Hint.IsZero() {
		return engine.Textf("Cannot %s: %s", a.String(), no.Why)
	}
	return engine.Textf("Cannot %s: %s · %s", a.String(), no.Why, no.Hint)
}

// listenLater makes the dialog deaf until no key came for a while.
func (m *Model) listenLater() tea.Cmd {
	d := &m.dialog
	d.armed = false
	d.keys++
	msg := quietMsg{dialog: d.n, seq: d.keys}
	return m.after(deafFor, func(time.Time) tea.Msg { return msg })
}

func (m *Model) onQuiet(q quietMsg) {
	if d := &m.dialog; d.n == q.dialog && d.keys == q.seq {
		d.armed = true
	}
}

// closeDialog leaves without sending. An outcome that is still awaited is
// told in the line above the keys when it comes.
func (m *Model) closeDialog() {
	if m.dialog.step == stepSend {
		m.scene.Say(theme.Wait, engine.Textf("%s: sent, waiting for the answer.", m.dialog.intent.Title))
	}
	m.mode = modeBrowse
	m.goToMade()
}

// recheck asks the guard again whenever data or time moved: the dialog tells
// at once when its target is gone, has changed or may no longer be written.
func (m *Model) recheck() tea.Cmd {
	d := &m.dialog
	if m.mode != modeDialog || d.step != stepAsk {
		return nil
	}
	if len(d.targets) > 0 {
		return m.recheckMarked()
	}
	intent, no := m.again()
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
	// What cannot be taken back is confirmed on the words on screen or not at all.
	d.changed, d.focus = true, fieldCancel
	d.word.Set("")
	d.restart()
	return tea.Batch(m.listenLater(), m.rehearse())
}

// sameWords reports whether two intents tell a person the same.
func sameWords(a, b act.Intent) bool {
	return a.Title == b.Title && a.Undo == b.Undo && slices.Equal(a.Effect, b.Effect) && slices.Equal(a.Warn, b.Warn)
}

func (m *Model) onDialogKey(k tea.KeyPressMsg, a keymap.Action) tea.Cmd {
	d := &m.dialog
	if d.pick != nil && (d.armed || a == keymap.PickBack) {
		return m.onPickKey(a)
	}
	if a == keymap.DialogCancel {
		m.closeDialog()
		return nil
	}
	if !d.armed {
		return m.listenLater()
	}
	d.hint = engine.Text{}
	if a == keymap.DialogCopy {
		return m.copyTwin()
	}
	switch {
	case a == keymap.DialogDown:
		m.scrollDialog(m.dialogPage())
	case a == keymap.DialogUp:
		m.scrollDialog(-m.dialogPage())
	case d.step == stepDone && a == keymap.DialogEnter:
		m.closeDialog()
	case d.step == stepDone && a == keymap.DialogRetire && d.retires():
		old := d.run
		m.goToMade()
		return m.openDialogOn(engine.ActDelete, old)
	case d.step != stepAsk:
	case a == keymap.DialogEnter:
		return m.onDialogEnter()
	case !d.intent.Typed() && d.focus == fieldCancel && a == keymap.DialogYes:
		return m.confirm()
	case a == keymap.DialogNext:
		d.move(1)
	case a == keymap.DialogPrev:
		d.move(-1)
	default:
		return m.onDialogText(k)
	}
	return m.rehearseChoice()
}

// onDialogEnter presses what has the focus. Only the field that holds the
// whole word confirms.
func (m *Model) onDialogEnter() tea.Cmd {
	d := &m.dialog
	switch d.focus {
	case fieldPlacement, fieldStrategy, fieldSnapshot:
		return m.openPick()
	case fieldNote, fieldName, fieldState:
		d.move(1)
		return m.rehearseChoice()
	case fieldWord:
		if d.word.Value() == d.intent.Confirm.String() {
			return m.confirm()
		}
		d.hint = engine.Textf("Type %s to %s, or press esc.", d.intent.Confirm, d.act.String())
	case fieldCancel:
		m.closeDialog()
	}
	return nil
}

// confirm sends the intent, once, if the guard still allows it on the newest
// data and its words are the ones on screen.
func (m *Model) confirm() tea.Cmd {
	d := &m.dialog
	shown := d.intent
	cmd := m.recheck()
	if d.unread > 0 {
		return cmd // dialogState says so
	}
	if d.blocked().Refused() || (d.intent.Irreversible && !sameWords(shown, d.intent)) {
		return cmd
	}
	if !d.checked() {
		d.hint = engine.Lit("The server dry run has not finished.")
		return cmd
	}
	d.step = stepSend
	if len(d.targets) > 0 {
		return m.sendNext()
	}
	n, ctx, src := d.n, m.ctx, m.src
	i := d.intent.WithMessage(engine.Clean(d.note.Value()))
	return func() tea.Msg { return outcomeMsg{dialog: n, outcome: src.Do(ctx, i)} }
}

// onOutcome shows what became of an intent, in its dialog or, when that was
// closed, in the line above the keys.
func (m *Model) onOutcome(o outcomeMsg) tea.Cmd {
	d := &m.dialog
	several := d.n == o.dialog && len(d.targets) > 0
	if several {
		d.targets[d.at].done, d.targets[d.at].outcome = true, o.outcome
	}
	if m.mode == modeDialog && d.n == o.dialog {
		if several {
			return m.sendNext()
		}
		d.step, d.outcome = stepDone, o.outcome
		return nil
	}
	k := theme.Done
	if o.outcome.Result != act.ResultApplied {
		k = theme.Bad
	}
	told := engine.Textf("%s: %s. %s %s", o.outcome.Intent.Title, o.outcome.Result.String(), o.outcome.What, o.outcome.Hint)
	if n := d.unsent(); several && n > 0 {
		told = engine.Textf("%d not sent: the dialog was closed. %s", n, told)
	}
	m.scene.Say(k, told)
	return nil
}
