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
	// is reports whether a question has its type; page.TitleOf names it.
	is func(q enginepage.Question) bool
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
	{key: keymap.Plan, is: is[enginepage.PlanQuestion], ask: askPlan, every: planEvery},
	{is: is[enginepage.NewRunQuestion], every: planEvery},
	{key: keymap.Cluster, is: is[enginepage.ClusterQuestion], ask: askCluster},
	{key: keymap.Member, is: is[enginepage.MemberQuestion], ask: askMember},
	{key: keymap.Owners, is: is[enginepage.OwnersQuestion], ask: aboutPlacement(func(sub page.Subject) enginepage.Question {
		return enginepage.OwnersQuestion{Placement: sub.Placement, Run: sub.Run}
	})},
	{key: keymap.Placement, is: is[enginepage.PlacementQuestion], ask: aboutPlacement(func(sub page.Subject) enginepage.Question {
		return enginepage.PlacementQuestion{Placement: sub.Placement, Run: sub.Run}
	})},
	{key: keymap.Diff, is: is[enginepage.SnapshotsQuestion], ask: askSnapshots},
	{key: keymap.Inbox, is: is[enginepage.ApprovalsQuestion], ask: askApprovals},
	{key: keymap.Timeline, is: is[enginepage.TimelineQuestion], ask: aboutRun(func(run engine.ID) enginepage.Question { return enginepage.TimelineQuestion{Run: run} })},
	{key: keymap.Events, is: is[enginepage.EventsQuestion], ask: askEvents},
	{key: keymap.Logs, is: is[enginepage.LogsQuestion], text: true, ask: aboutRun(func(run engine.ID) enginepage.Question { return enginepage.LogsQuestion{Run: run} })},
	{key: keymap.Diagnose, is: is[enginepage.DiagnosisQuestion], ask: askWhy},
}

// is reports whether a question has the type of a page.
func is[Q enginepage.Question](q enginepage.Question) bool { _, ok := q.(Q); return ok }

// sheetKindOf returns the entry of a question, nil for one that is no page.
func sheetKindOf(q enginepage.Question) *sheetKind {
	return sheetKindWhere(func(k sheetKind) bool { return k.is(q) })
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
