package fleet

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// incidentsNamespace is where the namespaced incidents are.
const incidentsNamespace = "team-payments"

// Incidents has one run for every cause of docs/causes.md that can be made on
// the demo's hub, in the state that the cause leads to. A run and its placement
// are named after the cause. Nothing moves any more once all are there.
func Incidents() Scenario {
	s := Scenario{
		Name: "incidents", Seed: 7, Namespaces: []string{incidentsNamespace},
		Members: []Member{
			{Name: "weu-canary-1", Region: "westeurope", Ring: "canary", Order: 1},
			{Name: "eus-canary-1", Region: "eastus", Ring: "canary", Order: 2},
			{Name: "weu-prod-1", Region: "westeurope", Ring: "prod", Order: 1},
			{Name: "eus-prod-1", Region: "eastus", Ring: "prod", Order: 2},
			// In no ring that any strategy knows.
			{Name: "neu-edge-1", Region: "northeurope", Ring: "edge", Order: 3},
			// Heard of long ago.
			{Name: "sea-canary-1", Region: "southeastasia", Ring: "canary", Order: 3, SilentFor: time.Hour},
			// Moved to another ring while its run is at it.
			{Name: "neu-prod-1", Region: "northeurope", Ring: "prod", Order: 4},
		},
		Strategies: incidentStrategies(),
		Strangers: []Stranger{{
			Name: "foreign-approval-r2-before-prod", Run: "somebody-elses-run", Stage: "prod",
		}},
		Overrides: []Override{{Name: "override-path-0", Placement: "override-path", Path: "/metadata/annotations/nowhere/deep"}},
	}
	for _, all := range [][]incident{refusedIncidents(), waitingIncidents(), memberIncidents()} {
		for _, i := range all {
			i.addTo(&s, "")
			if i.both {
				i.addTo(&s, incidentsNamespace)
			}
		}
	}
	return s
}

// incident is a placement with a run in trouble. Without anything said it is
// one on two clusters, one in each ring, at index 1, with a run to index 2.
type incident struct {
	// cause names it: the cause that a diagnosis of the run gives, unless as
	// says another one.
	cause, as string
	// both asks for a twin in a namespace.
	both bool

	odd               Oddity
	clusters, unbound []string
	strategy, index   string
	state             placement.State
	// nowhere leaves the placement out.
	nowhere bool
	refusal *Refusal
	// broken is a member that cannot pull the new image.
	broken string
	acts   []Act
	noRun  bool
}

// Name of the run of an incident.
func (i *incident) run() string { return i.cause + "-r2" }

func (i *incident) addTo(s *Scenario, namespace string) {
	clusters := i.clusters
	if clusters == nil {
		clusters = []string{"weu-canary-1", "weu-prod-1"}
	}
	p := Placement{
		Namespace: namespace, Name: i.cause, Image: "registry.contoso.example/incidents/" + i.cause,
		Clusters: clusters, Unbound: i.unbound, Odd: i.odd, At: 1,
		Snapshots: []Snapshot{{1, "1.0.0"}, {2, "1.1.0"}},
	}
	if !i.nowhere {
		s.Placements = append(s.Placements, p)
	}
	r := Run{Namespace: namespace, Name: i.run(), Placement: p.Name, Strategy: i.strategy, Index: i.index, State: i.state}
	if r.Strategy == "" {
		r.Strategy = "rings"
	}
	if r.Index == "" {
		r.Index = "2"
	}
	if r.State == "" {
		r.State = placement.StateRun
	}
	if !i.noRun {
		s.Runs = append(s.Runs, r)
	}
	for _, act := range i.acts {
		act.When.Namespace = namespace
		if act.When.Run == "" {
			act.When.Run = r.Name
		}
		if act.Do.Create != nil {
			created := *act.Do.Create
			created.Namespace = namespace
			act.Do.Create = &created
		}
		s.Acts = append(s.Acts, act)
	}
	if i.refusal != nil {
		no := *i.refusal
		no.Placement = p.Key()
		s.Faults = append(s.Faults, Fault{Cluster: clusters[0], Refuses: &no})
	}
	if i.broken != "" {
		s.Faults = append(s.Faults, Fault{Cluster: i.broken, Image: p.Image + ":1.1.0", Instead: p.Image + ":1.1.0!"})
	}
}

func incidentStrategies() []Strategy {
	canary, prod := ring("canary", clustersAtOnce(2)), ring("prod", clustersAtOnce(2))
	stages := func(s ...placement.StageConfig) []placement.StageConfig { return s }
	everywhere := placement.StageConfig{Name: "all", LabelSelector: &metav1.LabelSelector{}, MaxConcurrency: new(share("100%"))}
	nonsense := ring("canary", one())
	nonsense.LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
		Key: labelRing, Operator: "Resembles", Values: []string{"canary"},
	}}}
	byRegion := ring("canary", one())
	byRegion.SortingLabelKey = new(labelRegion)
	var all []Strategy
	for _, namespace := range []string{"", incidentsNamespace} {
		all = append(all, []Strategy{
			{Name: "rings", Stages: stages(canary, prod)},
			{Name: "approve-prod", Stages: stages(canary, ring("prod", one(), beforeApproval))},
			{Name: "approve-after-canary", Stages: stages(ring("canary", one(), afterApproval), prod)},
			{Name: "soak-canary", Stages: stages(ring("canary", one(), afterWait(longWait)), prod)},
			{Name: "canary-only", Stages: stages(canary)},
			{Name: "overlapping", Stages: stages(canary, everywhere)},
			{Name: "nonsense-selector", Stages: stages(nonsense, prod)},
			{Name: "sorted-by-region", Stages: stages(byRegion, prod)},
			{Name: "at-once", Stages: stages(everywhere)},
		}...)
		for i := range all {
			if namespace != "" && i >= len(all)/2 {
				all[i].Namespace = namespace
			}
		}
	}
	return slices.Clip(all)
}
