package panes

import (
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/latest"
	"github.com/stagewatch/stagewatch/ui/page"
	"github.com/stagewatch/stagewatch/ui/reasons"
	"github.com/stagewatch/stagewatch/ui/run"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// keptRows are the blank rows of a page that the stages of a run leave for the changes below,
// mostMoments how many events of the run stand below the stages.
const keptRows, mostMoments = 14, 8

// indent brings the lines of a pane below the rows of a page.
const indent = "  "

// besideRun is the least width of what stands beside a page, with its margin.
const besideRun = 58

// ArrangePage fits a page into w by h cells, beside the run that the page or its row is about
// where the page leaves room; v may be nil.
func ArrangePage(sc *scene.Scene, s *page.Page, v *engine.RunView, w, h int) {
	least := besideRun
	if _, diagnosis := s.Question().(enginepage.DiagnosisQuestion); v == nil || w < TwoFrom || diagnosis {
		least = 0
	}
	s.Share(sc.Theme, sc.HubNow(), w, h, least)
}

// WithRun returns the lines of a page in w by h cells, with the stages of the run that the page
// or its row is about, why it is in trouble, and what happened last to it: beside a page that
// leaves room, or below one of several runs, in rows that would be blank.
func WithRun(sc *scene.Scene, s *page.Page, v *engine.RunView, w, h int) []string {
	lines := s.View()
	if v == nil || w < TwoFrom || !s.IsLoaded() {
		return lines
	}
	trouble, moments, below := v.InTrouble(), latest.Of(sc.Theme, v), true
	switch s.Question().(type) {
	case enginepage.PlacementQuestion, enginepage.OwnersQuestion, enginepage.ClusterQuestion, enginepage.MemberQuestion, enginepage.PodQuestion, enginepage.EventsQuestion:
	case enginepage.AllOwnersQuestion:
		below = false
	case enginepage.ApprovalsQuestion:
		trouble = false // the evidence says it
	case enginepage.TimelineQuestion:
		moments = nil // the page lists them
	default:
		below = false
	}
	at, top, aside := s.Free()
	if !aside {
		at = s.Width() + 1
	}
	if at < w {
		lines = cell.Pad(lines, h)
		for i, l := range runParts(sc, v, trouble, moments, nil, w-at, h-top, 0) {
			lines[top+i] = cell.Widen(ansi.Truncate(lines[top+i], at, ""), at) + l
		}
		return lines
	}
	if !below {
		return lines
	}
	return runParts(sc, v, trouble, moments, trim(lines), w, h, keptRows)
}

// runParts writes what there is of a run below lines, as long as kept of h rows stay blank.
func runParts(sc *scene.Scene, v *engine.RunView, trouble bool, moments []latest.Moment, out []string, w, h, kept int) []string {
	th, now := sc.Theme, sc.NowOf(v.ID)
	add := func(head string, more []string) {
		if len(more) == 0 || h-len(out)-len(more)-2 < kept {
			return
		}
		r := cell.NewRow(th, w, theme.Plain).Fill(theme.Faint, th.Glyph.Rule, 2).To(3).Put(theme.Name|theme.Bold, head).Gap(1)
		r.Put(theme.Sub, cell.CutTitle(th, cell.Text(th, v.ID.Title()), w/2)).Gap(1).Fill(theme.Faint, th.Glyph.Rule, w)
		if len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, r.String())
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
	if trouble {
		add("then", run.StepLines(th, &v.Why, w-len(indent)))
		add("evidence", run.EvidenceLines(th, &v.Why, w-len(indent)))
	}
	return out
}
