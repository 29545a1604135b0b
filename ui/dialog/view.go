package dialog

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/field"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// boxWidth is that of the dialog's frame.
func (d *Dialog) boxWidth() int { return min(d.w-4, 92) }

// box is the dialog as it is drawn: its place in the body, its lines without the
// frame, and which of those that scroll they are.
type box struct {
	*body
	x, y, w     int
	lines       []line
	from, shown int
}

// box lays the dialog out in the middle of the body.
func (d *Dialog) box() box {
	b := box{body: d.lay(), w: d.boxWidth()}
	b.shown = b.window()
	b.from = max(0, min(d.top, b.foot-b.shown))
	b.lines = append(b.body.lines[b.from:b.from+b.shown:b.from+b.shown], b.body.lines[b.foot:]...)
	b.lines = b.lines[:min(len(b.lines), d.room())]
	b.x, b.y = (d.w-b.w)/2, max(0, (d.room()-len(b.lines))/3)
	return b
}

// Position is where the dialog begins in a body of a width and a height, for which it
// was arranged.
func (d *Dialog) Position() (x, y int) {
	b := d.box()
	return b.x, b.y
}

// View draws the dialog with its frame.
func (d *Dialog) View() string {
	th, b := d.scene.Theme, d.box()
	frame := theme.Key
	if d.intent.Typed() {
		frame = theme.Ask
	}
	if d.blocked().Refused() && d.step == StepAsk {
		frame = theme.Wait
	}
	edge := th.Glyph.Thick
	r := cell.NewRow(th, b.w, theme.Plain).Put(frame, edge.Tl+edge.H+" ")
	r.Put(theme.Name|theme.Bold, cell.Cut(th, cell.Text(th, d.intent.Title), b.w-6)).Put(frame, " ").Fill(frame, edge.H, b.w-1).Put(frame, edge.Tr)
	out := []string{r.String()}
	for _, l := range b.lines {
		r := cell.NewRow(th, b.w, theme.Plain).Put(frame, edge.V).Put(theme.Text, " ")
		r.Join(l.row)
		out = append(out, r.Put(theme.Text, " ").Put(frame, edge.V).String())
	}
	r = cell.NewRow(th, b.w, theme.Plain).Put(frame, edge.Bl)
	if b.shown < b.foot {
		scroll := " " + th.Key("dialog-down") + " " + th.Key("dialog-up") + " "
		lines := "lines " + strconv.Itoa(b.from+1) + " to " + strconv.Itoa(b.from+b.shown) + " of " + strconv.Itoa(b.foot) + " "
		r.Put(frame, edge.H).Put(theme.Key|theme.Bold, scroll).Put(theme.Text, cell.Cut(th, lines, b.w-5-cell.Width(scroll)))
	}
	out = append(out, r.Fill(frame, edge.H, b.w-1).Put(frame, edge.Br).String())
	return strings.Join(out, "\n")
}

// inset is how far the lines stand within the frame.
const inset = 2

// Cursor is that of the field that is typed into, in the body; nil for none.
func (d *Dialog) Cursor() *tea.Cursor {
	b := d.box()
	for i, l := range b.lines {
		for _, s := range l.spots {
			if s.kind == spotInput {
				return tea.NewCursor(b.x+inset+s.from, b.y+1+i)
			}
		}
	}
	return nil
}

// hit is what stands at a cell of the body.
func (d *Dialog) hit(x, y int) spot {
	b := d.box()
	if i := y - b.y - 1; i >= 0 && i < len(b.lines) {
		for _, s := range b.lines[i].spots {
			if at := x - b.x - inset; s.kind != spotInput && at >= s.from && at < s.to {
				return s
			}
		}
	}
	return spot{}
}

// ask says what is asked: whose hub, which object, what it will do, how
// to take it back, what kubectl would do, and how to confirm.
func (d *Dialog) ask(b *body) {
	i := d.intent
	d.where(b)
	b.add(theme.Name, "object", i.Object, whole)
	b.blank()
	d.listTargets(b)
	d.effect(b)
	if b.fold {
		b.folded()
	} else {
		b.add(theme.Sub, "kubectl", i.Kubectl, whole)
		b.passed(&d.checks)
	}
	b.text = len(b.lines)
	b.blank()
	if d.act == engine.ActClone {
		d.drawChoices(b)
	}
	d.drawField(b, "note", &d.note, d.focus == Note, "reason, recorded in the audit log (optional)")
	b.field(Note)
	b.foot = len(b.lines)
	d.typed(b)
	b.blank()
	d.state(b)
	d.buttons(b)
}

