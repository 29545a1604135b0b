package scenario

import placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"

// healthy is a small fleet with one run of each scope and nothing wrong.
func healthy() Scenario {
	rings := []placement.StageConfig{ring("staging", one()), ring("prod", share("50%"))}
	clusters := []string{"weu-stg-1", "weu-prod-1", "weu-prod-2", "eus-prod-1", "eus-prod-2"}
	return Scenario{
		Name:       "healthy",
		Seed:       1,
		Namespaces: []string{"team-web"},
		Members: []Member{
			{Name: "weu-stg-1", Region: "westeurope", Ring: "staging", Order: 1},
			{Name: "weu-prod-1", Region: "westeurope", Ring: "prod", Order: 1},
			{Name: "weu-prod-2", Region: "westeurope", Ring: "prod", Order: 1},
			{Name: "eus-prod-1", Region: "eastus", Ring: "prod", Order: 2},
			{Name: "eus-prod-2", Region: "eastus", Ring: "prod", Order: 2},
		},
		Strategies: []Strategy{
			{Name: "rings", Stages: rings},
			{Namespace: "team-web", Name: "rings", Stages: rings},
		},
		Placements: []Placement{
			{
				Name: "checkout", Image: "registry.contoso.example/shop/checkout", Clusters: clusters,
				Snapshots: []Snapshot{{Index: 0, Tag: "1.0.0"}, {Index: 1, Tag: "1.1.0"}},
			},
			{
				Namespace: "team-web", Name: "storefront", Image: "registry.contoso.example/web/storefront", Clusters: clusters[:3],
				Snapshots: []Snapshot{{Index: 0, Tag: "2.0.0"}, {Index: 1, Tag: "2.1.0"}},
			},
		},
		Runs: []Run{
			{Name: "checkout-r1", Placement: "checkout", Strategy: "rings", Index: "1", State: placement.StateRun},
			{Namespace: "team-web", Name: "storefront-r1", Placement: "storefront", Strategy: "rings", Index: "1", State: placement.StateRun},
		},
	}
}
