package scenario

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/members"
)

// refusedIncidents are runs that the hub does not begin, or gives up
// (docs/kubefleet.md#failed-runs).
func refusedIncidents() []incident {
	return []incident{
		{cause: "placement-missing", nowhere: true, scope: bothScopes},
		{cause: "placement-not-external", odd: rollingUpdate},
		{cause: "no-policy-snapshot", odd: noPolicySnapshot},
		{cause: "several-policy-snapshots", odd: twoPolicySnapshots},
		{cause: "not-scheduled", odd: notScheduled},
		{cause: "no-cluster-picked", clusters: []string{}},
		{cause: "binding-count", unbound: []string{"eus-prod-1"}},
		{cause: "strategy-missing", strategy: "nowhere", scope: bothScopes},
		{cause: "stage-selector-invalid", strategy: "nonsense-selector"},
		{cause: "stages-overlap", strategy: "overlapping"},
		{cause: "sorting-label", strategy: "sorted-by-region"},
		{cause: "cluster-in-no-stage", clusters: []string{"weu-canary-1", "neu-edge-1"}, scope: bothScopes},
		{cause: "index-invalid", index: "two"},
		{cause: "index-missing", index: "7", scope: bothScopes},
		{cause: "approval-of-another-run", strategy: "approve-prod"},
		{
			cause: "apply-strategy-changed", strategy: "approve-prod",
			acts: []Act{{When: Moment{Done: 1}, Do: Change{Compare: "apply-strategy-changed"}}},
		},
		{
			// The only run on this member, which moves to the ring before it.
			cause: "stage-clusters-changed", strategy: "approve-prod", clusters: []string{"weu-canary-1", "weu-prod-1", "neu-prod-1"},
			acts: []Act{{When: Moment{Done: 1}, Do: Change{Relabel: &Relabel{Cluster: "neu-prod-1", Ring: "canary"}}}},
		},
	}
}

// waitingIncidents are runs that wait, for a person or for time
// (docs/kubefleet.md#idle-runs).
func waitingIncidents() []incident {
	lost := &Approval{Reason: "approved", Message: "looks good to me", Unobserved: true}
	return []incident{
		{cause: "not-started", state: placement.StateInitialize, scope: bothScopes},
		{cause: "approval-before-stage", strategy: "approve-prod", scope: bothScopes},
		{cause: "approval-after-stage", strategy: "approve-after-canary"},
		{
			cause: "approval-not-accepted", strategy: "approve-prod", scope: bothScopes,
			acts: []Act{{When: Moment{Approval: "approval-not-accepted-r2-before-prod"}, Do: Change{Approve: lost}}},
		},
		{cause: "timed-wait", strategy: "soak-canary", scope: bothScopes},
		{
			cause: "stopped", strategy: "approve-prod", scope: bothScopes,
			acts: []Act{{When: Moment{Done: 1}, Do: Change{State: placement.StateStop}}},
		},
		{
			// The hub says Stuck once more, and so do we.
			cause: "stopping-and-stuck", as: "workload-not-ready", tag: badTag,
			acts: []Act{{When: Moment{WhileUpdating: 1}, Do: Change{State: placement.StateStop}}},
		},
		{
			cause: "preempted", tag: badTag, scope: bothScopes,
			acts: []Act{{When: Moment{WhileUpdating: 1}, Do: Change{Create: &Run{
				Name: "preempted-rollback", Placement: "preempted", Strategy: "at-once", Index: "1", State: placement.StateRun,
			}}}},
		},
		{
			cause: "competing-runs", as: "approval-before-stage", strategy: "approve-prod",
			// Both wait at the same gate: whichever passes it first takes prod.
			acts: []Act{{When: Moment{Done: 1}, Do: Change{Create: &Run{
				Name: "competing-runs-back", Placement: "competing-runs", Strategy: "approve-prod",
				Index: "1", State: placement.StateRun,
			}}}},
		},
		{cause: "no-run", noRun: true},
	}
}

// badTag has a plus sign, which versions may have and tags may not.
const badTag = newTag + "+build.7"

// memberIncidents are runs with a cluster that does not finish
// (docs/kubefleet.md#cluster-problems).
func memberIncidents() []incident { return slices.Concat(podIncidents(), refusalIncidents()) }

// podIncidents are those in which what was applied does not become ready.
func podIncidents() []incident {
	return []incident{
		{cause: "workload-not-ready", tag: badTag, scope: bothScopes},
		{
			cause: "image-not-found", as: notReady,
			pods: &members.PodFault{Tag: newTag, Kind: members.PodsPull, Message: "failed to resolve reference: not found"},
		},
		{
			cause: "crash-loop", as: notReady,
			pods: &members.PodFault{Tag: newTag, Kind: members.PodsCrash, Log: []string{
				`level=info msg="starting" version=1.1.0`,
				`level=info msg="reading configuration" path=/etc/app/config.yaml`,
				`level=error msg="connect to database: dial tcp 10.0.12.7:5432: connect: connection refused"`,
			}},
		},
		{
			cause: "pods-over-quota", as: notReady, adds: kindDeployment,
			pods: &members.PodFault{Tag: newTag, Kind: members.PodsDenied, Message: "exceeded quota: pods, requested: pods=1, used: pods=0, limited: pods=0"},
		},
		{
			cause: "pods-denied-by-webhook", as: notReady, adds: kindDeployment,
			pods: &members.PodFault{Tag: newTag, Kind: members.PodsDenied, Message: deniedByWebhook},
		},
		{cause: "member-no-heartbeat", clusters: []string{"sea-canary-1", "weu-prod-1"}},
		{cause: "override-path", override: &Override{
			Name: "override-path-0", Placement: "override-path", Path: "/metadata/annotations/nowhere/deep", Value: "x",
		}},
	}
}

