package ui

import (
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/filter"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/list"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// runPane is one run, opened.
type runPane struct {
	id     engine.ID
	view   *engine.RunView // as last seen; kept when the run is gone
	detail *engine.Detail  // nil until the source sends it
	gone   bool

	// The chosen stage. Until a person chooses one it follows the run to
	// where it acts or is in trouble.
	stage  int
	chosen bool

	list     list.List[engine.Text] // clusters of the chosen stage, by name
	rows     []*engine.ClusterView
	filter   filter.Filter
	problems bool
	ahead    ahead
}

// open shows a run; esc returns to what was on the screen.
func (m *Model) open(id engine.ID) {
	m.mode = modeBrowse
	m.scene.Quiet()
	if m.sheet() == nil && m.run.id == id {
		return // it is on the screen
	}
	m.push(level{run: &runPane{id: id}})
}

// openPending opens the run that was asked for at the start, when it comes. A
// name that other runs may have waits until all of them are listed.
func (m *Model) openPending() {
	if m.pending.IsZero() {
		return
	}
	found := m.pending.In(m.scene.Snap, m.opt.Scope)
	if !m.scene.Snap.Complete && (!m.pending.Exact() || found.Outcome() != engine.MatchOne) {
		return
	}
	m.pending = engine.RunRef{}
	m.openFound(found, m.startAt)
}

// openFound opens the run that a RUN argument selects. Several are listed for a
// person to choose from.
func (m *Model) openFound(found engine.RunMatch, open func(engine.ID)) {
	p := found.Problem()
	switch found.Outcome() {
	case engine.MatchOne:
		open(found.IDs[0])
		if n := found.Note(); !n.IsZero() {
			m.scene.Say(theme.Wait, engine.Textf("%s.", n))
		}
	case engine.MatchSeveral:
		m.mode = modeBrowse
		m.clearStack()
		m.setFilter("run:=" + found.Ref.Name().String())
		m.scene.Say(theme.Wait, engine.Textf("%s; choose one, or :open it: %s.", engine.Capital(p.Why), p.Hint))
	case engine.MatchNone, engine.MatchUnlisted:
		m.scene.Say(theme.Bad, engine.Textf("%s.", engine.Capital(p.Why)))
	}
}

func (m *Model) startAt(id engine.ID) {
	m.runs.list.Sel, m.runs.list.Held = id, true
	m.open(id)
}

func (m *Model) arrangeRun() {
	p := m.run
	v := m.scene.Snap.Find(p.id)
	if v != nil {
		p.view = v
	}
	p.gone = v == nil && m.scene.Snap.Complete
	p.detail = nil
	if d := m.scene.Snap.Detail; d != nil && d.Run != nil && d.Run.ID == p.id && v != nil {
		p.detail, p.view = d, d.Run
	}
	if p.view == nil {
		return
	}
	if !p.chosen {
		m.chooseStage(troubledStage(p.view))
	}
	p.stage = max(0, min(p.stage, len(p.view.Stages)-1))
	m.listClusters()
	p.list.Resize(m.clustersHeight())
}

// chooseStage shows the clusters of another stage.
func (m *Model) chooseStage(i int) {
	p := m.run
	if i != p.stage {
		p.stage, p.list = i, list.List[engine.Text]{H: p.list.H}
	}
}

// troubledStage is where a person wants to look first: a stage in trouble,
// else the one that acts or waits, else the last that was finished.
func troubledStage(v *engine.RunView) int {
	for i := range v.Stages {
		s := &v.Stages[i]
		if s.Stuck > 0 || s.Taken > 0 || s.State == engine.StageFailed {
			return i
		}
	}
	if v.At >= 0 {
		return v.At
	}
	last := 0
	for i := range v.Stages {
		if v.Stages[i].State == engine.StageDone && v.Stages[i].Total > 0 {
			last = i
		}
	}
	return last
}

// listClusters lists the clusters of the chosen stage, after the filter.
func (m *Model) listClusters() {
	p := m.run
	p.rows = p.rows[:0:0]
	var keys []engine.Text
	if all := p.clusters(p.stage); all != nil {
		keys = make([]engine.Text, 0, len(all))
		for i := range all {
			c := &all[i]
			if (p.problems && !inTrouble(c)) || !p.filter.Cluster(&p.view.Stages[p.stage], c) {
				continue
			}
			p.rows = append(p.rows, c)
			keys = append(keys, c.Name)
		}
	}
	p.list.Set(keys)
	p.list.Rest(worst(p.rows, p.view))
}

// clusters returns the clusters of stage i, nil while they are not known.
func (p *runPane) clusters(i int) []engine.ClusterView {
	if p.detail == nil || i < 0 || i >= len(p.detail.Clusters) {
		return nil
	}
	return p.detail.Clusters[i]
}

// current returns the cluster under the cursor, nil when there is none.
func (p *runPane) current() *engine.ClusterView {
	if p.list.Idx < len(p.rows) && len(p.rows) > 0 {
		return p.rows[p.list.Idx]
	}
	return nil
}

// inTrouble reports whether a cluster is a problem: what ! and z look for.
func inTrouble(c *engine.ClusterView) bool {
	switch c.State {
	case engine.ClusterSlow, engine.ClusterStuck, engine.ClusterTaken, engine.ClusterFailed:
		return true
	}
	return false
}

// worst returns the row to look at first: the one that holds the run up, the
// first in trouble, else the first that updates.
func worst(rows []*engine.ClusterView, v *engine.RunView) int {
	if v != nil && !v.Why.Member.IsZero() {
		for i, c := range rows {
			if c.Member == v.Why.Member {
				return i
			}
		}
	}
	busy := -1
	for i, c := range rows {
		switch {
		case inTrouble(c):
			return i
		case busy < 0 && (c.State == engine.ClusterUpdating || c.State == engine.ClusterRemoving):
			busy = i
		}
	}
	return max(0, busy)
}

// taker returns the run that took the cluster under the cursor, or a cluster
// of this run; the zero ID when none did.
func (m *Model) taker() engine.ID {
	if m.screen == screenRuns {
		if v := m.runs.current(); v != nil {
			return v.TakenBy
		}
		return engine.ID{}
	}
	if c := m.run.current(); c != nil && !c.TakenBy.IsZero() {
		return c.TakenBy
	}
	if v := m.run.view; v != nil {
		return v.TakenBy
	}
	return engine.ID{}
}

// canJump reports whether there is a run to go to.
func (m *Model) canJump() bool { return !m.taker().IsZero() }

// noTaker says why there is no run to go to: only bindings tell which it is, and
// they may not be there yet.
func (m *Model) noTaker() engine.Text {
	v := m.run.view
	if m.screen == screenRuns {
		v = m.runs.current()
	}
	if v != nil && v.Word == engine.WordPreempted {
		return engine.Lit("The run that preempted this one is unknown: the bindings are not read yet.")
	}
	return engine.Lit("No run preempted this one.")
}

// jump opens the run that took a cluster.
func (m *Model) jump() {
	id := m.taker()
	if id.IsZero() {
		m.scene.Say(theme.Sub, m.noTaker())
		return
	}
	for _, v := range m.scene.Snap.Runs {
		if v.ID == id || v.ID.SameName(id) {
			m.open(v.ID)
			return
		}
	}
	m.scene.SayWhile(theme.Wait, engine.Textf("%s preempted this run, but it is no longer listed.", id.Title()), func() bool { return m.scene.Named(id) == nil })
}

// runView is the opened run from top to bottom.
func (m *Model) runView(out []string) []string {
	p := m.run
	out = append(out, m.runHead())
	if p.view == nil {
		th := m.scene.Theme
		text := engine.Lit("Loading the run.")
		if p.gone {
			text = engine.Lit("This run is no longer on the hub.")
		}
		return append(out, "", cell.NewRow(th, m.look.w, theme.Plain).To(4).Text(theme.Text, text).String())
	}
	if n := m.pipeHeight(); n > 0 {
		if len(p.view.Stages) > 0 {
			y, b := len(out), m.stageBoxes(p.view, p.stage, true, stages.TaskRows(p.view))
			out = append(out, b.View(m.look.w)...)
			m.note(spot{y: y, bottom: len(out), to: m.look.w, kind: spotStage})
		} else {
			out = cell.Pad(out, len(out)+n)
		}
	}
	out = m.clustersView(out)
	out = append(out, m.cardDivider())
	out = m.cardView(out, m.cardRows())
	n := m.runWhyRows() + m.lifeRows()
	out = m.whyView(out, p.view, n)
	if m.lives() && n-m.whyNeed(p.view) >= lifeHeight {
		out = m.lifeView(out[:len(out)-lifeHeight])
	}
	return out
}

// pipeHeight is the height of the pipeline; a low terminal has no room for it
// and the thread in the head line tells the stages alone.
func (m *Model) pipeHeight() int {
	if m.look.h < 20 {
		return 0
	}
	if m.run.view == nil {
		return stages.BoxRows(1)
	}
	return stages.BoxRows(stages.TaskRows(m.run.view))
}

// cardRows is the height of what is known of the cluster under the cursor.
func (m *Model) cardRows() int {
	if m.look.h < 32 {
		return 0
	}
	return 6
}

// bodyRows is what clusters and reasons share.
func (m *Model) bodyRows() int { return m.pageRoom() - m.lifeRows() }

// pageRoom is what clusters, reasons and the life of the run share.
func (m *Model) pageRoom() int {
	return m.look.h - headRows - 1 - m.pipeHeight() - 1 - 1 - m.cardRows() - footRows
}

func (m *Model) clustersHeight() int { return max(1, m.bodyRows()-m.runWhyRows()) }

// runWhyRows is the height of the reasons of the opened run: rows that the
// clusters of the stage leave empty are theirs as far as they need them, so
// that no sentence is cut beside a blank.
func (m *Model) runWhyRows() int {
	n := m.whyRows()
	if all := m.run.clusters(m.run.stage); len(all) > 0 && m.run.view != nil {
		n = max(n, min(m.whyNeed(m.run.view), m.bodyRows()-len(all)))
	}
	return n
}

// runHead is the state of the run in one line: word, age, what is asked for,
// the thread, the counts.
func (m *Model) runHead() string {
	th, w, v := m.scene.Theme, m.look.w, m.run.view
	r := cell.NewRow(th, w, theme.Plain).To(1)
	if v == nil {
		return r.String()
	}
	k := label.StateStyle(v) | theme.Bold
	if m.run.gone {
		return r.Put(theme.Bad|theme.Bold, th.Glyph.No+" GONE").Put(theme.Text, "  this run is no longer on the hub; below is its last known state").String()
	}
	r.Put(k, th.Glyph.Words[v.Word]+" "+label.State(v, m.scene.HubNow()))
	if !v.Since.IsZero() {
		r.Put(theme.Text, " for "+cell.Long(m.scene.Since(v.Since)))
	}
	var tail cell.Spans
	if f := m.foretold(w >= 120); f != "" {
		tail = append(tail, cell.Styled(theme.Sub, "  "+f))
	}
	if d := label.Done(v); d != "" {
		tail = append(tail, cell.Styled(theme.Text, "  "+d))
		if v.Total > 0 {
			tail = append(tail, cell.Styled(theme.Sub, "  "+strconv.Itoa(v.Done*100/v.Total)+"%"))
		}
	}
	tailW := tail.Width()
	if w >= 90 {
		if !v.State.IsZero() {
			r.Put(theme.Sub, "   state ").Text(theme.Text, v.State)
		}
		r.Put(theme.Sub, "  generation ").Put(theme.Text, strconv.FormatInt(v.Generation, 10))
		if v.Observed < v.Generation {
			r.Put(theme.Wait, " (observed "+strconv.FormatInt(v.Observed, 10)+")")
		}
	}
	if room := w - r.At() - 4 - tailW; room >= 10 {
		r.Gap(3)
		n := min(room, 72)
		at := r.At()
		stages.Line(th, r, v, n)
		r.To(at + n)
	}
	r.Spans(tail)
	return r.String()
}

// stageBoxes are the stages of a run as they are drawn.
func (m *Model) stageBoxes(v *engine.RunView, chosen int, strong bool, tasks int) *stages.Boxes {
	return &stages.Boxes{Theme: m.scene.Theme, Run: v, Now: m.scene.HubNow(), Chosen: chosen, Strong: strong, Tasks: tasks}
}
