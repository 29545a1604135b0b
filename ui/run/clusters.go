package run

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// columns are the widths of the columns of clusters; 0 hides one.
type columns struct {
	indent, gap, name, state, age, bar, why int
	long                                    bool // whole names over the conditions
}

var (
	conditionHeads      = [...]string{"STARTED", "OVERRIDDEN", "SYNCED", "APPLIED", "AVAILABLE"}
	conditionHeadsShort = [...]string{"ROLL", "OVR", "SYNC", "APPL", "AVAIL"}
)

// ageShort is what an age takes below the head TIME, stateShort what the state of a cluster
// takes unless it is "not started".
const ageShort, stateShort = 5, 11

// leastBar is the shortest bar of the time to stuck, that of its head.
const leastBar = len("STUCK IN")

func (p *Pane) fit() columns {
	w := p.w
	c := columns{indent: 3, gap: 1, state: 13, age: 8, name: max(10, p.widest)}
	if p.part != Alone { // the other stages have the same columns
		c.name = max(c.name, p.widestOfAll)
	}
	c.name = min(c.name, max(10, w/4))
	if w < 76 {
		c.age = ageShort
		if !p.view.Terminal {
			c.state = stateShort
		}
	}
	free := w - c.indent - c.name - c.state - c.age - 2*c.gap
	switch {
	case w >= 116:
		c.long, c.bar = true, 14
		if w >= 140 {
			c.gap, c.bar = 2, min(28, w/8)
		}
		c.why = free - 3*c.gap + 2 - c.bar - p.conditionsWidth(c)
	case w >= 60:
		c.bar = 10
		c.why = free - (c.bar + c.gap) - p.conditionsWidth(c) - c.gap
	}
	if lack := p.conditionsWidth(c) - free; lack > 0 {
		// Long names take what no state needs, and a cell of the indent.
		spare := max(0, min(lack, c.state-p.widestState))
		if lack -= spare; c.state == stateShort && lack <= 1 {
			c.state, c.indent = c.state-spare, c.indent-lack
		} else {
			c.age = 0 // in a narrow pane the last condition, Available, says more
		}
	}
	if c.why < 12 {
		if c.bar, c.why = min(c.bar+c.why, 24), 0; c.bar < leastBar {
			c.bar = 0
		}
	}
	return c
}

// conditionsWidth is what the columns of the conditions take with their gaps.
func (p *Pane) conditionsWidth(c columns) int {
	n := 0
	for i := range conditionHeads {
		_, w := p.conditionHead(c, i)
		n += w + c.gap
	}
	return n
}

// clusterLines is the list of clusters of the chosen stage.
func (p *Pane) clusterLines() []string {
	th := p.scene.Theme
	c := p.fit()
	out := []string{p.clustersHead(c)}
	from, to := p.list.Window()
	for i := from; i < to; i++ {
		out = append(out, p.clusterRow(p.rows[i], c, i == p.list.Idx))
	}
	if to == from {
		out = append(out, cell.NewRow(th, p.w, theme.Plain).To(3).Text(theme.Sub, p.noClusters()).String())
		to++
	}
	return cell.Pad(out, len(out)+max(0, p.list.H-(to-from)))
}

// noClusters says why the list is empty.
func (p *Pane) noClusters() engine.Text {
	switch {
	case p.view.Word == engine.WordNoRun:
		return engine.Lit("no run yet; {owners} lists the clusters")
	case p.view.Word == engine.WordUnreadable:
		return engine.Lit("the run could not be read")
	case p.view.Partial || (p.detail == nil && !p.gone):
		return engine.Lit("loading the clusters of this run")
	case p.gone:
		return engine.Text{}
	case len(p.view.Stages) == 0:
		return engine.Lit("this run has no stages")
	case p.filter.On() || p.problems:
		return engine.Textf("no matches among %s", engine.Count(len(p.clusters(p.stage)), "cluster"))
	case p.view.Stages[p.stage].Deletion:
		return engine.Lit("no clusters to delete from")
	}
	return engine.Lit("this stage has no clusters")
}

