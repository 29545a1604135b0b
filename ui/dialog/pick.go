package dialog

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// picker is the list of what a field of a clone can be; of a snapshot it shows
// what it would change, too.
type picker struct {
	of Control
	at engine.Text // the option under the cursor
	// against counts through the snapshots that one is compared with.
	against int
	// diff is what was asked last about the snapshots; answered once answer is that
	// of it.
	diff     page.SnapshotsQuestion
	answered bool
	answer   page.Answer
	top      int // of the difference
}

// openPick lists what the field that has the focus can be.
func (d *Dialog) openPick() tea.Cmd {
	c := engineChoice(d.choice)
	d.pick = &picker{of: d.focus, at: *c.chosen(d.focus)}
	return d.askDiff()
}

// onPickKey handles keys while a list is open in the dialog. None of them
// confirms.
func (d *Dialog) onPickKey(a keymap.Action) tea.Cmd {
	p := d.pick
	all := d.options(p.of)
	i := max(0, slices.IndexFunc(all, func(o engine.Option) bool { return o.Name == p.at }))
	at := func(n int) tea.Cmd {
		p.at, p.against, p.top = all[max(0, min(n, len(all)-1))].Name, 0, 0
		return d.later()
	}
	switch a {
	case keymap.PickBack:
		d.pick = nil
		return d.later()
	case keymap.PickTake:
		c := engineChoice(d.choice)
		*c.chosen(p.of) = p.at
		d.pick = nil
		return d.chose(act.Choice(c))
	case keymap.PickNext:
		return at(i + 1)
	case keymap.PickPrev:
		return at(i - 1)
	case keymap.PickFirst:
		return at(0)
	case keymap.PickLast:
		return at(len(all) - 1)
	case keymap.PickOther, keymap.PickOtherBefore:
		if p.top = 0; a == keymap.PickOther {
			p.against++
		} else {
			p.against--
		}
		return d.later()
	case keymap.PickDown:
		lines := 0
		if p.answered {
			lines = len(d.diffLines(p.answer.Sections, d.boxWidth()-4))
		}
		p.top = max(0, min(p.top+pickStep, lines-1))
	case keymap.PickUp:
		p.top = max(0, p.top-pickStep)
	default:
	}
	return nil
}

// pickStep is how many lines of a difference a key moves.
const pickStep = 4

// compared are the snapshots that the list shows the difference of.
func (d *Dialog) compared() (from, to engine.Text) {
	p := d.pick
	if p == nil || p.of != Snapshot {
		return from, to
	}
	if to = p.at; to.IsZero() {
		to = d.offers.Newest()
	}
	if all := d.offers.Against(to, d.usedSnapshot()); len(all) > 0 && !to.IsZero() {
		from = all[((p.against%len(all))+len(all))%len(all)]
	}
	return from, to
}

// askDiff asks what the snapshot under the cursor would change.
func (d *Dialog) askDiff() tea.Cmd {
	a, b := d.compared()
	if a.IsZero() {
		return nil
	}
	from, err := strconv.Atoi(a.String())
	to, err2 := strconv.Atoi(b.String())
	q := page.SnapshotsQuestion{Placement: d.offers.question.Placement, From: from, To: to}
	if err != nil || err2 != nil || q == d.pick.diff {
		return nil
	}
	d.pick.diff, d.pick.answered = q, false
	n, ctx, hub := d.number, d.ctx, d.hub
	return func() tea.Msg { return OfferedMsg{Dialog: n, Answer: hub.Ask(ctx, q)} }
}

// pickTitles name the lists.
var pickTitles = map[Control]string{Placement: "placements", Strategy: "strategies", Snapshot: "snapshots of "}

// pickView draws the list in at most room lines.
func (d *Dialog) pickView(b *body, room int) {
	th := d.scene.Theme
	p, all := d.pick, d.options(d.pick.of)
	i := max(0, slices.IndexFunc(all, func(o engine.Option) bool { return o.Name == p.at }))
	r := cell.NewRow(th, b.w, theme.Plain).Put(theme.Sub, pickTitles[p.of])
	if p.of == Snapshot {
		r.Put(theme.Sub, cell.Text(th, d.choice.Placement))
	}
	for _, g := range d.offers.Gaps {
		r.Put(theme.Wait, "   "+cell.Text(th, engine.Textf("%s not read: %s", g.What, g.Why)))
	}
	if !d.offers.answered {
		r.Put(theme.Sub, d.scene.Busy("   loading"))
	}
	b.row(r)
	rows := room - 1
	if p.of == Snapshot {
		rows = max(3, min(len(all), room/2-2))
	}
	rows = min(rows, len(all))
	top := max(0, min(i-rows/2, len(all)-rows))
	for n := top; n < top+rows; n++ {
		b.row(d.pickRow(b.w, &all[n], n == i))
	}
	if p.of == Snapshot {
		d.pickDiff(b, max(1, room-rows-2))
	}
}

