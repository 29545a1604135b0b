// Package dialog asks before a write: it names the hub, the object, the effect and how
// to undo it, runs the server dry run, and sends what was confirmed, once. Three kinds
// share one frame: the confirmation of one act, the form of a clone and the list of
// several runs. What is sent is what was on the screen, confirmed by keys, never by the
// mouse or a paste.
package dialog

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/scene"
)

// A key that is held or was typed earlier must not confirm a text that nobody has read:
// keys have an effect when none came for quietFor. That is measured in parts, one after
// the other: while the program stands still no part passes, and keys that wait to be read
// come before the next one.
const (
	quietFor   = 400 * time.Millisecond
	quietParts = 4
)

// Hub checks an intent and sends it.
type Hub interface {
	Ask(ctx context.Context, q page.Question) page.Answer
	Do(ctx context.Context, i act.Intent) act.Outcome
}

// Rules decide which acts are possible.
type Rules struct {
	Propose func(*engine.Snapshot, engine.Act, engine.ID, time.Time) (act.Intent, engine.Refusal)
	Clone   func(*engine.Snapshot, engine.ID, act.Choice) (act.Intent, engine.Refusal)
}

// Dialog asks for one act, or for one act on each of several runs.
type Dialog struct {
	ctx    context.Context
	hub    Hub
	rules  *Rules
	scene  *scene.Scene
	number int // of this dialog, so that late replies are dropped
	open   bool
	sent   int // intents whose outcome has not come, also of dialogs that were closed
	w, h   int // of the body of the screen, which it covers

	confirmation
	reading
	cloneForm // of a clone
	bulk      // of several runs
}

// New returns a closed dialog.
func New(ctx context.Context, hub Hub, rules *Rules, sc *scene.Scene) *Dialog {
	return &Dialog{ctx: ctx, hub: hub, rules: rules, scene: sc}
}

// begin opens the dialog with another question.
func (d *Dialog) begin(c confirmation) {
	d.number++
	d.confirmation, d.reading, d.cloneForm, d.bulk = c, reading{unread: 1}, cloneForm{}, bulk{}
	d.open = true
}

// Open asks for an act on a run. A clone may be by another strategy; for a placement
// without a run it has to be. An act that is not possible is refused, and nothing
// opens.
func (d *Dialog) Open(a engine.Act, run engine.ID, strategy engine.Text) (tea.Cmd, engine.Refusal) {
	intent, no := d.Possible(a, run, strategy)
	if no.Refused() {
		return nil, no
	}
	d.begin(confirmation{act: a, run: run, intent: intent})
	cmds := []tea.Cmd{d.waitForQuiet(), d.check()}
	if a == engine.ActClone {
		cmds = append(cmds, d.openForm(strategy))
	}
	return tea.Batch(cmds...), engine.Refusal{}
}

// Possible returns the intent of an act on a run, or why it is not possible.
func (d *Dialog) Possible(a engine.Act, run engine.ID, strategy engine.Text) (act.Intent, engine.Refusal) {
	if !strategy.IsZero() {
		return d.rules.Clone(d.scene.Of(run), run, act.Choice{Strategy: strategy})
	}
	return d.rules.Propose(d.scene.Of(run), a, run, d.scene.NowOf(run))
}

// OpenRaise asks whether writes shall be allowed for a while.
func (d *Dialog) OpenRaise(i act.Intent, lift time.Duration) tea.Cmd {
	d.begin(confirmation{act: engine.ActRaise, run: engine.ID{}.On(i.Hub()), intent: i, lift: lift})
	return tea.Batch(d.waitForQuiet(), d.check())
}

// hubOf is the Snapshot of the hub that is written to.
func (d *Dialog) hubOf() *engine.Snapshot { return d.scene.Of(d.run) }

// IsOpen reports whether the dialog is on the screen.
func (d *Dialog) IsOpen() bool { return d.open }

// Waits reports whether the dialog waits for an answer.
func (d *Dialog) Waits() bool {
	return d.step == StepSend || d.step == StepAsk && (!d.checked() || d.pick != nil && !d.offers.answered)
}

// Dismiss closes the dialog without a note.
func (d *Dialog) Dismiss() { d.open = false }

// Scope is where its keys are looked up.
func (d *Dialog) Scope() keymap.Scope {
	if d.pick != nil && d.step == StepAsk {
		return keymap.ScopePick
	}
	return keymap.ScopeDialog
}

// Idle reports whether a key of the dialog does nothing at the moment.
func (d *Dialog) Idle(a keymap.Action) bool {
	switch a {
	case keymap.DialogCopy:
		_, several := d.commands()
		return d.step != StepAsk || several == 0 && d.intent.Kubectl.IsZero()
	case keymap.PickOther, keymap.PickDown:
		return d.pick == nil || d.pick.of != Snapshot // only snapshots are compared
	}
	return false
}

