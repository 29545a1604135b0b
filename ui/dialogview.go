package ui

import "github.com/stagewatch/stagewatch/engine"

// dialogWidth is that of the dialog's frame.
func (m *Model) dialogWidth() int { return min(m.look.w-4, 92) }

// dialogView draws the dialog in the middle of what is left below the header.
func (m *Model) dialogView(out []string) []string {
	th, w := m.look.th, m.look.w
	d := &m.dialog
	bw := m.dialogWidth()
	b := &dialogBody{m: m, w: bw - 4}
	room := m.look.h - footRows - len(out)
	switch {
	case d.step != stepAsk:
		m.dialogTold(b)
	case d.pick != nil:
		m.pickView(b, room-2)
	default:
		m.dialogAsk(b)
	}
	lines := fitDialog(b.lines, room-2)
	frame := inkKey
	if d.intent.Typed() {
		frame = inkAsk
	}
	if d.blocked().Refused() && d.step == stepAsk {
		frame = inkWait
	}
	left := (w - bw) / 2
	top := max(0, (room-len(lines)-2)/3)
	out = padLines(out, len(out)+top)
	edge := th.glyph.thick
	r := newRow(th, w, groundNone).to(left).put(frame, edge.tl+edge.h+" ")
	r.put(inkName|bold, th.cut(th.cells(d.intent.Title), bw-6)).put(frame, " ").fill(frame, edge.h, left+bw-1).put(frame, edge.tr)
	out = append(out, r.String())
	for _, l := range lines {
		r := newRow(th, w, groundNone).to(left).put(frame, edge.v).put(inkText, " ")
		for _, s := range l.spots {
			s.y, s.from, s.to = len(out), s.from+r.w, s.to+r.w
			m.note(s)
		}
		r.b, r.w, r.raw = append(r.b, l.s...), r.w+bw-4, true
		out = append(out, r.put(inkText, " ").put(frame, edge.v).String())
	}
	r = newRow(th, w, groundNone).to(left).put(frame, edge.bl).fill(frame, edge.h, left+bw-1).put(frame, edge.br)
	return append(out, r.String())
}

// dialogAsk says what is asked: whose hub, which object, what it will do, how
// to take it back, what kubectl would do, and how to confirm.
func (m *Model) dialogAsk(b *dialogBody) {
	d := &m.dialog
	i := d.intent
	m.dialogWhere(b)
	b.add(0, inkName, "object", i.Object, 2)
	b.blank(rankBlank)
	m.dialogTargets(b)
	m.dialogEffect(b)
	if len(d.targets) == 0 {
		b.checks(&d.check)
	}
	b.blank(rankBlank)
	if d.act == engine.ActClone {
		m.dialogChoice(b)
	}
	m.dialogTyped(b)
	b.blank(rankBlank)
	m.dialogState(b)
	m.dialogButtons(b)
}

// dialogEffect says what it does, what to mind, how to take it back, and what
// kubectl would do.
func (m *Model) dialogEffect(b *dialogBody) {
	d := &m.dialog
	i := d.intent
	rank, undo := 0, 1
	if d.act == engine.ActClone {
		rank, undo = 3, 4 // its fields say what it will do
	}
	for n, x := range i.Effect {
		label := ""
		if n == 0 {
			label = "effect"
		}
		if d.act != engine.ActClone {
			b.add(min(n, 1), inkName, label, x, 3)
		} else {
			b.addWhole(rank+min(n, 1), inkName, label, x, 3)
		}
	}
	for n, x := range i.Warn {
		label := ""
		if n == 0 {
			label = "mind"
		}
		b.add(1, inkWait, label, x, 3)
	}
	b.add(undo, inkText, "undo", i.Undo, 2)
	b.addWhole(3, inkSub, "kubectl", i.Twin, 6)
}

// dialogTyped is the note and, where it has to be typed, the word that confirms.
func (m *Model) dialogTyped(b *dialogBody) {
	d, rank := &m.dialog, 2
	if d.act == engine.ActClone {
		rank = 1
	}
	m.dialogField(b, rank, "note", d.note, d.focus == fieldNote, "why, for those who read it later (optional)")
	b.field(fieldNote)
	if !d.intent.Typed() {
		return
	}
	what := " to "
	if d.intent.Protected {
		what = " (protected context) to "
	}
	m.dialogField(b, 0, "type", d.word, d.focus == fieldWord, m.look.th.cells(d.intent.Confirm)+what+d.act.String()+", then enter")
	b.field(fieldWord)
}

