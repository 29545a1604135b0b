package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/field"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// choiceRest is how long a choice has to stand before the hub is asked about it.
const choiceRest = 250 * time.Millisecond

// offers is what a clone can be made of, as far as the hub has told.
type offers struct {
	question enginepage.Question
	answered bool
	engine.Choices
}

// cloneForm is the part of a dialog that makes a clone: what was chosen, and what
// there is to choose from. It is empty in other dialogs.
type cloneForm struct {
	choice act.Choice
	offers offers
	pick   *picker                        // a list is open, nil for none
	due    int                            // counts choices, so that only the last is asked about
	texts  [fieldSnapshot + 1]field.Field // what is typed, by control
}

// openChoices fills in what a clone takes from its run when nothing else is
// chosen.
func (m *Model) openChoices(strategy engine.Text) tea.Cmd {
	d := &m.dialog
	// The free name is held on to: another one would be another question.
	d.choice = act.Choice{Name: d.intent.Target.Name()}
	if v := m.scene.Snap.Find(d.run); v != nil {
		d.choice.Placement, d.choice.Strategy = v.PlacementName(), v.Strategy
	}
	if !strategy.IsZero() {
		d.choice.Strategy = strategy
	}
	d.retype()
	return m.askChoices()
}

// askChoices asks what there is to choose from, once for each placement.
func (m *Model) askChoices() tea.Cmd {
	d := &m.dialog
	if d.act != engine.ActClone || d.choice.Placement.IsZero() {
		return nil
	}
	ns, _, _ := d.run.Raw()
	kind := d.run.Kind().Twin(engine.KindClusterResourcePlacement, engine.KindResourcePlacement)
	q := enginepage.Question{Kind: enginepage.QuestionChoices, About: engine.NewID(kind, ns, d.choice.Placement.String(), ""), Run: d.run}
	if q == d.offers.question {
		return nil
	}
	d.offers.question, d.offers.answered, d.offers.Snapshots = q, false, nil
	n, ctx, src := d.n, m.ctx, m.src
	return func() tea.Msg { return offeredMsg{dialog: n, answer: src.Ask(ctx, q)} }
}

// onOffered takes what there is to choose from, or how two snapshots differ.
func (m *Model) onOffered(o offeredMsg) tea.Cmd {
	d := &m.dialog
	switch {
	case d.n != o.dialog:
	case o.answer.Question == d.offers.question:
		d.offers.answered, d.offers.Choices = true, o.answer.Choices
		if !o.answer.Err.IsZero() {
			d.offers.Gaps = []engine.PlanGap{{What: engine.Lit("choices"), Why: o.answer.Err}}
		}
		return m.askDiff()
	case d.pick != nil && o.answer.Question == d.pick.diff:
		d.pick.told, d.pick.answer = true, o.answer
	}
	return nil
}

