package ui

// loading reports whether the screen waits for data that a person asked for.
func (m *Model) loading() bool {
	switch s := m.sheet(); {
	case m.mode == modeDialog:
		return m.dialog.Waits()
	case m.mode == modePage:
		return m.page.Waits()
	case s != nil:
		return !s.IsLoaded() && s.Err().IsZero()
	case m.screen == screenRun:
		return m.run.Run() == nil && !m.run.Gone()
	}
	return m.scene.Snap == nil || !m.scene.Snap.Complete
}
