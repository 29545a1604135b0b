package ui

import (
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
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
	frame := inkKey
	if d.intent.Typed() {
		frame = inkAsk
	}
	if d.blocked().Refused() && d.step == stepAsk {
		frame = inkWait
	}
	left := (w - bw) / 2
	top := max(0, (m.dialogRoom()-len(lines))/3)
	out = padLines(out, len(out)+top)
	edge := th.glyph.thick
	r := newRow(th, w, groundNone).to(left).put(frame, edge.tl+edge.h+" ")
	r.put(inkName|bold, th.cut(th.cells(d.intent.Title), bw-6)).put(frame, " ").fill(frame, edge.h, left+bw-1).put(frame, edge.tr)
	out = append(out, r.String())
	for _, l := range lines {
		r := newRow(th, w, groundNone).to(left).put(frame, edge.v).put(inkText, " ")
		for _, s := range l.spots {
			s.y, s.from, s.to = len(out), s.from+r.at(), s.to+r.at()
			m.note(s)
		}
		r.join(l.row)
		out = append(out, r.put(inkText, " ").put(frame, edge.v).String())
	}
	r = newRow(th, w, groundNone).to(left).put(frame, edge.bl)
	if h < b.foot {
		r.put(frame, edge.h).put(inkKey|bold, " pgdn pgup ").put(inkText, th.cut("lines "+strconv.Itoa(shown+1)+" to "+strconv.Itoa(shown+h)+" of "+strconv.Itoa(b.foot)+" ", bw-16))
	}
	return append(out, r.fill(frame, edge.h, left+bw-1).put(frame, edge.br).String())
}

// dialogAsk says what is asked: whose hub, which object, what it will do, how
// to take it back, what kubectl would do, and how to confirm.
func (m *Model) dialogAsk(b *dialogBody) {
	d := &m.dialog
	i := d.intent
	m.dialogWhere(b)
	b.add(inkName, "object", i.Object, dialogWhole)
	b.blank()
	m.dialogTargets(b)
	m.dialogEffect(b)
	if b.fold {
		b.folded()
	} else {
		b.add(inkSub, "kubectl", i.Twin, dialogWhole)
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
		b.add(inkName, label, x, dialogWhole)
		label = ""
	}
	label = "warning"
	for _, x := range i.Warn {
		b.add(inkWait, label, x, dialogWhole)
		label = ""
	}
	b.add(inkText, "undo", i.Undo, dialogWhole)
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
	m.dialogField(b, "type", d.word, d.focus == fieldWord, m.look.th.cells(d.intent.Confirm)+what+d.act.String()+", then enter")
	b.field(fieldWord)
}

// dialogButtons is the line of what ends the dialog.
func (m *Model) dialogButtons(b *dialogBody) {
	th, d := m.look.th, &m.dialog
	r := newRow(th, b.w, groundNone)
	if d.focus == fieldCancel {
		r.on(groundCursor)
		r.put(inkName|bold, th.glyph.cursor+" Cancel ")
		r.on(groundNone)
	} else {
		r.put(inkText, "  Cancel ")
	}
	r.put(inkSub, "  esc")
	if d.focus == fieldCancel {
		r.put(inkSub, " or enter")
	}
	k, kd := inkKey|bold, inkText
	if !d.ready() {
		k, kd = inkFaint, inkFaint
	}
	cancel := r.at()
	r.put(inkText, "        ")
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
	r.put(inkFaint, next)
	b.row(r)
	b.spot(spot{to: cancel, kind: spotCancel})
	b.spot(spot{from: confirm, to: confirmed, kind: spotConfirm})
}

// dialogWhere says whose hub it is and who acts there: in one line where both
// fit, since what has no room in a dialog is not read.
func (m *Model) dialogWhere(b *dialogBody) {
	th, h := m.look.th, m.snap.Hub
	where, who := th.cells(h.Context), th.cells(h.User)
	switch {
	case h.User.IsZero() || dialogLabel+width(where)+len("  as ")+width(who) > b.w:
		b.add(inkName|bold, "context", h.Context, 1)
		b.add(inkText, "you", h.User, 1)
	default:
		r := newRow(th, b.w, groundNone).put(inkSub, "context").to(dialogLabel).put(inkName|bold, where)
		b.row(r.put(inkSub, "  as ").put(inkText, who))
	}
	if !b.fold {
		b.add(inkText, "server", h.Server, 1)
	}
}

