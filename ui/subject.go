package ui

import "github.com/stagewatch/stagewatch/engine"

// subject is what keys on a page are about.
type subject struct {
	run, placement, member engine.ID
}

// subject is what the keys are about at the moment: what the row under the
// cursor tells about, else the page, else the run behind it.
func (m *Model) subject() subject {
	if s := m.sheet(); s != nil {
		sub := s.sub
		r := s.row()
		if r == nil {
			return sub
		}
		if !r.Run.IsZero() {
			if v := m.named(r.Run); v != nil {
				sub.run, sub.placement = v.ID, v.Placement
			}
		}
		if q := r.Page; q.Kind == engine.QuestionCluster {
			sub.member = q.Member
		}
		return sub
	}
	var v *engine.RunView
	if m.screen == screenRun {
		v = m.run.view
	} else {
		v = m.runs.current()
	}
	if v == nil {
		return subject{}
	}
	sub := subject{run: v.ID, placement: v.Placement}
	if v.Word == engine.WordNoRun {
		sub.run = engine.ID{}
	}
	if m.screen == screenRun {
		if c := m.run.current(); c != nil {
			sub.member = c.Member
		}
	}
	return sub
}

// named finds a run whose UID may not be known.
func (m *Model) named(id engine.ID) *engine.RunView {
	if m.snap == nil || id.IsZero() {
		return nil
	}
	if v := m.snap.Find(id); v != nil {
		return v
	}
	for _, v := range m.snap.Runs {
		if v.ID.SameName(id) {
			return v
		}
	}
	return nil
}
