package stages

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// part is a piece of a stage line: a stretch of a stage or a gate.
type part struct {
	stage *engine.StageView
	gate  *engine.GateView
	n     int // cells
}

// lineParts divides n cells among the stages and gates of a run. It returns
// nil when they do not fit.
func lineParts(stages []engine.StageView, n int) []part {
	var parts []part
	total, gates, least := 0, 0, 0
	for i := range stages {
		s := &stages[i]
		if s.Deletion && s.Total == 0 {
			continue
		}
		for j := range s.Before {
			parts = append(parts, part{gate: &s.Before[j], n: 1})
			gates++
		}
		parts = append(parts, part{stage: s})
		total += s.Total
		least += min(2, max(1, s.Total))
		for j := range s.After {
			parts = append(parts, part{gate: &s.After[j], n: 1})
			gates++
		}
	}
	free := n - gates - least
	if free < 0 || len(parts) == 0 {
		return nil
	}
	// The rest goes by clusters, rounded so that the sum is exact.
	given, seen := 0, 0
	for i := range parts {
		if parts[i].stage == nil {
			continue
		}
		t := parts[i].stage.Total
		seen += t
		share := 0
		if total > 0 {
			share = free*seen/total - given
		}
		given += share
		parts[i].n = min(2, max(1, t)) + share
	}
	if total == 0 {
		for i := range parts {
			if parts[i].stage != nil {
				parts[i].n += free
				break
			}
		}
	}
	return parts
}

// Line writes the stages of a run into n cells of r, one after the other, each as
// long as it has clusters, with the gates between them.
func Line(t *theme.Theme, r *cell.Row, v *engine.RunView, n int) {
	end := min(r.At()+n, r.Limit())
	switch {
	case v.Partial:
		r.Put(theme.Faint, cell.Cut(t, "details loading", n)).To(end)
		return
	case len(v.Stages) == 0:
		r.Fill(theme.Faint, t.Glyph.LineNone, end)
		return
	}
	parts := lineParts(v.Stages, n)
	if parts == nil {
		stretch(t, r, v.Done, v.Updating, v.Stuck+v.Preempted, v.Total, n, false)
		return
	}
	for _, p := range parts {
		if p.gate != nil {
			g, k := t.Glyph.GateMark(*p.gate)
			r.Put(k, g)
			continue
		}
		s := p.stage
		if s.State == engine.StageSkipped {
			r.Fill(theme.Faint, t.Glyph.LineNone, r.At()+p.n)
			continue
		}
		bad := s.Stuck + s.Preempted
		if s.State == engine.StageFailed {
			bad = max(bad, 1)
		}
		stretch(t, r, s.Done, s.Updating, bad, s.Total, p.n, s.State == engine.StageDone)
	}
	r.To(end)
}

// stretch writes n cells: what is done, what is in trouble, what is updating,
// what is pending. Trouble and work in flight take a cell at least; only a
// whole stage is drawn whole.
func stretch(t *theme.Theme, r *cell.Row, done, busy, bad, total, n int, whole bool) {
	if whole {
		r.Fill(theme.Done, t.Glyph.LineDone, r.At()+n)
		return
	}
	d, b, x := shares(done, busy, bad, total, n)
	end := r.At() + n
	r.Fill(theme.Done, t.Glyph.LineDone, r.At()+d)
	r.Fill(theme.Bad, t.Glyph.LineBad, r.At()+x)
	r.Fill(theme.Busy, t.Glyph.LineBusy, r.At()+b)
	r.Fill(theme.Faint, t.Glyph.LineRest, end)
}

// shares splits n cells: done, busy and bad of total.
func shares(done, busy, bad, total, n int) (d, b, x int) {
	if total <= 0 || n <= 0 {
		return 0, 0, min(bad, max(n, 0))
	}
	part := func(k int) int { return min(n, (k*n+total/2)/total) }
	if bad > 0 {
		x = max(1, part(bad))
	}
	if busy > 0 {
		b = max(1, part(busy))
	}
	d = part(done)
	// Nothing that is not all done may look like it.
	if done < total {
		d = min(d, n-1)
	}
	if done > 0 && d == 0 && n-x-b > 1 {
		d = 1
	}
	x = min(x, n)
	b = min(b, n-x)
	d = min(d, n-x-b)
	return d, b, x
}