// dialogButtons is the line of what ends the dialog.
func (m *Model) dialogButtons(b *dialogBody) {
	th, d := m.look.th, &m.dialog
	r := newRow(th, b.w, groundNone)
	if d.focus == fieldCancel {
		r.g, r.raw = groundCursor, true
		r.put(inkName|bold, th.glyph.cursor+" Cancel ")
		r.g, r.raw = groundNone, true
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
	cancel := r.w
	r.put(inkText, "        ")
	confirm := r.w
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
	confirmed := r.w
	r.put(inkFaint, next)
	b.row(0, r)
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
		b.add(0, inkName|bold, "context", h.Context, 1)
		b.add(2, inkText, "you", h.User, 1)
	default:
		r := newRow(th, b.w, groundNone).put(inkSub, "context").to(dialogLabel).put(inkName|bold, where)
		b.row(0, r.put(inkSub, "  as ").put(inkText, who))
	}
	rank := 2
	if m.dialog.act == engine.ActClone {
		rank = 3 // what the hub said to the choice comes first
	}
	b.add(rank, inkText, "server", h.Server, 1)
}

// dialogState says why it cannot be confirmed now, or what was wrong.
func (m *Model) dialogState(b *dialogBody) {
	d := &m.dialog
	switch {
	case d.blocked().Refused():
		b.add(0, inkBad|bold, "not now", d.blocked().Why, 2)
		b.add(1, inkText, "", d.blocked().Hint, 2)
	case !d.hint.IsZero():
		b.add(0, inkWait, "", d.hint, 2)
	case d.changed:
		b.add(0, inkWait|bold, "changed", engine.Lit("The words above changed while this was open. Read them again."), 2)
	case !d.armed:
		b.add(0, inkFaint, "", engine.Lit("keys are not listened to yet"), 1)
	default:
		b.blank(rankBlank)
	}
}

// dialogField draws a field that is typed into.
func (m *Model) dialogField(b *dialogBody, rank int, label, value string, focus bool, hint string) {
	th := m.look.th
	r := newRow(th, b.w, groundNone)
	k := inkSub
	if focus {
		k = inkKey | bold
	}
	r.put(k, label).to(dialogLabel)
	room := b.w - dialogLabel - 2
	if focus {
		r.g, r.raw = groundCursor, true
	} else {
		r.g, r.raw = groundBar, true
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
	b.row(rank, r)
}

// dialogTold says what became of the intent and follows its effect.
func (m *Model) dialogTold(b *dialogBody) {
	th, d := m.look.th, &m.dialog
	i := d.intent
	b.add(2, inkName|bold, "context", m.snap.Hub.Context, 1)
	b.add(0, inkName, "object", i.Object, 2)
	m.dialogTargets(b)
	if d.step == stepSend && len(d.targets) > 0 {
		b.blank(rankBlank)
		b.row(0, newRow(th, b.w, groundNone).put(inkSub, "esc leaves; what is not sent then stays unsent"))
		b.spot(spot{to: b.w, kind: spotCancel})
		return
	}
	if len(d.targets) > 0 {
		m.lateTarget(b)
		b.blank(rankBlank)
		b.row(0, newRow(th, b.w, groundNone).put(inkKey|bold, "esc").put(inkSub, " or enter closes"))
		b.spot(spot{to: b.w, kind: spotCancel})
		return
	}
	if d.step == stepSend {
		b.blank(rankBlank)
		b.add(0, inkWait|bold, "sent", engine.Lit("The answer of the hub is awaited."), 2)
		b.blank(rankBlank)
		b.row(0, newRow(th, b.w, groundNone).put(inkSub, "esc leaves; the outcome is told when it comes"))
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
	b.blank(rankBlank)
	b.add(0, k|bold, "outcome", engine.Clean(o.Result.String()), 1)
	b.add(0, inkName, "", o.What, 3)
	b.add(1, inkText, "", o.Hint, 3)
	if d.act != engine.ActRaise && (o.Result == engine.ResultApplied || o.Result == engine.ResultUnknown) {
		b.blank(rankBlank)
		m.dialogFollow(b)
	}
	b.blank(rankBlank)
	r := newRow(th, b.w, groundNone).put(inkKey|bold, "esc").put(inkSub, " or enter closes")
	if d.retires() {
		r.put(inkText, "        ").put(inkKey|bold, "X").put(inkText, " delete the old run "+th.cells(d.run.Title()))
	}
	b.row(0, r)
	b.spot(spot{to: len("esc or enter closes"), kind: spotCancel})
}
