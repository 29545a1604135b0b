package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/header"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// headRows is the height of the header.
const headRows = header.Rows

// footRows is the height of the foot: the line that answers the last key, and the bar of keys.
const footRows = 2

// guard is what the bar of keys says about acts: asked again when that changes, and each second.
type guard struct {
	of     guarded
	access engine.Access
	can    [engine.ActDelete + 1]bool
}

// guarded is what a guard is asked about.
type guarded struct {
	now       time.Time
	id        engine.ID
	run       *engine.RunView
	writesOff engine.Text
}

// target is the run that keys act on: the opened one, that of the cursor, or a placement without one.
func (m *Model) target() engine.ID {
	if m.sheet() != nil {
		sub := m.subject()
		if v := m.scene.Find(sub.Placement); sub.Run.IsZero() && v != nil {
			return v.ID // a placement that waits for a run
		}
		return sub.Run
	}
	if m.screen == screenRun {
		return m.run.ID()
	}
	if v := m.runs.Current(); v != nil {
		return v.ID
	}
	return engine.ID{}
}

// arrangeGuard keeps the guard's answers at hand for the bar of keys.
func (m *Model) arrangeGuard() {
	id, access := m.target(), engine.Access{}
	of := guarded{now: m.scene.HubNow().Truncate(time.Second), id: id}
	if s := m.scene.Of(id); s != nil {
		of.run, of.writesOff, access = s.Find(id), s.WritesOff, s.Access
	}
	if m.guard.of == of && m.guard.access.Equal(access) {
		return
	}
	m.guard = guard{of: of, access: access}
	for _, a := range writers {
		_, no := m.rules.Propose(m.scene.Of(id), a, id, m.scene.NowOf(id))
		m.guard.can[a] = !id.IsZero() && (!no.Refused() || no.Choose)
	}
}

// answerLine is the filter that is typed, or the answer to the last key.
func (m *Model) answerLine() string {
	r := cell.NewRow(m.scene.Theme, m.look.w, theme.Plain).To(1)
	switch m.mode {
	case modeFilter:
		m.input.WriteLine(r, m.scene.Theme)
	case modeCommand:
		m.command.Write(r, m.scene.Theme)
	case modeBrowse, modeDialog, modePage:
		m.scene.Note.Write(r)
	}
	return r.String()
}

// cursor is that of the field that is typed into; nil for none.
func (m *Model) cursor() *tea.Cursor {
	if m.look.w < leastWidth || m.look.h < leastHeight {
		return nil
	}
	r := cell.NewRow(m.scene.Theme, m.look.w, theme.Plain).To(1)
	switch m.mode {
	case modeFilter:
		return tea.NewCursor(m.input.WriteLine(r, m.scene.Theme), m.look.h-footRows)
	case modeCommand:
		return tea.NewCursor(m.command.Write(r, m.scene.Theme), m.look.h-footRows)
	case modeDialog:
		c := m.dialog.Cursor()
		if c != nil {
			c.Y += headRows
		}
		return c
	case modeBrowse, modePage:
	}
	return nil
}

// arrangeBar chooses the keys of the key bar.
func (m *Model) arrangeBar() {
	m.bar.Arrange(m.scene.Theme, m.look.w, m.dialog.Keys(m.keys.In(m.scope())), m.idle, func(a keymap.Action) bool {
		return m.scene.Snap != nil && m.guard.can[writers[a]]
	})
}

// withoutHub are the keys of the list that do something on a cluster that is no hub.
var withoutHub = []keymap.Action{keymap.Help, keymap.Quit, keymap.Command}

// onPages are the keys of pages that say nothing themselves where they do nothing.
var onPages = []keymap.Action{keymap.NextMatch, keymap.PrevMatch, keymap.Fold, keymap.Copy}

// idle reports whether a key would do nothing here.
func (m *Model) idle(a keymap.Action) bool {
	switch list := m.scope() == keymap.ScopeRuns && m.scene.Snap != nil; {
	case list && m.scene.Snap.Scope.NoHub:
		return !slices.Contains(withoutHub, a)
	case list && a.OfRun() && !a.Writes() && m.target().IsZero():
		return true
	}
	switch a {
	case keymap.NextPane, keymap.PrevPane, keymap.LargerPane, keymap.SmallerPane:
		return !m.hasPanes()
	case keymap.Taker:
		return !m.canJump()
	case keymap.NthView, keymap.View:
		return len(m.runs.Views) == 0
	case keymap.AllNamespaces:
		return m.opt.Scope.Namespace == ""
	case keymap.Fold:
		return !m.text().CanFold()
	case keymap.Copy:
		return m.helping
	case keymap.NextMatch, keymap.PrevMatch:
		return m.filtered().Filter() == ""
	case keymap.DialogCopy, keymap.PickOther, keymap.PickDown:
		return m.dialog.Idle(a)
	case keymap.Member:
		c := m.run.Cluster()
		return m.scope() == keymap.ScopeRun && (c == nil || len(c.Failing) == 0)
	}
	return false
}

// refusalOf is why a writing key is not possible at the moment.
func (m *Model) refusalOf(e keymap.Entry) engine.Refusal {
	id := m.target()
	if id.IsZero() {
		return engine.Refusal{Why: engine.Lit("no run is selected")}
	}
	_, no := m.rules.Propose(m.scene.Of(id), writers[e.Action], id, m.scene.NowOf(id))
	return no
}