// effect says what the act does, what to watch out for, and how to undo it.
func (d *Dialog) effect(b *body) {
	i := d.intent
	head := "effect"
	for _, x := range d.checks.answer.EffectOf(i) {
		b.add(theme.Name, head, x, whole)
		head = ""
	}
	head = "warning"
	for _, x := range i.Warn {
		b.add(theme.Wait, head, x, whole)
		head = ""
	}
	if !d.undoes {
		b.add(theme.Text, "undo", d.checks.answer.UndoOf(i), whole)
	}
	if len(d.targets) == 0 {
		b.checks(&d.checks)
	}
}

// typed is the word that confirms, where one has to be typed.
func (d *Dialog) typed(b *body) {
	if !d.intent.Typed() {
		return
	}
	th, what := d.scene.Theme, " to "
	if d.intent.Protected {
		what = " (protected context) to "
	}
	d.drawField(b, "type", &d.word, d.focus == Word, cell.Text(th, d.intent.Confirm)+what+d.verb()+", then "+th.Key("dialog-press"))
	b.field(Word)
}

// buttons is the line of what ends the dialog.
func (d *Dialog) buttons(b *body) {
	th := d.scene.Theme
	r := cell.NewRow(th, b.w, theme.Plain)
	if d.focus == Cancel {
		r.On(theme.Cursor)
		r.Put(theme.Name|theme.Bold, th.Glyph.Cursor+" Cancel ")
		r.On(theme.Plain)
	} else {
		r.Put(theme.Text, "  Cancel ")
	}
	r.Put(theme.Sub, "  "+th.Key("dialog-cancel"))
	if d.focus == Cancel {
		r.Put(theme.Sub, " or "+th.Key("dialog-press"))
	}
	k, kd := theme.Key|theme.Bold, theme.Text
	if !d.ready() {
		k, kd = theme.Faint, theme.Faint
	}
	cancel := r.At()
	r.Put(theme.Text, "        ")
	confirm := r.At()
	confirms, next := th.Key("dialog-confirm"), " next field"
	switch {
	case d.intent.Typed():
		confirms = th.Key("dialog-press")
	case d.focus == Note: // where the key would be typed
		confirms, kd, next = strings.Repeat(" ", cell.Width(confirms)), theme.Faint, " leaves the note"
	default:
		next = " note"
	}
	r.Put(k, confirms).Put(kd, " "+d.verb())
	confirmed := r.At()
	r.Put(theme.Faint, "   "+th.Key("dialog-next-field")+next)
	b.row(r)
	b.spot(spot{to: cancel, kind: spotCancel})
	b.spot(spot{from: confirm, to: confirmed, kind: spotConfirm})
}

// where says whose hub it is and who acts there: in one line where both
// fit, since what has no room in a dialog is not read.
func (d *Dialog) where(b *body) {
	th, h := d.scene.Theme, d.hubOf().Hub
	k := d.scene.OfHub(h.Name) | theme.Bold
	where, who := cell.Text(th, contextOf(&h)), cell.Text(th, h.User)
	switch {
	case h.User.IsZero() || labelWidth+cell.Width(where)+len("  as ")+cell.Width(who) > b.w:
		b.add(k, "context", contextOf(&h), 1)
		b.add(theme.Text, "user", h.User, 1)
	default:
		r := cell.NewRow(th, b.w, theme.Plain).Put(theme.Sub, "context").To(labelWidth).Put(k, where)
		b.row(r.Put(theme.Sub, "  as ").Put(theme.Text, who))
	}
	b.add(theme.Text, "server", h.Server, 1)
}

// contextOf is the context of a hub, which is what is typed, with its alias.
func contextOf(h *engine.Hub) engine.Text {
	if alias := label.Hub(h); alias != h.Context {
		return engine.Textf("%s (%s)", h.Context, alias)
	}
	return h.Context
}

