package page

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// Question is a read on demand, one type for each. All types are comparable: an
// Answer whose Question is not the one that is waited for is stale and is dropped.
// A Run beside another subject is the run that the page was opened from, zero for
// none.
type Question interface{ subject() engine.ID }

// Subject returns an object that a Question is about; zero when it is about all runs.
func Subject(q Question) engine.ID { return q.subject() }

// TitleOf is the name of the page of a question among the crumbs; empty for a question that is
// no page.
func TitleOf(q Question) engine.Text {
	if t, ok := q.(interface{ Title() engine.Text }); ok {
		return t.Title()
	}
	return engine.Text{}
}

// YAMLQuestion asks for an object as the hub stores it, Secret data masked.
type YAMLQuestion struct{ Object engine.ID }

// DryRunQuestion asks whether the hub accepts the Intent: the permission, and a
// server dry run of the same request. Intent is never changed.
type DryRunQuestion struct{ Intent *act.Intent }

// PlanQuestion asks what a run will do.
type PlanQuestion struct{ Run engine.ID }

// Title is the name of the page that answers.
func (q PlanQuestion) Title() engine.Text { return engine.Textf("plan of %s", q.Run.Title()) }

// NewRunQuestion asks what a new run of a placement would do. Without a Strategy
// the answer lists the strategies, unless there is only one.
type NewRunQuestion struct {
	Placement engine.ID
	Strategy  engine.Text
}

// Title is the name of the page that answers.
func (q NewRunQuestion) Title() engine.Text {
	if q.Strategy.IsZero() {
		return engine.Textf("plan of %s", q.Placement.Title())
	}
	return engine.Textf("plan of %s by %s", q.Placement.Title(), q.Strategy)
}

// ClusterQuestion asks for all about one cluster of a placement.
type ClusterQuestion struct{ Placement, Member, Run engine.ID }

// Title is the name of the page that answers.
func (q ClusterQuestion) Title() engine.Text { return q.Member.Name() }

// OwnersQuestion asks which run owns each binding of a placement.
type OwnersQuestion struct{ Placement, Run engine.ID }

// Title is the name of the page that answers.
func (q OwnersQuestion) Title() engine.Text { return engine.Textf("owners %s", q.Placement.Title()) }

// AllOwnersQuestion asks for every binding of the hub, by placement and snapshot.
type AllOwnersQuestion struct{}

// Title is the name of the page that answers.
func (AllOwnersQuestion) Title() engine.Text { return engine.Lit("all bindings") }

// PlacementQuestion asks for a placement, its runs and snapshots.
type PlacementQuestion struct{ Placement, Run engine.ID }

// Title is the name of the page that answers.
func (q PlacementQuestion) Title() engine.Text {
	return engine.Textf("placement %s", q.Placement.Title())
}

// SnapshotsQuestion asks for the changes between two resource snapshots of a
// placement, by their indices.
type SnapshotsQuestion struct {
	Placement engine.ID
	From, To  int
}

// Title is the name of the page that answers.
func (q SnapshotsQuestion) Title() engine.Text {
	return engine.Textf("%s %d..%d", q.Placement.Title(), q.From, q.To)
}

// ApprovalsQuestion asks for all approvals, given and pending; with Run, for those of
// one run.
type ApprovalsQuestion struct{ Run engine.ID }

// Title is the name of the page that answers.
func (ApprovalsQuestion) Title() engine.Text { return engine.Lit("approvals") }

// TimelineQuestion asks for the events in the life of a run.
type TimelineQuestion struct{ Run engine.ID }

// Title is the name of the page that answers.
func (q TimelineQuestion) Title() engine.Text { return engine.Textf("timeline of %s", q.Run.Title()) }

// EventsQuestion asks for the Kubernetes events about an object.
type EventsQuestion struct{ Object engine.ID }

// Title is the name of the page that answers.
func (q EventsQuestion) Title() engine.Text { return engine.Textf("events of %s", q.Object.Title()) }

// LogsQuestion asks what the hub's controller logged about a run.
type LogsQuestion struct{ Run engine.ID }

// Title is the name of the page that answers.
func (q LogsQuestion) Title() engine.Text { return engine.Textf("controller log of %s", q.Run.Title()) }

// MemberQuestion asks a member for the workloads of a placement. Context is the
// kubeconfig context that a person chose for it, empty for none.
type MemberQuestion struct {
	Placement, Member, Run engine.ID
	Context                engine.Text
}

// Title is the name of the page that answers.
func (q MemberQuestion) Title() engine.Text { return engine.Textf("member %s", q.Member.Name()) }

// PodQuestion asks a member for the containers of a pod. Without a Namespace it is one of those of
// the placement's workloads.
type PodQuestion struct {
	On             MemberQuestion
	Namespace, Pod engine.Text
	// Unattended is set when no person asked: as for a PodsQuestion.
	Unattended bool
}

// Title is the name of the page that answers.
func (q PodQuestion) Title() engine.Text { return engine.Textf("pod %s", q.Pod) }

