package run

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/latest"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// historyHeight is the height of the history below the reasons.
const historyHeight = 3

// hasHistory reports whether the run has a history to draw.
func (p *Pane) hasHistory() bool {
	v := p.view
	return v != nil && !v.Partial && !v.Started.IsZero()
}

// historyRows is what is kept for the history: historyHeight where the clusters
// of every stage leave room for it, else 0. Then it is drawn only where the
// reasons leave room. What is kept does not change as a person walks through the
// stages, or the line above the reasons would jump.
func (p *Pane) historyRows() int {
	v := p.view
	if !p.hasHistory() {
		return 0
	}
	most := 1
	for i := range v.Stages {
		most = max(most, v.Stages[i].Total)
	}
	// The reasons keep rows to grow into.
	if p.room() < most+p.leastReasons()+3+historyHeight {
		return 0
	}
	return historyHeight
}

// moments are the events of the run so far, in order, with those of its clusters in trouble.
func (p *Pane) moments() []latest.Moment {
	th := p.scene.Theme
	var out []latest.Moment
	for i := range p.view.Stages {
		clusters := p.clusters(i)
		for j := range clusters {
			c := &clusters[j]
			if !InTrouble(c) {
				continue
			}
			name := cell.Text(th, c.Name)
			out = append(out, latest.Moment{At: c.Started, Style: theme.Text, What: name + " started"})
			if c.State == engine.ClusterPreempted {
				out = append(out, latest.Moment{At: c.PreemptedAt, Style: theme.Bad, What: name + " preempted"})
			}
		}
	}
	return latest.Of(th, p.view, out...)
}

// historyLines writes what happened so far, the latest if not all has room, and the
// run's time as a strip from its start to now.
func (p *Pane) historyLines() []string {
	th, w, v := p.scene.Theme, p.w, p.view
	now := p.scene.HubNow()
	var tail cell.Spans
	if !v.Terminal {
		tail = cell.Spans{cell.Styled(theme.Faint, "now "+engine.Time(now, now).String())}
	}
	all := p.moments()
	first, room := len(all), w-4-tail.Width()
	for first > 0 {
		n := cell.Width(engine.Time(all[first-1].At, now).String()) + 1 + cell.Width(all[first-1].What) + 3
		if n > room {
			break
		}
		room -= n
		first--
	}
	r := cell.NewRow(th, w, theme.Plain).To(1)
	if first > 0 {
		r.Put(theme.Faint, th.Glyph.Ellipsis+" ")
	}
	for _, x := range all[first:] {
		r.Put(theme.Faint, engine.Time(x.At, now).String()).Gap(1).Put(x.Style, x.What).Gap(3)
	}
	r.Spans(tail)
	return []string{"", r.String(), p.strip(now)}
}

// strip is one cell for each slice of the run's time: stages that are done,
// the one that updates, what it waits for, and since when it is in trouble.
func (p *Pane) strip(now time.Time) string {
	th, v := p.scene.Theme, p.view
	from, to := v.Started, now
	if v.Terminal && !v.Ended.IsZero() {
		to = v.Ended
	}
	r := cell.NewRow(th, p.w, theme.Plain).To(1)
	n, whole := p.w-2, to.Sub(from)
	if whole <= 0 {
		return r.String()
	}
	for i := range n {
		at := from.Add(time.Duration(float64(whole) * (float64(i) + 0.5) / float64(n)))
		role := roleAt(v, at)
		if i == n-1 && v.Terminal && v.Word != engine.WordDone {
			role = engine.RoleBad
		}
		s, k := stages.StripMark(th, role)
		r.Put(k, s)
	}
	return r.String()
}

// roleAt is what the run did at a moment, as far as its stages show.
func roleAt(v *engine.RunView, at time.Time) engine.Role {
	if v.Word == engine.WordStuck && !at.Before(v.Since) {
		return engine.RoleBad
	}
	for i := len(v.Stages) - 1; i >= 0; i-- {
		s := &v.Stages[i]
		if s.State == engine.StageGate && !s.Since.IsZero() && !at.Before(s.Since) {
			for g := range s.Gates() {
				if !g.Timed && (g.State == engine.GateOpen || g.State == engine.GateNotAccepted) {
					return engine.RoleAsk
				}
			}
			return engine.RoleWait
		}
		if s.Started.IsZero() || at.Before(s.Started) || !s.Ended.IsZero() && at.After(s.Ended) {
			continue
		}
		switch {
		case s.State == engine.StageDone:
			return engine.RoleGood
		case s.State == engine.StageStopped && !s.Since.IsZero() && !at.Before(s.Since):
			return engine.RoleText
		}
		return engine.RoleBusy
	}
	return engine.RoleText
}
