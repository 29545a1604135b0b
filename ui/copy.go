package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/page"
	"github.com/stagewatch/stagewatch/ui/run"
	"github.com/stagewatch/stagewatch/ui/sheets"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// copyName copies the name of what is under the cursor.
func (m *Model) copyName() tea.Cmd {
	sub := m.subject()
	name := sub.Run.Title()
	switch {
	case m.screen == screenRun && !sub.Member.IsZero():
		name = sub.Member.Name()
	case sub.Run.IsZero():
		name = sub.Placement.Title()
	}
	return m.scene.Copy(name, name.String())
}

// copyRow copies the row under the cursor.
func (m *Model) copyRow() tea.Cmd {
	r := m.sheet().Row()
	if r == nil {
		m.scene.Say(theme.Sub, engine.Lit("No row is selected."))
		return nil
	}
	x := r.Copied()
	return m.scene.Copy(x, x.String())
}

// copyPage copies the whole text, YAML for example.
func (m *Model) copyPage() tea.Cmd {
	s, n := m.text().Copied()
	if n == 0 {
		return nil
	}
	return m.scene.Copy(engine.Textf("%d lines", n), s)
}

// diagnosed is the cluster that a diagnosis is asked for: the one under the cursor if it has
// reasons of its own. The reasons of the one that holds the run up are the run's, which say more.
func (m *Model) diagnosed(sub page.Subject) engine.ID {
	if s := m.sheet(); s != nil {
		return sheets.Diagnosed(s, sub)
	}
	if m.screen == screenRun {
		if c := m.run.Cluster(); c != nil && run.InTrouble(c) && !c.Diagnosis.What.IsZero() && c.Member != m.run.Run().Why.Member {
			return c.Member
		}
	}
	return engine.ID{}
}
