package triage

import (
	"regexp"
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// reject is one way for a manifest to fail on a member: by the
// reason of its condition, in both ages, and by its message where the reason
// says too little.
type reject struct {
	entry
	// reasons are any of them, and pattern has to match as well; with either
	// one of the two is enough. A nil pattern matches anything.
	reasons []string
	pattern *regexp.Regexp
	either  bool
	// pinned ends recoveryText with the snapshot that the run keeps.
	pinned bool
}

var onMember = []command{cShowOnMember, cShowPodsOnMember, cShowWorks, cShowBinding}

var rejects = []reject{
	{
		entry: entry{
			cause: workloadNotReady, title: "A workload does not become ready",
			sign:    "failed manifest Available `ManifestNotAvailableYet` (`Manifest is not yet available; …`, older: `Manifest is trackable but not available yet`)",
			actions: onWorkload, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member (image, capacity, quota, volumes)."),
			steps: lits(
				engine.Lit("Look at the workload's pods on the member (m). Fix the member, or fix the manifest on the hub and create a new run (C)."),
				engine.Lit("Look for ErrImagePull, ImagePullBackOff and InvalidImageName, for pods that are Pending, and for a missing volume, ConfigMap or Secret."),
			),
			commands: onMember,
		},
		reasons: []string{placement.ReasonManifestNotAvailableYet}, pinned: true,
	},
	{
		entry: entry{
			cause: engine.NewCause("availability-check-failed"), title: "The availability of a manifest could not be checked",
			sign:     "failed manifest Available `Failed`",
			recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: its agent checks again."),
			steps: lits(engine.Lit("Read the manifest's message, then look at the object on the member (m).")), commands: onMember,
		},
		reasons: []string{placement.ReasonManifestFailed}, pinned: true,
	},
	{
		entry: entry{
			cause: engine.NewCause("placements-conflict"), title: "Two placements place the same object",
			sign:    "failed manifest `ApplyConflictBetweenPlacements`, or message `already owned by another (Fleet) AppliedWork (object)`",
			actions: []engine.Lead{engine.LeadCluster}, recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: the other placement has to stop placing the object."), hard: true,
			steps:    lits(engine.Lit("Remove the object from one of the two placements."), engine.Lit("If both need it, give both placements the same apply strategy.")),
			commands: []command{cShowOnMember, cShowPlacements, cShowBinding},
		},
		reasons: []string{"ApplyConflictBetweenPlacements"}, either: true,
		pattern: regexp.MustCompile(`already owned by another (?:Fleet )?AppliedWork`),
	},
	{
		entry: entry{
			cause: engine.NewCause("takeover-refused-by-differences"), title: "The object on the member differs, and takeover needs no differences",
			sign:    "failed manifest `FailedToTakeOver`, message `configuration differences are found between the manifest object …` (whenToTakeOver IfNoDiff)",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadClone}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: the object has to equal the manifest."), hard: true,
			steps: lits(
				engine.Lit("Make the object on the member equal to the manifest: diffedPlacements of the binding lists the differences. Or set whenToTakeOver to Always in the placement, then create a new run (C)."),
			),
			commands: []command{cShowBinding, cShowOnMember},
		},
		reasons: []string{placement.ReasonManifestFailedToTakeOver, placement.ReasonManifestNotTakenOver},
		pattern: regexp.MustCompile(`configuration differences are found`),
	},
	{
		entry: entry{
			cause: engine.NewCause("not-taken-over"), title: "The object exists on the member, and takeover is off",
			sign:    "failed manifest `NotTakenOver`, message `takeover is needed` (whenToTakeOver Never)",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadClone}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: the object has to be deleted there."), hard: true,
			steps:    lits(engine.Lit("Delete the object on the member. Or set whenToTakeOver to Always in the placement, then create a new run (C).")),
			commands: []command{cShowOnMember, cShowPlacement, cShowBinding},
		},
		reasons: []string{placement.ReasonManifestNotTakenOver},
	},
	{
		entry: entry{
			cause: ownedByOthers, title: "The object on the member has another owner",
			sign:    "failed manifest `ManifestsAlreadyOwnedByOthers` or `FailedToTakeOver`, message `not managed by the fleet controller`, `already owned by some other source(s)`",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadClone}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: the present owner has to release the object."), hard: true,
			steps: lits(
				engine.Lit("Print the owners of the object with the first command: the message does not name them."),
				engine.Lit("Delete the object or its owner on the member. Or set allowCoOwnership in the placement's apply strategy, then create a new run (C)."),
			),
			commands: []command{cShowOwnersOnMember, cShowOnMember, cShowPlacement, cShowBinding},
		},
		reasons: []string{"ManifestsAlreadyOwnedByOthers"}, either: true,
		pattern: regexp.MustCompile(`not managed by the fleet controller|already owned by some other sources?\(s\)|co-?own`),
	},
	{
		entry: entry{
			cause: engine.NewCause("takeover-failed"), title: "The object on the member could not be taken over, for an unknown reason",
			sign:    "failed manifest `FailedToTakeOver`, any other message",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadClone}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: the present owner has to release the object."), hard: true,
			steps:    lits(engine.Lit("Read the manifest's message, then look at the object on the member and its owners.")),
			commands: []command{cShowOnMember, cShowBinding},
		},
		reasons: []string{placement.ReasonManifestFailedToTakeOver},
	},
	{
		entry: entry{
			cause: engine.NewCause("drift-forbids-apply"), title: "The object was changed on the member, and drift blocks applying",
			sign:    "failed manifest `FoundDrifts` or `FoundDriftsInDegradedMode`, message `drifts are found between the manifest …` (whenToApply IfNotDrifted)",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadClone}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: the change there has to be reverted."), hard: true,
			steps:    lits(engine.Lit("Revert the change on the member. Or set whenToApply to Always in the placement, then create a new run (C)."), engine.Lit("driftedPlacements of the binding lists the changed fields.")),
			commands: []command{cShowBinding, cShowOnMember},
		},
		reasons: []string{placement.ReasonManifestFoundDrifts, placement.ReasonManifestFoundDriftsDegraded},
	},
	rejection(engine.NewCause("rejected-by-quota"), "A quota on the member rejects the object", "`exceeded quota`",
		`(?i)exceeded quota|quota exceeded`, engine.HealMember, engine.Lit("After a fix on the member: its quota has to leave room."),
		engine.Lit("Raise the quota on the member, or free some of it. Or request less in the manifest, then create a new run (C)."), cShowQuotaOnMember),
	rejection(engine.NewCause("rejected-by-webhook"), "An admission webhook or policy on the member denies the object", "`admission webhook … denied the request`",
		`(?i)admission webhook|ValidatingAdmissionPolicy|violates PodSecurity|denied the request|failed calling webhook`, engine.HealMember,
		engine.Lit("After a fix on the member: the webhook or policy has to allow the object."),
		engine.Lit("Change the manifest as the webhook's message asks, then create a new run (C). Or change the policy on the member."), 0),
	rejection(engine.NewCause("immutable-field"), "The manifest changes a field that cannot be changed", "`field is immutable`",
		`(?i)is immutable|may not be changed|may not change fields|updates to .* are forbidden`, engine.HealMember,
		engine.Lit("After a fix on the member: the object has to be deleted, and is then created again."),
		engine.Lit("Delete the object on the member if it may be created again. Or revert the field in the manifest, then create a new run (C)."), 0),
	rejection(engine.NewCause("namespace-missing"), "The namespace is missing on the member", "`namespaces \"…\" not found`",
		`namespaces "[^"]*" not found|namespace .* (?:is being terminated|not found)`, engine.HealMember,
		engine.Lit("After a fix on the member: the namespace has to exist there."),
		engine.Lit("Create the namespace on the member, or place it with the placement."), 0),
	rejection(engine.NewCause("kind-missing"), "The member does not know the kind", "`no matches for kind`, `the server could not find the requested resource`",
		`(?i)no matches for kind|could not find the requested resource|no kind .* is registered|unable to recognize`, engine.HealMember,
		engine.Lit("After a fix on the member: its API server has to serve the kind."),
		engine.Lit("Install the CRD on the member, or place it first."), 0),
	rejection(engine.NewCause("agent-not-permitted"), "The member's agent may not apply the object", "`is forbidden: User … cannot …`",
		`(?i)is forbidden: User|cannot (?:create|patch|update|get) resource`, engine.HealMember,
		engine.Lit("After a fix on the member: its agent needs the permission."),
		engine.Lit("Grant the permission in the message to the member agent's service account."), 0),
	rejection(engine.NewCause("manifest-rejected"), "The member's API server rejects the manifest", "any other message: `failed to apply the manifest`, `failed to create the manifest`, `failed to patch the manifest`",
		"", engine.HealMember, engine.Lit("After a fix on the member (quota, webhook, permissions, a missing namespace or kind)."),
		engine.Lit("Fix what the manifest's message names: on the member, or in the manifest on the hub and then create a new run (C)."), 0),
	broken(engine.NewCause("manifest-not-decodable"), "The manifest cannot be read, or its kind is unknown on the member", placement.ReasonManifestDecodingErr, cKindNow,
		engine.Lit("Fix the manifest on the hub, then create a new run (C)."), engine.Lit("If it is of a custom kind, install its CRD on the member: this run then recovers.")),
	broken(engine.NewCause("generate-name"), "The manifest has a generateName", placement.ReasonManifestFoundGenerateName, 0,
		engine.Lit("Give the object a name on the hub, then create a new run (C).")),
	broken(engine.NewCause("duplicated"), "The manifest is a duplicate", placement.ReasonManifestDuplicated, 0,
		engine.Lit("Select the object only once, envelopes included; then create a new run (C).")),
	{
		entry: entry{
			cause: engine.NewCause("lookup-on-member-failed"), title: "The member's agent could not look the object up",
			sign:     "failed manifest `FailedToFindObjInMemberCluster`",
			recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: its API server has to answer and serve the kind."), hard: true,
			steps: lits(engine.Lit("Look at the object and its kind on the member (m), and at the member's API server.")), commands: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToFindInMember}, pinned: true,
	},
	{
		entry: entry{
			cause: engine.NewCause("drift-detection-failed"), title: "The object could not be compared on the member",
			sign:     "failed manifest `FailedToRunDriftDetection`",
			recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: its API server has to answer."), hard: true,
			steps: lits(engine.Lit("Read the manifest's message. Check the member's API server and validate the manifest there.")), commands: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToRunDriftDetection}, pinned: true,
	},
	{
		entry: entry{
			cause: engine.NewCause("diff-not-reportable"), title: "The differences of an object could not be reported",
			sign:     "failed manifest `FailedToReportDiff`",
			recovery: engine.HealMember, recoveryText: healWhenMember, hard: true,
			steps: lits(engine.Lit("Read the manifest's message. Check the member's API server.")), commands: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToReportDiff},
	},
}

