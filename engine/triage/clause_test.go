package triage

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
)

// A rejected manifest names who rejected it and quotes the reason.
func TestDenials(t *testing.T) {
	const wrap = "Failed to apply the manifest (error: failed to patch the manifest object: "
	for _, tt := range []struct{ name, message, lead, detail string }{
		{
			"webhook", wrap + `admission webhook "policy.example" denied the request: image must be pinned by digest.)`,
			`Admission webhook "policy.example" denied Deployment shop/web`, `"image must be pinned by digest"`,
		},
		{
			"a reason of several lines", wrap + "admission webhook \"policy.example\" denied the request: \n\nresource Deployment/shop/web was blocked:\n\nlabels:\n  team: \"\u202erequired\")",
			`Admission webhook "policy.example" denied Deployment shop/web`, `'resource Deployment/shop/web was blocked: labels: team: "\u202erequired"'`,
		},
		{
			"webhook without a reason", wrap + `admission webhook "policy.example" denied the request without explanation)`,
			`Admission webhook "policy.example" denied Deployment shop/web`, "",
		},
		{
			"webhook that fails", wrap + `Internal error occurred: failed calling webhook "policy.example": failed to call webhook: Post "https://policy:443/": dial tcp 10.0.0.1:443: connect: connection refused)`,
			`Admission webhook "policy.example" failed for Deployment shop/web`, `failed to call webhook: Post "https://policy:443/": dial tcp 10.0.0.1:443: connect: connection refused`,
		},
		{
			"admission policy", wrap + `deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'replicas' with binding 'all' denied request: at most 5 replicas)`,
			`ValidatingAdmissionPolicy "replicas" denied Deployment shop/web`, `"at most 5 replicas"`,
		},
		{
			"pod security", wrap + `pods "web" is forbidden: violates PodSecurity "restricted:latest": privileged (container "web" must not set privileged=true))`,
			`PodSecurity "restricted:latest" denied Deployment shop/web`, `'privileged (container "web" must not set privileged=true)'`,
		},
		{
			"quota", "Failed to apply the manifest (error: failed to create the manifest object: deployments.apps \"web\" is forbidden: exceeded quota: small, requested: count/deployments.apps=1, used: count/deployments.apps=5, limited: count/deployments.apps=5)",
			`Resource quota "small" denied Deployment shop/web`, `"requested: count/deployments.apps=1, used: count/deployments.apps=5, limited: count/deployments.apps=5"`,
		},
		{
			"RBAC", `Failed to apply the manifest (error: deployments.apps "web" is forbidden: User "system:serviceaccount:fleet-system:agent" cannot patch resource "deployments" in API group "apps" in the namespace "shop")`,
			"RBAC denied Deployment shop/web", `user "system:serviceaccount:fleet-system:agent" cannot patch resource "deployments" in API group "apps" in the namespace "shop"`,
		},
		{
			"validation", wrap + `Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0)`,
			"Deployment shop/web failed validation", `"spec.replicas: Invalid value: -1: must be greater than or equal to 0"`,
		},
		{ // as an API server validates a custom resource
			"validation of several fields", wrap + `Widget.example.com "w" is invalid: [spec.size: Unsupported value: "huge": supported values: "small", "large", spec.n: Invalid value: 0: too small, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation])`,
			"Deployment shop/web failed validation", `'spec.size: Unsupported value: "huge": supported values: "small", "large", spec.n: Invalid value: 0: too small'`,
		},
		{
			"immutable field", wrap + `Deployment.apps "web" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"web"}}: field is immutable)`,
			"An immutable field of Deployment shop/web was changed", `'spec.selector: Invalid value: {"matchLabels":{"app":"web"}}: field is immutable'`,
		},
		{
			"fields of several managers", wrap + "Apply failed with 3 conflicts: conflicts with \"a\" using apps/v1:\n- .spec.replicas\n- .spec.paused\nconflicts with \"b\":\n- .spec.selector)",
			"Another field manager owns fields of Deployment shop/web", `conflicts with "a" using apps/v1: .spec.replicas .spec.paused; conflicts with "b": .spec.selector`,
		},
		{"namespace", wrap + `namespaces "shop" not found)`, "Namespace shop does not exist", "Deployment shop/web cannot be applied"},
		{"kind", wrap + `no matches for kind "Deployment" in version "apps/v9")`, "Kind Deployment (apps/v9) is not installed", "Deployment shop/web cannot be applied"},
		{"anything else", wrap + "the moon is full)", "Deployment shop/web is not applied", "the moon is full"},
		{"a message without a wrapper", "boom.", "Deployment shop/web is not applied", "boom"},
		{"no message", "", "Deployment shop/web is not applied", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &placement.FailedResourcePlacement{
				ResourceIdentifier: placement.ResourceIdentifier{Kind: "Deployment", Namespace: "shop", Name: "web"},
				Condition:          metav1.Condition{Type: "Applied", Reason: placement.ReasonManifestApplyFailed, Message: tt.message},
			}
			got := catalogue.ManifestClause(m, catalogue.ManifestCauseOf(m))
			if got.Lead.String() != tt.lead || got.Reason(0).String() != tt.detail {
				t.Errorf("got %q: %q,\nwant %q: %q", got.Lead, got.Reason(0), tt.lead, tt.detail)
			}
		})
	}
}
