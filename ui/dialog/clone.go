package dialog

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/field"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// choiceRest is how long a choice has to stand before the hub is asked about it.
const choiceRest = 250 * time.Millisecond

// offers is what a clone can be made of, as far as that is known.
type offers struct {
	question page.ChoicesQuestion
	answered bool
	engine.Choices
}

// cloneForm is the part of a dialog that makes a clone: what was chosen, and what
// there is to choose from. It is empty in other dialogs.
type cloneForm struct {
	choice act.Choice
	offers offers
	pick   *picker                   // a list is open, nil for none
	due    int                       // counts choices, so that only the last is asked about
	texts  [Snapshot + 1]field.Field // what is typed, by Control
}

// openForm fills in what a clone takes from its run when nothing else is
// chosen.
func (d *Dialog) openForm(strategy engine.Text) tea.Cmd {
	// The free name is held on to: another one would be another question.
	d.choice = act.Choice{Name: d.intent.Target.Name()}
	if v := d.scene.Snap.Find(d.run); v != nil {
		d.choice.Placement, d.choice.Strategy = v.PlacementName(), v.Strategy
	}
	if !strategy.IsZero() {
		d.choice.Strategy = strategy
	}
	d.retype()
	return d.askOffers()
}

// askOffers asks what there is to choose from, once for each placement.
func (d *Dialog) askOffers() tea.Cmd {
	if d.act != engine.ActClone || d.choice.Placement.IsZero() {
		return nil
	}
	ns, _, _ := d.run.Raw()
	kind := d.run.Kind().InScope(engine.KindClusterResourcePlacement, engine.KindResourcePlacement)
	q := page.ChoicesQuestion{Placement: d.run.Beside(kind, ns, d.choice.Placement.String(), "")}
	if q == d.offers.question {
		return nil
	}
	d.offers.question, d.offers.answered, d.offers.Snapshots = q, false, nil
	n, ctx, hub := d.number, d.ctx, d.hub
	return func() tea.Msg { return OfferedMsg{Dialog: n, Answer: hub.Ask(ctx, q)} }
}

// onOffered takes what there is to choose from, or how two snapshots differ.
func (d *Dialog) onOffered(o OfferedMsg) tea.Cmd {
	switch {
	case d.number != o.Dialog:
	case o.Answer.Question == d.offers.question:
		d.offers.answered, d.offers.Choices = true, o.Answer.Choices
		if !o.Answer.Err.IsZero() {
			d.offers.Gaps = []engine.Gap{{What: engine.Lit("choices"), Why: o.Answer.Err}}
		}
		return d.askDiff()
	case d.pick != nil && o.Answer.Question == d.pick.diff:
		d.pick.answered, d.pick.answer = true, o.Answer
	}
	return nil
}

// options lists what a field can be turned to, the present choice among it. The
// empty snapshot is the newest at the time.
func (d *cloneForm) options(f Control) []engine.Option {
	var all []engine.Option
	now := engine.Text{}
	switch f {
	case Placement:
		all, now = d.offers.Placements, d.choice.Placement
	case Strategy:
		all, now = d.offers.Strategies, d.choice.Strategy
	case Snapshot:
		all = append([]engine.Option{{About: engine.Lit("newest: what is selected at initialization")}}, d.offers.Snapshots...)
		now = d.choice.Snapshot
	default:
		return nil
	}
	if !slices.ContainsFunc(all, func(o engine.Option) bool { return o.Name == now }) {
		missing := engine.Option{Name: now}
		if d.offers.answered && len(all) > 0 {
			missing.Odd, missing.About = true, engine.Lit("not on this hub")
		}
		all = append(slices.Clone(all), missing)
	}
	return all
}

// chosen is what a field is turned to.
func (c *engineChoice) chosen(f Control) *engine.Text {
	switch f {
	case Name:
		return &c.Name
	case Placement:
		return &c.Placement
	case Strategy:
		return &c.Strategy
	case Snapshot:
		return &c.Snapshot
	}
	return nil
}

// engineChoice is engine.Choice with its fields by focus.
type engineChoice act.Choice

// retype shows a choice in the fields that it is typed in.
func (d *cloneForm) retype() {
	c := engineChoice(d.choice)
	for f := range d.texts {
		if x := c.chosen(Control(f)); x != nil && d.texts[f].Value() != x.String() {
			d.texts[f].Set(x.String())
		}
	}
}

