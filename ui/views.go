package ui

import "github.com/stagewatch/stagewatch/ui/runlist"

// View is a filter and an order of the list with a name.
type View = runlist.View

// noteView gives out the name of the present view when it changes.
func (m *Model) noteView() {
	if now := m.runs.Used(); now != m.view {
		m.view = now
		if m.opt.Viewed != nil {
			m.opt.Viewed(now)
		}
	}
}
