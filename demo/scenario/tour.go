package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/members"
)

// longWait is what the tour's timed waits take: nobody shall see the end of one
// by accident.
const longWait = 45 * time.Minute

// tour shows every state that a run can be in, in both scopes, and stays that
// way: what waits is left waiting, what is stuck stays stuck, and the healthy
// runs are followed by new ones.
func tour() Scenario {
	return Scenario{
		Name:       "tour",
		Seed:       20,
		Namespaces: []string{"team-web", "team-search", "team-payments", "search"},
		Members:    tourMembers(),
		Strategies: tourStrategies(),
		Placements: slices.Concat(tourClusterPlacements(), tourNamespacedPlacements()),
		Runs:       slices.Concat(tourClusterRuns(), tourNamespacedRuns()),
		Acts:       tourActs(),
		// A mirror for one member, named in an override with a slip of the finger.
		Overrides: []Override{{
			Namespace: "search", Name: "search-mirror-weu-prod-3-0", Placement: "search", Cluster: "weu-prod-3",
			Path: imagePath, Value: "registry.weu.contoso.example/search/search-indexer:3.8.0!",
		}},
		Faults: []members.Fault{
			{
				Cluster: "eus-canary-1", Placement: "team-search/suggest",
				Pods: &members.PodFault{Tag: "1.13.0", Kind: members.PodsPull, Message: "failed to resolve reference: 403 Forbidden: the registry's firewall denies 20.42.0.0/16"},
			},
			{
				Cluster: "weu-canary-1", Placement: "telemetry-agent",
				Pods: &members.PodFault{Tag: "0.98.0", Kind: members.PodsCrash, Log: []string{
					`level=info msg="starting" version=0.98.0`,
					`level=info msg="reading configuration" path=/etc/telemetry/config.yaml`,
					`level=error msg="invalid configuration: exporters.otlp: unknown field tls_insecure"`,
				}},
			},
		},
	}
}

func tourMembers() []Member {
	var members []Member
	add := func(short, region, ringName, ring string, count, order int) {
		for i := range count {
			members = append(members, Member{
				Name: fmt.Sprintf("%s-%s-%d", short, ringName, i+1), Region: region, Ring: ring, Order: order,
			})
		}
	}
	add("weu", "westeurope", "stg", "staging", 2, 1)
	add("eus", "eastus", "stg", "staging", 2, 2)
	add("neu", "northeurope", "canary", "canary", 1, 1)
	add("weu", "westeurope", "canary", "canary", 1, 2)
	add("eus", "eastus", "canary", "canary", 1, 3)
	add("sea", "southeastasia", "canary", "canary", 1, 4)
	add("neu", "northeurope", "prod", "prod", 4, 1)
	add("weu", "westeurope", "prod", "prod", 6, 2)
	add("eus", "eastus", "prod", "prod", 6, 3)
	add("sea", "southeastasia", "prod", "prod", 4, 4)
	// A cluster that is being retired: its agent was switched off too early.
	return append(members, Member{
		Name: "wus-prod-1", Region: "westus", Ring: "prod", Order: 9, SilentFor: 26 * time.Minute,
	})
}