// pickRow draws an option.
func (d *Dialog) pickRow(w int, o *engine.Option, sel bool) *cell.Row {
	th := d.scene.Theme
	g, mark, k := theme.Plain, "  ", theme.Text
	if sel {
		g, mark, k = theme.Cursor, th.Glyph.Cursor+" ", theme.Name|theme.Bold
	}
	r := cell.NewRow(th, w, g).Put(theme.Key, mark)
	if d.pick.of != Snapshot {
		r.Put(k, cell.CutMiddle(th, cell.Text(th, o.Name), w/2)).To(min(r.At()+1, 2+w/2)).To(max(r.At()+2, 2+w/3))
		k = theme.Sub
		if o.Odd {
			k = theme.Bad
		}
		return r.Put(k, cell.Cut(th, cell.Text(th, o.About), w-r.At())).To(w)
	}
	if o.Name.IsZero() {
		return r.Put(k, "newest").To(10).Put(theme.Sub, cell.Cut(th, cell.Text(th, d.aboutSnapshot(o)), w-r.At())).To(w)
	}
	r.Put(k, cell.Text(th, o.Name)).To(10)
	k = theme.Sub
	if o.Odd {
		k = theme.Bad
	}
	r.Put(k, cell.Text(th, o.About)).To(26).Put(theme.Text, label.Plural(o.Clusters, "cluster")).To(39)
	if !o.Since.IsZero() {
		r.Put(theme.Sub, engine.Age(d.scene.Since(o.Since)).String())
	}
	r.To(46)
	if o.Latest {
		r.Put(theme.Done, "newest  ")
	}
	if o.Name == d.usedSnapshot() {
		r.Put(theme.Name, "this run's")
	}
	return r.To(w)
}

// pickDiff draws what the snapshot under the cursor would change.
func (d *Dialog) pickDiff(b *body, room int) {
	th := d.scene.Theme
	from, to := d.compared()
	if to.IsZero() {
		return
	}
	p := d.pick
	r := cell.NewRow(th, b.w, theme.Plain)
	if from.IsZero() {
		r.Put(theme.Sub, "Nothing to compare "+cell.Text(th, to)+" with: no cluster has another.")
		b.row(r)
		return
	}
	on := 0
	for _, o := range d.offers.Snapshots {
		if o.Name == from {
			on = o.Clusters
		}
	}
	var has engine.Text
	switch {
	case on == 1:
		has = engine.Lit("which 1 cluster has")
	case on > 1:
		has = engine.Textf("which %s have", engine.Count(on, "cluster"))
	default:
		has = engine.Lit("which this run used")
	}
	r.Fill(theme.Faint, th.Glyph.Rule, 2).Put(theme.Name, " from ").Put(theme.Name|theme.Bold, cell.Text(th, from)).Put(theme.Sub, ", "+cell.Text(th, has)+",")
	r.Put(theme.Name, " to ").Put(theme.Name|theme.Bold, cell.Text(th, to)+"  ")
	if p.answered && p.answer.Err.IsZero() && len(p.answer.Sections) > 0 {
		r.Put(theme.Sub, cell.Cut(th, cell.Text(th, p.answer.Sections[0].Note), b.w-r.At()-1)+" ")
	}
	b.row(r.Fill(theme.Faint, th.Glyph.Rule, b.w))
	switch {
	case !p.answered:
		b.row(cell.NewRow(th, b.w, theme.Plain).Put(theme.Sub, d.scene.Busy("loading")))
	case !p.answer.Err.IsZero():
		b.row(cell.NewRow(th, b.w, theme.Plain).Put(theme.Wait, cell.Cut(th, cell.Text(th, p.answer.Err), b.w)))
	default:
		lines := d.diffLines(p.answer.Sections, b.w)
		top := max(0, min(p.top, len(lines)-room))
		for _, l := range lines[top:min(len(lines), top+room)] {
			b.row(l)
		}
	}
}

// diffLines draws the rows of a comparison, which have one cell each.
func (d *Dialog) diffLines(sections []page.Section, w int) []*cell.Row {
	th := d.scene.Theme
	var out []*cell.Row
	for i := range sections {
		for j := range sections[i].Rows {
			for _, c := range sections[i].Rows[j].Cells {
				for n, l := range cell.WrapKept(th, cell.Text(th, c.Text), w-2, 8) {
					r := cell.NewRow(th, w, theme.Plain)
					if c.Mark != page.MarkNone && n == 0 {
						r.Put(theme.OfRole(c.Role), th.Glyph.PageMark(c.Mark))
					}
					out = append(out, r.To(2).Put(theme.OfRole(c.Role), l))
				}
			}
		}
	}
	return out
}
