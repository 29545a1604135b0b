// Package panes is what stands side by side on a wide terminal: the list of runs, the run
// under its cursor or the opened one, and the diagnosis of that. It has the layout, the
// frames, and the run and the diagnosis that follow the cursor. The frames are written by
// cells: Lip Gloss has no border with a title.
package panes

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/page"
	"github.com/stagewatch/stagewatch/ui/run"
	"github.com/stagewatch/stagewatch/ui/scene"
)

// RestAfter is how long the cursor stays on a run before more of that is read from the
// hub.
const RestAfter = 300 * time.Millisecond

// Panes are what stands beside the list.
type Panes struct {
	newRun func(engine.ID) *run.Pane

	size size
	run  *run.Pane
	why  *page.Page // nil for none
	// about is what they show, steps how often that changed, rested whether it has
	// stayed for RestAfter.
	about  about
	steps  int
	rested bool
}

// about is what the panes show; zero for nothing.
type about struct {
	run engine.ID
	why enginepage.Question
}

// New returns panes that show no run yet.
func New(newRun func(engine.ID) *run.Pane) *Panes {
	return &Panes{newRun: newRun, run: newRun(engine.ID{})}
}

// Layout is where n panes stand in a body of w by h cells.
func (p *Panes) Layout(n, w, h int, focus Pane) Layout { return lay(n, w, h, focus, p.size) }

// Larger makes the pane with the focus larger.
func (p *Panes) Larger() { p.size = min(p.size+1, whole) }

// Smaller makes the pane with the focus smaller.
func (p *Panes) Smaller() { p.size = max(p.size-1, normal) }

// IsWhole reports whether the pane with the focus hides the others.
func (p *Panes) IsWhole() bool { return p.size == whole }

// Run is the pane of the run under the cursor of the list.
func (p *Panes) Run() *run.Pane { return p.run }

// RunOf is the pane of a run: the same one as long as the cursor stays on that, also
// after it was opened and left.
func (p *Panes) RunOf(id engine.ID) *run.Pane {
	if p.run.ID() == id {
		return p.run
	}
	return p.newRun(id)
}

// Follow shows the run under the cursor.
func (p *Panes) Follow(id engine.ID) { p.run = p.RunOf(id) }

// Why is the diagnosis beside the run; nil for none.
func (p *Panes) Why() *page.Page { return p.why }

// WhyOf is the page of a question: the one beside the run if that asks the same.
func (p *Panes) WhyOf(title engine.Text, q enginepage.Question, sub page.Subject) *page.Page {
	if p.why != nil && p.why.Question() == q {
		return p.why
	}
	return page.New(title, q, sub)
}

// WhyAsOf is what the frame of the diagnosis says: when it was read, if it is old.
func (p *Panes) WhyAsOf(sc *scene.Scene) string {
	if p.why == nil {
		return ""
	}
	now := sc.NowOf(enginepage.Subject(p.why.Question()))
	at, ok := p.why.AsOf(now)
	if !ok {
		return ""
	}
	return "as of " + engine.Time(at, now).String()
}

// Diagnose shows a diagnosis beside the run; nil shows none.
func (p *Panes) Diagnose(why *page.Page) { p.why = why }

// Settle takes note of what is shown beside the list: zero for nothing. When that has
// changed, the caller calls Rest with the step, RestAfter later. sheet is the page on the
// screen, nil for none: a diagnosis that is that one is not covered.
func (p *Panes) Settle(run engine.ID, diagnosed bool, sheet *page.Page) (step int, changed bool) {
	now := about{run: run}
	if diagnosed && p.why != nil {
		now.why = p.why.Question()
	}
	if now == p.about {
		return 0, false
	}
	if p.why != nil && p.why != sheet && now.why == nil && p.about.why == p.why.Question() {
		p.why.Cover()
	}
	p.about, p.rested = now, false
	p.steps++
	return p.steps, now != about{}
}

// Rest takes note that the panes have shown the same since a step, unless they moved on.
// It returns the diagnosis to ask for; nil for none.
func (p *Panes) Rest(step int) *page.Page {
	if p.steps != step {
		return nil
	}
	p.rested = true
	if p.about.why == nil || p.why == nil || p.why.IsAsking() {
		return nil
	}
	return p.why
}

// Rested is the run that the panes have shown for a while; zero for none.
func (p *Panes) Rested() engine.ID {
	if !p.rested {
		return engine.ID{}
	}
	return p.about.run
}

// Shown returns the diagnosis beside the run once it was asked for; else nil.
func (p *Panes) Shown() *page.Page {
	if !p.rested || p.about.why == nil {
		return nil
	}
	return p.why
}

// Asked returns the diagnosis beside the run if its latest question has a number; else
// nil.
func (p *Panes) Asked(number int) *page.Page {
	if p.about.why != nil && p.why != nil && p.why.Number() == number {
		return p.why
	}
	return nil
}

// Steps is how often what they show has changed.
func (p *Panes) Steps() int { return p.steps }