// options lists what a field can be turned to, the present choice among it. The
// empty snapshot is the newest at the time.
func (d *cloneForm) options(f control) []engine.Option {
	var all []engine.Option
	now := engine.Text{}
	switch f {
	case fieldPlacement:
		all, now = d.offers.Placements, d.choice.Placement
	case fieldStrategy:
		all, now = d.offers.Strategies, d.choice.Strategy
	case fieldSnapshot:
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
func (c *engineChoice) chosen(f control) *engine.Text {
	switch f {
	case fieldName:
		return &c.Name
	case fieldPlacement:
		return &c.Placement
	case fieldStrategy:
		return &c.Strategy
	case fieldSnapshot:
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
		if x := c.chosen(control(f)); x != nil && d.texts[f].Value() != x.String() {
			d.texts[f].Set(x.String())
		}
	}
}

// choose changes what a clone shall be: words are typed, and what there is a
// list of turns with the keys that move sideways.
func (m *Model) choose(k tea.KeyPressMsg) tea.Cmd {
	d := &m.dialog
	c := engineChoice(d.choice)
	if x := c.chosen(d.focus); x != nil {
		switch key := k.String(); {
		case d.focus != fieldName && (key == "left" || key == "right" || key == "space"):
			by := 1
			if key == "left" {
				by = -1
			}
			*x = d.turned(d.focus, by)
		case k.Text == " ":
		default:
			f := &d.texts[d.focus]
			f.Update(k)
			*x = engine.Clean(f.Value())
		}
	} else if d.focus == fieldState {
		switch k.String() {
		case "space", "left", "right":
			c.Start = !c.Start
		}
	}
	return m.chose(act.Choice(c))
}

// turned is the option before or after the present one.
func (d *cloneForm) turned(f control, by int) engine.Text {
	all, c := d.options(f), engineChoice(d.choice)
	i := slices.IndexFunc(all, func(o engine.Option) bool { return o.Name == *c.chosen(f) })
	return all[(i+by+len(all))%len(all)].Name
}

// chose takes another choice over: what was typed to confirm was for the one
// before.
func (m *Model) chose(c act.Choice) tea.Cmd {
	d := &m.dialog
	if c == d.choice {
		return nil
	}
	if c.Placement != d.choice.Placement {
		c.Snapshot = engine.Text{} // an index means nothing in another placement
	}
	d.choice = c
	d.retype()
	d.word.Set("")
	d.check = rehearsal{owed: true}
	d.seen = 0 // the effect is another one
	switch {
	case c.Name.IsZero():
		d.refusal = engine.Refusal{Why: engine.Lit("The new run needs a name.")}
	case c.Placement.IsZero(), c.Strategy.IsZero():
		d.refusal = engine.Refusal{Why: engine.Lit("The new run needs a placement and a strategy.")}
	default:
		intent, no := m.again()
		if d.refusal = no; !no.Refused() {
			d.intent = intent
		}
	}
	return m.later()
}

// later asks about a choice when it has stood for a while.
func (m *Model) later() tea.Cmd {
	m.dialog.due++
	msg := choiceDueMsg{dialog: m.dialog.n, seq: m.dialog.due}
	return m.after(choiceRest, func(time.Time) tea.Msg { return msg })
}

// onChoiceDue asks what the choice that stands has left open.
func (m *Model) onChoiceDue(msg choiceDueMsg) tea.Cmd {
	d := &m.dialog
	if m.mode != modeDialog || d.n != msg.dialog || d.due != msg.seq || d.step != stepAsk {
		return nil
	}
	cmds := []tea.Cmd{m.askChoices(), m.askDiff()}
	if d.check.owed && d.pick == nil && !d.refusal.Refused() {
		cmds = append(cmds, m.rehearse())
	}
	return tea.Batch(cmds...)
}

// dialogChoice draws what can be chosen about a clone.
func (m *Model) dialogChoice(b *dialogBody) {
	d := &m.dialog
	c := d.choice
	m.dialogField(b, "new name", &d.texts[fieldName], d.focus == fieldName, "")
	b.field(fieldName)
	m.dialogPick(b, "placement", fieldPlacement, c.Placement)
	m.dialogPick(b, "strategy", fieldStrategy, c.Strategy)
	shown := c.Snapshot
	if shown.IsZero() {
		shown = engine.Lit("newest")
	}
	m.dialogPick(b, "snapshot", fieldSnapshot, shown)
	m.dialogStart(b)
}

// dialogPick draws a field that has a list.
func (m *Model) dialogPick(b *dialogBody, head string, f control, value engine.Text) {
	th, d := m.scene.Theme, &m.dialog
	r := cell.NewRow(th, b.w, theme.Plain)
	k := theme.Sub
	if d.focus == f {
		k = theme.Key | theme.Bold
	}
	r.Put(k, head).To(dialogLabel)
	if r.On(theme.Bar); d.focus == f {
		r.On(theme.Cursor)
	}
	hint := ""
	if d.focus == f {
		hint = "  space changes, enter lists "
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
	k, about := m.aboutPick(f)
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
func (m *Model) aboutPick(f control) (theme.Style, engine.Text) {
	d := &m.dialog
	if !d.offers.answered {
		return theme.Faint, engine.Text{}
	}
	all, c := d.options(f), engineChoice(d.choice)
	o := all[slices.IndexFunc(all, func(o engine.Option) bool { return o.Name == *c.chosen(f) })]
	var lacks engine.Refusal
	switch f {
	case fieldPlacement:
		lacks = d.offers.Lacks(d.choice.Placement, engine.Text{}, engine.Text{})
	case fieldStrategy:
		lacks = d.offers.Lacks(engine.Text{}, d.choice.Strategy, engine.Text{})
	case fieldSnapshot:
		lacks = d.offers.Lacks(engine.Text{}, engine.Text{}, d.choice.Snapshot)
		if !lacks.Refused() {
			return theme.Sub, m.aboutSnapshot(&o)
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
func (m *Model) aboutSnapshot(o *engine.Option) engine.Text {
	d := &m.dialog
	newest := d.offers.Newest()
	switch {
	case o.Name.IsZero() && newest.IsZero():
		return engine.Text{}
	case o.Name.IsZero():
		return engine.Textf("now %s, unless the selected resources changed", newest)
	case o.Name == m.usedSnapshot():
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
func (m *Model) usedSnapshot() engine.Text {
	if v := m.scene.Snap.Find(m.dialog.run); v != nil && v.PlacementName() == m.dialog.choice.Placement {
		return v.UsedSnapshot()
	}
	return engine.Text{}
}

// dialogStart draws the state in which the run is made.
func (m *Model) dialogStart(b *dialogBody) {
	d := &m.dialog
	r := cell.NewRow(m.scene.Theme, b.w, theme.Plain)
	k, focus := theme.Sub, d.focus == fieldState
	one, two, mo, mt := theme.Name|theme.Bold, theme.Faint, "(*) ", "( ) "
	if focus {
		k = theme.Key | theme.Bold
	}
	if d.choice.Start {
		one, two, mo, mt = two, one, mt, mo
	}
	r.Put(k, "state").To(dialogLabel+1).Put(one, mo+"Initialize: wait for R").Put(theme.Text, "   ").Put(two, mt+"Run: start automatically")
	if focus {
		r.Put(theme.Sub, "   space changes")
	}
	b.row(r)
	b.field(fieldState)
}

// goToMade puts the cursor of the list on the run that a clone created, and opens
// it over anything else.
func (m *Model) goToMade() {
	d := &m.dialog
	made := d.outcome.Made
	if d.step != stepDone || d.act != engine.ActClone || made.IsZero() || m.scene.Snap.Find(made) == nil {
		return
	}
	if len(m.stack) > 0 {
		m.open(made)
		return
	}
	m.runs.list.Pick(made)
}

// follows is the run whose way the dialog shows after sending.
func (d *dialog) follows() engine.ID {
	if d.act == engine.ActClone && !d.outcome.Made.IsZero() {
		return d.outcome.Made
	}
	return d.run
}

// retires reports whether the dialog offers to delete the run that was cloned.
func (d *dialog) retires() bool {
	return d.step == stepDone && d.act == engine.ActClone && d.outcome.Result == act.ResultApplied && d.run.Kind() == d.intent.Target.Kind()
}
