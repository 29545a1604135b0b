// Package sheets is the table of the detail pages: the key of each, and the question that it
// asks about what the keys are about.
package sheets

import (
	"cmp"
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
)

// Kind is a page: the answers to one type of question. The table kinds is all that the
// screen knows of it.
type Kind struct {
	// key opens the page; None when only a row or another key does.
	key keymap.Action
	// ask returns the question about what the keys are about. Without one, why says
	// what is missing; an empty why means that there is no run or placement.
	ask asker
	// is reports whether a question has its type. The title is that of the question.
	is func(q enginepage.Question) bool
	// Text is set for a page that the viewer shows, which wraps and follows lines.
	Text bool
	// AboutAll is set for a page about no run: keys are about its rows alone.
	AboutAll bool
	// every is how often the open page is read again; 0: Every.
	every time.Duration
}

const (
	// Every is how often an open page is read again.
	Every = 3 * time.Second
	// planEvery is how often a plan is: it reads more than other pages, and does not
	// change by itself.
	planEvery = 9 * time.Second
	// allEvery is how often all bindings of a hub are, which may be hundreds of megabytes.
	allEvery = time.Hour
)

var kinds = []Kind{
	{key: keymap.Plan, is: is[enginepage.PlanQuestion], ask: askPlan, every: planEvery},
	{is: is[enginepage.NewRunQuestion], every: planEvery},
	{key: keymap.Cluster, is: is[enginepage.ClusterQuestion], ask: askCluster},
	{key: keymap.Member, is: is[enginepage.MemberQuestion], ask: askMember},
	{key: keymap.Owners, is: is[enginepage.OwnersQuestion], ask: aboutPlacement(func(placement, run engine.ID) enginepage.Question {
		return enginepage.OwnersQuestion{Placement: placement, Run: run}
	})},
	{key: keymap.AllOwners, is: is[enginepage.AllOwnersQuestion], ask: askAllOwners, AboutAll: true, every: allEvery},
	{key: keymap.Placement, is: is[enginepage.PlacementQuestion], ask: aboutPlacement(func(placement, run engine.ID) enginepage.Question {
		return enginepage.PlacementQuestion{Placement: placement, Run: run}
	})},
	{key: keymap.Diff, is: is[enginepage.SnapshotsQuestion], ask: askSnapshots},
	{key: keymap.Inbox, is: is[enginepage.ApprovalsQuestion], ask: askApprovals},
	{key: keymap.Timeline, is: is[enginepage.TimelineQuestion], ask: aboutRun(func(run engine.ID) enginepage.Question { return enginepage.TimelineQuestion{Run: run} })},
	{key: keymap.Events, is: is[enginepage.EventsQuestion], ask: askEvents},
	{key: keymap.Logs, is: is[enginepage.LogsQuestion], Text: true, ask: askLogs},
	{is: is[enginepage.PodLogQuestion], Text: true},
	{is: is[enginepage.PodQuestion]},
	{key: keymap.Diagnose, is: is[enginepage.DiagnosisQuestion], ask: askWhy},
}

// is reports whether a question has the type of a page.
func is[Q enginepage.Question](q enginepage.Question) bool { _, ok := q.(Q); return ok }

// Of returns the page of a question, nil for one that is no page.
func Of(q enginepage.Question) *Kind {
	return where(func(k Kind) bool { return k.is(q) })
}

// For returns the page that a key opens, nil for none.
func For(key keymap.Action) *Kind {
	return where(func(k Kind) bool { return k.ask != nil && k.key == key })
}

// Again is when the open page is read again after an answer: at once while there is more to
// read.
func (k *Kind) Again(a *enginepage.Answer) time.Duration {
	if !a.More.IsZero() {
		return 0
	}
	return cmp.Or(k.every, Every)
}

func where(is func(Kind) bool) *Kind {
	if i := slices.IndexFunc(kinds, is); i >= 0 {
		return &kinds[i]
	}
	return nil
}
