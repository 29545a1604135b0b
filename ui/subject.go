package ui

import (
	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/page"
)

// subject is what the keys are about at the moment: the object of the row under the
// cursor, else of the page, else the run that the page was opened for.
func (m *Model) subject() page.Subject {
	if s := m.sheet(); s != nil {
		sub := s.Subject()
		r := s.Row()
		if r == nil {
			return sub
		}
		if !r.Run.IsZero() {
			if v := m.scene.Named(r.Run); v != nil {
				sub.Run, sub.Placement = v.ID, v.Placement
			}
		}
		switch q := r.Page.(type) {
		case enginepage.ClusterQuestion:
			sub.Member = q.Member
		case enginepage.OwnersQuestion:
			sub.Placement = q.Placement
		}
		return sub
	}
	var v *engine.RunView
	if m.screen == screenRun {
		v = m.run.Run()
	} else {
		v = m.runs.Current()
	}
	if v == nil {
		return page.Subject{}
	}
	sub := page.Subject{Run: v.ID, Placement: v.Placement}
	if v.Word == engine.WordNoRun {
		sub.Run = engine.ID{}
	}
	if m.screen == screenRun {
		if c := m.run.Cluster(); c != nil {
			sub.Member = c.Member
		}
	} else {
		sub.Member = v.Why.Member // the cluster that holds the run up
	}
	return sub
}
