package run

import (
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// neverStaged reports whether the run has no stages and never gets any: its initialization failed, it
// cannot be read, or there is only a placement.
func (p *Pane) neverStaged() bool {
	return p.view != nil && slices.Contains([]engine.Word{engine.WordInitFailed, engine.WordNoRun, engine.WordUnreadable}, p.view.Word) && len(p.view.Stages) == 0
}

// longMessage is how many lines the message of the controller has at most.
const longMessage = 12

// moreOfInitFailed writes into at most n lines what the failed initialization was about: what the
// controller says, the fields of the run that it read, and the other runs of the strategy.
func (p *Pane) moreOfInitFailed(n int) (out []string) {
	if p.view.Word != engine.WordInitFailed {
		return nil
	}
	th := p.scene.Theme
	if p.part == Between { // beside the list the evidence has it
		var message []string
		for _, l := range cell.Wrap(th, p.view.Why.Quote, p.w-2, longMessage) {
			message = append(message, cell.NewRow(th, p.w, theme.Plain).To(1).Put(theme.Text, l).String())
		}
		out = p.section(n, "MESSAGE OF THE CONTROLLER", message, engine.Text{})
	}
	out = append(out, p.section(n-len(out), "FIELDS OF THE RUN", p.fieldLines(), engine.Lit(": {yaml} shows them"))...)
	return append(out, p.section(n-len(out), "OTHER RUNS OF THE STRATEGY", p.strategyRuns(), engine.Text{})...)
}

// fieldLines are what the run asks for.
func (p *Pane) fieldLines() (out []string) {
	th, v := p.scene.Theme, p.view
	field := func(name string, x engine.Text) {
		if x.IsZero() {
			x = engine.Lit("-")
		}
		out = append(out, cell.NewRow(th, p.w, theme.Plain).To(1).Col(theme.Sub, name, 12).Text(theme.Text, x).String())
	}
	asked := v.IndexAsked
	if asked.IsZero() {
		asked = engine.Lit("newest")
	}
	field("placement", engine.Textf("%s %s", strings.ToUpper(v.Placement.Kind().Short()), v.Placement.Title()))
	field("snapshot", asked)
	field("strategy", v.Strategy)
	field("state", v.State)
	field("generation", engine.Textf("%d, observed %d", v.Generation, v.Observed))
	return out
}

// strategyRuns are the runs that have the same strategy: those with the same state first, which
// may have the same cause.
func (p *Pane) strategyRuns() (out []string) {
	if p.view.Strategy.IsZero() {
		return nil
	}
	for _, same := range []bool{true, false} {
		for _, v := range p.scene.Snap.Of(p.view.ID).Runs {
			mine := v.Strategy == p.view.Strategy && v.ID.Kind() == p.view.ID.Kind() && v.ID.Namespace() == p.view.ID.Namespace()
			if mine && v.ID != p.view.ID && v.Word != engine.WordNoRun && (v.Word == p.view.Word) == same {
				out = append(out, p.otherRun(v, column.Cause(v)))
			}
		}
	}
	return out
}

// otherRun is the line of another run, with what else there is to say of it.
func (p *Pane) otherRun(v *engine.RunView, about engine.Text) string {
	th := p.scene.Theme
	r := cell.NewRow(th, p.w, theme.Plain).To(1)
	r.Put(label.StateStyle(v)|theme.Bold, th.Glyph.Words[v.Word]).To(3).Put(label.StateStyle(v), column.StateAt(v, p.scene.HubNow()).String()).Gap(2)
	r.Put(theme.Name, cell.CutTitle(th, cell.Text(th, column.Title(v)), max(12, p.w/2)))
	return r.Put(theme.Sub, "  ").Text(theme.Text, about).String()
}
