// Package run is one run, opened: its state and stages, the clusters of the chosen
// stage, what is known of the selected one, the reasons and what happened so far. The
// rows are written by cells; package list has the measured reason.
package run

import (
	"context"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/filter"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/list"
	"github.com/stagewatch/stagewatch/ui/reasons"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Asker answers questions about a run.
type Asker interface {
	Ask(ctx context.Context, q page.Question) page.Answer
}

// Pane is an opened run. The zero Pane shows none.
type Pane struct {
	scene *scene.Scene
	ctx   context.Context
	hub   Asker
	// keys are those for the next step of a diagnosis.
	keys func(*engine.Diagnosis) cell.Spans

	w, h   int
	part   Part
	id     engine.ID
	view   *engine.RunView // as last seen; kept when the run is gone
	detail *engine.Detail  // nil until the source sends it
	gone   bool

	// The chosen stage. Until a person chooses one it follows the run to where it
	// acts or is in trouble.
	stage  int
	chosen bool

	list   list.List[engine.Text] // clusters of the chosen stage, by name
	rows   []*engine.ClusterView
	listed listed // what rows are of
	widest int    // name of rows, in cells
	// widestOfAll is that of the clusters of all stages, widestState the widest of their states
	// with its glyph.
	widestOfAll, widestState int
	filter                   filter.Filter
	problems                 bool
	forecast                 forecast
}

// New opens a run. keys are those for the next step of a diagnosis.
func New(ctx context.Context, sc *scene.Scene, hub Asker, id engine.ID, keys func(*engine.Diagnosis) cell.Spans) *Pane {
	return &Pane{ctx: ctx, scene: sc, hub: hub, id: id, keys: keys}
}

// ID returns the run.
func (p *Pane) ID() engine.ID { return p.id }

// Run returns the run as last seen; nil while it is loading.
func (p *Pane) Run() *engine.RunView { return p.view }

// Gone reports whether the hub is known to have no such run anymore.
func (p *Pane) Gone() bool { return p.gone }

// Cluster returns the cluster under the cursor, nil when there is none.
func (p *Pane) Cluster() *engine.ClusterView {
	if p.list.Idx < len(p.rows) && len(p.rows) > 0 {
		return p.rows[p.list.Idx]
	}
	return nil
}

// Stage returns the chosen stage.
func (p *Pane) Stage() int { return p.stage }

// HeldUp returns the cluster that holds the run up, nil when none is known to.
func (p *Pane) HeldUp() *engine.ClusterView { return p.detail.HeldUp() }

// Filter returns the filter as it was typed.
func (p *Pane) Filter() string { return p.filter.Text }

// FilterErr says what of the filter is not understood; empty for nothing.
func (p *Pane) FilterErr() engine.Text {
	if p.filter.Err.IsZero() && p.filter.Labels() != "" {
		return engine.Lit("-l selects runs, in the list of runs")
	}
	return p.filter.Err
}

// FilterHelp says what a filter can be.
func (p *Pane) FilterHelp() engine.Text {
	return engine.Lit("words, !not, state:stuck|failed cluster:weu* why:quota")
}

// SetFilter lists what a filter admits.
func (p *Pane) SetFilter(s string) { p.filter = filter.New(s) }

// StartFilter returns what brings back the present filter, with the cluster under the cursor.
func (p *Pane) StartFilter() (cancel func()) {
	filter, sel, held := p.filter, p.list.Sel, p.list.Held
	return func() { p.filter, p.list.Sel, p.list.Held = filter, sel, held }
}

// Arrange fits the pane to the data and to its part of the screen.
func (p *Pane) Arrange(w, h int, part Part) {
	p.w, p.h, p.part = w, h, part
	v := p.scene.Snap.Find(p.id)
	if v != nil {
		p.view = v
	}
	p.gone = v == nil && p.scene.Of(p.id).Complete
	p.detail = nil
	if d := p.scene.Snap.Detail; d != nil && d.Run != nil && d.Run.ID == p.id && v != nil {
		p.detail, p.view = d, d.Run
	}
	if p.view == nil {
		return
	}
	if !p.chosen {
		p.choose(troubledStage(p.view))
	}
	p.stage = max(0, min(p.stage, len(p.view.Stages)-1))
	p.listClusters()
	if part == Alone {
		p.list.Resize(max(1, p.sharedRows()-p.reasonRows()))
	} else {
		p.list.Resize(p.besideRows().clusters)
	}
}

// Update moves the cursor, chooses a stage or changes what is listed, and reports
// whether a does that.
func (p *Pane) Update(a keymap.Action) bool {
	if p.list.Move(a) {
		p.chosen = p.chosen || a == keymap.Down || a == keymap.Up
		return true
	}
	switch a {
	case keymap.PrevStage:
		p.stepStage(-1)
	case keymap.NextStage:
		p.stepStage(1)
	case keymap.OnlyProblems:
		p.problems = !p.problems
	case keymap.NextProblem:
		p.nextProblem()
	case keymap.NextMatch:
		p.nextMatch(1)
	case keymap.PrevMatch:
		p.nextMatch(-1)
	case keymap.Back:
		if !p.filter.On() && !p.problems {
			return false
		}
		p.filter, p.problems = filter.Filter{}, false
	default:
		return false
	}
	return true
}

// Scroll moves the cursor by so many rows.
func (p *Pane) Scroll(rows int) {
	p.chosen = true
	p.list.By(rows)
}

// Click selects the stage or cluster at a cell of the pane; it reports whether that
// cluster was selected already.
func (p *Pane) Click(x, y int) (open bool) {
	top := 1 + p.boxRows()
	from, to := p.list.Window()
	switch i := from + y - top - 1; {
	case p.view == nil || y < 1:
	case y < top && len(p.view.Stages) > 0:
		if s := p.boxes().Hit(x, p.w); s >= 0 {
			p.chosen = true
			p.choose(s)
		}
	case y > top && i < to:
		name := p.rows[i].Name
		if p.list.Held && p.list.Sel == name {
			return true
		}
		p.chosen = true
		p.list.Pick(name)
	}
	return false
}

// stepStage chooses the next or the previous stage.
func (p *Pane) stepStage(d int) {
	if p.view == nil || len(p.view.Stages) == 0 {
		return
	}
	p.chosen = true
	p.choose(max(0, min(p.stage+d, len(p.view.Stages)-1)))
}

// choose shows the clusters of another stage.
func (p *Pane) choose(i int) {
	if i != p.stage {
		p.stage, p.list = i, list.List[engine.Text]{H: p.list.H}
	}
}

// PreemptedBy returns the run that preempted the cluster under the cursor, or a
// cluster of this run; zero when none did.
func (p *Pane) PreemptedBy() engine.ID {
	if c := p.Cluster(); c != nil && !c.PreemptedBy.IsZero() {
		return c.PreemptedBy
	}
	if p.view != nil {
		return p.view.PreemptedBy
	}
	return engine.ID{}
}

// Place writes the run and what it rolls out.
func (p *Pane) Place(r *cell.Row) {
	if p.view == nil {
		r.Text(theme.Name|theme.Bold, p.id.Title())
		return
	}
	th := p.scene.Theme
	r.Put(theme.Name|theme.Bold, cell.CutTitle(th, cell.Text(th, column.Title(p.view)), max(12, r.Limit()/2)))
	r.Put(theme.Sub, "  ")
	label.About(th, r, p.view, p.scene.HubNow())
}

// reasons are those of the cluster under the cursor when it has its own, else the
// run's.
func (p *Pane) reasons() *reasons.Reasons {
	r := &reasons.Reasons{Scene: p.scene, Run: p.view, Of: &p.view.Why}
	if c := p.Cluster(); c != nil && !c.Why.IsZero() && !c.Diagnosis.What.IsZero() && c.Member != p.view.Why.Member {
		r.Of = &c.Diagnosis
	}
	if p.keys != nil {
		r.Keys = p.keys(r.Of)
	}
	return r
}

// View draws the run from top to bottom.
func (p *Pane) View() string {
	if p.id.IsZero() {
		return ""
	}
	out := []string{p.head()}
	if p.view == nil {
		x := engine.Clean(p.scene.Busy("Loading the run"))
		if p.gone {
			x = engine.Lit("This run is no longer on the hub.")
		}
		return strings.Join(append(out, "", cell.NewRow(p.scene.Theme, p.w, theme.Plain).To(4).Text(theme.Text, x).String()), "\n")
	}
	if n := p.boxRows(); n > 0 {
		var boxes []string
		if len(p.view.Stages) > 0 {
			boxes = p.boxes().View(p.w)
		}
		out = append(out, cell.Pad(boxes, n)...)
	}
	if p.part != Alone {
		return strings.Join(append(out, p.besideLines()...), "\n")
	}
	out = append(out, p.clusterLines()...)
	out = append(out, p.cardDivider())
	out = append(out, p.cardLines(p.cardRows())...)
	n, why := p.reasonRows()+p.historyRows(), p.reasons()
	if p.hasHistory() && n-why.Need(p.w, p.screenRows()) >= historyHeight {
		return strings.Join(append(append(out, why.Lines(p.w, n-historyHeight)...), p.historyLines()...), "\n")
	}
	return strings.Join(append(out, why.Lines(p.w, n)...), "\n")
}

// screenRows is a height that no text of the pane exceeds.
func (p *Pane) screenRows() int { return p.h + 5 }

// boxRows is the height of the stages; a low terminal has no room for them, and the
// stage line in the head is all.
func (p *Pane) boxRows() int {
	if p.h < 15 || p.neverStaged() {
		return 0
	}
	if p.view == nil {
		return stages.BoxRows(1)
	}
	return stages.BoxRows(stages.TaskRows(p.view))
}

// boxes are the stages as they are drawn.
func (p *Pane) boxes() *stages.Boxes {
	return &stages.Boxes{Theme: p.scene.Theme, Run: p.view, Now: p.scene.HubNow(), Chosen: p.stage, Strong: true, Tasks: stages.TaskRows(p.view)}
}

// cardRows is the height of what is known of the cluster under the cursor.
func (p *Pane) cardRows() int {
	if p.h < 27 || p.neverStaged() {
		return 0
	}
	return 6
}

// leastReasons is the height that WHY, RECOVERY and NEXT always have.
func (p *Pane) leastReasons() int {
	switch {
	case p.h < 11:
		return 2
	case p.h < 15:
		return 3
	case p.h < 19:
		return 5
	case p.h < 35:
		return 6
	}
	return 8
}

// room is what clusters, reasons and history share.
func (p *Pane) room() int { return p.h - 3 - p.boxRows() - p.cardRows() }

// sharedRows is what clusters and reasons share.
func (p *Pane) sharedRows() int { return p.room() - p.historyRows() }

// fewClusters is how many rows of clusters and their head a sentence may not take.
const fewClusters = 4

// reasonRows is the height of the reasons: rows that the clusters of the stage leave
// empty are theirs as far as they need them, so that no sentence is cut beside a
// blank.
func (p *Pane) reasonRows() int {
	n := p.leastReasons()
	if all := p.clusters(p.stage); len(all) > 0 && p.view != nil {
		for why := p.reasons(); p.view.InTrouble() && why.Cut(p.w, n) && p.sharedRows()-n > fewClusters; {
			n++ // of a run in trouble, cause, recovery and next step count more than clusters
		}
		n = max(n, min(p.reasons().Need(p.w, p.screenRows()), p.sharedRows()-len(all)))
	}
	return n
}
