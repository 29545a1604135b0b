package ui

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// dialogFollow says what the hub made of the intent so far, from the streams.
func (m *Model) dialogFollow(b *dialogBody) {
	th, d := m.scene.Theme, &m.dialog
	f := act.Follow(m.scene.Snap, d.outcome, m.scene.HubNow())
	head := "then"
	if d.act == engine.ActApprove {
		head = "approval"
	}
	b.add(theme.OfRole(f.Role), head, f.What, 2)
	if v := m.scene.Snap.Find(d.follows()); v != nil {
		r := cell.NewRow(th, b.w, theme.Plain).Put(theme.Sub, "run now").To(dialogLabel)
		r.Put(label.StateStyle(v)|theme.Bold, th.Glyph.Words[v.Word]+" "+label.State(v, m.scene.HubNow()))
		if s := m.forText(v); s != "" {
			r.Put(theme.Sub, " for "+s)
		}
		if n := v.Updating + v.Stuck; n > 0 {
			r.Put(theme.Text, ", "+label.Plural(n, "cluster")+" updating")
		}
		b.row(r)
	}
	b.add(theme.Bad, "", f.Late, 2)
}

// followTarget says what the hub made of one of several targets so far.
func (m *Model) followTarget(b *dialogBody, t *target) {
	f := act.Follow(m.scene.Snap, t.outcome, m.scene.HubNow())
	x := f.What
	if v := m.scene.Snap.Find(t.run); v != nil {
		x = engine.Textf("%s; now %s", x, engine.Clean(label.State(v, m.scene.HubNow())))
	}
	if !f.What.IsZero() {
		b.add(theme.OfRole(f.Role), "", engine.Textf("  %s", x), 1)
	}
}

// lateTarget says once that the hub has not reacted to some of several targets.
func (m *Model) lateTarget(b *dialogBody) {
	for i := range m.dialog.targets {
		if t := &m.dialog.targets[i]; t.done {
			if f := act.Follow(m.scene.Snap, t.outcome, m.scene.HubNow()); !f.Late.IsZero() {
				b.add(theme.Bad, "", f.Late, 2)
				return
			}
		}
	}
}
