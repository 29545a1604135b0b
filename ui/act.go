package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/dialog"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/page"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// writers pairs the writing keys with what they propose.
var writers = map[keymap.Action]engine.Act{
	keymap.Approve: engine.ActApprove, keymap.Run: engine.ActRun, keymap.Stop: engine.ActStop,
	keymap.Clone: engine.ActClone, keymap.Delete: engine.ActDelete,
}

// openDialog asks for an act on the run that is opened, selected or marked; an act
// that is not possible is answered with the reason instead.
func (m *Model) openDialog(a engine.Act) tea.Cmd {
	if !m.pending.IsZero() {
		// The row under the cursor is not the run that was asked for, and opening
		// that one would close the dialog.
		m.scene.Say(theme.Wait, engine.Textf("Run %s is not open yet: wait, or press {back} to stay on the list.", m.pending.Name()))
		return nil
	}
	id := m.target()
	if marks := m.runs.Marked(); m.screen == screenRuns && len(marks) == 1 {
		id = marks[0]
	} else if m.screen == screenRuns && len(marks) > 1 {
		return m.openMarked(a, marks)
	}
	return m.openDialogOn(a, id, engine.Text{})
}

// openDialogOn is openDialog for any run; a clone may be by another strategy.
func (m *Model) openDialogOn(a engine.Act, id engine.ID, strategy engine.Text) tea.Cmd {
	cmd, no := m.dialog.Open(a, id, strategy)
	if no.Choose && !m.sheet().SelectsStrategy() {
		return m.openSheet(keymap.Plan)
	}
	if no.Refused() {
		if hub := m.scene.Of(id); no.Why == hub.WritesOff && hub.Held == engine.HeldReadOnly {
			no.Hint = engine.Lit("{command}write allows writes temporarily")
		}
		m.refuse(a, id, no, func() engine.Refusal {
			_, no := m.dialog.Possible(a, id, strategy)
			return no
		})
		return nil
	}
	return m.showDialog(cmd)
}

// openMarked asks for one act on each of the marked runs.
func (m *Model) openMarked(a engine.Act, ids []engine.ID) tea.Cmd {
	if a == engine.ActClone {
		m.scene.Say(theme.Wait, engine.Lit("Cannot clone more than one run; {back} clears the marks."))
		return nil
	}
	targets := make([]dialog.Target, len(ids))
	for i, id := range ids {
		targets[i].Run = id
	}
	return m.openTargets(a, targets)
}

// openTargets asks in one dialog for one act on each of several targets.
func (m *Model) openTargets(a engine.Act, targets []dialog.Target) tea.Cmd {
	cmd, no := m.dialog.OpenSeveral(a, targets)
	if no.Refused() {
		m.refuse(a, targets[0].Run, no, nil)
		return nil
	}
	return m.showDialog(cmd)
}

// showDialog covers the screen with the dialog. The cursor of the list stays on its
// run from here on.
func (m *Model) showDialog(cmd tea.Cmd) tea.Cmd {
	m.runs.Hold()
	m.mode = modeDialog
	return cmd
}

// toDialog gives a message to the dialog, and goes on where it closes.
func (m *Model) toDialog(msg tea.Msg) tea.Cmd {
	cmd := m.dialog.Update(msg)
	if m.mode != modeDialog {
		return cmd
	}
	if m.dialog.SentAll() {
		m.clearMarks()
	}
	if m.dialog.IsOpen() {
		return cmd
	}
	return tea.Batch(cmd, m.leaveDialog())
}

// closeDialog leaves the dialog without sending.
func (m *Model) closeDialog() tea.Cmd {
	m.dialog.Close()
	return m.leaveDialog()
}

// leaveDialog shows what the dialog covered, or the run that it has created; the run
// that was cloned is deleted next where that was chosen.
func (m *Model) leaveDialog() tea.Cmd {
	m.mode = modeBrowse
	m.goToMade()
	if old := m.dialog.Retired(); !old.IsZero() {
		return m.openDialogOn(engine.ActDelete, old, engine.Text{})
	}
	return nil
}

// goToMade puts the cursor of the list on the run that a clone created, and opens
// it over anything else.
func (m *Model) goToMade() {
	made := m.dialog.Made()
	if m.scene.Find(made) == nil {
		return
	}
	if len(m.stack) > 0 {
		m.open(made)
		return
	}
	m.runs.Pick(made)
}

// clearMarks clears the marks of what was acted on.
func (m *Model) clearMarks() {
	if s := m.sheet(); s != nil {
		s.ClearMarks()
	} else {
		m.runs.ClearMarks()
	}
}

// targetsOf are the approvals that are marked on a page.
func targetsOf(s *page.Page) []dialog.Target {
	var out []dialog.Target
	for _, g := range s.Marked() {
		out = append(out, dialog.Target{Run: g.Run, Request: g.Request})
	}
	return out
}

// refuse says why an act is not possible, until it is, or until another reason holds writes back.
func (m *Model) refuse(a engine.Act, id engine.ID, no engine.Refusal, again func() engine.Refusal) {
	if m.scene.Snap == nil {
		m.scene.Say(theme.Wait, label.Refused(a, no))
		return
	}
	says, off := label.Refused(a, no), m.scene.Of(id).WritesOff
	if len(m.scene.Snap.Hubs) > 0 {
		says = engine.Textf("%s: %s", id.Hub().Text(), says)
	}
	m.scene.SayWhile(theme.Wait, says, func() bool {
		if !off.IsZero() && (no.Why == off || no.Hint == off) {
			return m.scene.Of(id).WritesOff == off
		}
		return again == nil || again().Refused()
	})
}
