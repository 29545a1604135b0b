package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/field"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// dialogWidth is that of the dialog's frame.
func (m *Model) dialogWidth() int { return min(m.look.w-4, 92) }

// dialogView draws the dialog in the middle of what is left below the header.
func (m *Model) dialogView(out []string) []string {
	th, w := m.scene.Theme, m.look.w
	d := &m.dialog
	bw := m.dialogWidth()
	b := m.layDialog()
	h := b.window()
	shown := max(0, min(d.top, b.foot-h))
	lines := append(b.lines[shown:shown+h:shown+h], b.lines[b.foot:]...)
	lines = lines[:min(len(lines), m.dialogRoom())]
	frame := theme.Key
	if d.intent.Typed() {
		frame = theme.Ask
	}
	if d.blocked().Refused() && d.step == stepAsk {
		frame = theme.Wait
	}
	left := (w - bw) / 2
	top := max(0, (m.dialogRoom()-len(lines))/3)
	out = cell.Pad(out, len(out)+top)
	edge := th.Glyph.Thick
	r := cell.NewRow(th, w, theme.Plain).To(left).Put(frame, edge.Tl+edge.H+" ")
	r.Put(theme.Name|theme.Bold, cell.Cut(th, cell.Text(th, d.intent.Title), bw-6)).Put(frame, " ").Fill(frame, edge.H, left+bw-1).Put(frame, edge.Tr)
	out = append(out, r.String())
	for _, l := range lines {
		r := cell.NewRow(th, w, theme.Plain).To(left).Put(frame, edge.V).Put(theme.Text, " ")
		for _, s := range l.spots {
			s.y, s.from, s.to = len(out), s.from+r.At(), s.to+r.At()
			if s.kind == spotInput {
				m.cursor = tea.NewCursor(s.from, s.y)
				continue
			}
			m.note(s)
		}
		r.Join(l.row)
		out = append(out, r.Put(theme.Text, " ").Put(frame, edge.V).String())
	}
	r = cell.NewRow(th, w, theme.Plain).To(left).Put(frame, edge.Bl)
	if h < b.foot {
		r.Put(frame, edge.H).Put(theme.Key|theme.Bold, " pgdn pgup ").Put(theme.Text, cell.Cut(th, "lines "+strconv.Itoa(shown+1)+" to "+strconv.Itoa(shown+h)+" of "+strconv.Itoa(b.foot)+" ", bw-16))
	}
	return append(out, r.Fill(frame, edge.H, left+bw-1).Put(frame, edge.Br).String())
}

// dialogAsk says what is asked: whose hub, which object, what it will do, how
// to take it back, what kubectl would do, and how to confirm.
func (m *Model) dialogAsk(b *dialogBody) {
	d := &m.dialog
	i := d.intent
	m.dialogWhere(b)
	b.add(theme.Name, "object", i.Object, dialogWhole)
	b.blank()
	m.dialogTargets(b)
	m.dialogEffect(b)
	if b.fold {
		b.folded()
	} else {
		b.add(theme.Sub, "kubectl", i.Twin, dialogWhole)
		b.passed(&d.check)
	}
	b.text = len(b.lines)
	b.blank()
	if d.act == engine.ActClone {
		m.dialogChoice(b)
	}
	m.dialogField(b, "note", &d.note, d.focus == fieldNote, "reason, recorded in the audit log (optional)")
	b.field(fieldNote)
	b.foot = len(b.lines)
	m.dialogTyped(b)
	b.blank()
	m.dialogState(b)
	m.dialogButtons(b)
}

// dialogEffect says what the act does, what to watch out for, and how to undo it.
func (m *Model) dialogEffect(b *dialogBody) {
	i := m.dialog.intent
	head := "effect"
	for _, x := range i.Effect {
		b.add(theme.Name, head, x, dialogWhole)
		head = ""
	}
	head = "warning"
	for _, x := range i.Warn {
		b.add(theme.Wait, head, x, dialogWhole)
		head = ""
	}
	b.add(theme.Text, "undo", i.Undo, dialogWhole)
	if len(m.dialog.targets) == 0 {
		b.checks(&m.dialog.check)
	}
}

// dialogTyped is the word that confirms, where one has to be typed.
func (m *Model) dialogTyped(b *dialogBody) {
	d := &m.dialog
	if !d.intent.Typed() {
		return
	}
	what := " to "
	if d.intent.Protected {
		what = " (protected context) to "
	}
	m.dialogField(b, "type", &d.word, d.focus == fieldWord, cell.Text(m.scene.Theme, d.intent.Confirm)+what+d.act.String()+", then enter")
	b.field(fieldWord)
}

