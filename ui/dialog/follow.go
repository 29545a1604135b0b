package dialog

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// follow says what the hub made of the intent so far, from the streams.
func (d *Dialog) follow(b *body) {
	th := d.scene.Theme
	f := act.Follow(d.hubOf(), d.outcome, d.scene.NowOf(d.run))
	head := "then"
	if d.act == engine.ActApprove {
		head = "approval"
	}
	b.add(theme.OfRole(f.Role), head, f.What, 2)
	if v := d.scene.Snap.Find(d.follows()); v != nil {
		r := cell.NewRow(th, b.w, theme.Plain).Put(theme.Sub, "run now").To(labelWidth)
		r.Put(label.StateStyle(v)|theme.Bold, th.Glyph.Words[v.Word]+" "+column.StateAt(v, d.scene.HubNow()).String())
		if s := column.InState(v, d.scene.HubNow()).String(); s != "" {
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
func (d *Dialog) followTarget(b *body, t *Target) {
	f := act.Follow(d.hubOf(), t.outcome, d.scene.NowOf(d.run))
	x := f.What
	if v := d.scene.Snap.Find(t.Run); v != nil {
		x = engine.Textf("%s; now %s", x, column.StateAt(v, d.scene.HubNow()))
	}
	if !f.What.IsZero() {
		b.add(theme.OfRole(f.Role), "", engine.Textf("  %s", x), 1)
	}
}

// lateTarget says once that the hub has not reacted to some of several targets.
func (d *Dialog) lateTarget(b *body) {
	for i := range d.targets {
		if t := &d.targets[i]; t.done {
			if f := act.Follow(d.hubOf(), t.outcome, d.scene.NowOf(d.run)); !f.Late.IsZero() {
				b.add(theme.Bad, "", f.Late, 2)
				return
			}
		}
	}
}
