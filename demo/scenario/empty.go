package scenario

// empty is a fleet of members on which nothing is placed yet: a hub to apply
// one's own objects to.
func empty() Scenario {
	return Scenario{
		Name: "empty", Seed: 1, Namespaces: []string{tenantNamespace},
		Members: []Member{
			{Name: "weu-stg-1", Region: "westeurope", Ring: "staging", Order: 1},
			{Name: "weu-prod-1", Region: "westeurope", Ring: "prod", Order: 1},
			{Name: "eus-prod-1", Region: "eastus", Ring: "prod", Order: 2},
		},
	}
}