// PodLogQuestion asks a member for the end of the log of a container; with Previous, of the one
// that ended before it was restarted. Without a Container it is the one that fails, or the first.
type PodLogQuestion struct {
	Of        PodQuestion
	Container engine.Text
	Previous  bool
}

// Title is the name of the page that answers.
func (q PodLogQuestion) Title() engine.Text { return engine.Textf("log of pod %s", q.Of.Pod) }

// PodsQuestion is a MemberQuestion that no person asked: the member is read only
// through a context that a person chose or configured, or that has the member's
// name and was verified.
type PodsQuestion struct{ Placement, Member, Run engine.ID }

// ForgetContextQuestion removes the context that is remembered for a member, and
// reads nothing.
type ForgetContextQuestion struct{ Member engine.ID }

// ChoicesQuestion asks what a clone of a run of the placement can be made of.
type ChoicesQuestion struct{ Placement engine.ID }

// DiagnosisQuestion asks for all that is known of why a run is in its state; with
// Member, of why that cluster of it is.
type DiagnosisQuestion struct{ Run, Member engine.ID }

// Title is the name of the page that answers.
func (q DiagnosisQuestion) Title() engine.Text {
	if q.Member.IsZero() {
		return engine.Textf("diagnosis of %s", q.Run.Title())
	}
	return engine.Textf("diagnosis of %s", q.Member.Name())
}

// SelectQuestion asks the API server of a hub which runs a label selector selects.
type SelectQuestion struct {
	Hub    engine.ID
	Labels engine.Text
}

func (q YAMLQuestion) subject() engine.ID          { return q.Object }
func (q DryRunQuestion) subject() engine.ID        { return engine.ID{}.On(q.Intent.Hub()) }
func (q PlanQuestion) subject() engine.ID          { return q.Run }
func (q NewRunQuestion) subject() engine.ID        { return q.Placement }
func (q ClusterQuestion) subject() engine.ID       { return q.Placement }
func (q OwnersQuestion) subject() engine.ID        { return q.Placement }
func (AllOwnersQuestion) subject() engine.ID       { return engine.ID{} }
func (q PlacementQuestion) subject() engine.ID     { return q.Placement }
func (q SnapshotsQuestion) subject() engine.ID     { return q.Placement }
func (q ApprovalsQuestion) subject() engine.ID     { return q.Run }
func (q TimelineQuestion) subject() engine.ID      { return q.Run }
func (q EventsQuestion) subject() engine.ID        { return q.Object }
func (q LogsQuestion) subject() engine.ID          { return q.Run }
func (q MemberQuestion) subject() engine.ID        { return q.Member }
func (q PodQuestion) subject() engine.ID           { return q.On.Member }
func (q PodLogQuestion) subject() engine.ID        { return q.Of.On.Member }
func (q PodsQuestion) subject() engine.ID          { return q.Member }
func (q ForgetContextQuestion) subject() engine.ID { return q.Member }
func (q ChoicesQuestion) subject() engine.ID       { return q.Placement }
func (q DiagnosisQuestion) subject() engine.ID     { return q.Run }
func (q SelectQuestion) subject() engine.ID        { return q.Hub }

// Answer carries its Question, which whoever reads the answer sets. Lines,
// Sections, Checks or Err are set; an Err beside Checks says why the intent would
// be refused.
type Answer struct {
	Question Question
	// Object is the subject of the page, for its YAML.
	Object   engine.ID
	Lines    []engine.Text
	Sections []Section
	Checks   []engine.Check
	// Effect and Undo replace those of the intent that was checked; empty keeps them.
	Effect, Undo engine.Text
	// Forecast is what the run of a plan waits for next.
	Forecast plan.Moment
	// Choices are what a clone can be made of.
	Choices engine.Choices
	// Selected are the runs that a label selector selects.
	Selected map[engine.ID]bool
	// At is when its oldest part was read, by the hub's clock.
	At   time.Time
	Err  engine.Text
	Hint engine.Text
	// Fault sorts Err.
	Fault act.Fault
	// Unread is why what was asked for could not be read; the sections say it, too.
	Unread engine.Text
	// Partial is set when runs were still loading: the page is read again when they are
	// there.
	Partial bool
	// More is set while there is more to read, and says how far the read is: the same
	// question goes on with it.
	More engine.Text
	// LoginFailed is set when a login to a member failed. Only a person asks again:
	// each time starts the credential plugin, which may open a browser.
	LoginFailed bool
}

// EffectOf lists what the intent does to its target, as far as the answer is known.
func (a *Answer) EffectOf(i act.Intent) []engine.Text {
	if !a.Effect.IsZero() {
		return []engine.Text{a.Effect}
	}
	return i.Effect
}

// UndoOf says how to undo the intent, as far as the answer is known.
func (a *Answer) UndoOf(i act.Intent) engine.Text {
	if !a.Undo.IsZero() {
		return a.Undo
	}
	return i.Undo
}
