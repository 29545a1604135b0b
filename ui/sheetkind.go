package ui

import (
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/page"
)

// sheetKind is a page that a key opens. The table sheetKinds is all that the screen
// knows of it.
type sheetKind struct {
	kind enginepage.QuestionKind
	key  keymap.Action
	// title is the name of the page among the crumbs, or its beginning.
	title engine.Text
	// ask completes a Question, of which Kind and Run are set, from what the keys are
	// about, or returns why it cannot; nil for a page about no object.
	ask func(m *Model, sub page.Subject, q *enginepage.Question) engine.Text
	// crumb is the whole name among the crumbs; nil: title alone.
	crumb func(title engine.Text, q *enginepage.Question) engine.Text
	// every is how often the open page is read again; 0: pageEvery.
	every time.Duration
}

// pageEvery is how often an open page is read again.
const pageEvery = 3 * time.Second

var sheetKinds = []sheetKind{
	// A plan reads more than other pages and does not change by itself.
	{kind: enginepage.QuestionPlan, key: keymap.Plan, title: engine.Lit("plan"), ask: askRunOrPlacement, crumb: crumbOf, every: 15 * time.Second},
	{
		kind: enginepage.QuestionCluster, key: keymap.Cluster, title: engine.Lit("cluster"), ask: askCluster,
		crumb: func(_ engine.Text, q *enginepage.Question) engine.Text { return q.Member.Name() },
	},
	{
		kind: enginepage.QuestionMember, key: keymap.Member, title: engine.Lit("member"), ask: askCluster,
		crumb: func(title engine.Text, q *enginepage.Question) engine.Text {
			return engine.Textf("%s %s", title, q.Member.Name())
		},
	},
	{kind: enginepage.QuestionOwners, key: keymap.Owners, title: engine.Lit("owners"), ask: askPlacement, crumb: crumbAbout},
	{kind: enginepage.QuestionPlacement, key: keymap.Placement, title: engine.Lit("placement"), ask: askPlacement, crumb: crumbAbout},
	{
		kind: enginepage.QuestionSnapshots, key: keymap.Diff, title: engine.Lit("what changed"), ask: askSnapshots,
		crumb: func(_ engine.Text, q *enginepage.Question) engine.Text {
			return engine.Textf("%s %d..%d", q.About.Title(), q.From, q.To)
		},
	},
	{kind: enginepage.QuestionInbox, key: keymap.Inbox, title: engine.Lit("approvals")},
	{kind: enginepage.QuestionTimeline, key: keymap.Timeline, title: engine.Lit("timeline"), ask: askRun, crumb: crumbOf},
	{kind: enginepage.QuestionEvents, key: keymap.Events, title: engine.Lit("events"), ask: askRunOrPlacement, crumb: crumbOf},
	{kind: enginepage.QuestionLogs, key: keymap.Logs, title: engine.Lit("controller log"), ask: askRun, crumb: crumbOf},
	{
		kind: enginepage.QuestionDiagnosis, key: keymap.Diagnose, title: engine.Lit("why"), ask: askWhy,
		crumb: func(title engine.Text, q *enginepage.Question) engine.Text {
			if !q.Member.IsZero() {
				return engine.Textf("%s %s", title, q.Member.Name())
			}
			return crumbAbout(title, q)
		},
	},
}

// sheetKindOf returns the entry of a kind, nil for a Question that is no page.
func sheetKindOf(kind enginepage.QuestionKind) *sheetKind {
	return sheetKindWhere(func(k sheetKind) bool { return k.kind == kind })
}

// sheetKindFor returns the entry of the page that a key opens, nil for none.
func sheetKindFor(key keymap.Action) *sheetKind {
	return sheetKindWhere(func(k sheetKind) bool { return k.key == key })
}

func sheetKindWhere(is func(sheetKind) bool) *sheetKind {
	if i := slices.IndexFunc(sheetKinds, is); i >= 0 {
		return &sheetKinds[i]
	}
	return nil
}

// sheetTitle is the name of a page among the crumbs.
func sheetTitle(q enginepage.Question) engine.Text {
	k := sheetKindOf(q.Kind)
	switch {
	case k == nil:
		return engine.Text{}
	case k.crumb == nil:
		return k.title
	}
	return k.crumb(k.title, &q)
}

func crumbAbout(title engine.Text, q *enginepage.Question) engine.Text {
	return engine.Textf("%s %s", title, q.About.Title())
}

func crumbOf(title engine.Text, q *enginepage.Question) engine.Text {
	if !q.Strategy.IsZero() {
		return engine.Textf("%s of %s by %s", title, q.About.Title(), q.Strategy)
	}
	return engine.Textf("%s of %s", title, q.About.Title())
}

func askRun(_ *Model, sub page.Subject, q *enginepage.Question) (why engine.Text) {
	q.About = sub.Run
	return why
}

func askPlacement(_ *Model, sub page.Subject, q *enginepage.Question) (why engine.Text) {
	q.About = sub.Placement
	return why
}

// askRunOrPlacement asks about the placement where no run names it.
func askRunOrPlacement(_ *Model, sub page.Subject, q *enginepage.Question) (why engine.Text) {
	if q.About = sub.Run; sub.Run.IsZero() {
		q.About = sub.Placement
	}
	return why
}

func askCluster(m *Model, sub page.Subject, q *enginepage.Question) (why engine.Text) {
	if sub.Member.IsZero() {
		return m.aboutNoCluster(sub)
	}
	q.About, q.Member = sub.Placement, sub.Member
	return why
}

func askSnapshots(m *Model, sub page.Subject, q *enginepage.Question) (why engine.Text) {
	from, to, ok := m.changes(sub)
	if !ok {
		return engine.Lit("Nothing to compare: the run has no snapshot yet, or it is the first.")
	}
	q.About, q.From, q.To = sub.Placement, from, to
	return why
}

// askWhy asks about a run; the row of a placement without a run has its reasons, too.
func askWhy(m *Model, sub page.Subject, q *enginepage.Question) (why engine.Text) {
	if q.About, q.Member = sub.Run, m.diagnosed(sub); sub.Run.IsZero() {
		q.About = m.rowOf(sub.Placement)
	}
	return why
}
