package engine

import (
	"iter"
	"time"
)

// Snapshot is everything that the screen shows at one moment. It is immutable once Observe has
// returned it. Every text in it is a Text; a test walks its types and fails on a bare string.
type Snapshot struct {
	// Seq grows by one with every Snapshot of a session.
	Seq uint64
	// At is the hub's time at which the Snapshot was made.
	At time.Time
	// Skew is the hub's clock minus the local one, from Date headers. The
	// screen adds it to the local time before it computes an age.
	Skew time.Duration
	// Hub says whose data this is.
	Hub Hub
	// Link says how fresh it is.
	Link Link
	// Access holds the rights of this user, as far as they are known.
	Access Access
	// Scope says what is listed and what cannot be.
	Scope Scope
	// Runs holds one row per run, and one per External placement that no run
	// names (WordNoRun), sorted attention first. A run that did not change
	// keeps its pointer from Snapshot to Snapshot.
	Runs []*RunView
	// Need counts the runs that need attention, by word, attention first.
	Need []Need
	// Complete is true when Runs holds every run of the scope, whole. While
	// it is false no total derived from Runs may be shown as one.
	Complete bool
	// Missing is what the row of a run depends on and was not read.
	Missing map[ID][]Gap
	// Beside counts the placements on which rows depend (evidence.Bindings and evidence.Nearby),
	// BesideRead those of them of which everything was read or may not be.
	Beside, BesideRead int
	Outlived           []OutlivedApproval // approvals without a run, ordered by request
	// Detail is the opened run, nil while none is wanted.
	Detail *Detail
	// WritesOff says why nothing may be written now; empty when writes may go.
	WritesOff Text
	// Held is what blocks writes while nothing is lifted; Raised is until when
	// it is lifted, zero while it is not.
	Held   Held
	Raised time.Time
	// StuckAfter is how long a started cluster may take before the hub calls
	// its run stuck (docs/kubefleet.md#constants: 5 min on every real hub).
	StuckAfter time.Duration
	// Hubs are the Snapshots of the hubs in one list, in the order of the command line;
	// empty for one hub. Link is that of the hub with the worst connection then.
	Hubs []*Snapshot
}

// Each returns the Snapshot of each hub: Hubs, or s where one hub is shown.
func (s *Snapshot) Each() []*Snapshot {
	if len(s.Hubs) == 0 {
		return []*Snapshot{s}
	}
	return s.Hubs
}

// Of returns the Snapshot of the hub that an object is on: the one that says what may be
// written there, and as whom. It is s where one hub is shown, and for the zero ID.
func (s *Snapshot) Of(id ID) *Snapshot {
	for _, h := range s.Hubs {
		if h.Hub.Name == id.Hub() {
			return h
		}
	}
	return s
}

// HasClusters reports whether the Snapshot has the clusters of a run with all their bindings.
func (s *Snapshot) HasClusters(run ID) bool {
	return s != nil && s.Detail != nil && s.Detail.Run.ID == run && s.Detail.Bindings.State == CoverComplete
}

