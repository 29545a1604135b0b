package ui

import (
	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/page"
)

// asker is the ask of a sheetKind.
type asker = func(m *Model, sub page.Subject) (q enginepage.Question, why engine.Text)

// aboutRun asks about the run.
func aboutRun(ask func(run engine.ID) enginepage.Question) asker {
	return func(_ *Model, sub page.Subject) (q enginepage.Question, why engine.Text) {
		if !sub.Run.IsZero() {
			q = ask(sub.Run)
		}
		return q, why
	}
}

// aboutPlacement asks about the placement.
func aboutPlacement(ask func(page.Subject) enginepage.Question) asker {
	return func(_ *Model, sub page.Subject) (q enginepage.Question, why engine.Text) {
		if !sub.Placement.IsZero() {
			q = ask(sub)
		}
		return q, why
	}
}

// askPlan asks about the run, or about a new one of a placement that no run names.
func askPlan(_ *Model, sub page.Subject) (q enginepage.Question, why engine.Text) {
	switch {
	case !sub.Run.IsZero():
		q = enginepage.PlanQuestion{Run: sub.Run}
	case !sub.Placement.IsZero():
		q = enginepage.NewRunQuestion{Placement: sub.Placement}
	}
	return q, why
}

// askEvents asks about the run, or about the placement that no run names.
func askEvents(_ *Model, sub page.Subject) (q enginepage.Question, why engine.Text) {
	switch {
	case !sub.Run.IsZero():
		q = enginepage.EventsQuestion{Object: sub.Run}
	case !sub.Placement.IsZero():
		q = enginepage.EventsQuestion{Object: sub.Placement}
	}
	return q, why
}

func askCluster(m *Model, sub page.Subject) (q enginepage.Question, why engine.Text) {
	switch {
	case sub.Member.IsZero():
		why = m.aboutNoCluster(sub)
	case !sub.Placement.IsZero():
		q = enginepage.ClusterQuestion{Placement: sub.Placement, Member: sub.Member, Run: sub.Run}
	}
	return q, why
}

func askMember(m *Model, sub page.Subject) (q enginepage.Question, why engine.Text) {
	switch {
	case sub.Member.IsZero():
		why = m.aboutNoCluster(sub)
	case !sub.Placement.IsZero():
		q = enginepage.MemberQuestion{Placement: sub.Placement, Member: sub.Member, Run: sub.Run}
	}
	return q, why
}

func askSnapshots(m *Model, sub page.Subject) (q enginepage.Question, why engine.Text) {
	if v := m.scene.Named(sub.Run); v != nil {
		if changes, ok := enginepage.ChangesOf(v, m.scene.Snap.Detail); ok {
			return changes, why
		}
	}
	return nil, engine.Lit("Nothing to compare: the run has no snapshot yet, or it is the first.")
}

func askApprovals(*Model, page.Subject) (q enginepage.Question, why engine.Text) {
	return enginepage.ApprovalsQuestion{}, why
}

// askWhy asks about a run; the row of a placement without a run has its reasons, too.
func askWhy(m *Model, sub page.Subject) (q enginepage.Question, why engine.Text) {
	of := sub.Run
	if of.IsZero() {
		of = m.rowOf(sub.Placement)
	}
	if !of.IsZero() {
		q = enginepage.DiagnosisQuestion{Run: of, Member: m.diagnosed(sub)}
	}
	return q, why
}
