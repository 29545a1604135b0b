package catalogue

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// awaits is what an object without pods waits for (KubeFleet, trackInMemberClusterObjAvailability).
func awaits(kind string) engine.Literal {
	switch kind {
	case "Service":
		return "a Service of type LoadBalancer needs an address in status.loadBalancer, another type needs a clusterIP"
	case "CustomResourceDefinition":
		return "its condition Established has to be True"
	case "PodDisruptionBudget":
		return "status.currentHealthy has to reach status.desiredHealthy: enough of its pods have to be ready"
	case "PersistentVolumeClaim":
		return "it has to be Bound: look at its storage class and at the pods that use it"
	}
	return "its status and events show what it waits for"
}

// NotReadySteps are the steps for an object that is not available and has no pods of its
// own.
func NotReadySteps(kind string) []engine.Text {
	return []engine.Text{engine.Textf("{fixes-first}Look at OBJECT on MEMBER ({diagnose:run the first command}): %s. Fix the member, or fix the manifest on the hub and create a new run ({clone}).", awaits(kind).Text())}
}

// DegradedSteps are the steps for differences that were found in degraded mode: the member's API
// server rejected the dry run of the manifest as invalid, mostly for an immutable field, and all
// fields were compared (workapplier, partialDiffBetweenManifestAndInMemberClusterObjects).
var DegradedSteps = Literals{
	"{fixes-first}Delete OBJECT on MEMBER if it is safe to recreate it: the API server of MEMBER rejects the update. The agent then creates it from the manifest.",
	"{fixes-first}Or, if the manifest itself is not valid, fix it on the hub, then create a new run ({clone}).",
}

// Degraded reports whether the message of a manifest is about differences that were found in
// degraded mode.
func Degraded(message string) bool { return strings.Contains(message, "in degraded mode") }

// SameStrategy is the step for an object that two placements place, in hubs that report it only when
// their apply strategies differ.
const SameStrategy engine.Literal = "{fixes-first}Or give both placements the same apply strategy. A change of this placement's ends this run: then create a new run ({clone})."
