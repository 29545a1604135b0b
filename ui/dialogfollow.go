package ui

import "github.com/stagewatch/stagewatch/engine"

// dialogFollow says what the hub made of the intent so far, from the streams.
func (m *Model) dialogFollow(b *dialogBody) {
	th, d := m.look.th, &m.dialog
	f := engine.Follow(m.snap, d.outcome, m.hubNow())
	label := "then"
	if d.act == engine.ActApprove {
		label = "approval"
	}
	b.add(roleInk(f.Role), label, f.What, 2)
	if v := m.snap.Find(d.follows()); v != nil {
		r := newRow(th, b.w, groundNone).put(inkSub, "run now").to(dialogLabel)
		r.put(runInk(v)|bold, th.glyph.words[v.Word]+" "+m.wordText(v))
		if s := m.forText(v); s != "" {
			r.put(inkSub, " for "+s)
		}
		if n := v.Updating + v.Stuck; n > 0 {
			r.put(inkText, ", "+plural(n, "cluster")+" in flight")
		}
		b.row(r)
	}
	b.add(inkBad, "", f.Late, 2)
}

// followTarget says what the hub made of one of several targets so far.
func (m *Model) followTarget(b *dialogBody, t *target) {
	f := engine.Follow(m.snap, t.outcome, m.hubNow())
	x := f.What
	if v := m.snap.Find(t.run); v != nil {
		x = engine.Textf("%s; now %s", x, engine.Clean(m.wordText(v)))
	}
	if !f.What.IsZero() {
		b.add(roleInk(f.Role), "", engine.Textf("  %s", x), 1)
	}
}

// lateTarget says once that the hub has not reacted to some of several targets.
func (m *Model) lateTarget(b *dialogBody) {
	for i := range m.dialog.targets {
		if t := &m.dialog.targets[i]; t.done {
			if f := engine.Follow(m.snap, t.outcome, m.hubNow()); !f.Late.IsZero() {
				b.add(inkBad, "", f.Late, 2)
				return
			}
		}
	}
}