// dialogButtons is the line of what ends the dialog.
func (m *Model) dialogButtons(b *dialogBody) {
	th, d := m.scene.Theme, &m.dialog
	r := cell.NewRow(th, b.w, theme.Plain)
	if d.focus == fieldCancel {
		r.On(theme.Cursor)
		r.Put(theme.Name|theme.Bold, th.Glyph.Cursor+" Cancel ")
		r.On(theme.Plain)
	} else {
		r.Put(theme.Text, "  Cancel ")
	}
	r.Put(theme.Sub, "  esc")
	if d.focus == fieldCancel {
		r.Put(theme.Sub, " or enter")
	}
	k, kd := theme.Key|theme.Bold, theme.Text
	if !d.ready() {
		k, kd = theme.Faint, theme.Faint
	}
	cancel := r.At()
	r.Put(theme.Text, "        ")
	confirm := r.At()
	next := "   tab next field"
	switch {
	case d.intent.Typed():
		r.Put(k, "enter").Put(kd, " "+d.act.String())
	case d.focus == fieldNote:
		r.Put(k, "y").Put(kd, " "+d.act.String())
		next = "   tab leaves the note"
	default:
		r.Put(k, "y").Put(kd, " "+d.act.String())
		next = "   tab note"
	}
	confirmed := r.At()
	r.Put(theme.Faint, next)
	b.row(r)
	b.spot(spot{to: cancel, kind: spotCancel})
	b.spot(spot{from: confirm, to: confirmed, kind: spotConfirm})
}

// dialogWhere says whose hub it is and who acts there: in one line where both
// fit, since what has no room in a dialog is not read.
func (m *Model) dialogWhere(b *dialogBody) {
	th, h := m.scene.Theme, m.scene.Snap.Hub
	where, who := cell.Text(th, h.Context), cell.Text(th, h.User)
	switch {
	case h.User.IsZero() || dialogLabel+cell.Width(where)+len("  as ")+cell.Width(who) > b.w:
		b.add(theme.Name|theme.Bold, "context", h.Context, 1)
		b.add(theme.Text, "you", h.User, 1)
	default:
		r := cell.NewRow(th, b.w, theme.Plain).Put(theme.Sub, "context").To(dialogLabel).Put(theme.Name|theme.Bold, where)
		b.row(r.Put(theme.Sub, "  as ").Put(theme.Text, who))
	}
	if !b.fold {
		b.add(theme.Text, "server", h.Server, 1)
	}
}

// dialogState says why it cannot be confirmed now, or what was wrong.
func (m *Model) dialogState(b *dialogBody) {
	d := &m.dialog
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
	case d.unread > 0 && d.top > d.seen:
		b.add(theme.Wait, "", engine.Lit("The text changed: read it before you confirm (pgup)."), 1)
	case d.unread > 0:
		b.add(theme.Wait, "", engine.Textf("Scroll down before you confirm: pgdn, %s more.", engine.Count(d.unread, "line")), 1)
	default:
		b.blank()
	}
}

// dialogField draws a field that is typed into.
func (m *Model) dialogField(b *dialogBody, head string, f *field.Field, focus bool, hint string) {
	th := m.scene.Theme
	r := cell.NewRow(th, b.w, theme.Plain)
	k := theme.Sub
	if focus {
		k = theme.Key | theme.Bold
	}
	r.Put(k, head).To(dialogLabel)
	room := b.w - dialogLabel - 2
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

// dialogTold says what became of the intent and follows its effect.
func (m *Model) dialogTold(b *dialogBody) {
	th, d := m.scene.Theme, &m.dialog
	i := d.intent
	b.add(theme.Name|theme.Bold, "context", m.scene.Snap.Hub.Context, 1)
	b.add(theme.Name, "object", i.Object, 2)
	m.dialogTargets(b)
	if d.step == stepSend && len(d.targets) > 0 {
		b.foot = len(b.lines)
		b.blank()
		b.row(cell.NewRow(th, b.w, theme.Plain).Put(theme.Sub, "esc closes; the rest is not sent"))
		b.spot(spot{to: b.w, kind: spotCancel})
		return
	}
	if len(d.targets) > 0 {
		b.foot = len(b.lines)
		m.lateTarget(b)
		b.blank()
		b.row(cell.NewRow(th, b.w, theme.Plain).Put(theme.Key|theme.Bold, "esc").Put(theme.Sub, " or enter closes"))
		b.spot(spot{to: b.w, kind: spotCancel})
		return
	}
	if d.step == stepSend {
		b.blank()
		b.add(theme.Wait|theme.Bold, "sent", engine.Lit("Waiting for the answer of the hub."), 2)
		b.foot = len(b.lines)
		b.blank()
		b.row(cell.NewRow(th, b.w, theme.Plain).Put(theme.Sub, "esc closes; the outcome is shown when it arrives"))
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
	b.add(theme.Name, "", o.What, dialogWhole)
	b.add(theme.Text, "", o.Hint, dialogWhole)
	if d.act != engine.ActRaise && (o.Result == act.ResultApplied || o.Result == act.ResultUnknown) {
		b.blank()
		m.dialogFollow(b)
	}
	b.foot = len(b.lines)
	b.blank()
	r := cell.NewRow(th, b.w, theme.Plain).Put(theme.Key|theme.Bold, "esc").Put(theme.Sub, " or enter closes")
	if d.retires() {
		r.Put(theme.Text, "        ").Put(theme.Key|theme.Bold, "X").Put(theme.Text, " delete the old run "+cell.Text(th, d.run.Title()))
	}
	b.row(r)
	b.spot(spot{to: len("esc or enter closes"), kind: spotCancel})
}
