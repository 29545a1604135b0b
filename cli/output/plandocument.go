package output

import (
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// planDocument is what plan -o json prints; its keys are stable. Empty lists are
// written as [].
type planDocument struct {
	Context engine.Text `json:"context"`
	// Possible is true if the run has no failures, everything was read, the placement is
	// not being deleted, and the run's resource snapshot exists.
	Possible    bool         `json:"possible"`
	Run         planRun      `json:"run"`
	Placement   engine.Text  `json:"placement"`
	Strategy    engine.Text  `json:"strategy"`
	SpecState   engine.Text  `json:"specState"`
	Snapshot    planSnapshot `json:"snapshot"`
	Initialized bool         `json:"initialized"`
	Finished    bool         `json:"finished"`
	// ForNewRun is true for a run that has failed: the plan is that of a new run
	// with the same spec.
	ForNewRun bool              `json:"forNewRun"`
	Failures  []failureDocument `json:"failures"`
	Warnings  []engine.Text     `json:"warnings"`
	NextStep  engine.Text       `json:"nextStep,omitzero"`
	Missing   []gapDocument     `json:"missing"`
	Stages    []planStage       `json:"stages"`
	// Deletions are the clusters of the deletion stage.
	Deletions       []engine.Text      `json:"deletions"`
	InNoStage       []planMatch        `json:"inNoStage"`
	InSeveralStages []planMatch        `json:"inSeveralStages"`
	CompetingRuns   []planCompetingRun `json:"competingRuns"`
	// Forecast is absent for a run that has failures or has ended.
	Forecast *planForecast `json:"forecast,omitempty"`
}

// planForecast holds moments in UTC.
type planForecast struct {
	At time.Time `json:"at"`
	// NoEstimate is the reason why there is no completion; without it there are
	// stages.
	NoEstimate engine.Text `json:"noEstimate,omitzero"`
	// IfStartedNow is true if the estimate assumes a start now.
	IfStartedNow     bool           `json:"ifStartedNow"`
	ApprovalsAssumed bool           `json:"approvalsAssumed"`
	UpdatesSeen      int            `json:"updatesSeen"`
	RunsSeen         int            `json:"runsSeen"`
	Stages           []planEstimate `json:"stages"`
	Completion       *planMoment    `json:"completion,omitempty"`
	// UntilApproval is the approval request at which the estimates end.
	UntilApproval engine.Text `json:"untilApproval,omitzero"`
	// NextClusters are the clusters of stage NextStage that start together, at most
	// ten; NextClustersMore is how many of the stage start after them.
	NextClusters     []engine.Text `json:"nextClusters"`
	NextStage        engine.Text   `json:"nextStage,omitzero"`
	NextClustersMore int           `json:"nextClustersMore,omitempty"`
}

type planEstimate struct {
	Name     engine.Text `json:"name"`
	Deletion bool        `json:"deletion"`
	Done     bool        `json:"done"`
	// Updated is when all clusters are updated, ApprovalRequested when the first
	// open approval is requested, Completion when the stage ends.
	Updated           *planMoment `json:"updated,omitempty"`
	ApprovalRequested *planMoment `json:"approvalRequested,omitempty"`
	Completion        *planMoment `json:"completion,omitempty"`
}

type planMoment struct {
	Earliest time.Time `json:"earliest"`
	Likely   time.Time `json:"likely"`
	Latest   time.Time `json:"latest"`
}

// planRun identifies the run; a hypothetical one has no name.
type planRun struct {
	identity
	Hypothetical bool `json:"hypothetical"`
}

type planSnapshot struct {
	// Index is absent when it is unknown.
	Index  engine.Text `json:"index,omitzero"`
	Newest bool        `json:"newest"`
	// WillBeCreated is true if the run creates the snapshot.
	WillBeCreated bool `json:"willBeCreated"`
}

type planStage struct {
	Name           engine.Text   `json:"name"`
	MaxConcurrency int           `json:"maxConcurrency"`
	Skipped        bool          `json:"skipped"`
	Before         []planTask    `json:"before"`
	Clusters       []planCluster `json:"clusters"`
	After          []planTask    `json:"after"`
}

type planTask struct {
	Type    string      `json:"type"`
	Request engine.Text `json:"request,omitzero"`
	// WaitSeconds is set for a timed wait.
	WaitSeconds float64 `json:"waitSeconds,omitempty"`
	// Passed is set for an approval that the controller has accepted, and in a stage that has
	// succeeded.
	Passed bool `json:"passed,omitempty"`
}

type planCluster struct {
	Name            engine.Text   `json:"name"`
	State           string        `json:"state"`
	SortLabel       engine.Text   `json:"sortLabel,omitzero"`
	CurrentSnapshot engine.Text   `json:"currentSnapshot,omitzero"`
	Overrides       []engine.Text `json:"overrides,omitempty"`
}

// planMatch is a cluster with the stages that select it, none or several.
type planMatch struct {
	Cluster engine.Text   `json:"cluster"`
	Labels  []engine.Text `json:"labels"`
	Stages  []engine.Text `json:"stages"`
	// MemberMissing is set when the member cluster does not exist.
	MemberMissing bool `json:"memberMissing,omitempty"`
}

type planCompetingRun struct {
	identity
	SpecState engine.Text `json:"specState"`
	Index     engine.Text `json:"snapshotIndex,omitzero"`
	// PreemptedByPlan are the clusters on which the planned run preempts this one,
	// MayPreempt those on which this one may preempt the planned run.
	PreemptedByPlan []engine.Text `json:"preemptedByPlan"`
	MayPreempt      []engine.Text `json:"mayPreempt"`
	// BothStarted those that both have started: one of the two runs fails.
	BothStarted []engine.Text `json:"bothStarted"`
	// NotCompared is true if the planned run has no stages: both lists are empty.
	NotCompared bool `json:"notCompared"`
	// FailsInitialization is why the other run fails its initialization and updates no
	// cluster; empty when it does not, or when that is not known.
	FailsInitialization engine.Text `json:"failsInitialization,omitzero"`
}

// PlanDocumentOf returns the JSON document of a plan; context is that of the hub.
func PlanDocumentOf(context string, p *plan.Plan) planDocument {
	d := planDocument{
		Context: engine.Clean(context), Possible: !p.Finished && p.Doom().IsZero() && len(p.Refusals)+len(p.Unknown) == 0,
		Run:       planRun{identity: identityOf(p.Run), Hypothetical: p.Run.Name().IsZero()},
		Placement: p.Placement, Strategy: p.Strategy, SpecState: p.State,
		Snapshot:    planSnapshot{Index: p.Snapshot.Index, Newest: p.Snapshot.Newest, WillBeCreated: p.Snapshot.Made},
		Initialized: p.Initialized, Finished: p.Finished, ForNewRun: p.Again,
		Failures:  each(p.Refusals, func(r *plan.Refusal) failureDocument { return failureDocument(*r) }),
		Warnings:  texts(append(slices.Clone(p.Warnings), movesBack(p)...)),
		NextStep:  p.Next(),
		Missing:   append([]gapDocument{}, gapsOf(p.Unknown)...),
		Stages:    each(p.Stages, planStageOf),
		Deletions: texts(p.Deletions), InNoStage: each(p.Unplaced, planMatchOf), InSeveralStages: each(p.Overlapping, planMatchOf),
		CompetingRuns: each(p.CompetingRuns, func(r *plan.CompetingRun) planCompetingRun {
			return planCompetingRun{
				identity: identityOf(r.Run), SpecState: r.State, Index: r.Index,
				PreemptedByPlan: texts(r.WillLose), MayPreempt: texts(r.MayTake), BothStarted: texts(r.BothStarted), NotCompared: r.Unknown, FailsInitialization: r.Fails,
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
		At: f.At.UTC().Truncate(time.Second), NoEstimate: f.Never, IfStartedNow: f.Starts, ApprovalsAssumed: f.Assumed,
		UpdatesSeen: f.Seen, RunsSeen: f.Runs, Completion: planMomentOf(f.Finish), UntilApproval: f.Awaits,
		NextClusters: texts(f.Next), NextStage: f.NextStage, NextClustersMore: f.NextMore,
		Stages: each(f.Stages, func(s *plan.StageForecast) planEstimate {
			return planEstimate{
				Name: s.Name, Deletion: s.Deletion, Done: s.Done,
				Updated: planMomentOf(s.Updated), ApprovalRequested: planMomentOf(s.Asked), Completion: planMomentOf(s.Finish),
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
		Name: s.Name, MaxConcurrency: s.AtOnce, Skipped: s.Skipped, Before: each(s.Before, planTaskOf), After: each(s.After, planTaskOf),
		Clusters: each(s.Clusters, func(c *plan.Cluster) planCluster {
			out := planCluster{Name: c.Name, State: "pending", SortLabel: c.SortLabel, CurrentSnapshot: c.Now, Overrides: c.Overrides}
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
	if t.Timed() {
		return planTask{Type: "timed-wait", WaitSeconds: t.Wait.Seconds(), Passed: t.Passed}
	}
	out := planTask{Type: "approval", Request: t.Request, Passed: t.Passed}
	if t.Unnamed() {
		out.Request = engine.Text{}
	}
	return out
}

func planMatchOf(m *plan.StageMismatch) planMatch {
	return planMatch{Cluster: m.Cluster, Labels: texts(m.Labels), Stages: texts(m.Stages), MemberMissing: m.Missing}
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

// movesBack is a list of the warning of clusters that get an older snapshot, empty without
// any.
func movesBack(p *plan.Plan) []engine.Text {
	if back := p.MovesBack(); !back.IsZero() {
		return []engine.Text{back}
	}
	return nil
}
