package catalogue

import (
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// ManifestCause is one way for a manifest to fail on a member: by the
// reason of its condition, in its older and newer forms, and by its message where the reason
// says too little.
type ManifestCause struct {
	Entry
	// reasons are any of them, and pattern has to match as well; with either
	// one of the two is enough. A nil pattern matches anything.
	reasons []string
	pattern *Pattern
	either  bool
	// Pinned ends the recovery text with the snapshot that the run keeps.
	Pinned bool
}

// notUsable is the recovery from a manifest that can never be applied.
const notUsable engine.Literal = "Needs a new run: the manifest itself is not usable."

var onMember = []Command{ShowOnMember, ShowPodsOnMember, ShowWorks, ShowBinding}

// ManifestCauses are tried in order; the first that matches is the cause.
var ManifestCauses = []ManifestCause{
	{
		Entry: Entry{
			Cause: WorkloadNotReady, Title: "A workload does not become ready", Short: "KIND is not ready",
			Sign:    "failed manifest Available `ManifestNotAvailableYet` (`Manifest is not yet available; …`, older: `Manifest is trackable but not available yet`)",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member (image, capacity, quota, volumes).",
			Steps: Literals{
				"{fixes-first}Look at the workload's pods on the member ({member}). Fix the member, or fix the manifest on the hub and create a new run ({clone}).",
				"Look for ErrImagePull, ImagePullBackOff and InvalidImageName, for pods that are Pending, and for a missing volume, ConfigMap or Secret.",
			},
			Commands: onMember,
		},
		reasons: []string{placement.ReasonManifestNotAvailableYet}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "availability-check-failed", Title: "The availability of a manifest could not be checked", Short: "KIND could not be checked",
			Sign:     "failed manifest Available `Failed`",
			Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: the check has to succeed.",
			Steps: Literals{"Read the message of OBJECT, then look at OBJECT on MEMBER ({member})."}, Commands: onMember,
		},
		reasons: []string{placement.ReasonManifestFailed}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: PlacementsConflict, Title: "Two placements place the same object", Short: "KIND is placed twice",
			Sign:    "failed manifest `ApplyConflictBetweenPlacements`, or message `already owned by another (Fleet) AppliedWork (object)`",
			actions: []engine.NextAction{engine.NextCluster}, Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the other placement has to stop placing the object.", Hard: true,
			Steps: Literals{
				"{fixes-first}Find the other placement: print the placement and the objects of each Work on the cluster ({diagnose:run the first command}). Remove OBJECT from it: the member's agent then deletes the object, creates it again for this placement, and this run continues.",
				"{fixes-first}Or remove the object from this placement, then create a new run ({clone}): this one keeps its snapshot.",
			},
			Commands: []Command{ShowOtherPlacement, ShowWorkObjects, ShowOnMember, ShowBinding},
		},
		reasons: []string{ConflictOfStrategies}, either: true,
		pattern: &Pattern{expr: `already owned by another (?:Fleet )?AppliedWork`},
	},
	{
		Entry: Entry{
			Cause: TakeoverDiffers, Title: "The object on the member differs from the manifest, which blocks takeover", Short: "KIND differs from the manifest",
			Sign:    "failed manifest `FailedToTakeOver`, message `configuration differences are found between the manifest object …` (whenToTakeOver IfNoDiff)",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: the object has to equal the manifest.", Hard: true,
			Steps: Literals{
				"Make OBJECT on MEMBER equal to the manifest: diffedPlacements of the binding lists the differences.",
				"{fixes-first}Or set whenToTakeOver to Always in the placement, which ends this run, then create a new run ({clone}).",
			},
			Commands: []Command{ShowBinding, ShowOnMember},
		},
		reasons: []string{placement.ReasonManifestFailedToTakeOver, placement.ReasonManifestNotTakenOver},
		pattern: &Pattern{expr: `configuration differences are found`},
	},
	{
		Entry: Entry{
			Cause: "not-taken-over", Title: "The object exists on the member, and takeover is off", Short: "KIND may not be taken over",
			Sign:    "failed manifest `NotTakenOver`, message `takeover is needed` (whenToTakeOver Never)",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: the object has to be deleted there.", Hard: true,
			Steps: Literals{
				"Delete OBJECT on MEMBER if it is safe to recreate it: the agent then creates it from the manifest.",
				"{fixes-first}Or set whenToTakeOver to Always in the placement, which ends this run, then create a new run ({clone}).",
			},
			Commands: []Command{ShowOnMember, ShowPlacement, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestNotTakenOver},
	},
	{
		Entry: Entry{
			Cause: OwnedByOthers, Title: "The object on the member has another owner", Short: "KIND has another owner",
			Sign:    "failed manifest `ManifestsAlreadyOwnedByOthers` or `FailedToTakeOver`, message `not managed by the fleet controller`, `already owned by some other source(s)`",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: the current owner has to release the object.", Hard: true,
			Steps: Literals{
				"List the object's owners ({diagnose:run the first command}): the message does not name them. An AppliedWork belongs to another placement: do not delete it, remove the object from that placement.",
				"{fixes-first}Delete OBJECT or its other owner on MEMBER if it is safe to recreate it. Or set allowCoOwnership in the placement's apply strategy, which ends this run, then create a new run ({clone}).",
			},
			Commands: []Command{ShowOwnersOnMember, ShowOnMember, ShowPlacement, ShowBinding},
		},
		reasons: []string{"ManifestsAlreadyOwnedByOthers"}, either: true,
		pattern: &Pattern{expr: `not managed by the fleet controller|already owned by some other sources?\(s\)|co-?own`},
	},
	{
		Entry: Entry{
			Cause: "takeover-failed", Title: "The object on the member could not be taken over, for an unknown reason", Short: "KIND was not taken over",
			Sign:    "failed manifest `FailedToTakeOver`, any other message",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: what the message of the object reports.", Hard: true,
			Steps:    Literals{"Read the message of OBJECT, then look at OBJECT on MEMBER and at its owners ({diagnose:run the first command})."},
			Commands: []Command{ShowOwnersOnMember, ShowOnMember, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestFailedToTakeOver},
	},
	{
		Entry: Entry{
			Cause: DriftBlocks, Title: "The object was changed on the member, and drift blocks applying", Short: "KIND has drifted",
			Sign:    "failed manifest `FoundDrifts` or `FoundDriftsInDegradedMode`, message `drifts are found between the manifest …` (whenToApply IfNotDrifted)",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: the change there has to be reverted.", Hard: true,
			Steps:    Literals{"Revert the change to OBJECT on MEMBER: driftedPlacements of the binding lists the changed fields.", "{fixes-first}Or set whenToApply to Always in the placement, which ends this run, then create a new run ({clone})."},
			Commands: []Command{ShowBinding, ShowOnMember},
		},
		reasons: []string{placement.ReasonManifestFoundDrifts, placement.ReasonManifestFoundDriftsDegraded},
	},
	{
		Entry: Entry{
			Cause: "rejected-by-quota", Title: "A quota on the member rejects the object", Short: "quota denied KIND",
			Sign:    "failed manifest `ManifestApplyFailed`, `exceeded quota`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: its quota has to allow the object.", Hard: true,
			Steps:    Literals{"{fixes-first}Raise the quota on MEMBER or free part of it. Or make OBJECT use less of it on the hub, then create a new run ({clone})."},
			Commands: []Command{ShowQuotaOnMember, ShowOnMember, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: &Pattern{expr: `(?i)exceeded quota|quota exceeded`}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "rejected-by-limits", Title: "A LimitRange, or a quota that requires limits, rejects the object on the member", Short: "limits of KIND rejected",
			Sign:    "failed manifest `ManifestApplyFailed`, `failed quota: … must specify …`, `maximum … usage per …`, `minimum … usage per …`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: its LimitRange or its quota has to allow the object.", Hard: true,
			Steps:    Literals{"{fixes-first}Set the requests and limits of OBJECT on the hub as the message requires, then create a new run ({clone}). Or change the LimitRange or the quota on MEMBER."},
			Commands: []Command{ShowLimitsOnMember, ShowOnMember, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: &Pattern{expr: `must specify (?:limits|requests)\.|` + outsideLimits}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "webhook-unreachable", Title: "An admission webhook on the member does not answer", Short: "webhook does not answer",
			Sign:    "failed manifest `ManifestApplyFailed`, `failed calling webhook`",
			actions: []engine.NextAction{engine.NextMember}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: the webhook has to answer. Nothing is wrong with the manifest.", Hard: true,
			Steps:    Literals{"Restore the webhook that the message names: its pods, Service and certificate on MEMBER. If it was removed, delete its webhook configuration. This run then continues."},
			Commands: []Command{ShowAdmissionOnMember, ShowOnMember, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: &Pattern{expr: `(?i)failed calling webhook|failed to call webhook`},
	},
	{
		Entry: Entry{
			Cause: "rejected-by-webhook", Title: "An admission webhook or policy on the member denies the object", Short: "admission denied KIND",
			Sign:    "failed manifest `ManifestApplyFailed`, `admission webhook … denied the request`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: the webhook or policy has to allow the object.", Hard: true,
			Steps:    Literals{"{fixes-first}Change OBJECT on the hub as the message requires, then create a new run ({clone}). Or change the webhook or policy on MEMBER."},
			Commands: []Command{ShowAdmissionOnMember, ShowOnMember, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: &Pattern{expr: `(?i)admission webhook|ValidatingAdmissionPolicy|violates PodSecurity|denied the request`}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "field-conflict", Title: "Another field manager owns fields of the object (server-side apply)", Short: "fields of KIND are another manager's",
			Sign:    "failed manifest `ManifestApplyFailed`, `Apply failed with … conflict`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: the other manager has to release the fields.", Hard: true,
			Steps:    Literals{"{fixes-first}Have the manager in the message release its fields of OBJECT on MEMBER. Or remove the fields from the manifest, then create a new run ({clone}). Or set serverSideApplyConfig.force to true in the placement's apply strategy, which ends this run, then create a new run ({clone})."},
			Commands: []Command{ShowOwnersOnMember, ShowOnMember, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: &Pattern{expr: `Apply failed with \d+ conflicts?: `}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "immutable-field", Title: "The manifest changes a field that cannot be changed", Short: "immutable field of KIND",
			Sign:    "failed manifest `ManifestApplyFailed`, `field is immutable`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: the object has to be deleted there.", Hard: true,
			Steps:    Literals{"{fixes-first}Delete OBJECT on MEMBER if it is safe to recreate it. Or revert the field in the manifest, then create a new run ({clone})."},
			Commands: []Command{ShowOnMember, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: &Pattern{expr: `(?i)is immutable|may not be changed|may not change fields|updates to .* are forbidden`}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: NamespaceTerminating, Title: "The namespace is being deleted on the member", Short: "namespace is being deleted",
			Sign:    "failed manifest `ManifestApplyFailed`, `because it is being terminated`",
			actions: []engine.NextAction{engine.NextMember}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: the deletion of the namespace has to finish, and the namespace has to exist again.", Hard: true,
			Steps:    Literals{"Wait until the namespace is deleted on MEMBER; if that does not finish, look for finalizers of the objects in it. Then create it again, unless the placement contains it."},
			Commands: []Command{ShowNamespaceOnMember, ShowOnMember, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: &Pattern{expr: `(?i)is being terminated`},
	},
	{
		Entry: Entry{
			Cause: NamespaceMissing, Title: "The namespace is missing on the member", Short: "namespace does not exist",
			Sign:    "failed manifest `ManifestApplyFailed`, `namespaces \"…\" not found`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: the namespace has to exist there.", Hard: true,
			Steps:    Literals{"{fixes-first}Create the namespace on MEMBER. Or add it to the placement, then create a new run ({clone})."},
			Commands: []Command{ShowNamespacesOnMember, ShowOnMember, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: &Pattern{expr: `namespaces "[^"]*" not found|namespace .* not found`}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: KindMissing, Title: "The kind is not installed on the member", Short: "kind KIND is not installed",
			Sign:    "failed manifest `ManifestApplyFailed`, `no matches for kind`, `the server could not find the requested resource`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: its API server has to serve the kind.", Hard: true,
			Steps:    Literals{"{fixes-first}Install the CRD of the kind on the member, or add it to the placement and create a new run ({clone}). Check that the member serves the kind ({diagnose:run the first command})."},
			Commands: []Command{ShowKindOnMember, ShowOnMember, ShowBinding}, Check: KindNow,
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: &Pattern{expr: `(?i)no matches for kind|could not find the requested resource|no kind .* is registered|unable to recognize`}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "agent-not-permitted", Title: "The member's agent is not permitted to apply the object", Short: "RBAC denied KIND",
			Sign:    "failed manifest `ManifestApplyFailed`, `is forbidden: User … cannot …`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: its agent needs the permission.", Hard: true,
			Steps:    Literals{"{fixes-first}Grant the permission in the message to the member agent's service account on MEMBER. Or remove OBJECT from the placement, then create a new run ({clone})."},
			Commands: []Command{ShowPermissionOnMember, ShowOnMember, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: &Pattern{expr: `(?i)is forbidden: User|cannot (?:create|patch|update|get) resource`}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "manifest-invalid", Title: "The member's API server rejects the manifest as not valid", Short: "KIND is not valid",
			Sign:     "failed manifest `ManifestApplyFailed`, `… is invalid: …`, `request is too large`",
			Recovery: engine.RecoveryByNewRun, RecoveryText: "Needs a new run: the manifest is not valid.", Hard: true,
			actions: []engine.NextAction{engine.NextDiff, engine.NextClone, engine.NextMember},
			Steps: Literals{
				"{fixes-first}Fix OBJECT on the hub, in the manifest or in an override, as the message requires. Then create a new run ({clone}).",
				"If OBJECT is a custom resource, and its CRD on MEMBER is older than the manifest, update the CRD there: this run then continues.",
			},
			Commands: []Command{ShowOnMember, ShowUsedOverrides, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: &Pattern{expr: `"[^"]*" is invalid:|request is too large`}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "member-api-busy", Title: "The member's API server did not answer, or another writer was faster", Short: "KIND could not be written",
			Sign:    "failed manifest `ManifestApplyFailed`, `currently unable to handle the request`, `context deadline exceeded`, `the object has been modified`",
			actions: []engine.NextAction{engine.NextMember}, Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically when the member's API server answers: the agent applies the manifest again.", Hard: true,
			Steps:    Literals{"Wait for the agent's next try. If the message stays, look at the API server of MEMBER."},
			Commands: []Command{ShowOnMember, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: &Pattern{expr: `unable to handle the request|context deadline exceeded|object has been modified|too many requests|connection refused|i/o timeout`},
	},
	{
		Entry: Entry{
			Cause: "manifest-rejected", Title: "The member's API server rejects the manifest", Short: "API server rejected KIND",
			Sign:    "failed manifest `ManifestApplyFailed`, any other message: `failed to apply the manifest`, `failed to create the manifest`, `failed to patch the manifest`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member (quota, webhook, permissions, a missing namespace or kind).", Hard: true,
			Steps:    Literals{"{fixes-first}Fix on MEMBER what the message of OBJECT reports. If the manifest is wrong, fix it on the hub, then create a new run ({clone})."},
			Commands: []Command{ShowOnMember, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: notDecodable, Title: "The manifest cannot be read, or its kind is unknown on the member", Short: "KIND cannot be decoded",
			Sign:    "failed manifest `" + placement.ReasonManifestDecodingErr + "`",
			actions: []engine.NextAction{engine.NextDiff, engine.NextClone}, Recovery: engine.RecoveryByNewRun, RecoveryText: notUsable, Hard: true,
			Steps:    Literals{"{fixes-first}Fix OBJECT on the hub, then create a new run ({clone}).", "If it is of a custom kind, install its CRD on MEMBER: this run then recovers."},
			Commands: []Command{ShowBinding, ShowSnapshots, ShowWorks}, Check: KindNow,
		},
		reasons: []string{placement.ReasonManifestDecodingErr}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "generate-name", Title: "The manifest has a generateName", Short: "KIND has a generateName",
			Sign:    "failed manifest `" + placement.ReasonManifestFoundGenerateName + "`",
			actions: []engine.NextAction{engine.NextDiff, engine.NextClone}, Recovery: engine.RecoveryByNewRun, RecoveryText: notUsable, Hard: true,
			Steps:    Literals{"{fixes-first}Give the object a name on the hub, then create a new run ({clone})."},
			Commands: []Command{ShowBinding, ShowSnapshots, ShowWorks},
		},
		reasons: []string{placement.ReasonManifestFoundGenerateName}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "manifest-duplicated", Title: "The manifest is a duplicate", Short: "KIND is a duplicate",
			Sign:    "failed manifest `" + placement.ReasonManifestDuplicated + "`",
			actions: []engine.NextAction{engine.NextDiff, engine.NextClone}, Recovery: engine.RecoveryByNewRun, RecoveryText: notUsable, Hard: true,
			Steps:    Literals{"{fixes-first}Select OBJECT only once, envelopes included; then create a new run ({clone})."},
			Commands: []Command{ShowBinding, ShowSnapshots, ShowWorks},
		},
		reasons: []string{placement.ReasonManifestDuplicated}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "lookup-on-member-failed", Title: "The member's agent could not look the object up", Short: "KIND could not be looked up",
			Sign:     "failed manifest `FailedToFindObjInMemberCluster`",
			Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: its API server has to answer and serve the kind.", Hard: true,
			Steps: Literals{"Read the message of OBJECT. Check that the API server of MEMBER answers, and that it serves the kind."}, Commands: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToFindInMember}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "drift-detection-failed", Title: "The object could not be compared on the member", Short: "KIND could not be compared",
			Sign:     "failed manifest `FailedToRunDriftDetection`",
			Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: its API server has to answer and accept the manifest.", Hard: true,
			Steps: Literals{"Read the message of OBJECT. Check that the API server of MEMBER answers, and that it accepts the manifest (kubectl apply --dry-run=server)."}, Commands: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToRunDriftDetection}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "diff-not-reportable", Title: "The differences of an object could not be reported", Short: "differences were not reported",
			Sign:     "failed manifest `FailedToReportDiff`",
			Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: its API server has to answer and accept the manifest.", Hard: true,
			Steps: Literals{"Read the message of OBJECT. Check that the API server of MEMBER answers, and that it accepts the manifest (kubectl apply --dry-run=server)."}, Commands: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToReportDiff},
	},
}

// UnknownManifest is for reasons that are not known; its message is shown whole.
var UnknownManifest = ManifestCause{
	Entry: Entry{
		Cause: "unknown-manifest-reason", Title: "A manifest fails with a reason that is not in this catalogue", Short: "KIND failed",
		Sign:     "a failed manifest whose reason is none of the above",
		Recovery: engine.RecoveryUnknown, RecoveryText: "Unknown: the reason is not in the catalogue.",
		Steps:    Literals{"{fixes-first}Fix on MEMBER what the message of OBJECT reports. If the manifest is wrong, fix it on the hub, then create a new run ({clone})."},
		Commands: onMember, Hard: true,
	},
	Pinned: true,
}

// ManifestCauseOf finds the entry of a failing manifest.
func ManifestCauseOf(m *placement.FailedResourcePlacement) *ManifestCause {
	for i := range ManifestCauses {
		r := &ManifestCauses[i]
		named := slices.Contains(r.reasons, m.Condition.Reason)
		if named && r.either {
			return r
		}
		// Patterns are slow on long messages, and a fleet has many.
		if (named || r.either) && (r.pattern == nil || r.pattern.matches(m.Condition.Message)) {
			return r
		}
	}
	return &UnknownManifest
}

// ConflictOfStrategies is the reason of a conflict in hubs that report it only when the apply strategies differ.
const ConflictOfStrategies = "ApplyConflictBetweenPlacements"

// OnManifests lists the causes in failed manifests.
func OnManifests() []*Entry {
	var out []*Entry
	for i := range ManifestCauses {
		out = append(out, &ManifestCauses[i].Entry)
	}
	return append(out, &UnknownManifest.Entry)
}
