package scenario

import (
	"cmp"
	_ "embed" // for the definition of a kind
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/members"
)

// incidentsNamespace is where the namespaced incidents are.
const incidentsNamespace = "team-payments"

// Incidents returns a scenario with one run for every cause of docs/causes.md
// that the demo's hub can be brought into, in the resulting state. A run and
// its placement are named after the cause. The state is stable once all runs
// exist.
func Incidents() Scenario {
	s := Scenario{
		Name: "incidents", Seed: 7, Namespaces: []string{incidentsNamespace, conflicting},
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
			Name: "approval-of-another-run-r2-before-prod", Run: "somebody-elses-run", Stage: "prod",
		}},
		CRDs: [][]byte{certificates},
		Placements: []Placement{{
			// Places a ConfigMap that another placement has, too; rolls out by itself.
			Namespace: conflicting, Name: "base-config", Object: conflicting, Only: []string{kindConfigMap}, Odd: rollingUpdate,
			Image: "registry.contoso.example/incidents/base-config", Clusters: []string{"weu-canary-1"}, Snapshots: []Snapshot{{Index: 0, Tag: newTag}},
		}},
	}
	for _, i := range incidents() {
		for _, namespace := range i.namespaces() {
			i.addTo(&s, namespace)
		}
	}
	return s
}

// conflicting is the incident of two placements with the same object.
const conflicting = "placements-conflict"

// Kinds that snapshots are said to lack.
const (
	kindConfigMap   = "ConfigMap"
	kindService     = "Service"
	kindDeployment  = "Deployment"
	kindCertificate = "Certificate"
)

// certificates defines a kind that the hub has and the members lack.
//
//go:embed certificates.yaml
var certificates []byte

// incidents are all of them.
func incidents() []incident {
	return slices.Concat(refusedIncidents(), waitingIncidents(), memberIncidents())
}

// incident is a placement with a run in trouble, and all that there is to say
// about it: every object of the hub and of its members follows from this. Without
// anything said it is one on two clusters, one in each ring, at index 1, with a
// run to index 2.
type incident struct {
	// cause names it: the cause that a diagnosis of the run gives, unless as
	// says another one.
	cause, as string
	// scope is where it is; the cluster scope unless it says something else.
	scope scope

	odd               oddity
	clusters, unbound []string
	strategy, index   string
	state             placement.State
	// nowhere leaves the placement out.
	nowhere bool
	// tag is that of the image in the new snapshot, when it is not the usual one.
	tag string
	// component is one more label that the new snapshot's Deployment selects by.
	component string
	// adds is the kind of a manifest that only the new snapshot has.
	adds string
	// override patches a manifest on all clusters.
	override *Override
	// refusal is why the first cluster does not apply a manifest, pods why its
	// new pods do not become ready.
	refusal *members.Refusal
	pods    *members.PodFault
	acts    []Act
	noRun   bool
}

// scope is where an incident is.
type scope uint8

const (
	clusterScope scope = iota
	bothScopes
	namespacedScope
)

// namespaces are where the runs of an incident are; empty for the cluster scope.
func (i *incident) namespaces() []string {
	switch i.scope {
	case bothScopes:
		return []string{"", incidentsNamespace}
	case namespacedScope:
		return []string{incidentsNamespace}
	default:
		return []string{""}
	}
}

// Name of the run of an incident.
func (i *incident) run() string { return i.cause + "-r2" }

const (
	oldTag = "1.0.0"
	newTag = "1.1.0"
)

// at are the clusters of an incident.
func (i *incident) at() []string {
	if i.clusters == nil {
		return []string{"weu-canary-1", "weu-prod-1"}
	}
	return i.clusters
}

func (i *incident) placement(namespace string) Placement {
	before := Snapshot{Index: 1, Tag: oldTag}
	if i.adds != "" {
		before.Without = []string{i.adds}
	}
	return Placement{
		Namespace: namespace, Name: i.cause, Image: "registry.contoso.example/incidents/" + i.cause,
		Clusters: i.at(), Unbound: i.unbound, Odd: i.odd, At: 1, Certificate: i.adds == kindCertificate,
		Snapshots: []Snapshot{before, {Index: 2, Tag: cmp.Or(i.tag, newTag), Component: i.component}},
	}
}

func (i *incident) addTo(s *Scenario, namespace string) {
	p := i.placement(namespace)
	if !i.nowhere {
		s.Placements = append(s.Placements, p)
	}
	r := Run{
		Namespace: namespace, Name: i.run(), Placement: p.Name, Strategy: cmp.Or(i.strategy, "rings"), Index: cmp.Or(i.index, "2"),
		State: cmp.Or(i.state, placement.StateRun),
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
	if i.override != nil {
		s.Overrides = append(s.Overrides, *i.override)
	}
	if i.refusal != nil || i.pods != nil {
		s.Faults = append(s.Faults, members.Fault{Cluster: i.at()[0], Placement: p.Key(), Refuses: i.refusal, Pods: i.pods})
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
