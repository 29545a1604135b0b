package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/page"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// pageEvery is how often an open page is asked for again.
const pageEvery = 3 * time.Second

// planEvery is that of a plan, which reads more than other pages and does not
// move by itself.
const planEvery = 15 * time.Second

// sheetTitles are the names of pages among the crumbs.
var sheetTitles = map[enginepage.QuestionKind]engine.Text{
	enginepage.QuestionPlan:      engine.Lit("plan"),
	enginepage.QuestionCluster:   engine.Lit("cluster"),
	enginepage.QuestionOwners:    engine.Lit("owners"),
	enginepage.QuestionPlacement: engine.Lit("placement"),
	enginepage.QuestionSnapshots: engine.Lit("what changed"),
	enginepage.QuestionInbox:     engine.Lit("approvals"),
	enginepage.QuestionTimeline:  engine.Lit("timeline"),
	enginepage.QuestionEvents:    engine.Lit("events"),
	enginepage.QuestionDiagnosis: engine.Lit("why"),
	enginepage.QuestionMember:    engine.Lit("member"),
	enginepage.QuestionLogs:      engine.Lit("controller log"),
}

// Page returns the page on the screen, nil when there is none.
func (m *Model) sheet() *page.Page {
	if n := len(m.stack); n > 0 {
		return m.stack[n-1].sheet
	}
	return nil
}

// openSheet shows a page about what the keys are about.
func (m *Model) openSheet(kind enginepage.QuestionKind) tea.Cmd {
	sub := m.subject()
	if s := m.sheet(); s != nil && !s.Subject().Run.IsZero() {
		// Pages are read in the light of the run that they were opened for.
		sub.Run, sub.Placement = s.Subject().Run, s.Subject().Placement
	}
	q := enginepage.Question{Kind: kind, Run: sub.Run}
	switch kind {
	case enginepage.QuestionCluster, enginepage.QuestionMember:
		if sub.Member.IsZero() {
			m.scene.Say(theme.Sub, m.aboutNoCluster(sub))
			return nil
		}
		q.About, q.Member = sub.Placement, sub.Member
	case enginepage.QuestionOwners, enginepage.QuestionPlacement:
		q.About = sub.Placement
	case enginepage.QuestionSnapshots:
		from, to, ok := m.changes(sub)
		if !ok {
			m.scene.Say(theme.Sub, engine.Lit("Nothing to compare: the run has no snapshot yet, or it is the first."))
			return nil
		}
		q.About, q.From, q.To = sub.Placement, from, to
	case enginepage.QuestionDiagnosis:
		// The row of a placement without a run has its reasons, too.
		if q.About, q.Member = sub.Run, m.diagnosed(sub); sub.Run.IsZero() {
			q.About = m.rowOf(sub.Placement)
		}
	case enginepage.QuestionPlan:
		// Of a placement that no run names, one is imagined.
		if q.About = sub.Run; sub.Run.IsZero() {
			q.About = sub.Placement
		}
	case enginepage.QuestionTimeline, enginepage.QuestionLogs:
		q.About = sub.Run
	case enginepage.QuestionEvents:
		q.About = sub.Run
		if sub.Run.IsZero() {
			q.About = sub.Placement
		}
	default:
	}
	if kind == enginepage.QuestionInbox {
		q = enginepage.Question{Kind: kind}
	} else if q.About.IsZero() {
		m.scene.Say(theme.Sub, m.aboutNothing(sub))
		return nil
	}
	return m.pushSheet(q, sub)
}

// pushSheet puts a page on top; the same page is not put on itself.
func (m *Model) pushSheet(q enginepage.Question, sub page.Subject) tea.Cmd {
	if s := m.sheet(); s != nil && s.Question() == q {
		m.scene.Say(theme.Sub, engine.Lit("This page is already open; it updates automatically."))
		return nil
	}
	m.push(level{sheet: page.New(sheetTitle(q), q, sub)})
	return m.askSheet()
}

