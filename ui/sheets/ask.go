package sheets

import (
	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/page"
	"github.com/stagewatch/stagewatch/ui/scene"
)

// About is what the keys are about at the moment.
type About struct {
	page.Subject
	Scene *scene.Scene
	// OnPage is set while a page is open.
	OnPage bool
	// Diagnosed is the cluster that a diagnosis is asked for; none for that of the run.
	Diagnosed engine.ID
	// Row is the page that the row under the cursor opens; nil for none.
	Row enginepage.Question
}

// Diagnosed is the cluster that a page, or the row under its cursor, is about; none for a page
// about a run.
func Diagnosed(p *page.Page, about page.Subject) engine.ID {
	questions := []enginepage.Question{p.Question()}
	if r := p.Row(); r != nil {
		questions = append(questions, r.Page)
	}
	for _, q := range questions {
		switch q.(type) {
		case enginepage.ClusterQuestion, enginepage.MemberQuestion, enginepage.PodQuestion:
			return about.Member
		}
	}
	return engine.ID{}
}

// asker returns the question about what the keys are about. Without one, why says what is
// missing.
type asker = func(a About) (q enginepage.Question, why engine.Text)

// Ask returns the question of a page. Without one, why says what is missing.
func (k *Kind) Ask(a About) (q enginepage.Question, why engine.Text) {
	if q, why = k.ask(a); q == nil && why.IsZero() {
		why = a.nothing()
	}
	return q, why
}

// aboutRun asks about the run.
func aboutRun(ask func(run engine.ID) enginepage.Question) asker {
	return func(a About) (q enginepage.Question, why engine.Text) {
		if !a.Run.IsZero() {
			q = ask(a.Run)
		}
		return q, why
	}
}

// aboutPlacement asks about the placement.
func aboutPlacement(ask func(placement, run engine.ID) enginepage.Question) asker {
	return func(a About) (q enginepage.Question, why engine.Text) {
		if !a.Placement.IsZero() {
			q = ask(a.Placement, a.Run)
		}
		return q, why
	}
}

// askPlan asks about the run, or about a new one of a placement that no run names.
func askPlan(a About) (q enginepage.Question, why engine.Text) {
	switch {
	case !a.Run.IsZero():
		q = enginepage.PlanQuestion{Run: a.Run}
	case !a.Placement.IsZero():
		q = enginepage.NewRunQuestion{Placement: a.Placement}
	}
	return q, why
}

// askEvents asks about the run, or about the placement that no run names.
func askEvents(a About) (q enginepage.Question, why engine.Text) {
	switch {
	case !a.Run.IsZero():
		q = enginepage.EventsQuestion{Object: a.Run}
	case !a.Placement.IsZero():
		q = enginepage.EventsQuestion{Object: a.Placement}
	}
	return q, why
}

func askCluster(a About) (q enginepage.Question, why engine.Text) {
	switch {
	case a.Member.IsZero():
		why = a.noCluster()
	case !a.Placement.IsZero():
		q = enginepage.ClusterQuestion{Placement: a.Placement, Member: a.Member, Run: a.Run}
	}
	return q, why
}

func askMember(a About) (q enginepage.Question, why engine.Text) {
	switch {
	case a.Member.IsZero():
		why = a.noCluster()
	case !a.Placement.IsZero():
		q = enginepage.MemberQuestion{Placement: a.Placement, Member: a.Member, Run: a.Run}
	}
	return q, why
}

// askLogs asks about the pod or container of the row under the cursor, else about the run.
func askLogs(a About) (q enginepage.Question, why engine.Text) {
	switch row := a.Row.(type) {
	case enginepage.PodQuestion:
		return enginepage.PodLogQuestion{Of: row}, why
	case enginepage.PodLogQuestion:
		return row, why
	}
	if !a.Run.IsZero() {
		q = enginepage.LogsQuestion{Run: a.Run}
	}
	return q, why
}

func askSnapshots(a About) (q enginepage.Question, why engine.Text) {
	if v := a.Scene.Named(a.Run); v != nil {
		if changes, ok := enginepage.ChangesOf(v, a.Scene.Snap.Detail); ok {
			return changes, why
		}
	}
	if a.Run.IsZero() && !a.Placement.IsZero() {
		return nil, engine.Lit("The placement has no run; {placement} compares its snapshots.")
	}
	return nil, engine.Lit("Nothing to compare: the run has no snapshot yet, or it is the first.")
}

func askApprovals(About) (q enginepage.Question, why engine.Text) {
	return enginepage.ApprovalsQuestion{}, why
}

func askAllOwners(About) (q enginepage.Question, why engine.Text) {
	return enginepage.AllOwnersQuestion{}, why
}

// askWhy asks about a run; the row of a placement without a run has its reasons, too.
func askWhy(a About) (q enginepage.Question, why engine.Text) {
	of := a.Run
	if of.IsZero() {
		of = a.row()
	}
	if !of.IsZero() {
		q = enginepage.DiagnosisQuestion{Run: of, Member: a.Diagnosed}
	}
	return q, why
}

// nothing says why a key about a run opens nothing.
func (a About) nothing() engine.Text {
	if !a.Placement.IsZero() && a.Run.IsZero() {
		return engine.Textf("Placement %s has no run yet; {plan} and {placement} show the placement.", a.Placement.Title())
	}
	return engine.Lit("No run is selected.")
}

// noCluster says how to choose the cluster that a key asks for.
func (a About) noCluster() engine.Text {
	switch {
	case a.OnPage:
		return engine.Lit("Select a row with a cluster first: {owners} and {placement} list the clusters of the placement.")
	case !a.Placement.IsZero() && a.Run.IsZero():
		return engine.Lit("Select a cluster first: {owners} and {placement} list the clusters of the placement.")
	}
	return engine.Lit("Open a run and select a cluster first.")
}

// row is the row of a placement that no run names, with its UID.
func (a About) row() engine.ID {
	if v := a.Scene.Named(a.Placement); v != nil && !a.Placement.IsZero() {
		return v.ID
	}
	return engine.ID{}
}
