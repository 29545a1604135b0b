package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/page"
	"github.com/stagewatch/stagewatch/ui/panes"
	"github.com/stagewatch/stagewatch/ui/sheets"
	"github.com/stagewatch/stagewatch/ui/stack"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// sheet returns the page on the screen, nil when there is none.
func (m *Model) sheet() *page.Page { return m.stack.Sheet() }

// openSheet shows the page of a key, about what the keys are about. A key without a
// page does nothing.
func (m *Model) openSheet(key keymap.Action) tea.Cmd {
	k := sheets.For(key)
	if k == nil {
		return nil
	}
	a := m.about()
	if s := m.sheet(); s != nil && !s.Subject().Run.IsZero() {
		// Pages are read in the light of the run that they were opened for.
		a.Run, a.Placement = s.Subject().Run, s.Subject().Placement
	}
	q, why := k.Ask(a)
	if q == nil {
		m.scene.Say(theme.Sub, why)
		return nil
	}
	if k.AboutAll {
		a.Subject = page.Subject{}
	}
	return m.pushSheet(q, a.Subject)
}

// about is what a page that a key opens is about.
func (m *Model) about() sheets.About {
	sub := m.subject()
	return sheets.About{Subject: sub, Scene: m.scene, OnPage: m.sheet() != nil, Diagnosed: m.diagnosed(sub), Row: m.sheet().Opens()}
}

// pushSheet puts a page on top; the same page is not put on itself.
func (m *Model) pushSheet(q enginepage.Question, sub page.Subject) tea.Cmd {
	if k := sheets.Of(q); k != nil && k.Text {
		return m.readText(enginepage.TitleOf(q), q)
	}
	if s := m.sheet(); s != nil && s.Question() == q {
		m.scene.Say(theme.Sub, engine.Lit("This page is already open; it updates automatically."))
		return nil
	}
	if s, was := m.memberSheet(); s != nil && otherContext(was, q) {
		s.Reask(q)
		return m.ask(s)
	}
	s := m.panes.WhyOf(enginepage.TitleOf(q), q, sub)
	m.push(stack.Level{Sheet: s})
	return m.ask(s)
}

// otherContext reports whether a question asks the same member through another context.
func otherContext(was enginepage.MemberQuestion, q enginepage.Question) bool {
	now, ok := q.(enginepage.MemberQuestion)
	was.Context = now.Context
	return ok && now == was
}

// ask asks for a page, once at a time; for none when s is nil.
func (m *Model) ask(s *page.Page) tea.Cmd {
	if s == nil {
		return nil
	}
	m.asked++
	s.Ask(m.asked)
	ctx, src, q, n := m.ctx, m.src, s.Question(), s.Number()
	return func() tea.Msg {
		a := src.Ask(ctx, q)
		if ctx.Err() != nil {
			return nil
		}
		return pageMsg{n: n, answer: a}
	}
}

// onPage takes an answer if it is to what a page on the screen asked last, and asks
// again later, unless that would start a login that has failed.
func (m *Model) onPage(msg pageMsg) tea.Cmd {
	s := m.pageOf(msg.n)
	if s == nil || msg.answer.Question != s.Question() {
		return nil
	}
	if s == m.changes.Asked(msg.n) {
		if m.changes.Take(msg.answer) {
			rest := changesRestMsg{m.changes.Steps()}
			return m.after(sheets.Every, func(time.Time) tea.Msg { return rest })
		}
		return nil
	}
	s.Take(msg.answer)
	if msg.answer.LoginFailed {
		return nil
	}
	every := sheets.Every
	if k := sheets.Of(s.Question()); k != nil && s.Err().IsZero() {
		every = k.Again(&msg.answer)
	}
	return m.after(every, func(time.Time) tea.Msg { return dueMsg{n: msg.n} })
}

// onDue asks again when the page is still on the screen.
func (m *Model) onDue(msg dueMsg) tea.Cmd {
	if s := m.pageOf(msg.n); s != nil && !s.IsAsking() {
		return m.ask(s)
	}
	return nil
}

// onSheetKey handles keys on a page of sections.
func (m *Model) onSheetKey(a keymap.Action) tea.Cmd {
	s := m.sheet()
	if s.Update(a) {
		return nil
	}
	switch a {
	case keymap.Copy:
		return m.copyRow()
	case keymap.Open:
		return m.openRow()
	case keymap.YAML:
		return m.yamlOf(m.sheetObject())
	case keymap.Back, keymap.Quit:
		if a != keymap.Back || !s.Leave() {
			return m.pop()
		}
	case keymap.Help:
		m.openHelp()
	case keymap.Search:
		m.startFilter()
	case keymap.Mark:
		if !s.Markable() {
			s.Update(keymap.PageDown)
			break
		}
		m.markRow(s)
	case keymap.Approve, keymap.Run, keymap.Stop, keymap.Clone, keymap.Delete:
		return m.actOnSheet(a)
	default:
		return m.openSheet(a)
	}
	return nil
}

// openRow follows the row under the cursor to its run or page.
func (m *Model) openRow() tea.Cmd {
	s := m.sheet()
	r := s.Row()
	switch {
	case r == nil:
	case r.Page != nil:
		return m.pushSheet(r.Page, page.Subject{Run: s.Subject().Run, Placement: s.Subject().Placement, Member: m.subject().Member})
	case !r.Run.IsZero():
		v := m.scene.Named(r.Run)
		if v == nil {
			id := r.Run
			m.scene.SayWhile(theme.Wait, engine.Textf("Run %s is not listed here.", id.Title()), func() bool { return m.scene.Named(id) == nil })
			return nil
		}
		m.open(v.ID)
	default:
		m.scene.Say(theme.Sub, engine.Lit("This row opens nothing; {copy} copies it, {yaml} shows the object."))
	}
	return nil
}

// sheetObject is what Y shows: the object of the row under the cursor, else the whole page.
func (m *Model) sheetObject() engine.ID {
	s := m.sheet()
	if r := s.Row(); r != nil && !r.Object.IsZero() {
		return r.Object
	}
	if !s.Answer().Object.IsZero() {
		return s.Answer().Object
	}
	return s.Subject().Run
}

// arrangeSheet lays a page out for a size.
func (m *Model) arrangeSheet(s *page.Page, w, h int) {
	s.Spin(m.scene.Spinner)
	panes.ArrangePage(m.scene, s, m.scene.Named(m.subject().Run), w, h)
}