// sheetTitle is the name of a page among the crumbs.
func sheetTitle(q enginepage.Question) engine.Text {
	kind := sheetTitles[q.Kind]
	switch q.Kind {
	case enginepage.QuestionMember:
		return engine.Textf("%s %s", kind, q.Member.Name())
	case enginepage.QuestionCluster:
		return engine.Textf("%s", q.Member.Name())
	case enginepage.QuestionOwners, enginepage.QuestionPlacement:
		return engine.Textf("%s %s", kind, q.About.Title())
	case enginepage.QuestionSnapshots:
		return engine.Textf("%s %d..%d", q.About.Title(), q.From, q.To)
	case enginepage.QuestionDiagnosis:
		if !q.Member.IsZero() {
			return engine.Textf("%s %s", kind, q.Member.Name())
		}
		return engine.Textf("%s %s", kind, q.About.Title())
	case enginepage.QuestionTimeline, enginepage.QuestionEvents, enginepage.QuestionPlan, enginepage.QuestionLogs:
		if !q.Strategy.IsZero() {
			return engine.Textf("%s of %s by %s", kind, q.About.Title(), q.Strategy)
		}
		return engine.Textf("%s of %s", kind, q.About.Title())
	}
	return kind
}

// askSheet asks for the page on top, once at a time.
func (m *Model) askSheet() tea.Cmd {
	s := m.sheet()
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

// onPage takes an answer if it is to what the page on top asked last, and asks again
// later, unless that would start a login that has failed.
func (m *Model) onPage(msg pageMsg) tea.Cmd {
	s := m.sheet()
	if s == nil || s.Number() != msg.n || msg.answer.Question != s.Question() {
		return nil
	}
	s.Take(msg.answer)
	if msg.answer.LoginFailed {
		return nil
	}
	every := pageEvery
	if s.Question().Kind == enginepage.QuestionPlan && s.Err().IsZero() {
		every = planEvery
	}
	return m.after(every, func(time.Time) tea.Msg { return dueMsg{n: msg.n} })
}

// onDue asks again when the page is still the one on top.
func (m *Model) onDue(msg dueMsg) tea.Cmd {
	if s := m.sheet(); s != nil && s.Number() == msg.n && !s.IsAsking() {
		return m.askSheet()
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
		if a == keymap.Back && s.IsMarked() {
			s.ClearMarks()
			break
		}
		return m.pop()
	case keymap.Help:
		m.openHelp()
	case keymap.Suspend:
		return tea.Suspend
	case keymap.Mark:
		if !s.Markable() {
			s.Update(keymap.PageDown)
			break
		}
		m.markRow(s)
	case keymap.Approve, keymap.Run, keymap.Stop, keymap.Clone, keymap.Delete:
		return m.actOnSheet(a)
	default:
		if k := sheetKeys[a]; k != enginepage.QuestionNone {
			return m.openSheet(k)
		}
	}
	return nil
}

// sheetKeys are the keys that open pages.
var sheetKeys = map[keymap.Action]enginepage.QuestionKind{
	keymap.Plan:      enginepage.QuestionPlan,
	keymap.Cluster:   enginepage.QuestionCluster,
	keymap.Owners:    enginepage.QuestionOwners,
	keymap.Placement: enginepage.QuestionPlacement,
	keymap.Inbox:     enginepage.QuestionInbox,
	keymap.Timeline:  enginepage.QuestionTimeline,
	keymap.Events:    enginepage.QuestionEvents,
	keymap.Diagnose:  enginepage.QuestionDiagnosis,
	keymap.Member:    enginepage.QuestionMember,
	keymap.Logs:      enginepage.QuestionLogs,
	keymap.Diff:      enginepage.QuestionSnapshots,
}

// openRow follows the row under the cursor to its run or page.
func (m *Model) openRow() tea.Cmd {
	s := m.sheet()
	r := s.Row()
	switch {
	case r == nil:
	case r.Page.Kind != enginepage.QuestionNone:
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
		m.scene.Say(theme.Sub, engine.Lit("This row opens nothing; y copies it, Y shows the object."))
	}
	return nil
}

// sheetObject is what Y shows: the object of the row under the cursor, else
// the whole page.
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

// sheetRows is how many lines of a page are on screen.
func (m *Model) sheetRows() int { return max(1, m.look.h-headRows-footRows) }

// arrangeSheet lays the page on top out for the screen.
func (m *Model) arrangeSheet() {
	if s := m.sheet(); s != nil {
		s.Spin(m.scene.Spinner)
		s.Arrange(m.scene.Theme, m.scene.HubNow(), m.look.w, m.sheetRows())
	}
}
