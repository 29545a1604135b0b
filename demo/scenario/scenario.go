package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/members"
)

// Scenario is a hub's content as data: a fleet, what is placed on it, the runs
// that move it, and what people do meanwhile.
type Scenario struct {
	// Name is what --scenario takes.
	Name string
	// Seed makes the members' jitter repeatable.
	Seed uint64

	Namespaces []string
	Members    []Member
	Strategies []Strategy
	Placements []Placement
	Runs       []Run
	Acts       []Act
	Faults     []members.Fault
	Strangers  []Stranger
	Overrides  []Override
	// CRDs are definitions of kinds that placements select, as YAML.
	CRDs [][]byte
}

// Member is a member cluster and how its simulated agent behaves.
type Member struct {
	Name string
	// Region and Ring become labels; stages select by ring (the label env).
	Region, Ring string
	// Order is the value of the label that stages sort by.
	Order int
	// SilentFor, if positive, is the time since the last heartbeat of the
	// agent, which stays silent: its Works are neither applied nor removed.
	SilentFor time.Duration
}

// Strategy is a staged update strategy; without a namespace it is for cluster
// runs.
type Strategy struct {
	Namespace, Name string
	Stages          []placement.StageConfig
}

// Placement is a placement with strategy External, its snapshots, and where its
// clusters are before the first run.
type Placement struct {
	Namespace, Name string
	// Image is the image of its Deployment without tag.
	Image string
	// Clusters are the ones it is fixed to; Leaving those that it no longer
	// picks, so that the next run removes it there.
	Clusters, Leaving []string
	// Snapshots are the resource snapshots that exist, oldest first; the last is
	// labelled the latest.
	Snapshots []Snapshot
	// At is the index that the clusters have.
	At int
	// Pace stretches the time that members need for it; 0 means 1.
	Pace float64
	// Unbound are picked by the policy and have no binding.
	Unbound []string
	// Odd is what is not as it should be.
	Odd oddity
	// Certificate adds a manifest of a kind that only the hub has.
	Certificate bool
	// Only are the kinds of its manifests; none means all of them.
	Only []string
	// Object is the name of its manifests; empty means the placement's.
	Object string
}

// oddity is what is wrong with a placement.
type oddity uint8

// The oddities.
const (
	usual              oddity = iota
	rollingUpdate             // its strategy is RollingUpdate, so runs may not drive it
	noPolicySnapshot          // the scheduler has not come to it
	twoPolicySnapshots        // two of them are labelled the latest
	notScheduled              // the scheduler could not pick what was asked for
	keepsDrifts               // it does not apply over what was changed on a member
	neverTakesOver            // it does not take over what is on a member already
)

// Stranger is an approval request that was created by hand, under the name that
// the run's own will have.
type Stranger struct {
	Namespace, Name, Run, Stage string
}

// Key is the placement's name with its namespace.
func (p Placement) Key() string { return strings.TrimPrefix(p.Namespace+"/"+p.Name, "/") }

// Snapshot is a resource snapshot: an index, and the tag of the image in it.
type Snapshot struct {
	Index int
	Tag   string
	// Without are the kinds of manifests that it does not have yet.
	Without []string
	// Component, when set, is one more label that the Deployment selects by.
	Component string
}

// Run is a staged update run.
type Run struct {
	Namespace, Name, Placement, Strategy string
	// Index is the requested snapshot index as the author wrote it.
	Index string
	State placement.State
}

// Act is what a person or a pipeline does, once, when its time has come.
type Act struct {
	// When says what it waits for.
	When Moment
	// Do is done then. Exactly one of its fields is set.
	Do Change
}

// Moment is a state of a run: at least Done clusters have succeeded, at least
// WhileUpdating others are started, and the approval request of Approval exists.
type Moment struct {
	Namespace, Run      string
	Done, WhileUpdating int
	Approval            string
}

// Change is a change of the hub by a person or a pipeline.
type Change struct {
	// Create is a run to create.
	Create *Run
	// State is what to set the run's spec.state to.
	State placement.State
	// Approve answers the approval request of the moment.
	Approve *Approval
	// Repeat keeps the moment's placement busy, see Repeat.
	Repeat *Repeat
	// Relabel moves a member to another ring.
	Relabel *Relabel
	// Compare changes how the placement of this key and scope is applied.
	Compare string
}

// Relabel gives a member another value of the label that stages select by.
type Relabel struct {
	Cluster, Ring string
}

// Approval is an answer to an approval request.
type Approval struct {
	// Reason and Message are free words.
	Reason, Message string
	// Unobserved leaves observedGeneration away, the way approvals get lost.
	Unobserved bool
}

// Repeat lets a pipeline follow a finished run by the next one: a new snapshot
// with the next tag, a new run named Prefix and a number, and the finished ones
// deleted but for the newest Keep. It goes on for as long as the scenario does.
type Repeat struct {
	Prefix string
	// First is the number of the first run that the pipeline makes.
	First int
	// Tag is the format of the image's tag for a snapshot index.
	Tag string
	// Rest is the pause between a finished run and the next one.
	Rest time.Duration
	Keep int
}

// Named returns the scenario of the name.
func Named(name string) (Scenario, error) {
	scenarios := []func() Scenario{tour, healthy, empty, Incidents}
	var names []string
	for _, build := range scenarios {
		s := build()
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return Scenario{}, fmt.Errorf("no scenario %q (there are %s)", name, strings.Join(names, ", "))
}

// agents is how the agents of the scenario's members behave; stretch multiplies
// what they take.
func (s Scenario) agents(stretch float64) members.Config {
	c := members.Config{
		Seed: s.Seed, Stretch: stretch, Faults: s.Faults, Initial: s.initial,
		Silent: map[string]bool{}, Pace: map[string]float64{},
	}
	for _, m := range s.Members {
		c.Silent[m.Name] = m.SilentFor > 0
	}
	for _, p := range s.Placements {
		c.Pace[p.Key()] = p.Pace
	}
	return c
}

// initial returns the manifests that a cluster has of a placement before the
// first run.
func (s Scenario) initial(key, cluster string) []placement.ResourceContent {
	i := slices.IndexFunc(s.Placements, func(p Placement) bool { return p.Key() == key })
	if i < 0 || !slices.Contains(s.Placements[i].Clusters, cluster) && !slices.Contains(s.Placements[i].Leaving, cluster) {
		return nil
	}
	p := s.Placements[i]
	at := slices.IndexFunc(p.Snapshots, func(s Snapshot) bool { return s.Index == p.At })
	if at < 0 {
		return nil
	}
	contents, err := manifests(p, p.Snapshots[at])
	if err != nil {
		return nil
	}
	return contents
}

func memberNames(members []Member) []string {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.Name
	}
	return names
}