// state says why it cannot be confirmed now, or what was wrong.
func (d *Dialog) state(b *body) {
	switch {
	case d.blocked().Refused():
		b.add(theme.Bad|theme.Bold, "blocked", d.blocked().Why, 2)
		b.add(theme.Text, "", d.blocked().Hint, 2)
	case !d.hint.IsZero():
		b.add(theme.Wait, "", d.hint, 2)
	case d.changed:
		b.add(theme.Wait|theme.Bold, "changed", engine.Lit("The text above changed while this was open. Read it again."), 2)
	case !d.armed:
		b.add(theme.Faint, "", engine.Lit("waiting for key release"), 1)
	case d.unread > 0 && d.above && !d.checked():
		b.blank() // the progress of the checks, further up
	case d.unread > 0 && d.above:
		b.add(theme.Wait, "", engine.Lit("The text changed: read it before you confirm ({dialog-up})."), 1)
	case d.unread > 0:
		b.add(theme.Wait, "", engine.Textf("Scroll down before you confirm: {dialog-down}, %s more.", engine.Count(d.unread, "line")), 1)
	default:
		b.blank()
	}
}

// drawField draws a field that is typed into.
func (d *Dialog) drawField(b *body, head string, f *field.Field, focus bool, hint string) {
	th := d.scene.Theme
	r := cell.NewRow(th, b.w, theme.Plain)
	k := theme.Sub
	if focus {
		k = theme.Key | theme.Bold
	}
	r.Put(k, head).To(labelWidth)
	room := b.w - labelWidth - 2
	if focus {
		r.On(theme.Cursor)
	} else {
		r.On(theme.Bar)
	}
	r.Put(theme.Sub, " ")
	at := f.Write(r, th, theme.Name, room-1)
	if focus && f.AtEnd() {
		r.Gap(1)
	}
	if f.Value() == "" {
		r.Put(theme.Faint, " "+hint)
	}
	b.row(r.To(b.w))
	if focus {
		b.spot(spot{from: at, kind: spotInput})
	}
}

// outcomeBody says what became of the intent and follows its effect.
func (d *Dialog) outcomeBody(b *body) {
	th := d.scene.Theme
	i := d.intent
	h := d.hubOf().Hub
	b.add(d.scene.OfHub(h.Name)|theme.Bold, "context", contextOf(&h), 1)
	b.add(theme.Name, "object", i.Object, 2)
	d.listTargets(b)
	if d.step == StepSend && len(d.targets) > 0 {
		b.foot = len(b.lines)
		b.blank()
		b.row(cell.NewRow(th, b.w, theme.Plain).Text(theme.Sub, engine.Lit("{dialog-cancel} closes; the rest is not sent")))
		b.spot(spot{to: b.w, kind: spotCancel})
		return
	}
	if len(d.targets) > 0 {
		b.foot = len(b.lines)
		d.lateTarget(b)
		b.blank()
		b.row(b.closes())
		b.spot(spot{to: b.w, kind: spotCancel})
		return
	}
	if d.step == StepSend {
		b.blank()
		b.add(theme.Wait|theme.Bold, "sent", engine.Lit("Waiting for the answer of the hub."), 2)
		b.foot = len(b.lines)
		b.blank()
		b.row(cell.NewRow(th, b.w, theme.Plain).Text(theme.Sub, engine.Lit("{dialog-cancel} closes; the outcome is shown when it arrives")))
		b.spot(spot{to: b.w, kind: spotCancel})
		return
	}
	o := d.outcome
	k := theme.Done
	switch o.Result {
	case act.ResultApplied:
	case act.ResultUnknown:
		k = theme.Wait
	case act.ResultRefused, act.ResultNotApplied:
		k = theme.Bad
	}
	b.blank()
	b.add(k|theme.Bold, "outcome", engine.Clean(o.Result.String()), 1)
	b.add(theme.Name, "", o.What, whole)
	b.add(theme.Text, "", o.Hint, whole)
	if d.act != engine.ActRaise && (o.Result == act.ResultApplied || o.Result == act.ResultUnknown) {
		b.blank()
		d.follow(b)
	}
	b.foot = len(b.lines)
	b.blank()
	r := b.closes()
	closes := r.At()
	if d.retires() {
		r.Put(theme.Text, "        ").Put(theme.Key|theme.Bold, th.Key("dialog-delete-old-run")).Put(theme.Text, " delete the old run "+cell.Text(th, d.run.Title()))
	}
	b.row(r)
	b.spot(spot{to: closes, kind: spotCancel})
}

// closes is the line with the keys that close what has ended.
func (b *body) closes() *cell.Row {
	th := b.d.scene.Theme
	return cell.NewRow(th, b.w, theme.Plain).Put(theme.Key|theme.Bold, th.Key("dialog-cancel")).Put(theme.Sub, " or "+th.Key("dialog-press")+" closes")
}
