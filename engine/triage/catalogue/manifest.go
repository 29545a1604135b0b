package catalogue

import (
	"slices"
	"strings"

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

var onMember = []Command{ShowOnMember, ShowPodsOnMember, ShowWorks, ShowBinding}

// ManifestCauses are tried in order; the first that matches is the cause.
var ManifestCauses = []ManifestCause{
	{
		Entry: Entry{
			Cause: WorkloadNotReady, Title: "A workload does not become ready", Short: "KIND is not ready",
			Sign:    "failed manifest Available `ManifestNotAvailableYet` (`Manifest is not yet available; …`, older: `Manifest is trackable but not available yet`)",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, RecoveryText: engine.Lit("After a fix on the member (image, capacity, quota, volumes)."),
			Steps: Steps(
				engine.Lit("{fixes-first}Look at the workload's pods on the member ({member}). Fix the member, or fix the manifest on the hub and create a new run ({clone})."),
				engine.Lit("Look for ErrImagePull, ImagePullBackOff and InvalidImageName, for pods that are Pending, and for a missing volume, ConfigMap or Secret."),
			),
			Commands: onMember,
		},
		reasons: []string{placement.ReasonManifestNotAvailableYet}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "availability-check-failed", Title: "The availability of a manifest could not be checked", Short: "KIND could not be checked",
			Sign:     "failed manifest Available `Failed`",
			Recovery: engine.RecoveryOnMember, RecoveryText: engine.Lit("After a fix on the member: the check has to succeed."),
			Steps: Steps(engine.Lit("Read the message of OBJECT, then look at OBJECT on MEMBER ({member}).")), Commands: onMember,
		},
		reasons: []string{placement.ReasonManifestFailed}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: PlacementsConflict, Title: "Two placements place the same object", Short: "KIND is placed twice",
			Sign:    "failed manifest `ApplyConflictBetweenPlacements`, or message `already owned by another (Fleet) AppliedWork (object)`",
			actions: []engine.NextAction{engine.NextCluster}, Recovery: engine.RecoveryOnHub, RecoveryText: engine.Lit("After a fix on the hub: the other placement has to stop placing the object."), Hard: true,
			Steps: Steps(
				engine.Lit("{fixes-first}Find the other placement: print the placement and the objects of each Work on the cluster ({diagnose:run the first command}). Remove OBJECT from it: the member's agent then deletes the object, creates it again for this placement, and this run continues."),
				engine.Lit("{fixes-first}Or remove the object from this placement, then create a new run ({clone}): this one keeps its snapshot."),
			),
			Commands: []Command{ShowOtherPlacement, ShowWorkObjects, ShowOnMember, ShowBinding},
		},
		reasons: []string{ConflictOfStrategies}, either: true,
		pattern: Matching(`already owned by another (?:Fleet )?AppliedWork`),
	},
	{
		Entry: Entry{
			Cause: TakeoverDiffers, Title: "The object on the member differs from the manifest, which blocks takeover", Short: "KIND differs from the manifest",
			Sign:    "failed manifest `FailedToTakeOver`, message `configuration differences are found between the manifest object …` (whenToTakeOver IfNoDiff)",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryOnMember, RecoveryText: engine.Lit("After a fix on the member: the object has to equal the manifest."), Hard: true,
			Steps: Steps(
				engine.Lit("Make OBJECT on MEMBER equal to the manifest: diffedPlacements of the binding lists the differences."),
				engine.Lit("{fixes-first}Or set whenToTakeOver to Always in the placement, which ends this run, then create a new run ({clone})."),
			),
			Commands: []Command{ShowBinding, ShowOnMember},
		},
		reasons: []string{placement.ReasonManifestFailedToTakeOver, placement.ReasonManifestNotTakenOver},
		pattern: Matching(`configuration differences are found`),
	},
	{
		Entry: Entry{
			Cause: "not-taken-over", Title: "The object exists on the member, and takeover is off", Short: "KIND may not be taken over",
			Sign:    "failed manifest `NotTakenOver`, message `takeover is needed` (whenToTakeOver Never)",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryOnMember, RecoveryText: engine.Lit("After a fix on the member: the object has to be deleted there."), Hard: true,
			Steps: Steps(
				engine.Lit("Delete OBJECT on MEMBER if it is safe to recreate it: the agent then creates it from the manifest."),
				engine.Lit("{fixes-first}Or set whenToTakeOver to Always in the placement, which ends this run, then create a new run ({clone})."),
			),
			Commands: []Command{ShowOnMember, ShowPlacement, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestNotTakenOver},
	},
	{
		Entry: Entry{
			Cause: OwnedByOthers, Title: "The object on the member has another owner", Short: "KIND has another owner",
			Sign:    "failed manifest `ManifestsAlreadyOwnedByOthers` or `FailedToTakeOver`, message `not managed by the fleet controller`, `already owned by some other source(s)`",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryOnMember, RecoveryText: engine.Lit("After a fix on the member: the current owner has to release the object."), Hard: true,
			Steps: Steps(
				engine.Lit("List the object's owners ({diagnose:run the first command}): the message does not name them. An AppliedWork belongs to another placement: do not delete it, remove the object from that placement."),
				engine.Lit("{fixes-first}Delete OBJECT or its other owner on MEMBER if it is safe to recreate it. Or set allowCoOwnership in the placement's apply strategy, which ends this run, then create a new run ({clone})."),
			),
			Commands: []Command{ShowOwnersOnMember, ShowOnMember, ShowPlacement, ShowBinding},
		},
		reasons: []string{"ManifestsAlreadyOwnedByOthers"}, either: true,
		pattern: Matching(`not managed by the fleet controller|already owned by some other sources?\(s\)|co-?own`),
	},
	{
		Entry: Entry{
			Cause: "takeover-failed", Title: "The object on the member could not be taken over, for an unknown reason", Short: "KIND was not taken over",
			Sign:    "failed manifest `FailedToTakeOver`, any other message",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryOnMember, RecoveryText: engine.Lit("After a fix on the member: what the message of the object reports."), Hard: true,
			Steps:    Steps(engine.Lit("Read the message of OBJECT, then look at OBJECT on MEMBER and at its owners ({diagnose:run the first command}).")),
			Commands: []Command{ShowOwnersOnMember, ShowOnMember, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestFailedToTakeOver},
	},
	{
		Entry: Entry{
			Cause: DriftBlocks, Title: "The object was changed on the member, and drift blocks applying", Short: "KIND has drifted",
			Sign:    "failed manifest `FoundDrifts` or `FoundDriftsInDegradedMode`, message `drifts are found between the manifest …` (whenToApply IfNotDrifted)",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryOnMember, RecoveryText: engine.Lit("After a fix on the member: the change there has to be reverted."), Hard: true,
			Steps:    Steps(engine.Lit("Revert the change to OBJECT on MEMBER: driftedPlacements of the binding lists the changed fields."), engine.Lit("{fixes-first}Or set whenToApply to Always in the placement, which ends this run, then create a new run ({clone}).")),
			Commands: []Command{ShowBinding, ShowOnMember},
		},
		reasons: []string{placement.ReasonManifestFoundDrifts, placement.ReasonManifestFoundDriftsDegraded},
	},
	rejection(engine.Cause("rejected-by-quota"), "A quota on the member rejects the object", "quota denied KIND", "`exceeded quota`",
		`(?i)exceeded quota|quota exceeded`, engine.RecoveryOnMember, engine.Lit("After a fix on the member: its quota has to allow the object."),
		engine.Lit("{fixes-first}Raise the quota on MEMBER or free part of it. Or make OBJECT use less of it on the hub, then create a new run ({clone})."), ShowQuotaOnMember),
	rejection(engine.Cause("rejected-by-limits"), "A LimitRange, or a quota that requires limits, rejects the object on the member", "limits of KIND rejected", "`failed quota: … must specify …`, `maximum … usage per …`, `minimum … usage per …`",
		`must specify (?:limits|requests)\.|`+outsideLimits, engine.RecoveryOnMember, engine.Lit("After a fix on the member: its LimitRange or its quota has to allow the object."),
		engine.Lit("{fixes-first}Set the requests and limits of OBJECT on the hub as the message requires, then create a new run ({clone}). Or change the LimitRange or the quota on MEMBER."), ShowLimitsOnMember),
	unpinned(rejection(engine.Cause("webhook-unreachable"), "An admission webhook on the member does not answer", "webhook does not answer", "`failed calling webhook`",
		`(?i)failed calling webhook|failed to call webhook`, engine.RecoveryOnMember, engine.Lit("After a fix on the member: the webhook has to answer. Nothing is wrong with the manifest."),
		engine.Lit("Restore the webhook that the message names: its pods, Service and certificate on MEMBER. If it was removed, delete its webhook configuration. This run then continues."), ShowAdmissionOnMember)),
	rejection(engine.Cause("rejected-by-webhook"), "An admission webhook or policy on the member denies the object", "admission denied KIND", "`admission webhook … denied the request`",
		`(?i)admission webhook|ValidatingAdmissionPolicy|violates PodSecurity|denied the request`, engine.RecoveryOnMember,
		engine.Lit("After a fix on the member: the webhook or policy has to allow the object."),
		engine.Lit("{fixes-first}Change OBJECT on the hub as the message requires, then create a new run ({clone}). Or change the webhook or policy on MEMBER."), ShowAdmissionOnMember),
	rejection(engine.Cause("field-conflict"), "Another field manager owns fields of the object (server-side apply)", "fields of KIND are another manager's", "`Apply failed with … conflict`",
		`Apply failed with \d+ conflicts?: `, engine.RecoveryOnMember,
		engine.Lit("After a fix on the member: the other manager has to release the fields."),
		engine.Lit("{fixes-first}Have the manager in the message release its fields of OBJECT on MEMBER. Or remove the fields from the manifest, then create a new run ({clone}). Or set serverSideApplyConfig.force to true in the placement's apply strategy, which ends this run, then create a new run ({clone})."), ShowOwnersOnMember),
	rejection(engine.Cause("immutable-field"), "The manifest changes a field that cannot be changed", "immutable field of KIND", "`field is immutable`",
		`(?i)is immutable|may not be changed|may not change fields|updates to .* are forbidden`, engine.RecoveryOnMember,
		engine.Lit("After a fix on the member: the object has to be deleted there."),
		engine.Lit("{fixes-first}Delete OBJECT on MEMBER if it is safe to recreate it. Or revert the field in the manifest, then create a new run ({clone})."), 0),
	unpinned(rejection(NamespaceTerminating, "The namespace is being deleted on the member", "namespace is being deleted", "`because it is being terminated`",
		`(?i)is being terminated`, engine.RecoveryOnMember, engine.Lit("After a fix on the member: the deletion of the namespace has to finish, and the namespace has to exist again."),
		engine.Lit("Wait until the namespace is deleted on MEMBER; if that does not finish, look for finalizers of the objects in it. Then create it again, unless the placement contains it."), ShowNamespaceOnMember)),
	rejection(NamespaceMissing, "The namespace is missing on the member", "namespace does not exist", "`namespaces \"…\" not found`",
		`namespaces "[^"]*" not found|namespace .* not found`, engine.RecoveryOnMember,
		engine.Lit("After a fix on the member: the namespace has to exist there."),
		engine.Lit("{fixes-first}Create the namespace on MEMBER. Or add it to the placement, then create a new run ({clone})."), ShowNamespacesOnMember),
	rejection(KindMissing, "The kind is not installed on the member", "kind KIND is not installed", "`no matches for kind`, `the server could not find the requested resource`",
		`(?i)no matches for kind|could not find the requested resource|no kind .* is registered|unable to recognize`, engine.RecoveryOnMember,
		engine.Lit("After a fix on the member: its API server has to serve the kind."),
		engine.Lit("{fixes-first}Install the CRD of the kind on the member, or add it to the placement and create a new run ({clone}). Check that the member serves the kind ({diagnose:run the first command})."), ShowKindOnMember),
	rejection(engine.Cause("agent-not-permitted"), "The member's agent is not permitted to apply the object", "RBAC denied KIND", "`is forbidden: User … cannot …`",
		`(?i)is forbidden: User|cannot (?:create|patch|update|get) resource`, engine.RecoveryOnMember,
		engine.Lit("After a fix on the member: its agent needs the permission."),
		engine.Lit("{fixes-first}Grant the permission in the message to the member agent's service account on MEMBER. Or remove OBJECT from the placement, then create a new run ({clone})."), ShowPermissionOnMember),
	{
		Entry: Entry{
			Cause: "manifest-invalid", Title: "The member's API server rejects the manifest as not valid", Short: "KIND is not valid",
			Sign:     "failed manifest `ManifestApplyFailed`, `… is invalid: …`, `request is too large`",
			Recovery: engine.RecoveryByNewRun, RecoveryText: engine.Lit("Needs a new run: the manifest is not valid."), Hard: true,
			actions: []engine.NextAction{engine.NextDiff, engine.NextClone, engine.NextMember},
			Steps: Steps(
				engine.Lit("{fixes-first}Fix OBJECT on the hub, in the manifest or in an override, as the message requires. Then create a new run ({clone})."),
				engine.Lit("If OBJECT is a custom resource, and its CRD on MEMBER is older than the manifest, update the CRD there: this run then continues."),
			),
			Commands: []Command{ShowOnMember, ShowUsedOverrides, ShowBinding},
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: Matching(`"[^"]*" is invalid:|request is too large`), Pinned: true,
	},
	unpinned(rejection(engine.Cause("member-api-busy"), "The member's API server did not answer, or another writer was faster", "KIND could not be written", "`currently unable to handle the request`, `context deadline exceeded`, `the object has been modified`",
		`unable to handle the request|context deadline exceeded|object has been modified|too many requests|connection refused|i/o timeout`, engine.RecoveryAutomatic,
		engine.Lit("Recovers automatically when the member's API server answers: the agent applies the manifest again."),
		engine.Lit("Wait for the agent's next try. If the message stays, look at the API server of MEMBER."), 0)),
	rejection(engine.Cause("manifest-rejected"), "The member's API server rejects the manifest", "API server rejected KIND", "any other message: `failed to apply the manifest`, `failed to create the manifest`, `failed to patch the manifest`",
		"", engine.RecoveryOnMember, engine.Lit("After a fix on the member (quota, webhook, permissions, a missing namespace or kind)."),
		engine.Lit("{fixes-first}Fix on MEMBER what the message of OBJECT reports. If the manifest is wrong, fix it on the hub, then create a new run ({clone})."), 0),
	broken(notDecodable, "The manifest cannot be read, or its kind is unknown on the member", "KIND cannot be decoded", placement.ReasonManifestDecodingErr, KindNow,
		engine.Lit("{fixes-first}Fix OBJECT on the hub, then create a new run ({clone})."), engine.Lit("If it is of a custom kind, install its CRD on MEMBER: this run then recovers.")),
	broken(engine.Cause("generate-name"), "The manifest has a generateName", "KIND has a generateName", placement.ReasonManifestFoundGenerateName, 0,
		engine.Lit("{fixes-first}Give the object a name on the hub, then create a new run ({clone}).")),
	broken(engine.Cause("manifest-duplicated"), "The manifest is a duplicate", "KIND is a duplicate", placement.ReasonManifestDuplicated, 0,
		engine.Lit("{fixes-first}Select OBJECT only once, envelopes included; then create a new run ({clone}).")),
	{
		Entry: Entry{
			Cause: "lookup-on-member-failed", Title: "The member's agent could not look the object up", Short: "KIND could not be looked up",
			Sign:     "failed manifest `FailedToFindObjInMemberCluster`",
			Recovery: engine.RecoveryOnMember, RecoveryText: engine.Lit("After a fix on the member: its API server has to answer and serve the kind."), Hard: true,
			Steps: Steps(engine.Lit("Read the message of OBJECT. Check that the API server of MEMBER answers, and that it serves the kind.")), Commands: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToFindInMember}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "drift-detection-failed", Title: "The object could not be compared on the member", Short: "KIND could not be compared",
			Sign:     "failed manifest `FailedToRunDriftDetection`",
			Recovery: engine.RecoveryOnMember, RecoveryText: engine.Lit("After a fix on the member: its API server has to answer and accept the manifest."), Hard: true,
			Steps: Steps(engine.Lit("Read the message of OBJECT. Check that the API server of MEMBER answers, and that it accepts the manifest (kubectl apply --dry-run=server).")), Commands: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToRunDriftDetection}, Pinned: true,
	},
	{
		Entry: Entry{
			Cause: "diff-not-reportable", Title: "The differences of an object could not be reported", Short: "differences were not reported",
			Sign:     "failed manifest `FailedToReportDiff`",
			Recovery: engine.RecoveryOnMember, RecoveryText: engine.Lit("After a fix on the member: its API server has to answer and accept the manifest."), Hard: true,
			Steps: Steps(engine.Lit("Read the message of OBJECT. Check that the API server of MEMBER answers, and that it accepts the manifest (kubectl apply --dry-run=server).")), Commands: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToReportDiff},
	},
}

// UnknownManifest is for reasons that are not known; its message is shown whole.
var UnknownManifest = ManifestCause{
	Entry: Entry{
		Cause: "unknown-manifest-reason", Title: "A manifest fails with a reason that is not in this catalogue", Short: "KIND failed",
		Sign:     "a failed manifest whose reason is none of the above",
		Recovery: engine.RecoveryUnknown, RecoveryText: engine.Lit("Unknown: the reason is not in the catalogue."),
		Steps:    Steps(engine.Lit("{fixes-first}Fix on MEMBER what the message of OBJECT reports. If the manifest is wrong, fix it on the hub, then create a new run ({clone}).")),
		Commands: onMember, Hard: true,
	},
	Pinned: true,
}

// rejection makes the entry of one text with which a member's API server
// refuses a manifest.
func rejection(cause engine.Cause, title, short, seen, pattern string, recovery engine.Recovery, recoveryText, step engine.Text, show Command) ManifestCause {
	shows := []Command{ShowOnMember, ShowBinding}
	if show != 0 {
		shows = append([]Command{show}, shows...)
	}
	var said *Pattern
	if pattern != "" {
		said = Matching(pattern)
	}
	var check Check
	if show == ShowKindOnMember {
		check = KindNow
	}
	return ManifestCause{
		Entry: Entry{
			Cause: cause, Title: title, Short: short, Check: check,
			Sign: "failed manifest `ManifestApplyFailed`, " + seen, Recovery: recovery, RecoveryText: recoveryText, actions: onWorkload,
			Steps: Steps(step), Commands: shows, Hard: true,
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: said, Pinned: true,
	}
}

// awaited is what an object without pods waits for (KubeFleet, trackInMemberClusterObjAvailability).
var awaited = map[string]engine.Text{
	"Service":                  engine.Lit("a Service of type LoadBalancer needs an address in status.loadBalancer, another type needs a clusterIP"),
	"CustomResourceDefinition": engine.Lit("its condition Established has to be True"),
	"PodDisruptionBudget":      engine.Lit("status.currentHealthy has to reach status.desiredHealthy: enough of its pods have to be ready"),
	"PersistentVolumeClaim":    engine.Lit("it has to be Bound: look at its storage class and at the pods that use it"),
}

// NotReadySteps are the steps for an object that is not available and has no pods of its
// own.
func NotReadySteps(kind string) []engine.Text {
	why := engine.Lit("its status and events show what it waits for")
	if w, ok := awaited[kind]; ok {
		why = w
	}
	return []engine.Text{engine.Textf("{fixes-first}Look at OBJECT on MEMBER ({diagnose:run the first command}): %s. Fix the member, or fix the manifest on the hub and create a new run ({clone}).", why)}
}

// unpinned is a cause that no other manifest would avoid.
func unpinned(c ManifestCause) ManifestCause {
	c.Pinned, c.actions = false, []engine.NextAction{engine.NextMember}
	return c
}

// broken makes the entry of a manifest that can never be applied.
func broken(cause engine.Cause, title, short, reason string, now Check, steps ...engine.Text) ManifestCause {
	return ManifestCause{
		Entry: Entry{
			Cause: cause, Title: title, Short: short, Sign: "failed manifest `" + reason + "`",
			Recovery: engine.RecoveryByNewRun, RecoveryText: engine.Lit("Needs a new run: the manifest itself is not usable."),
			Steps: steps, Commands: []Command{ShowBinding, ShowSnapshots, ShowWorks}, Hard: true,
			actions: []engine.NextAction{engine.NextDiff, engine.NextClone}, Check: now,
		},
		reasons: []string{reason}, Pinned: true,
	}
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

// DegradedSteps are the steps for differences that were found in degraded mode: the member's API
// server rejected the dry run of the manifest as invalid, mostly for an immutable field, and all
// fields were compared (workapplier, partialDiffBetweenManifestAndInMemberClusterObjects).
var DegradedSteps = Steps(
	engine.Lit("{fixes-first}Delete OBJECT on MEMBER if it is safe to recreate it: the API server of MEMBER rejects the update. The agent then creates it from the manifest."),
	engine.Lit("{fixes-first}Or, if the manifest itself is not valid, fix it on the hub, then create a new run ({clone})."),
)

// Degraded reports whether the message of a manifest is about differences that were found in
// degraded mode.
func Degraded(message string) bool { return strings.Contains(message, "in degraded mode") }

// Conflict is the entry of an object that two placements place.
var Conflict = func() *Entry {
	i := slices.IndexFunc(ManifestCauses, func(c ManifestCause) bool { return c.Cause == PlacementsConflict })
	return &ManifestCauses[i].Entry
}()

// SameStrategy is the step for an object that two placements place, in hubs that report it only when
// their apply strategies differ.
var SameStrategy = engine.Lit("{fixes-first}Or give both placements the same apply strategy. A change of this placement's ends this run: then create a new run ({clone}).")

// ConflictOfStrategies is the reason in those hubs.
const ConflictOfStrategies = "ApplyConflictBetweenPlacements"

// OnManifests lists the causes in failed manifests.
func OnManifests() []*Entry {
	var out []*Entry
	for i := range ManifestCauses {
		out = append(out, &ManifestCauses[i].Entry)
	}
	return append(out, &UnknownManifest.Entry)
}
