package page

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// TitleOf is the name of the page of a question among the crumbs; empty for a question that is
// no page.
func TitleOf(q page.Question) engine.Text {
	switch q := q.(type) {
	case page.PlanQuestion:
		return engine.Textf("plan of %s", q.Run.Title())
	case page.NewRunQuestion:
		return q.Title()
	case page.ClusterQuestion:
		return q.Member.Name()
	case page.MemberQuestion:
		return engine.Textf("member %s", q.Member.Name())
	case page.OwnersQuestion:
		return engine.Textf("owners %s", q.Placement.Title())
	case page.PlacementQuestion:
		return engine.Textf("placement %s", q.Placement.Title())
	case page.SnapshotsQuestion:
		return engine.Textf("%s %d..%d", q.Placement.Title(), q.From, q.To)
	case page.ApprovalsQuestion:
		return engine.Lit("approvals")
	case page.TimelineQuestion:
		return engine.Textf("timeline of %s", q.Run.Title())
	case page.EventsQuestion:
		return engine.Textf("events of %s", q.Object.Title())
	case page.LogsQuestion:
		return engine.Textf("controller log of %s", q.Run.Title())
	case page.DiagnosisQuestion:
		return q.Title()
	}
	return engine.Text{}
}