func (p *Pane) clustersHead(c columns) string {
	r := cell.NewRow(p.scene.Theme, p.w, theme.Plain).To(c.indent)
	head := func(s string, n int) {
		if n > 0 {
			r.Col(theme.Faint, s, n).Gap(c.gap)
		}
	}
	head("CLUSTER", c.name)
	head("STATE", c.state)
	if c.age < len("IN STATE") {
		head("TIME", c.age)
	} else {
		head("IN STATE", c.age)
	}
	bar := "TIME TO STUCK"
	if c.bar < len(bar) {
		bar = "STUCK IN"
	}
	head(bar, c.bar)
	for i := range conditionHeads {
		s, n := p.conditionHead(c, i)
		head(s, n)
	}
	head("WHY", c.why)
	return r.String()
}

// conditionHead is the heading of a condition and its width. Placements that only
// report differences have another last condition.
func (p *Pane) conditionHead(c columns, i int) (string, int) {
	s := conditionHeadsShort[i]
	if c.long {
		s = conditionHeads[i]
	}
	n := len(s)
	if len(p.rows) > 0 && p.rows[0].Bound && p.rows[0].BindingConditions.ReportDiff && i >= 3 {
		s = [...]string{"DIFF", ""}[i-3]
	}
	return s, n
}

// conditions returns those of a cluster as a list.
func conditions(l engine.BindingConditions) [5]engine.BindingCondition {
	if l.ReportDiff {
		return [...]engine.BindingCondition{l.RolloutStarted, l.Overridden, l.WorkSynchronized, l.DiffReported, {}}
	}
	return [...]engine.BindingCondition{l.RolloutStarted, l.Overridden, l.WorkSynchronized, l.Applied, l.Available}
}

// conditionMark is glyph and style of a condition. False on a cluster that is updating
// is not bad news yet.
func conditionMark(t *theme.Theme, g engine.BindingCondition, c *engine.ClusterView) (string, theme.Style) {
	switch g.State {
	case engine.BindingConditionTrue:
		return t.Glyph.Yes, theme.Done
	case engine.BindingConditionFalse:
		if InTrouble(c) || c.State == engine.ClusterDone {
			return t.Glyph.No, theme.Bad | theme.Bold
		}
		return t.Glyph.No, theme.Busy
	case engine.BindingConditionUnknown:
		return t.Glyph.Unknown, theme.Sub
	case engine.BindingConditionOutdated:
		return t.Glyph.OldGen, theme.Faint
	}
	return t.Glyph.Absent, theme.Faint
}

