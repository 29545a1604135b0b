package ui

import (
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// dialogWidth is that of the dialog's frame.
func (m *Model) dialogWidth() int { return min(m.look.w-4, 92) }

// dialogView draws the dialog in the middle of what is left below the header.
func (m *Model) dialogView(out []string) []string {
	th, w := m.look.th, m.look.w
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
	out = padLines(out, len(out)+top)
	edge := th.Glyph.Thick
	r := newRow(th, w, theme.Plain).to(left).put(frame, edge.Tl+edge.H+" ")
	r.put(theme.Name|theme.Bold, cutEnd(th, cellText(th, d.intent.Title), bw-6)).put(frame, " ").fill(frame, edge.H, left+bw-1).put(frame, edge.Tr)
	out = append(out, r.String())
	for _, l := range lines {
		r := newRow(th, w, theme.Plain).to(left).put(frame, edge.V).put(theme.Text, " ")
		for _, s := range l.spots {
			s.y, s.from, s.to = len(out), s.from+r.at(), s.to+r.at()
			m.note(s)
		}
		r.join(l.row)
		out = append(out, r.put(theme.Text, " ").put(frame, edge.V).String())
	}
	r = newRow(th, w, theme.Plain).to(left).put(frame, edge.Bl)
	if h < b.foot {
		r.put(frame, edge.H).put(theme.Key|theme.Bold, " pgdn pgup ").put(theme.Text, cutEnd(th, "lines "+strconv.Itoa(shown+1)+" to "+strconv.Itoa(shown+h)+" of "+strconv.Itoa(b.foot)+" ", bw-16))
	}
	return append(out, r.fill(frame, edge.H, left+bw-1).put(frame, edge.Br).String())
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
	m.dialogField(b, "note", d.note, d.focus == fieldNote, "why, for those who read it later (optional)")
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
	label := "effect"
	for _, x := range i.Effect {
		b.add(theme.Name, label, x, dialogWhole)
		label = ""
	}
	label = "warning"
	for _, x := range i.Warn {
		b.add(theme.Wait, label, x, dialogWhole)
		label = ""
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
	m.dialogField(b, "type", d.word, d.focus == fieldWord, cellText(m.look.th, d.intent.Confirm)+what+d.act.String()+", then enter")
	b.field(fieldWord)
}

// dialogButtons is the line of what ends the dialog.
func (m *Model) dialogButtons(b *dialogBody) {
	th, d := m.look.th, &m.dialog
	r := newRow(th, b.w, theme.Plain)
	if d.focus == fieldCancel {
		r.on(theme.Cursor)
		r.put(theme.Name|theme.Bold, th.Glyph.Cursor+" Cancel ")
		r.on(theme.Plain)
	} else {
		r.put(theme.Text, "  Cancel ")
	}
	r.put(theme.Sub, "  esc")
	if d.focus == fieldCancel {
		r.put(theme.Sub, " or enter")
	}
	k, kd := theme.Key|theme.Bold, theme.Text
	if !d.ready() {
		k, kd = theme.Faint, theme.Faint
	}
	cancel := r.at()
	r.put(theme.Text, "        ")
	confirm := r.at()
	next := "   tab next field"
	switch {
	case d.intent.Typed():
		r.put(k, "enter").put(kd, " "+d.act.String())
	case d.focus == fieldNote:
		r.put(k, "y").put(kd, " "+d.act.String())
		next = "   tab leaves the note"
	default:
		r.put(k, "y").put(kd, " "+d.act.String())
		next = "   tab note"
	}
	confirmed := r.at()
	r.put(theme.Faint, next)
	b.row(r)
	b.spot(spot{to: cancel, kind: spotCancel})
	b.spot(spot{from: confirm, to: confirmed, kind: spotConfirm})
}

// dialogWhere says whose hub it is and who acts there: in one line where both
// fit, since what has no room in a dialog is not read.
func (m *Model) dialogWhere(b *dialogBody) {
	th, h := m.look.th, m.snap.Hub
	where, who := cellText(th, h.Context), cellText(th, h.User)
	switch {
	case h.User.IsZero() || dialogLabel+width(where)+len("  as ")+width(who) > b.w:
		b.add(theme.Name|theme.Bold, "context", h.Context, 1)
		b.add(theme.Text, "you", h.User, 1)
	default:
		r := newRow(th, b.w, theme.Plain).put(theme.Sub, "context").to(dialogLabel).put(theme.Name|theme.Bold, where)
		b.row(r.put(theme.Sub, "  as ").put(theme.Text, who))
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
		b.add(theme.Bad|theme.Bold, "not now", d.blocked().Why, 2)
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
		b.add(theme.Wait, "", engine.Textf("Read on before you confirm: pgdn, %s more.", engine.Count(d.unread, "line")), 1)
	default:
		b.blank()
	}
}

// dialogField draws a field that is typed into.
func (m *Model) dialogField(b *dialogBody, label, value string, focus bool, hint string) {
	th := m.look.th
	r := newRow(th, b.w, theme.Plain)
	k := theme.Sub
	if focus {
		k = theme.Key | theme.Bold
	}
	r.put(k, label).to(dialogLabel)
	room := b.w - dialogLabel - 2
	if focus {
		r.on(theme.Cursor)
	} else {
		r.on(theme.Bar)
	}
	r.put(theme.Sub, " ")
	value = cellText(th, engine.Clean(value))
	if over := width(value) - room + 2; over > 0 {
		value = cutStart(th, value, room-2)
	}
	r.put(theme.Name, value)
	if focus {
		r.put(theme.Key, th.Glyph.Cursor)
	}
	if value == "" {
		r.put(theme.Faint, " "+hint)
	}
	r.to(b.w)
	b.row(r)
}

// dialogTold says what became of the intent and follows its effect.
func (m *Model) dialogTold(b *dialogBody) {
	th, d := m.look.th, &m.dialog
	i := d.intent
	b.add(theme.Name|theme.Bold, "context", m.snap.Hub.Context, 1)
	b.add(theme.Name, "object", i.Object, 2)
	m.dialogTargets(b)
	if d.step == stepSend && len(d.targets) > 0 {
		b.foot = len(b.lines)
		b.blank()
		b.row(newRow(th, b.w, theme.Plain).put(theme.Sub, "esc leaves; what is not sent then stays unsent"))
		b.spot(spot{to: b.w, kind: spotCancel})
		return
	}
	if len(d.targets) > 0 {
		b.foot = len(b.lines)
		m.lateTarget(b)
		b.blank()
		b.row(newRow(th, b.w, theme.Plain).put(theme.Key|theme.Bold, "esc").put(theme.Sub, " or enter closes"))
		b.spot(spot{to: b.w, kind: spotCancel})
		return
	}
	if d.step == stepSend {
		b.blank()
		b.add(theme.Wait|theme.Bold, "sent", engine.Lit("The answer of the hub is awaited."), 2)
		b.foot = len(b.lines)
		b.blank()
		b.row(newRow(th, b.w, theme.Plain).put(theme.Sub, "esc leaves; the outcome is told when it comes"))
		b.spot(spot{to: b.w, kind: spotCancel})
		return
	}
	o := d.outcome
	k := theme.Done
	switch o.Result {
	case engine.ResultApplied:
	case engine.ResultUnknown:
		k = theme.Wait
	case engine.ResultRefused, engine.ResultNotApplied:
		k = theme.Bad
	}
	b.blank()
	b.add(k|theme.Bold, "outcome", engine.Clean(o.Result.String()), 1)
	b.add(theme.Name, "", o.What, dialogWhole)
	b.add(theme.Text, "", o.Hint, dialogWhole)
	if d.act != engine.ActRaise && (o.Result == engine.ResultApplied || o.Result == engine.ResultUnknown) {
		b.blank()
		m.dialogFollow(b)
	}
	b.foot = len(b.lines)
	b.blank()
	r := newRow(th, b.w, theme.Plain).put(theme.Key|theme.Bold, "esc").put(theme.Sub, " or enter closes")
	if d.retires() {
		r.put(theme.Text, "        ").put(theme.Key|theme.Bold, "X").put(theme.Text, " delete the old run "+cellText(th, d.run.Title()))
	}
	b.row(r)
	b.spot(spot{to: len("esc or enter closes"), kind: spotCancel})
}