// picked returns the tour's members of these names; a name that ends in * means
// all that begin like it.
func picked(patterns ...string) []string {
	var names []string
	for _, m := range tourMembers() {
		for _, p := range patterns {
			if m.Name == p || strings.HasSuffix(p, "*") && strings.HasPrefix(m.Name, strings.TrimSuffix(p, "*")) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

func tourStrategies() []Strategy {
	staging, canary, prod := ring("staging", one()), ring("canary", clustersAtOnce(2)), ring("prod", share("50%"))
	stages := func(s ...placement.StageConfig) []placement.StageConfig { return s }
	gated := stages(staging, canary, ring("prod", share("25%"), beforeApproval))
	soaked := stages(staging, ring("canary", clustersAtOnce(2), afterWait(longWait)), prod)
	slow := stages(staging, canary, ring("prod", one()))
	return []Strategy{
		{Name: "three-rings", Stages: stages(ring("staging", clustersAtOnce(2)), canary, prod)},
		{Name: "approve-prod", Stages: gated},
		{Name: "approve-after-canary", Stages: stages(staging, ring("canary", clustersAtOnce(2), afterApproval), prod)},
		{Name: "soak-canary", Stages: soaked},
		{Name: "approve-and-soak", Stages: stages(
			staging, ring("canary", clustersAtOnce(2), afterApproval, afterWait(longWait)), prod)},
		{Name: "one-by-one", Stages: slow},
		{Name: "two-rings", Stages: stages(canary, prod)},
		{Name: "everywhere-at-once", Stages: stages(placement.StageConfig{
			Name: "all", LabelSelector: &metav1.LabelSelector{}, MaxConcurrency: new(share("100%")),
		})},
		{Namespace: "team-web", Name: "three-rings", Stages: stages(ring("staging", clustersAtOnce(2)), canary, prod)},
		{Namespace: "team-web", Name: "approve-prod", Stages: gated},
		{Namespace: "team-search", Name: "two-rings", Stages: stages(ring("canary", one()), prod)},
		{Namespace: "team-search", Name: "soak-canary", Stages: soaked},
		{Namespace: "team-payments", Name: "one-by-one", Stages: slow},
		{Namespace: "team-payments", Name: "approve-prod", Stages: gated},
	}
}

func tourClusterPlacements() []Placement {
	const registry = "registry.contoso.example/"
	stg, canary := picked("weu-stg-*", "eus-stg-*"), picked("neu-canary-*", "weu-canary-*", "eus-canary-*", "sea-canary-*")
	weu, eus := picked("weu-prod-*"), picked("eus-prod-*")
	join := func(lists ...[]string) []string { return slices.Concat(lists...) }
	return []Placement{
		{
			Name: "checkout", Image: registry + "shop/checkout", At: 41, Pace: 3,
			Clusters:  join(stg, canary, weu, eus, picked("neu-prod-*")),
			Snapshots: []Snapshot{{Index: 41, Tag: "4.41.0"}, {Index: 42, Tag: "4.42.0"}},
		},
		{
			Name: "payments-api", Image: registry + "payments/api", At: 17,
			Clusters:  join(stg[:1], canary[:2], weu, picked("neu-prod-*")),
			Snapshots: []Snapshot{{Index: 17, Tag: "2.9.3"}, {Index: 18, Tag: "2.10.0"}},
		},
		{
			Name: "ingress-gateway", Image: registry + "platform/ingress-gateway", At: 5,
			Clusters:  join(stg[:1], canary[:3], eus),
			Snapshots: []Snapshot{{Index: 5, Tag: "1.30.2"}, {Index: 6, Tag: "1.31.0"}},
		},
		{
			Name: "cert-manager", Image: registry + "platform/cert-manager", At: 2,
			Clusters:  join(stg[:1], canary[:3], weu),
			Snapshots: []Snapshot{{Index: 2, Tag: "1.17.1"}, {Index: 3, Tag: "1.18.0"}},
		},
		{
			Name: "search", Image: registry + "search/search-indexer", At: 11,
			Clusters:  join(canary[:2], weu, eus[:2]),
			Snapshots: []Snapshot{{Index: 11, Tag: "3.7.4"}, {Index: 12, Tag: "3.8.0"}},
		},
		{
			Name: "telemetry-agent", Image: registry + "observability/telemetry-agent", At: 7,
			Clusters:  join(stg[:1], canary[:3], eus[:5]),
			Snapshots: []Snapshot{{Index: 7, Tag: "0.96.0"}, {Index: 8, Tag: "0.97.0"}, {Index: 9, Tag: "0.98.0"}},
		},
		{
			Name: "billing", Image: registry + "finance/billing", At: 0,
			Clusters:  join(stg[:1], canary[:1], weu[:4]),
			Snapshots: []Snapshot{{Index: 0, Tag: "1.0.0"}},
		},
		{
			Name: "identity", Image: registry + "platform/identity", At: 23,
			Clusters:  join(stg[:1], canary[:2], weu[:5]),
			Snapshots: []Snapshot{{Index: 23, Tag: "7.1.5"}, {Index: 24, Tag: "7.2.0"}},
		},
		{
			Name: "edge-cache", Image: registry + "edge/edge-cache", At: 8, Pace: 1.5,
			Clusters:  join(stg[:1], canary[:1], picked("sea-prod-*"), eus[:5]),
			Snapshots: []Snapshot{{Index: 8, Tag: "6.0.9"}, {Index: 9, Tag: "6.1.0"}},
		},
		{
			Name: "cluster-dns", Image: registry + "platform/cluster-dns", At: 3,
			Clusters:  join(stg, canary, picked("sea-prod-*")),
			Snapshots: []Snapshot{{Index: 3, Tag: "1.11.3"}, {Index: 4, Tag: "1.12.0"}},
		},
		{
			Name: "metrics-gateway", Image: registry + "observability/metrics-gateway", At: 13,
			Clusters: join(stg[:1], canary[:1], weu[:4]), Leaving: []string{"neu-prod-4"},
			Snapshots: []Snapshot{{Index: 13, Tag: "2.4.0"}, {Index: 14, Tag: "2.5.0"}},
		},
		{
			Name: "reporting", Image: registry + "finance/reporting", At: 3,
			Clusters:  join(stg[:1], canary[:1], eus[:4]),
			Snapshots: []Snapshot{{Index: 3, Tag: "5.2.0"}, {Index: 4, Tag: "5.3.0"}},
		},
		{
			Name: "image-resizer", Image: registry + "media/image-resizer", At: 30,
			Clusters: join(stg[:1], canary[:1], eus[:4]), Leaving: []string{"wus-prod-1"},
			Snapshots: []Snapshot{{Index: 30, Tag: "9.30.0"}, {Index: 31, Tag: "9.31.0"}},
		},
	}
}

func tourNamespacedPlacements() []Placement {
	const registry = "registry.contoso.example/"
	stg, canary := picked("weu-stg-*", "eus-stg-*"), picked("neu-canary-*", "weu-canary-*", "eus-canary-*", "sea-canary-*")
	weu, eus := picked("weu-prod-*"), picked("eus-prod-*")
	join := func(lists ...[]string) []string { return slices.Concat(lists...) }
	return []Placement{
		{
			Namespace: "team-web", Name: "storefront", Image: registry + "web/storefront", At: 88, Pace: 3,
			Clusters:  join(stg[:2], canary[:2], weu, eus[:2]),
			Snapshots: []Snapshot{{Index: 88, Tag: "12.88.0"}, {Index: 89, Tag: "12.89.0"}},
		},
		{
			Namespace: "team-web", Name: "catalog", Image: registry + "web/catalog", At: 6,
			Clusters:  join(stg[:1], canary[:1], weu[:5]),
			Snapshots: []Snapshot{{Index: 6, Tag: "3.1.0"}, {Index: 7, Tag: "3.2.0"}},
		},
		{
			Namespace: "team-search", Name: "suggest", Image: registry + "search/suggest", At: 12,
			Clusters:  join(canary[:3], eus[:3]),
			Snapshots: []Snapshot{{Index: 12, Tag: "1.12.4"}, {Index: 13, Tag: "1.13.0"}},
		},
		{
			Namespace: "team-search", Name: "ranker", Image: registry + "search/ranker", At: 1,
			Clusters:  join(stg[:1], canary[:2], weu[:3]),
			Snapshots: []Snapshot{{Index: 1, Tag: "0.4.2"}, {Index: 2, Tag: "0.5.0"}},
		},
		{
			Namespace: "team-payments", Name: "ledger", Image: registry + "payments/ledger", At: 54, Pace: 1.5,
			Clusters:  join(stg[:1], canary[:1], weu[:4]),
			Snapshots: []Snapshot{{Index: 54, Tag: "8.54.1"}, {Index: 55, Tag: "8.55.0"}},
		},
		{
			Namespace: "team-payments", Name: "fraud-score", Image: registry + "payments/fraud-score", At: 9,
			Clusters:  join(stg[:2], canary[:1], weu[:3]),
			Snapshots: []Snapshot{{Index: 9, Tag: "2.0.4"}, {Index: 10, Tag: "2.1.0"}},
		},
		{
			Namespace: "team-payments", Name: "payouts", Image: registry + "payments/payouts", At: 20,
			Clusters:  join(stg[:1], canary[:1], weu[:3]),
			Snapshots: []Snapshot{{Index: 20, Tag: "1.20.0"}, {Index: 21, Tag: "1.21.0"}},
		},
	}
}

func tourClusterRuns() []Run {
	run := placement.StateRun
	return []Run{
		{Name: "checkout-r42", Placement: "checkout", Strategy: "three-rings", Index: "42", State: run},
		{Name: "payments-api-r18", Placement: "payments-api", Strategy: "approve-prod", Index: "18", State: run},
		{Name: "ingress-gateway-r6", Placement: "ingress-gateway", Strategy: "approve-after-canary", Index: "6", State: run},
		{Name: "cert-manager-r3", Placement: "cert-manager", Strategy: "soak-canary", Index: "3", State: run},
		{Name: "search-r12", Placement: "search", Strategy: "two-rings", Index: "12", State: run},
		{Name: "telemetry-agent-r9", Placement: "telemetry-agent", Strategy: "three-rings", Index: "9", State: run},
		{Name: "billing-r1", Placement: "billing", Strategy: "three-rings", Index: "1", State: run},
		{Name: "identity-r24", Placement: "identity", Strategy: "approve-prod", Index: "24", State: run},
		{Name: "edge-cache-r9", Placement: "edge-cache", Strategy: "one-by-one", Index: "9", State: run},
		{Name: "cluster-dns-r4", Placement: "cluster-dns", Strategy: "approve-and-soak", Index: "4", State: placement.StateInitialize},
		{Name: "metrics-gateway-r14", Placement: "metrics-gateway", Strategy: "three-rings", Index: "14", State: run},
		{Name: "image-resizer-r31", Placement: "image-resizer", Strategy: "three-rings", Index: "31", State: run},
	}
}

func tourNamespacedRuns() []Run {
	run := placement.StateRun
	return []Run{
		{Namespace: "team-web", Name: "storefront-r89", Placement: "storefront", Strategy: "three-rings", Index: "89", State: run},
		{Namespace: "team-web", Name: "catalog-r7", Placement: "catalog", Strategy: "approve-prod", Index: "7", State: run},
		{Namespace: "team-search", Name: "suggest-r13", Placement: "suggest", Strategy: "two-rings", Index: "13", State: run},
		{Namespace: "team-search", Name: "ranker-r2", Placement: "ranker", Strategy: "soak-canary", Index: "2", State: run},
		{Namespace: "team-payments", Name: "ledger-r55", Placement: "ledger", Strategy: "one-by-one", Index: "55", State: run},
		{Namespace: "team-payments", Name: "fraud-score-r10", Placement: "fraud-score", Strategy: "approve-prod", Index: "10", State: placement.StateInitialize},
		{Namespace: "team-payments", Name: "payouts-r21", Placement: "payouts", Strategy: "approve-prod", Index: "21", State: run},
	}
}

func tourActs() []Act {
	lost := &Approval{Reason: "approved", Message: "looks good to me", Unobserved: true}
	return []Act{
		// The new version does not come up in a canary. Somebody rolls back, in a
		// hurry, and forgets about the run that is still at it.
		{
			When: Moment{Run: "telemetry-agent-r9", Done: 3, WhileUpdating: 1},
			Do: Change{Create: &Run{
				Name: "telemetry-agent-rollback", Placement: "telemetry-agent", Strategy: "everywhere-at-once", Index: "8",
				State: placement.StateRun,
			}},
		},
		{When: Moment{Run: "edge-cache-r9", Done: 4, WhileUpdating: 1}, Do: Change{State: placement.StateStop}},
		{When: Moment{Namespace: "team-payments", Run: "ledger-r55", Done: 3, WhileUpdating: 1}, Do: Change{State: placement.StateStop}},
		{When: Moment{Run: "identity-r24", Approval: "identity-r24-before-prod"}, Do: Change{Approve: lost}},
		{
			When: Moment{Namespace: "team-payments", Run: "payouts-r21", Approval: "payouts-r21-before-prod"},
			Do:   Change{Approve: lost},
		},
		{
			When: Moment{Run: "checkout-r42"},
			Do:   Change{Repeat: &Repeat{Prefix: "checkout-r", First: 43, Tag: "4.%d.0", Rest: 3 * time.Second, Keep: 1}},
		},
		{
			When: Moment{Namespace: "team-web", Run: "storefront-r89"},
			Do:   Change{Repeat: &Repeat{Prefix: "storefront-r", First: 90, Tag: "12.%d.0", Rest: 10 * time.Second, Keep: 1}},
		},
	}
}