// choose changes what a clone is made of: a name is typed, and a field that has a list
// is turned with the keys that move sideways.
func (d *Dialog) choose(k tea.KeyPressMsg, a keymap.Action) tea.Cmd {
	c := engineChoice(d.choice)
	if x := c.chosen(d.focus); x != nil {
		switch {
		case d.focus != Name && a == keymap.DialogTurn:
			*x = d.turned(d.focus, 1)
		case d.focus != Name && a == keymap.DialogTurnBack:
			*x = d.turned(d.focus, -1)
		case k.Text == " ":
		default:
			f := &d.texts[d.focus]
			f.Update(k)
			*x = engine.Clean(f.Value())
		}
	} else if d.focus == State && (a == keymap.DialogTurn || a == keymap.DialogTurnBack) {
		c.Start = !c.Start
	}
	return d.chose(act.Choice(c))
}

// turned is the option before or after the present one.
func (d *cloneForm) turned(f Control, by int) engine.Text {
	all, c := d.options(f), engineChoice(d.choice)
	i := slices.IndexFunc(all, func(o engine.Option) bool { return o.Name == *c.chosen(f) })
	return all[(i+by+len(all))%len(all)].Name
}

// chose takes another choice over: what was typed to confirm was for the one
// before.
func (d *Dialog) chose(c act.Choice) tea.Cmd {
	if c == d.choice {
		return nil
	}
	if c.Placement != d.choice.Placement {
		c.Snapshot = engine.Text{} // an index means nothing in another placement
	}
	d.choice = c
	d.retype()
	d.word.Set("")
	d.checks = dryRun{owed: true}
	d.seen, d.unread = nil, 1 // the effect is another one
	switch {
	case c.Name.IsZero():
		d.refusal = engine.Refusal{Why: engine.Lit("The new run needs a name.")}
	case c.Placement.IsZero(), c.Strategy.IsZero():
		d.refusal = engine.Refusal{Why: engine.Lit("The new run needs a placement and a strategy.")}
	default:
		intent, no := d.proposeAgain()
		if d.refusal = no; !no.Refused() {
			d.intent = intent
		}
	}
	return d.later()
}

// later asks about a choice when it has stood for a while.
func (d *Dialog) later() tea.Cmd {
	d.due++
	return d.after(choiceRest, ChoiceDueMsg{Dialog: d.number, Choice: d.due})
}

// onChoiceDue asks what the choice that stands has left open.
func (d *Dialog) onChoiceDue(msg ChoiceDueMsg) tea.Cmd {
	if !d.open || d.number != msg.Dialog || d.due != msg.Choice || d.step != StepAsk {
		return nil
	}
	cmds := []tea.Cmd{d.askOffers(), d.askDiff()}
	if d.checks.owed && d.pick == nil && !d.refusal.Refused() {
		cmds = append(cmds, d.check())
	}
	return tea.Batch(cmds...)
}

// drawChoices draws what can be chosen about a clone.
func (d *Dialog) drawChoices(b *body) {
	c := d.choice
	d.drawField(b, "new name", &d.texts[Name], d.focus == Name, "")
	b.field(Name)
	d.drawPick(b, "placement", Placement, c.Placement)
	d.drawPick(b, "strategy", Strategy, c.Strategy)
	shown := c.Snapshot
	if shown.IsZero() {
		shown = engine.Lit("newest")
	}
	d.drawPick(b, "snapshot", Snapshot, shown)
	d.drawStart(b)
}

// drawPick draws a field that has a list.
func (d *Dialog) drawPick(b *body, head string, f Control, value engine.Text) {
	th := d.scene.Theme
	r := cell.NewRow(th, b.w, theme.Plain)
	k := theme.Sub
	if d.focus == f {
		k = theme.Key | theme.Bold
	}
	r.Put(k, head).To(labelWidth)
	if r.On(theme.Bar); d.focus == f {
		r.On(theme.Cursor)
	}
	hint := ""
	if d.focus == f {
		hint = "  " + th.Key("dialog-next-choice") + " changes, " + th.Key("dialog-press") + " lists "
	}
	at := 0
	switch in := &d.texts[f]; {
	case d.focus == f && in.Value() == value.String():
		at = in.Write(r.Gap(1), th, theme.Name, b.w/2+1)
		if in.AtEnd() {
			r.Gap(1)
		}
	case d.focus == f:
		r.Put(theme.Name, " "+cell.CutMiddle(th, cell.Text(th, value), b.w/2)).Put(theme.Key, th.Glyph.Cursor)
	default:
		r.Put(theme.Name, " "+cell.CutMiddle(th, cell.Text(th, value), b.w/2))
	}
	k, about := d.aboutPick(f)
	r.Put(k, cell.Cut(th, "  "+cell.Text(th, about), max(0, b.w-r.At()-cell.Width(hint)-1)))
	if hint != "" {
		r.To(b.w-cell.Width(hint)).Put(theme.Sub, hint)
	}
	b.row(r.To(b.w))
	b.field(f)
	if at > 0 {
		b.spot(spot{from: at, kind: spotInput})
	}
}