// Find returns the row with the given identity, nil when there is none. The zero
// ID and a nil Snapshot have none.
func (s *Snapshot) Find(id ID) *RunView {
	if s == nil || id.IsZero() {
		return nil
	}
	for _, r := range s.Runs {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// Hub names the hub and the person, as far as they are known.
type Hub struct {
	Name    HubName // is in the ID of each object of the hub
	Context Text    // kubeconfig context
	// Kubeconfig is the file named on the command line; empty for kubectl's default. Commands to
	// copy contain it, since a context of the same name in another file may be another hub.
	Kubeconfig Text
	// Flags are the further connection flags of the command line, quoted for a
	// shell; never a credential.
	Flags  Text
	Server Text // URL of the API server
	User   Text // who the hub says we are (SelfSubjectReview), else the kubeconfig's user
	// Protected contexts require their name to be typed before every write.
	Protected bool
}

// Scope is what is listed.
type Scope struct {
	// Namespaces is "all namespaces" or "namespace x".
	Namespaces Text
	// ClusterRuns is false if cluster-scoped runs are not requested.
	ClusterRuns bool
	// Hidden is true if requested runs may exist and are not listed, because
	// listing is forbidden in every namespace that is read.
	Hidden bool
	// NoHub is true if the cluster serves none of the requested kinds: it is
	// not a hub. One that serves some of them is.
	NoHub bool
	// Runs are the requested sets of runs.
	Runs []RunSet
	// Notes say what is hidden and why: a forbidden list, kinds that the hub
	// does not serve, the fallback to one namespace.
	Notes []Text
	// Short is all of Notes in one line.
	Short Text
}

// RunView is one run as a person reads it; or, with WordNoRun, an External
// placement that no run names. Times are the hub's; zero means unknown.
type RunView struct {
	ID    ID
	Word  Word
	Since time.Time // since when Word holds, from stage conditions
	Until time.Time // WordWaiting: when the timed wait ends

	// Slow marks a run with a started cluster past half of the stuck time.
	Slow bool
	// Sent marks a running run with an approval that is approved and not accepted.
	Sent bool
	// Late marks a run whose next step is the controller's and is overdue.
	Late bool
	// Progressed is when a late run last moved.
	Progressed time.Time
	// Outdated marks a run that may be preempted: a cluster's binding differs from what the run
	// wrote, and may have been read before the latest change of the run. It is read again,
	// where nothing is watched.
	Outdated bool
	// Partial means that only the printed row of the hub's table is known:
	// stages, counts and gates are not, and nothing can be done to the run.
	Partial bool
	// RowOnly is set, with Partial, for a run that has succeeded and is not read before something depends on more than its
	// row: it is on the screen, for example (Focus.Rows). It is set for all runs where only a name is looked up.
	RowOnly bool
	// Terminal means that the hub will never move the run again (docs/kubefleet.md#finish).
	Terminal bool

	Placement   ID
	Strategy    Text
	Index       Text // resource snapshot index in use
	IndexAsked  Text // index asked for in the spec; empty: newest at that time
	State       Text // spec.state as stored; empty on hubs older than it
	PolicyIndex Text
	Generation  int64
	Observed    int64 // newest observedGeneration of the run's conditions
	Created     time.Time
	Started     time.Time // first stage's start
	Ended       time.Time // finished runs: when Succeeded was written
	StopWanted  bool      // spec.state is Stop
	ReportDiff  bool      // clusters only report differences: status.appliedStrategy.type is ReportDiff
	// ResourceVersion and PlacementRaw (spec.placementName) are for an Intent.
	ResourceVersion Raw
	PlacementRaw    Raw

	Stages []StageView // in order; the deletion stage last, with Deletion set
	At     int         // index into Stages of the stage that acts or waits; -1: none

	// Counts over the clusters of all stages, those of the deletion stage
	// included, disjoint as those of a StageView.
	Done, Total, Updating, Stuck, Preempted int

	// Bound is set when the placement's bindings are read, Read when they were since the run has its
	// state, and its place if it has a problem; Unreadable when they cannot be read; Near when what is
	// near the placement is read.
	Bound, Read, Unreadable, Near bool
	// Kept is set when they were and no longer are, and the problem that they showed is kept.
	Kept *Kept

	// Replaced is how many of Done another run, or a person, has changed since: see
	// StageView. ReplacedBy is the first of those runs, zero if unknown.
	Replaced   int
	ReplacedBy ID

	// PreemptedBy names the run that wrote the binding of a started, unfinished cluster after this
	// one; zero when there is none or it is not known. Its UID may be empty.
	PreemptedBy ID
	// Held counts the started, unfinished clusters of a run in state Stop that another run
	// or a person changed: the controller checks that once the run is resumed.
	Held int

	// Competes are the unfinished runs of the placement that have the same snapshot and,
	// on a cluster that neither has done, other overrides or another apply strategy.
	Competes []ID

	Why Diagnosis

	// Fields are the values of Settings.Fields, in its order; nil until the run is read.
	Fields []Text

	// Next is when time alone changes this view; zero: never.
	Next time.Time
}

// Kept says what a view was made from that is no longer read.
type Kept struct {
	// At is when it was last known.
	At          time.Time
	Bound, Near bool
	// Without is the view without it.
	Without *RunView
}

// Current returns the stage that acts or waits, nil when there is none.
func (r *RunView) Current() *StageView {
	if r.At < 0 || r.At >= len(r.Stages) {
		return nil
	}
	return &r.Stages[r.At]
}

// StageState is where a stage stands.
type StageState uint8

// The states of a stage.
const (
	StageComing   StageState = iota // not begun
	StageUpdating                   // clusters are updating
	StageGate                       // waits for an approval or a timed wait
	StageStuck                      // a cluster in it is past the stuck mark
	StageStopping                   // Stop was asked for; clusters in flight finish
	StageStopped                    // stopped with or without clusters left
	StageDone
	StageSkipped // has no clusters
	StageFailed
)

// String returns the word for the screen.
func (s StageState) String() string {
	//exhaustive:enforce
	switch s {
	case StageComing:
		return "pending"
	case StageUpdating:
		return "updating"
	case StageGate:
		return "waiting"
	case StageStuck:
		return "stuck"
	case StageStopping:
		return "stopping"
	case StageStopped:
		return "stopped"
	case StageDone:
		return "done"
	case StageSkipped:
		return "skipped"
	case StageFailed:
		return "failed"
	}
	return "unknown"
}

// StageView is one stage of a run.
type StageView struct {
	Name     Text
	Deletion bool // the stage that removes clusters which are no longer picked
	State    StageState
	Since    time.Time // since when State holds
	Started  time.Time
	Ended    time.Time

	// Done, Updating, Stuck and Preempted are disjoint; a slow cluster counts as
	// updating. What is left of Total has not begun or has failed.
	Total, Done, Updating, Stuck, Preempted int
	// Replaced is how many of Done do not have what the run rolled out any more: another
	// run, or a person, has changed their bindings since. Zero in a run that has ended.
	Replaced int
	// Back names the pending clusters that have a newer snapshot than the run's, at most
	// comingLimit of them; BackMore is how many more there are.
	Back     []Text
	BackMore int
	// StartBlocked is how many of Updating and Stuck the controller has not started, because
	// their bindings fail.
	StartBlocked int

	// Coming names the clusters that start next, in the hub's order, at most
	// comingLimit of them. ComingMore is how many come after those.
	Coming     []Text
	ComingMore int

	// AtOnce is how many clusters may update at the same time (docs/kubefleet.md#execute, row 4); 0
	// in the deletion stage, which has no limit.
	AtOnce int
	// Concurrency is maxConcurrency as written: "1", "50%".
	Concurrency Text

	Before []GateView
	After  []GateView
}

// Gates yields the gates of the stage: those before it, then those after it.
func (s *StageView) Gates() iter.Seq[*GateView] {
	return func(yield func(*GateView) bool) {
		for _, gates := range [...][]GateView{s.Before, s.After} {
			for i := range gates {
				if !yield(&gates[i]) {
					return
				}
			}
		}
	}
}

// GateState is where a gate stands.
type GateState uint8

// The states of a gate, with the marks of the run line in look/.
const (
	GateComing      GateState = iota // will stop the run later
	GateOpen                         // an approval is asked for, or a timed wait is to begin
	GateNotAccepted                  // approved with a wrong observedGeneration: no effect
	GateSent                         // approved rightly; the controller has not accepted yet
	GateRunning                      // timed wait is running
	GatePassed
	GateSkipped // the stage has no clusters: its gates never open
)

// String returns the word for the screen.
func (g GateState) String() string {
	//exhaustive:enforce
	switch g {
	case GateComing:
		return "pending"
	case GateOpen:
		return "open"
	case GateNotAccepted:
		return "not accepted"
	case GateSent:
		return "sent"
	case GateRunning:
		return "running"
	case GatePassed:
		return "passed"
	case GateSkipped:
		return "skipped"
	}
	return "unknown"
}

// GateView is an approval or a timed wait before or after a stage.
type GateView struct {
	Timed  bool // a timed wait, else an approval
	Before bool
	State  GateState
	// Since is when State began: asked for, approved, passed.
	Since time.Time
	// Wait and Until belong to timed waits; Until is zero before it runs.
	Wait  time.Duration
	Until time.Time
	// Request is the approval request; zero when it does not exist (yet), or Unread says in a clause
	// why it is not known. Name is its name, known before it exists.
	Request      ID
	Name, Unread Text
	// Generation and Sent are the request's generation and the
	// observedGeneration with which it was approved.
	Generation, Sent int64
	// Seen is the request as it was read, nil without one.
	Seen *RequestSeen
}

// RequestSeen is what an approval sends back to the hub, as it was read.
type RequestSeen struct {
	ResourceVersion Raw
	Stage           Raw  // spec.targetStage
	Foreign         bool // has the gate's name but is for another run or stage
	Unlabelled      bool // lacks the label by which the controller deletes it with its run
	Conditions      int  // how many conditions it has
	Approved        int  // index of Approved among them; -1: none
	// Rejected is the reason and message of Approved=False, Undecided those of Approved=Unknown,
	// which the controller ignores; empty without one. AnsweredAt is since when it is so.
	Rejected, Undecided Text
	AnsweredAt          time.Time
	// Deleting is when the deletion of the request was requested, zero for one that is not
	// being deleted; Finalizers are those that block it, of other controllers than Fleet's.
	Deleting   time.Time
	Finalizers []Text
}
