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

// markRow marks the approval under the cursor, or takes its mark away, and goes on to the next.
func (m *Model) markRow(s *page.Page) {
	r := s.Row()
	if r == nil || r.Run.IsZero() {
		return
	}
	if r.Object.IsZero() {
		m.scene.Say(theme.Wait, engine.Lit("This approval is not requested yet: it cannot be marked."))
		return
	}
	s.Mark(r)
	if n := len(s.Marked()); n > 0 {
		m.scene.Say(theme.Text, engine.Textf("%s marked: {approve} approves them in one dialog; {back} clears the marks.", engine.Count(n, "approval")))
	}
}

// actOnSheet asks for an act on what a page is about: the marked approvals, else
// the run of the row under the cursor.
func (m *Model) actOnSheet(a keymap.Action) tea.Cmd {
	s := m.sheet()
	act := writers[a]
	if s.IsMarked() {
		if act != engine.ActApprove {
			m.scene.Say(theme.Wait, engine.Textf("Cannot %s: marks on this page are for {approve}; {back} clears them.", engine.Clean(act.String())))
			return nil
		}
		return m.openTargets(act, targetsOf(s))
	}
	id := m.target()
	if id.IsZero() {
		return nil
	}
	if r := s.Row(); act == engine.ActApprove && s.Markable() && r != nil && !r.Run.IsZero() {
		if i, no := m.rules.Propose(m.scene.Of(id), act, id, m.scene.NowOf(id)); !no.Refused() && !r.IsAbout(i.Target) {
			m.scene.Say(theme.Wait, label.Refused(act, dialog.AnotherApproval(i)))
			return nil
		}
	}
	strategy := engine.Text{}
	if act == engine.ActClone {
		strategy = s.Strategy()
	}
	return m.openDialogOn(act, id, strategy)
}
