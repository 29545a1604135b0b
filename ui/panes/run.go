package panes

import (
	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/latest"
	"github.com/stagewatch/stagewatch/ui/page"
	"github.com/stagewatch/stagewatch/ui/reasons"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// keptRows are the blank rows of a page that the stages of a run leave for the changes below,
// mostMoments how many events of the run stand below the stages.
const keptRows, mostMoments = 14, 8

// indent brings the lines of a pane below the rows of a page.
const indent = "  "

// WithRun returns the lines of a page of w by h cells, and below them, where many would be blank,
// the stages of the run that the page or its row is about, why it is in trouble, and what happened
// last to it.
func WithRun(sc *scene.Scene, s *page.Page, v *engine.RunView, w, h int) []string {
	lines := s.View()
	if v == nil || w < TwoFrom || !s.IsLoaded() {
		return lines
	}
	th, now, trouble := sc.Theme, sc.NowOf(v.ID), v.InTrouble()
	moments := latest.Of(th, v)
	switch s.Question().(type) {
	case enginepage.PlacementQuestion, enginepage.OwnersQuestion:
	case enginepage.ApprovalsQuestion:
		trouble = false // the evidence says it
	case enginepage.TimelineQuestion:
		moments = nil // the page lists them
	default:
		return lines
	}
	out := trim(lines)
	add := func(head string, more []string) {
		if len(more) == 0 || h-len(out)-len(more)-2 < keptRows {
			return
		}
		r := cell.NewRow(th, w, theme.Plain).Fill(theme.Faint, th.Glyph.Rule, 2).To(3).Put(theme.Name|theme.Bold, head).Gap(1)
		r.Put(theme.Sub, cell.CutTitle(th, cell.Text(th, v.ID.Title()), w/2)).Gap(1).Fill(theme.Faint, th.Glyph.Rule, w)
		out = append(out, "", r.String())
		for _, l := range more {
			out = append(out, indent+l)
		}
	}
	if len(v.Stages) > 0 {
		boxes := stages.Boxes{Theme: th, Run: v, Now: now, Chosen: max(0, v.At), Tasks: stages.TaskRows(v)}
		add("stages", boxes.View(w-len(indent)))
	}
	if trouble {
		why := reasons.Reasons{Scene: sc, Run: v, Of: &v.Why}
		add("why", why.Lines(w-len(indent), why.Need(w-len(indent), h)))
	}
	if all := latest.Lines(th, moments, now, w-len(indent), latest.Head+mostMoments); len(all) > 0 {
		add("latest", all[latest.Head:])
	}
	return out
}