// dialogState says why it cannot be confirmed now, or what was wrong.
func (m *Model) dialogState(b *dialogBody) {
	d := &m.dialog
	switch {
	case d.blocked().Refused():
		b.add(inkBad|bold, "not now", d.blocked().Why, 2)
		b.add(inkText, "", d.blocked().Hint, 2)
	case !d.hint.IsZero():
		b.add(inkWait, "", d.hint, 2)
	case d.changed:
		b.add(inkWait|bold, "changed", engine.Lit("The text above changed while this was open. Read it again."), 2)
	case !d.armed:
		b.add(inkFaint, "", engine.Lit("waiting for key release"), 1)
	case d.unread > 0 && d.top > d.seen:
		b.add(inkWait, "", engine.Lit("The text changed: read it before you confirm (pgup)."), 1)
	case d.unread > 0:
		b.add(inkWait, "", engine.Textf("Read on before you confirm: pgdn, %s more.", engine.Count(d.unread, "line")), 1)
	default:
		b.blank()
	}
}

// dialogField draws a field that is typed into.
func (m *Model) dialogField(b *dialogBody, label, value string, focus bool, hint string) {
	th := m.look.th
	r := newRow(th, b.w, groundNone)
	k := inkSub
	if focus {
		k = inkKey | bold
	}
	r.put(k, label).to(dialogLabel)
	room := b.w - dialogLabel - 2
	if focus {
		r.on(groundCursor)
	} else {
		r.on(groundBar)
	}
	r.put(inkSub, " ")
	value = th.cells(engine.Clean(value))
	if over := width(value) - room + 2; over > 0 {
		value = th.tail(value, room-2)
	}
	r.put(inkName, value)
	if focus {
		r.put(inkKey, th.glyph.cursor)
	}
	if value == "" {
		r.put(inkFaint, " "+hint)
	}
	r.to(b.w)
	b.row(r)
}

// dialogTold says what became of the intent and follows its effect.
func (m *Model) dialogTold(b *dialogBody) {
	th, d := m.look.th, &m.dialog
	i := d.intent
	b.add(inkName|bold, "context", m.snap.Hub.Context, 1)
	b.add(inkName, "object", i.Object, 2)
	m.dialogTargets(b)
	if d.step == stepSend && len(d.targets) > 0 {
		b.foot = len(b.lines)
		b.blank()
		b.row(newRow(th, b.w, groundNone).put(inkSub, "esc leaves; what is not sent then stays unsent"))
		b.spot(spot{to: b.w, kind: spotCancel})
		return
	}
	if len(d.targets) > 0 {
		b.foot = len(b.lines)
		m.lateTarget(b)
		b.blank()
		b.row(newRow(th, b.w, groundNone).put(inkKey|bold, "esc").put(inkSub, " or enter closes"))
		b.spot(spot{to: b.w, kind: spotCancel})
		return
	}
	if d.step == stepSend {
		b.blank()
		b.add(inkWait|bold, "sent", engine.Lit("The answer of the hub is awaited."), 2)
		b.foot = len(b.lines)
		b.blank()
		b.row(newRow(th, b.w, groundNone).put(inkSub, "esc leaves; the outcome is told when it comes"))
		b.spot(spot{to: b.w, kind: spotCancel})
		return
	}
	o := d.outcome
	k := inkDone
	switch o.Result {
	case engine.ResultApplied:
	case engine.ResultUnknown:
		k = inkWait
	case engine.ResultRefused, engine.ResultNotApplied:
		k = inkBad
	}
	b.blank()
	b.add(k|bold, "outcome", engine.Clean(o.Result.String()), 1)
	b.add(inkName, "", o.What, dialogWhole)
	b.add(inkText, "", o.Hint, dialogWhole)
	if d.act != engine.ActRaise && (o.Result == engine.ResultApplied || o.Result == engine.ResultUnknown) {
		b.blank()
		m.dialogFollow(b)
	}
	b.foot = len(b.lines)
	b.blank()
	r := newRow(th, b.w, groundNone).put(inkKey|bold, "esc").put(inkSub, " or enter closes")
	if d.retires() {
		r.put(inkText, "        ").put(inkKey|bold, "X").put(inkText, " delete the old run "+th.cells(d.run.Title()))
	}
	b.row(r)
	b.spot(spot{to: len("esc or enter closes"), kind: spotCancel})
}
