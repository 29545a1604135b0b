package fleet

import placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"

// refusedIncidents are runs that the hub does not begin, or gives up (facts 5.1).
func refusedIncidents() []incident {
	return []incident{
		{cause: "placement-missing", nowhere: true, both: true},
		{cause: "placement-not-external", odd: RollsByItself},
		{cause: "no-policy-snapshot", odd: NoPolicySnapshot},
		{cause: "several-policy-snapshots", odd: TwoPolicySnapshots},
		{cause: "not-scheduled", odd: NotScheduled},
		{cause: "nothing-to-update", clusters: []string{}},
		{cause: "binding-count", unbound: []string{"eus-prod-1"}},
		{cause: "strategy-missing", strategy: "nowhere", both: true},
		{cause: "stage-selector-invalid", strategy: "nonsense-selector"},
		{cause: "stages-overlap", strategy: "overlapping"},
		{cause: "sorting-label", strategy: "sorted-by-region"},
		{cause: "cluster-in-no-stage", clusters: []string{"weu-canary-1", "neu-edge-1"}, both: true},
		{cause: "index-invalid", index: "two"},
		{cause: "index-missing", index: "7", both: true},
		{cause: "foreign-approval", strategy: "approve-prod"},
		{
			cause: "apply-strategy-changed", strategy: "approve-prod",
			acts: []Act{{When: Moment{Done: 1}, Do: Deed{Compare: "apply-strategy-changed"}}},
		},
		{
			// The only run on this member, which moves to the ring before it.
			cause: "stage-clusters-changed", strategy: "approve-prod", clusters: []string{"weu-canary-1", "weu-prod-1", "neu-prod-1"},
			acts: []Act{{When: Moment{Done: 1}, Do: Deed{Relabel: &Relabel{Cluster: "neu-prod-1", Ring: "canary"}}}},
		},
	}
}

// waitingIncidents are runs that wait, for a person or for time (facts 5.2).
func waitingIncidents() []incident {
	lost := &Approval{Reason: "approved", Message: "looks good to me", Unobserved: true}
	return []incident{
		{cause: "not-started", state: placement.StateInitialize, both: true},
		{cause: "approval-before-stage", strategy: "approve-prod", both: true},
		{cause: "approval-after-stage", strategy: "approve-after-canary"},
		{
			cause: "approval-not-accepted", strategy: "approve-prod", both: true,
			acts: []Act{{When: Moment{Approval: "approval-not-accepted-r2-before-prod"}, Do: Deed{Approve: lost}}},
		},
		{cause: "timed-wait", strategy: "soak-canary", both: true},
		{
			cause: "stopped", strategy: "approve-prod", both: true,
			acts: []Act{{When: Moment{Done: 1}, Do: Deed{State: placement.StateStop}}},
		},
		{
			// The hub says Stuck once more, and so do we.
			cause: "stopping-and-stuck", as: "workload-not-ready", broken: "weu-canary-1",
			acts: []Act{{When: Moment{InFlight: 1}, Do: Deed{State: placement.StateStop}}},
		},
		{
			cause: "preempted", broken: "weu-canary-1", both: true,
			acts: []Act{{When: Moment{InFlight: 1}, Do: Deed{Create: &Run{
				Name: "preempted-rollback", Placement: "preempted", Strategy: "at-once", Index: "1", State: placement.StateRun,
			}}}},
		},
		{
			cause: "two-runs-on-one-placement", as: "approval-before-stage", strategy: "approve-prod",
			// Both wait at the same gate: whichever passes it first takes prod.
			acts: []Act{{When: Moment{Done: 1}, Do: Deed{Create: &Run{
				Name: "two-runs-on-one-placement-back", Placement: "two-runs-on-one-placement", Strategy: "approve-prod",
				Index: "1", State: placement.StateRun,
			}}}},
		},
		{cause: "no-run", noRun: true},
	}
}

// memberIncidents are runs with a cluster that does not finish (facts 5.3).
func memberIncidents() []incident {
	refused := func(cause, kind, reason, message string, both bool) incident {
		return incident{cause: cause, both: both, refusal: &Refusal{Kind: kind, Reason: reason, Message: message}}
	}
	failed := func(cause, message string, both bool) incident {
		return refused(cause, "Deployment", placement.ReasonManifestApplyFailed, "Failed to apply the manifest: "+message, both)
	}
	return []incident{
		{cause: "workload-not-ready", broken: "weu-canary-1", both: true},
		{cause: "member-silent", clusters: []string{"sea-canary-1", "weu-prod-1"}},
		{cause: "override-path"},
		failed("rejected-by-quota", `failed to create the manifest: deployments.apps "rejected-by-quota" is forbidden: exceeded quota: compute, requested: count/deployments.apps=1, used: count/deployments.apps=10, limited: count/deployments.apps=10`, true),
		failed("rejected-by-webhook", `failed to patch the manifest: admission webhook "policy.contoso.example" denied the request: image must come from registry.contoso.example/approved`, false),
		failed("immutable-field", `failed to apply the manifest: Deployment.apps "immutable-field" is invalid: spec.selector: Invalid value: field is immutable`, false),
		failed("namespace-missing", `failed to create the manifest: namespaces "namespace-missing" not found`, false),
		failed("kind-missing", `failed to create the manifest: no matches for kind "Certificate" in version "cert-manager.io/v1"`, false),
		failed("agent-not-permitted", `failed to create the manifest: deployments.apps is forbidden: User "system:serviceaccount:fleet-system:work-agent" cannot create resource "deployments" in API group "apps" in the namespace "agent-not-permitted"`, false),
		refused("owned-by-others", "ConfigMap", placement.ReasonManifestFailedToTakeOver,
			"Failed to take over the manifest: the object is already owned by some other source(s) and co-ownership is disallowed", true),
		refused("not-taken-over", "Service", placement.ReasonManifestNotTakenOver,
			"Fleet does not have ownership of the object in the member cluster; takeover is needed", false),
		{cause: "drift-forbids-apply", odd: KeepsDrifts, refusal: &Refusal{
			Kind: "ConfigMap", Reason: placement.ReasonManifestFoundDrifts,
			Message: "Failed to apply the manifest: drifts are found between the manifest and the object from the member cluster",
			Drift:   []placement.PatchDetail{{Path: "/data/RELEASE", ValueInMember: "1.0.0-hotfix", ValueInHub: "1.1.0"}},
		}},
		refused("placements-conflict", "ConfigMap", placement.ReasonManifestFailedToTakeOver,
			"Failed to take over the manifest: the object is already owned by another Fleet AppliedWork object", false),
		refused("manifest-not-decodable", "Service", placement.ReasonManifestDecodingErr,
			`Failed to decode the manifest: no matches for kind "Service" in version "v3"`, false),
	}
}
