package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/ui/dialog"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// write is :write: it asks to lift for a while what the configuration holds
// back, or holds it back at once; on the hub of the selected run where several are shown.
func (m *Model) write(arg string) tea.Cmd {
	d, id := engine.RaiseDefault, m.target()
	switch arg {
	case "":
	case "off":
		d = 0
	default:
		var err error
		if d, err = time.ParseDuration(arg); err != nil || d <= 0 {
			m.scene.Say(theme.Wait, engine.Textf("Invalid time %s: write it like {command}write 15m, or {command}write off.", engine.Clean(arg)))
			return nil
		}
	}
	intent, no := act.ProposeRaise(m.scene.Of(id), d)
	if no.Refused() {
		m.refuse(engine.ActRaise, id, no, nil)
		return nil
	}
	if d == 0 {
		// What makes safer is not asked about.
		ctx, src := m.ctx, m.src
		return func() tea.Msg { return dialog.OutcomeMsg{Dialog: dialog.NoDialog, Outcome: src.Do(ctx, intent)} }
	}
	m.mode = modeDialog
	return m.dialog.OpenRaise(intent, d)
}