const (
	notReady        = "workload-not-ready"
	approvedImages  = "registry.contoso.example/approved"
	deniedByWebhook = `admission webhook "policy.contoso.example" denied the request: image must come from ` + approvedImages
)

// refusalIncidents are those in which a member does not apply a manifest.
func refusalIncidents() []incident {
	failed := func(message string, r members.Refusal) *members.Refusal {
		r.Reason, r.Message = placement.ReasonManifestApplyFailed, "Failed to apply the manifest: "+message
		return &r
	}
	return []incident{
		{cause: "rejected-by-quota", adds: kindDeployment, refusal: failed(
			`failed to create the manifest: deployments.apps "rejected-by-quota" is forbidden: exceeded quota: compute, requested: count/deployments.apps=1, used: count/deployments.apps=0, limited: count/deployments.apps=0`,
			members.Refusal{Kind: kindDeployment})},
		{cause: "rejected-by-webhook", scope: bothScopes, refusal: failed("failed to patch the manifest: "+deniedByWebhook, members.Refusal{Kind: kindDeployment, Admits: approvedImages})},
		{cause: "immutable-field", component: "web", refusal: failed(
			`failed to apply the manifest: Deployment.apps "immutable-field" is invalid: spec.selector: Invalid value: {"matchLabels":{"app.kubernetes.io/component":"web","app.kubernetes.io/name":"immutable-field"}}: field is immutable`,
			members.Refusal{Kind: kindDeployment})},
		// Only here: a cluster-scoped placement brings its namespace with it. No
		// other incident has anything in this namespace of these members.
		{cause: "namespace-missing", scope: namespacedScope, clusters: []string{"eus-canary-1", "eus-prod-1"}, refusal: failed(
			`failed to create the manifest: namespaces "`+incidentsNamespace+`" not found`, members.Refusal{Gone: true})},
		{cause: "kind-missing", adds: kindCertificate, refusal: failed(
			`failed to create the manifest: no matches for kind "Certificate" in version "cert-manager.io/v1"`, members.Refusal{Kind: kindCertificate})},
		{cause: "agent-not-permitted", adds: kindDeployment, refusal: failed(
			`failed to create the manifest: deployments.apps is forbidden: User "system:serviceaccount:fleet-system:work-agent" cannot create resource "deployments" in API group "apps" in the namespace "agent-not-permitted"`,
			members.Refusal{Kind: kindDeployment})},
		{cause: "owned-by-others", scope: bothScopes, adds: kindConfigMap, refusal: &members.Refusal{
			Kind: kindConfigMap, Reason: placement.ReasonManifestFailedToTakeOver,
			Message: "Failed to take over the manifest: the object is already owned by some other source(s) and co-ownership is disallowed",
			There:   true,
			Was:     []placement.PatchDetail{{Path: "/data/RELEASE", ValueInMember: oldTag}},
			Owner:   &metav1.OwnerReference{APIVersion: "argoproj.io/v1alpha1", Kind: "Application", Name: "platform-config", UID: "7d5c1f0a-argo"},
		}},
		{cause: "not-taken-over", adds: kindService, odd: neverTakesOver, refusal: &members.Refusal{
			Kind: kindService, Reason: placement.ReasonManifestNotTakenOver, There: true,
			Message: "Fleet does not have ownership of the object in the member cluster; takeover is needed",
		}},
		{cause: "drift-blocks-apply", odd: keepsDrifts, refusal: &members.Refusal{
			Kind: kindConfigMap, Reason: placement.ReasonManifestFoundDrifts,
			Message: "Failed to apply the manifest: drifts are found between the manifest and the object from the member cluster",
			Drift:   []placement.PatchDetail{{Path: "/data/RELEASE", ValueInMember: oldTag + "-hotfix", ValueInHub: newTag}},
		}},
		{cause: conflicting, adds: kindConfigMap, refusal: &members.Refusal{
			Kind: kindConfigMap, Reason: placement.ReasonManifestFailedToTakeOver,
			Message: "Failed to take over the manifest: the object is already owned by another Fleet AppliedWork object",
		}},
		{cause: "manifest-not-decodable", adds: kindCertificate, refusal: &members.Refusal{
			Kind: kindCertificate, Reason: placement.ReasonManifestDecodingErr,
			Message: `Failed to decode the manifest: failed to find GVR from member cluster client: no matches for kind "Certificate" in version "cert-manager.io/v1"`,
		}},
	}
}
