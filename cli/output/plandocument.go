package output

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// planDocument is what plan -o json prints. Scripts read it: fields are added,
// never renamed or taken away. Lists are there even when they are empty.
type planDocument struct {
	Context engine.Text `json:"context"`
	// Hub is the name of the hub that the plan is for.
	Hub engine.Text `json:"hub,omitzero"`
	// Possible is true when nothing refuses the run and everything was read.
	Possible    bool         `json:"possible"`
	Run         planRun      `json:"run"`
	Placement   engine.Text  `json:"placement"`
	Strategy    engine.Text  `json:"strategy"`
	SpecState   engine.Text  `json:"specState"`
	Snapshot    planSnapshot `json:"snapshot"`
	Initialized bool         `json:"initialized"`
	Finished    bool         `json:"finished"`
	// Again is true for a run that has failed: all that follows is about a new
	// one with the same spec.
	Again       bool              `json:"again"`
	Refusals    []planRefusal     `json:"refusals"`
	Warnings    []engine.Text     `json:"warnings"`
	Unknown     []planGap         `json:"unknown"`
	Stages      []planStage       `json:"stages"`
	Deletions   []engine.Text     `json:"deletions"`
	Unplaced    []planMisfit      `json:"unplaced"`
	Overlapping []planMisfit      `json:"overlapping"`
	Rivals      []planRivalReport `json:"rivals"`
	// Forecast is absent for a run that is refused or has ended.
	Forecast *planForecast `json:"forecast,omitempty"`
}

// planForecast holds moments in UTC.
type planForecast struct {
	At time.Time `json:"at"`
	// Never is why there is no finish; without it there are stages.
	Never engine.Text `json:"never,omitzero"`
	// IfStartedNow is true if the estimate assumes a start now.
	IfStartedNow     bool           `json:"ifStartedNow"`
	ApprovalsAssumed bool           `json:"approvalsAssumed"`
	UpdatesSeen      int            `json:"updatesSeen"`
	RunsSeen         int            `json:"runsSeen"`
	Stages           []planEstimate `json:"stages"`
	Finish           *planMoment    `json:"finish,omitempty"`
	// Awaits is the approval request behind which nothing is known.
	Awaits engine.Text `json:"awaits,omitzero"`
	// Next are the clusters that start together, all of stage NextStage, where
	// NextMore more follow.
	Next      []engine.Text `json:"next"`
	NextStage engine.Text   `json:"nextStage,omitzero"`
	NextMore  int           `json:"nextMore,omitempty"`
}

type planEstimate struct {
	Name     engine.Text `json:"name"`
	Deletion bool        `json:"deletion"`
	Done     bool        `json:"done"`
	// Updated is when all clusters are updated, ApprovalAsked when the first
	// open approval is requested, Finish when the stage ends.
	Updated       *planMoment `json:"updated,omitempty"`
	ApprovalAsked *planMoment `json:"approvalAsked,omitempty"`
	Finish        *planMoment `json:"finish,omitempty"`
}

type planMoment struct {
	Earliest time.Time `json:"earliest"`
	Likely   time.Time `json:"likely"`
	Latest   time.Time `json:"latest"`
}

// planRun names the run; an imagined one has no name.
type planRun struct {
	Kind      string      `json:"kind"`
	Namespace engine.Text `json:"namespace,omitzero"`
	Name      engine.Text `json:"name,omitzero"`
	Imagined  bool        `json:"imagined"`
}

type planSnapshot struct {
	// Index is absent when it is not known.
	Index  engine.Text `json:"index,omitzero"`
	Newest bool        `json:"newest"`
	Made   bool        `json:"made"`
}

type planRefusal struct {
	Message engine.Text `json:"message"`
	Final   bool        `json:"final"`
	// Hint says what to do about it when the message does not.
	Hint engine.Text `json:"hint,omitzero"`
}

type planGap struct {
	What      engine.Text `json:"what"`
	Why       engine.Text `json:"why"`
	Forbidden bool        `json:"forbidden"`
}

type planStage struct {
	Name     engine.Text   `json:"name"`
	AtOnce   int           `json:"atOnce"`
	Skipped  bool          `json:"skipped"`
	Before   []planTask    `json:"before"`
	Clusters []planCluster `json:"clusters"`
	After    []planTask    `json:"after"`
}

type planTask struct {
	Type    string      `json:"type"`
	Request engine.Text `json:"request,omitzero"`
	// WaitSeconds is set for a timed wait.
	WaitSeconds float64 `json:"waitSeconds,omitempty"`
}

type planCluster struct {
	Name      engine.Text   `json:"name"`
	State     string        `json:"state"`
	SortLabel engine.Text   `json:"sortLabel,omitzero"`
	Now       engine.Text   `json:"now,omitzero"`
	Overrides []engine.Text `json:"overrides,omitempty"`
}

type planMisfit struct {
	Cluster engine.Text   `json:"cluster"`
	Labels  []engine.Text `json:"labels"`
	Stages  []engine.Text `json:"stages"`
}