// unknownManifest is for reasons that are not known; its message is shown whole.
var unknownManifest = reject{
	entry: entry{
		cause: engine.NewCause("unknown-manifest-reason"), title: "A manifest fails with a reason that is not in this catalogue",
		sign:     "a failed manifest whose reason is none of the above",
		recovery: engine.HealUnknown, recoveryText: engine.Lit("Unknown: the reason is not in the catalogue."),
		steps:    lits(engine.Lit("Fix what the manifest's message names: on the member, or in the manifest on the hub and then create a new run (C).")),
		commands: onMember, hard: true,
	},
	pinned: true,
}

// rejection makes the entry of one text with which a member's API server
// refuses a manifest.
func rejection(cause engine.Cause, title, seen, pattern string, recovery engine.Healing, recoveryText, step engine.Text, show command) reject {
	shows := []command{cShowOnMember, cShowBinding}
	if show != 0 {
		shows = append([]command{show}, shows...)
	}
	var said *regexp.Regexp
	if pattern != "" {
		said = regexp.MustCompile(pattern)
	}
	return reject{
		entry: entry{
			cause: cause, title: title,
			sign: "failed manifest `ManifestApplyFailed`, " + seen, recovery: recovery, recoveryText: recoveryText, actions: onWorkload,
			steps: lits(step), commands: shows, hard: true,
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: said, pinned: true,
	}
}

// broken makes the entry of a manifest that can never be applied.
func broken(cause engine.Cause, title, reason string, now check, steps ...engine.Text) reject {
	return reject{
		entry: entry{
			cause: cause, title: title, sign: "failed manifest `" + reason + "`",
			recovery: engine.HealNewRun, recoveryText: engine.Lit("Needs a new run: the manifest itself is not usable."),
			steps: steps, commands: []command{cShowBinding, cShowSnapshots, cShowWorks}, hard: true,
			actions: []engine.Lead{engine.LeadDiff, engine.LeadClone}, check: now,
		},
		reasons: []string{reason}, pinned: true,
	}
}

// manifestEntry finds the entry of a failing manifest.
func manifestEntry(m *placement.FailedResourcePlacement) *reject {
	for i := range rejects {
		r := &rejects[i]
		named := slices.Contains(r.reasons, m.Condition.Reason)
		if named && r.either {
			return r
		}
		// Patterns are slow on long messages, and a fleet has many.
		if (named || r.either) && (r.pattern == nil || r.pattern.MatchString(m.Condition.Message)) {
			return r
		}
	}
	return &unknownManifest
}

func onManifests() []*entry {
	var out []*entry
	for i := range rejects {
		out = append(out, &rejects[i].entry)
	}
	return append(out, &unknownManifest.entry)
}