func (p *Pane) clusterRow(c *engine.ClusterView, k columns, sel bool) string {
	th, g := p.scene.Theme, theme.Plain
	if sel {
		g = theme.Cursor
	}
	r := cell.NewRow(th, p.w, g)
	if sel {
		r.Put(theme.Key, th.Glyph.Cursor)
	}
	name, ci := theme.Text, theme.OfCluster(c.State)
	if InTrouble(c) || sel {
		name = theme.Name
	} else if c.State == engine.ClusterComing {
		name = theme.Sub
	}
	r.To(k.indent).Put(name, cell.CutMiddle(th, cell.Text(th, c.Name), k.name)).To(k.indent + k.name + k.gap)
	sb := ci
	if InTrouble(c) {
		sb |= theme.Bold
	}
	r.Col(sb, th.Glyph.States[c.State]+" "+p.view.ClusterWord(c.State), k.state).Gap(k.gap)
	d := p.tookSoFar(c)
	age := ""
	switch {
	case c.State == engine.ClusterPreempted && !c.PreemptedAt.IsZero():
		age = engine.Age(p.scene.Since(c.PreemptedAt)).String()
	case !c.Ended.IsZero():
		age = engine.Age(p.scene.Since(c.Ended)).String()
	case d > 0 || !c.Started.IsZero():
		age = engine.Age(d).String()
	}
	if k.age > 0 {
		r.Col(theme.Sub, age, k.age).Gap(k.gap)
	}
	if k.bar > 0 {
		end := r.At() + k.bar
		p.stuckBar(r, c, d, k.bar)
		r.To(end + k.gap)
	}
	for i, cond := range conditions(c.BindingConditions) {
		_, n := p.conditionHead(k, i)
		s, ri := conditionMark(th, cond, c)
		switch {
		case !c.Bound && p.detail != nil && p.detail.Bindings.State != engine.CoverComplete:
			s, ri = th.Glyph.Unknown, theme.Faint
		case !c.Bound:
			s, ri = th.Glyph.Absent, theme.Faint
		case i == 4 && c.BindingConditions.ReportDiff:
			s = ""
		}
		r.Gap(n/2).Put(ri, s).Gap(n - n/2 - cell.Width(s) + k.gap)
	}
	if k.why > 0 {
		x, wk := p.clusterWhy(c, k.why), theme.Sub
		if InTrouble(c) {
			wk = theme.Text
		}
		if x.IsZero() {
			x, wk = c.Foreign, theme.Sub
		}
		r.Put(wk, cell.Cut(th, cell.Text(th, x), k.why))
	}
	return r.String()
}

// clusterWhy is the reason in the list, which has n cells for it: who took the
// cluster, what its pods wait for where the member was read, else why it is not
// done. Where that is too long, the reason comes before what it is about.
func (p *Pane) clusterWhy(c *engine.ClusterView, n int) engine.Text {
	if !c.PreemptedBy.IsZero() {
		return engine.Textf("preempted by %s", c.PreemptedBy.Title())
	}
	if says := c.Diagnosis.Read.Says; !says.IsZero() && cell.Width(cell.Text(p.scene.Theme, c.Why)) > n {
		return says
	}
	if len(c.Failing) > 0 && (c.Why.IsZero() || cell.Width(cell.Text(p.scene.Theme, c.Why)) > n) {
		return engine.Textf("%s: %s", c.Failing[0].Reason, c.Failing[0].What)
	}
	return c.Why
}

// tookSoFar is how long a cluster took, or takes until now.
func (p *Pane) tookSoFar(c *engine.ClusterView) time.Duration {
	switch {
	case c.Started.IsZero():
		return 0
	case !c.Ended.IsZero():
		return max(0, c.Ended.Sub(c.Started))
	}
	return p.scene.Since(c.Started)
}

// stuckBar is the way of a cluster to the moment at which the hub calls its
// run stuck.
func (p *Pane) stuckBar(r *cell.Row, c *engine.ClusterView, took time.Duration, n int) {
	th := p.scene.Theme
	// Only a cluster that updates has a time to stuck, unless nothing marks it as stuck.
	switch c.State {
	case engine.ClusterUpdating, engine.ClusterSlow, engine.ClusterStuck:
	default:
		return
	}
	if c.Started.IsZero() || c.StuckAt.IsZero() {
		return
	}
	limit := c.StuckAt.Sub(c.Started)
	if limit <= 0 {
		return
	}
	end := r.At() + n
	k := theme.OfCluster(c.State)
	if took >= limit || c.State == engine.ClusterStuck {
		r.Fill(k, th.Glyph.LineBad, end-1).Put(k, th.Glyph.Mark)
		return
	}
	half := int(int64(n) * 2 * int64(took) / int64(limit))
	half = min(max(half, 1), 2*n-1)
	s := th.Glyph.LineDone
	if c.State == engine.ClusterUpdating {
		s = th.Glyph.LineBusy
	}
	r.Fill(k, s, r.At()+half/2)
	if half%2 == 1 {
		r.Put(k, th.Glyph.LineHalf)
	}
	r.Fill(theme.Faint, th.Glyph.LineRest, end)
}