type planRivalReport struct {
	Kind      string        `json:"kind"`
	Namespace engine.Text   `json:"namespace,omitzero"`
	Name      engine.Text   `json:"name"`
	SpecState engine.Text   `json:"specState"`
	Index     engine.Text   `json:"index,omitzero"`
	WillLose  []engine.Text `json:"willLose"`
	MayTake   []engine.Text `json:"mayTake"`
	// Unknown is true when this run has no stages to compare.
	Unknown bool `json:"unknown"`
}

// PlanDocumentOf returns the JSON document of a plan; context is that of the hub.
func PlanDocumentOf(context string, p *plan.Plan) planDocument {
	d := planDocument{
		Context: engine.Clean(context), Hub: p.Run.Hub().Text(), Possible: !p.Finished && len(p.Refusals)+len(p.Unknown) == 0,
		Run:       planRun{Kind: p.Run.Kind().String(), Namespace: p.Run.Namespace(), Name: p.Run.Name(), Imagined: p.Run.Name().IsZero()},
		Placement: p.Placement, Strategy: p.Strategy, SpecState: p.State,
		Snapshot:    planSnapshot(p.Snapshot),
		Initialized: p.Initialized, Finished: p.Finished, Again: p.Again,
		Refusals:  each(p.Refusals, func(r *plan.Refusal) planRefusal { return planRefusal(*r) }),
		Warnings:  texts(p.Warnings),
		Unknown:   each(p.Unknown, func(g *engine.Gap) planGap { return planGap{What: g.What, Why: g.Why, Forbidden: g.Forbidden} }),
		Stages:    each(p.Stages, planStageOf),
		Deletions: texts(p.Deletions), Unplaced: each(p.Unplaced, planMisfitOf), Overlapping: each(p.Overlapping, planMisfitOf),
		Rivals: each(p.Rivals, func(r *plan.Rival) planRivalReport {
			return planRivalReport{
				Kind: r.Run.Kind().String(), Namespace: r.Run.Namespace(), Name: r.Run.Name(), SpecState: r.State, Index: r.Index,
				WillLose: texts(r.WillLose), MayTake: texts(r.MayTake), Unknown: r.Unknown,
			}
		}),
	}
	if p.Forecasts() {
		d.Forecast = planForecastOf(p.Forecast)
	}
	return d
}

func planForecastOf(f *plan.Forecast) *planForecast {
	return &planForecast{
		At: f.At.UTC().Truncate(time.Second), Never: f.Never, IfStartedNow: f.Starts, ApprovalsAssumed: f.Assumed,
		UpdatesSeen: f.Seen, RunsSeen: f.Runs, Finish: planMomentOf(f.Finish), Awaits: f.Awaits, Next: texts(f.Next), NextStage: f.NextStage, NextMore: f.NextMore,
		Stages: each(f.Stages, func(s *plan.StageForecast) planEstimate {
			return planEstimate{
				Name: s.Name, Deletion: s.Deletion, Done: s.Done,
				Updated: planMomentOf(s.Updated), ApprovalAsked: planMomentOf(s.Asked), Finish: planMomentOf(s.Finish),
			}
		}),
	}
}

// planMomentOf is nil for a moment that is not known.
func planMomentOf(e plan.Estimate) *planMoment {
	if e.IsZero() {
		return nil
	}
	at := func(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
	return &planMoment{at(e.Earliest), at(e.Likely), at(e.Latest)}
}

func planStageOf(s *plan.Stage) planStage {
	return planStage{
		Name: s.Name, AtOnce: s.AtOnce, Skipped: s.Skipped, Before: each(s.Before, planTaskOf), After: each(s.After, planTaskOf),
		Clusters: each(s.Clusters, func(c *plan.Cluster) planCluster {
			out := planCluster{Name: c.Name, State: "pending", SortLabel: c.SortLabel, Now: c.Now, Overrides: c.Overrides}
			switch {
			case c.Succeeded:
				out.State = "done"
			case c.Started:
				out.State = "updating"
			}
			return out
		}),
	}
}

func planTaskOf(t *plan.Task) planTask {
	if t.Wait > 0 {
		return planTask{Type: "timed-wait", WaitSeconds: t.Wait.Seconds()}
	}
	out := planTask{Type: "approval", Request: t.Request}
	if t.Unnamed() {
		out.Request = engine.Text{}
	}
	return out
}

func planMisfitOf(m *plan.Misfit) planMisfit {
	return planMisfit{Cluster: m.Cluster, Labels: texts(m.Labels), Stages: texts(m.Stages)}
}

// each makes a list that is never null.
func each[From, To any](list []From, of func(*From) To) []To {
	out := make([]To, len(list))
	for i := range list {
		out[i] = of(&list[i])
	}
	return out
}

func texts(list []engine.Text) []engine.Text {
	return each(list, func(t *engine.Text) engine.Text { return *t })
}
