package ui

import (
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/page"
)

// sheetKind is a page: the answers to one type of question. The table sheetKinds is
// all that the screen knows of it.
type sheetKind struct {
	// key opens the page; None when only a row or another key does.
	key keymap.Action
	// ask returns the question about what the keys are about. Without one, why says
	// what is missing; an empty why means that there is no run or placement.
	ask func(m *Model, sub page.Subject) (q enginepage.Question, why engine.Text)
	// title is the name among the crumbs; not ok for a question of another type.
	title func(q enginepage.Question) (title engine.Text, ok bool)
	// text is set for a page that the viewer shows, which wraps and follows lines.
	text bool
	// every is how often the open page is read again; 0: pageEvery.
	every time.Duration
}

const (
	// pageEvery is how often an open page is read again.
	pageEvery = 3 * time.Second
	// planEvery is how often a plan is: it reads more than other pages, and does not
	// change by itself.
	planEvery = 15 * time.Second
)

var sheetKinds = []sheetKind{
	{
		key: keymap.Plan, ask: askPlan, every: planEvery,
		title: titled(func(q enginepage.PlanQuestion) engine.Text { return engine.Textf("plan of %s", q.Run.Title()) }),
	},
	{title: titled(enginepage.NewRunQuestion.Title), every: planEvery},
	{
		key: keymap.Cluster, ask: askCluster,
		title: titled(func(q enginepage.ClusterQuestion) engine.Text { return q.Member.Name() }),
	},
	{
		key: keymap.Member, ask: askMember,
		title: titled(func(q enginepage.MemberQuestion) engine.Text { return engine.Textf("member %s", q.Member.Name()) }),
	},
	{
		key: keymap.Owners, ask: aboutPlacement(func(sub page.Subject) enginepage.Question {
			return enginepage.OwnersQuestion{Placement: sub.Placement, Run: sub.Run}
		}),
		title: titled(func(q enginepage.OwnersQuestion) engine.Text { return engine.Textf("owners %s", q.Placement.Title()) }),
	},
	{
		key: keymap.Placement, ask: aboutPlacement(func(sub page.Subject) enginepage.Question {
			return enginepage.PlacementQuestion{Placement: sub.Placement, Run: sub.Run}
		}),
		title: titled(func(q enginepage.PlacementQuestion) engine.Text {
			return engine.Textf("placement %s", q.Placement.Title())
		}),
	},
	{
		key: keymap.Diff, ask: askSnapshots,
		title: titled(func(q enginepage.SnapshotsQuestion) engine.Text {
			return engine.Textf("%s %d..%d", q.Placement.Title(), q.From, q.To)
		}),
	},
	{
		key: keymap.Inbox, ask: askApprovals,
		title: titled(func(enginepage.ApprovalsQuestion) engine.Text { return engine.Lit("approvals") }),
	},
	{
		key: keymap.Timeline, ask: aboutRun(func(run engine.ID) enginepage.Question { return enginepage.TimelineQuestion{Run: run} }),
		title: titled(func(q enginepage.TimelineQuestion) engine.Text { return engine.Textf("timeline of %s", q.Run.Title()) }),
	},
	{
		key: keymap.Events, ask: askEvents,
		title: titled(func(q enginepage.EventsQuestion) engine.Text { return engine.Textf("events of %s", q.Object.Title()) }),
	},
	{
		key: keymap.Logs, text: true, ask: aboutRun(func(run engine.ID) enginepage.Question { return enginepage.LogsQuestion{Run: run} }),
		title: titled(func(q enginepage.LogsQuestion) engine.Text {
			return engine.Textf("controller log of %s", q.Run.Title())
		}),
	},
	{key: keymap.Diagnose, ask: askWhy, title: titled(enginepage.DiagnosisQuestion.Title)},
}

// sheetKindOf returns the entry of a question, nil for one that is no page.
func sheetKindOf(q enginepage.Question) *sheetKind {
	return sheetKindWhere(func(k sheetKind) bool { _, ok := k.title(q); return ok })
}

// sheetKindFor returns the entry of the page that a key opens, nil for none.
func sheetKindFor(key keymap.Action) *sheetKind {
	return sheetKindWhere(func(k sheetKind) bool { return k.ask != nil && k.key == key })
}

func sheetKindWhere(is func(sheetKind) bool) *sheetKind {
	if i := slices.IndexFunc(sheetKinds, is); i >= 0 {
		return &sheetKinds[i]
	}
	return nil
}

// sheetTitle is the name of a page among the crumbs.
func sheetTitle(q enginepage.Question) engine.Text {
	if k := sheetKindOf(q); k != nil {
		title, _ := k.title(q)
		return title
	}
	return engine.Text{}
}

// titled returns the title of a sheetKind from that of its type of question.
func titled[Q enginepage.Question](title func(Q) engine.Text) func(enginepage.Question) (engine.Text, bool) {
	return func(q enginepage.Question) (engine.Text, bool) {
		if q, ok := q.(Q); ok {
			return title(q), true
		}
		return engine.Text{}, false
	}
}