// aboutPick says what is worth knowing of what a field is turned to.
func (d *Dialog) aboutPick(f Control) (theme.Style, engine.Text) {
	if !d.offers.answered {
		return theme.Faint, engine.Text{}
	}
	all, c := d.options(f), engineChoice(d.choice)
	o := all[slices.IndexFunc(all, func(o engine.Option) bool { return o.Name == *c.chosen(f) })]
	var lacks engine.Refusal
	switch f {
	case Placement:
		lacks = d.offers.Lacks(d.choice.Placement, engine.Text{}, engine.Text{})
	case Strategy:
		lacks = d.offers.Lacks(engine.Text{}, d.choice.Strategy, engine.Text{})
	case Snapshot:
		lacks = d.offers.Lacks(engine.Text{}, engine.Text{}, d.choice.Snapshot)
		if !lacks.Refused() {
			return theme.Sub, d.aboutSnapshot(&o)
		}
	default:
	}
	switch {
	case lacks.Refused():
		return theme.Bad, lacks.Why
	case o.Odd:
		return theme.Bad, o.About
	}
	return theme.Sub, o.About
}

// aboutSnapshot says what a snapshot is beside its index.
func (d *Dialog) aboutSnapshot(o *engine.Option) engine.Text {
	newest := d.offers.Newest()
	switch {
	case o.Name.IsZero() && newest.IsZero():
		return engine.Text{}
	case o.Name.IsZero():
		return engine.Textf("now %s, unless the selected resources changed", newest)
	case o.Name == d.usedSnapshot():
		return engine.Lit("the same as this run")
	case o.Latest:
		return engine.Lit("the newest now")
	case o.Clusters > 0:
		return engine.Textf("on %s now", engine.Count(o.Clusters, "cluster"))
	}
	return engine.Lit("on no cluster now")
}

// usedSnapshot is the snapshot of the run that is cloned, where the clone is of
// the same placement.
func (d *Dialog) usedSnapshot() engine.Text {
	if v := d.scene.Snap.Find(d.run); v != nil && v.PlacementName() == d.choice.Placement {
		return v.UsedSnapshot()
	}
	return engine.Text{}
}

// drawStart draws the state in which the run is made.
func (d *Dialog) drawStart(b *body) {
	r := cell.NewRow(d.scene.Theme, b.w, theme.Plain)
	k, focus := theme.Sub, d.focus == State
	one, two, mo, mt := theme.Name|theme.Bold, theme.Faint, "(*) ", "( ) "
	if focus {
		k = theme.Key | theme.Bold
	}
	if d.choice.Start {
		one, two, mo, mt = two, one, mt, mo
	}
	r.Put(k, "state").To(labelWidth+1).Put(one, mo+"Initialize: wait for "+d.scene.Theme.Key("run")).Put(theme.Text, "   ").Put(two, mt+"Run: start automatically")
	if focus {
		r.Put(theme.Sub, "   "+d.scene.Theme.Key("dialog-next-choice")+" changes")
	}
	b.row(r)
	b.field(State)
}

// follows is the run whose way the dialog shows after sending.
func (d *Dialog) follows() engine.ID {
	if d.act == engine.ActClone && !d.outcome.Made.IsZero() {
		return d.outcome.Made
	}
	return d.run
}

// retires reports whether the dialog offers to delete the run that was cloned.
func (d *Dialog) retires() bool {
	return d.step == StepDone && d.act == engine.ActClone && d.outcome.Result == act.ResultApplied && d.run.Kind() == d.intent.Target.Kind()
}