// Keys returns the entries for the bar. Nothing can be cancelled any more once it is sent.
func (d *Dialog) Keys(entries []keymap.Entry) []keymap.Entry {
	i := slices.IndexFunc(entries, func(e keymap.Entry) bool { return e.Action == keymap.DialogCancel })
	if i < 0 || d.step == StepAsk {
		return entries
	}
	entries = slices.Clone(entries)
	entries[i] = entries[i].Saying("close")
	return entries
}

// Made is the run that a clone has created, zero when there is none.
func (d *Dialog) Made() engine.ID {
	if d.step != StepDone || d.act != engine.ActClone {
		return engine.ID{}
	}
	return d.outcome.Made
}

// Retired is the run that was cloned and shall be deleted now: the key for that closes
// the dialog of the clone.
func (d *Dialog) Retired() engine.ID {
	if d.open || !d.retire {
		return engine.ID{}
	}
	return d.run
}

// SentAll reports whether all of several targets were sent.
func (d *Dialog) SentAll() bool { return len(d.targets) > 0 && d.step == StepDone }

// Update handles a key, a paste, the mouse, or what became of its questions. Mouse
// positions are those of the body that it covers.
func (d *Dialog) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case KeyMsg:
		return d.onKey(msg.Press, msg.Action)
	case tea.PasteMsg:
		d.paste(msg.Content)
	case tea.MouseClickMsg:
		return d.onClick(msg.X, msg.Y)
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			d.scroll(-wheelLines)
		case tea.MouseWheelDown:
			d.scroll(wheelLines)
		}
	case QuietMsg:
		return d.onQuiet(msg)
	case CheckedMsg:
		d.onChecked(msg)
	case OfferedMsg:
		return d.onOffered(msg)
	case ChoiceDueMsg:
		return d.onChoiceDue(msg)
	case OutcomeMsg:
		return d.onOutcome(msg)
	}
	return nil
}

// onKey handles a key. Esc always leaves; others wait until the keys have rested.
func (d *Dialog) onKey(k tea.KeyPressMsg, a keymap.Action) tea.Cmd {
	if d.pick != nil && (d.armed || a == keymap.PickBack) {
		return d.onPickKey(a)
	}
	if a == keymap.DialogCancel {
		d.Close()
		return nil
	}
	if !d.armed {
		return d.waitForQuiet()
	}
	d.hint = engine.Text{}
	if a == keymap.DialogCopy {
		return d.copyCommand()
	}
	switch {
	case a == keymap.DialogDown:
		d.scroll(d.pageRows())
	case a == keymap.DialogUp:
		d.scroll(-d.pageRows())
	case d.step == StepDone && a == keymap.DialogEnter:
		d.Close()
	case d.step == StepDone && a == keymap.DialogRetire && d.retires():
		d.retire = true
		d.Close()
	case d.step != StepAsk:
	case a == keymap.DialogEnter:
		return d.onEnter()
	case !d.intent.Typed() && d.focus == Cancel && a == keymap.DialogYes:
		return d.confirm()
	case a == keymap.DialogNext:
		d.move(1)
	case a == keymap.DialogPrev:
		d.move(-1)
	default:
		return d.onText(k, a)
	}
	return d.checkChoice()
}

// waitForQuiet ignores keys until none came for a while.
func (d *Dialog) waitForQuiet() tea.Cmd {
	d.armed = false
	d.keys++
	return d.after(quietFor/quietParts, QuietMsg{Dialog: d.number, Key: d.keys, Left: quietParts - 1})
}

// onQuiet waits for the next part of quietFor or, after the last, lets keys have an effect.
func (d *Dialog) onQuiet(msg QuietMsg) tea.Cmd {
	if d.number != msg.Dialog || d.keys != msg.Key {
		return nil
	}
	if msg.Left > 0 {
		msg.Left--
		return d.after(quietFor/quietParts, msg)
	}
	d.armed = true
	return nil
}

// after delivers a message when a time is over, unless the screen ends before.
func (d *Dialog) after(t time.Duration, msg tea.Msg) tea.Cmd {
	ctx, timer := d.ctx, time.NewTimer(t)
	return func() tea.Msg {
		defer timer.Stop()
		select {
		case <-timer.C:
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}

// sameWords reports whether two intents say the same to a person.
func sameWords(a, b act.Intent) bool {
	return a.Title == b.Title && a.Undo == b.Undo && slices.Equal(a.Effect, b.Effect) && slices.Equal(a.Warn, b.Warn)
}
