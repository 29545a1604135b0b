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
	// pinned ends heal with the snapshot that the run keeps.
	pinned bool
}

var onMember = []command{showOnMember, showPodsOnMember, showWorks, showBinding}

// noKind is what the agent says of a manifest whose kind the member does not serve.
var noKind = regexp.MustCompile(`(?i)no matches for kind`)

// kindNow is the present of a manifest that cannot be decoded: when the member does
// not serve its kind, the manifest may be right.
func kindNow(k *kit) present {
	if k.manifest == nil || !noKind.MatchString(k.manifest.Condition.Message) {
		return present{}
	}
	p := then(
		engine.Textf("Install the CRD of kind %s on the member, or place it first: this run then continues.", k.manifest.Kind),
		engine.Lit("If the kind or its version is wrong, fix the manifest on the hub, then create a new run (C)."),
	)
	p.heals, p.heal = engine.HealMember, engine.Textf("After a fix on the member: its API server has to serve the kind. A wrong manifest needs a new run: this one keeps snapshot %s.", engine.OrUnknown(k.v.Index))
	return p
}

var rejects = []reject{
	{
		entry: entry{
			cause: workloadNotReady, title: "A workload does not become ready",
			seen:  "failed manifest Available `ManifestNotAvailableYet` (`Manifest is not yet available; …`, older: `Manifest is trackable but not available yet`)",
			leads: onWorkload, heals: engine.HealMember, heal: engine.Lit("After a fix on the member (image, capacity, quota, volumes)."),
			steps: lits(
				engine.Lit("Look at the workload's pods on the member (m). Fix the member, or fix the manifest on the hub and create a new run (C)."),
				engine.Lit("Look for ErrImagePull, ImagePullBackOff and InvalidImageName, for pods that are Pending, and for a missing volume, ConfigMap or Secret."),
			),
			shows: onMember,
		},
		reasons: []string{placement.ReasonManifestNotAvailableYet}, pinned: true,
	},
	{
		entry: entry{
			cause: engine.NewCause("availability-check-failed"), title: "The availability of a manifest could not be checked",
			seen:  "failed manifest Available `Failed`",
			heals: engine.HealMember, heal: engine.Lit("After a fix on the member: its agent checks again."),
			steps: lits(engine.Lit("Read the manifest's message, then look at the object on the member (m).")), shows: onMember,
		},
		reasons: []string{placement.ReasonManifestFailed}, pinned: true,
	},
	{
		entry: entry{
			cause: engine.NewCause("placements-conflict"), title: "Two placements place the same object",
			seen:  "failed manifest `ApplyConflictBetweenPlacements`, or message `already owned by another (Fleet) AppliedWork (object)`",
			leads: []engine.Lead{engine.LeadCluster}, heals: engine.HealHub, heal: engine.Lit("After a fix on the hub: the other placement has to stop placing the object."), hard: true,
			steps: lits(engine.Lit("Remove the object from one of the two placements."), engine.Lit("If both need it, give both placements the same apply strategy.")),
			shows: []command{showOnMember, showPlacements, showBinding},
		},
		reasons: []string{"ApplyConflictBetweenPlacements"}, either: true,
		pattern: regexp.MustCompile(`already owned by another (?:Fleet )?AppliedWork`),
	},
	{
		entry: entry{
			cause: engine.NewCause("takeover-refused-by-differences"), title: "The object on the member differs, and takeover needs no differences",
			seen:  "failed manifest `FailedToTakeOver`, message `configuration differences are found between the manifest object …` (whenToTakeOver IfNoDiff)",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealMember, heal: engine.Lit("After a fix on the member: the object has to equal the manifest."), hard: true,
			steps: lits(
				engine.Lit("Make the object on the member equal to the manifest: diffedPlacements of the binding lists the differences. Or set whenToTakeOver to Always in the placement, then create a new run (C)."),
			),
			shows: []command{showBinding, showOnMember},
		},
		reasons: []string{placement.ReasonManifestFailedToTakeOver, placement.ReasonManifestNotTakenOver},
		pattern: regexp.MustCompile(`configuration differences are found`),
	},
	{
		entry: entry{
			cause: engine.NewCause("not-taken-over"), title: "The object exists on the member, and takeover is off",
			seen:  "failed manifest `NotTakenOver`, message `takeover is needed` (whenToTakeOver Never)",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealMember, heal: engine.Lit("After a fix on the member: the object has to be deleted there."), hard: true,
			steps: lits(engine.Lit("Delete the object on the member. Or set whenToTakeOver to Always in the placement, then create a new run (C).")),
			shows: []command{showOnMember, showPlacement, showBinding},
		},
		reasons: []string{placement.ReasonManifestNotTakenOver},
	},
	{
		entry: entry{
			cause: ownedByOthers, title: "The object on the member has another owner",
			seen:  "failed manifest `ManifestsAlreadyOwnedByOthers` or `FailedToTakeOver`, message `not managed by the fleet controller`, `already owned by some other source(s)`",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealMember, heal: engine.Lit("After a fix on the member: the present owner has to release the object."), hard: true,
			steps: lits(
				engine.Lit("Print the owners of the object with the first command: the message does not name them."),
				engine.Lit("Delete the object or its owner on the member. Or set allowCoOwnership in the placement's apply strategy, then create a new run (C)."),
			),
			shows: []command{showOwnersOnMember, showOnMember, showPlacement, showBinding},
		},
		reasons: []string{"ManifestsAlreadyOwnedByOthers"}, either: true,
		pattern: regexp.MustCompile(`not managed by the fleet controller|already owned by some other sources?\(s\)|co-?own`),
	},
	{
		entry: entry{
			cause: engine.NewCause("takeover-failed"), title: "The object on the member could not be taken over, for an unknown reason",
			seen:  "failed manifest `FailedToTakeOver`, any other message",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealMember, heal: engine.Lit("After a fix on the member: the present owner has to release the object."), hard: true,
			steps: lits(engine.Lit("Read the manifest's message, then look at the object on the member and its owners.")),
			shows: []command{showOnMember, showBinding},
		},
		reasons: []string{placement.ReasonManifestFailedToTakeOver},
	},
	{
		entry: entry{
			cause: engine.NewCause("drift-forbids-apply"), title: "The object was changed on the member, and drift blocks applying",
			seen:  "failed manifest `FoundDrifts` or `FoundDriftsInDegradedMode`, message `drifts are found between the manifest …` (whenToApply IfNotDrifted)",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealMember, heal: engine.Lit("After a fix on the member: the change there has to be reverted."), hard: true,
			steps: lits(engine.Lit("Revert the change on the member. Or set whenToApply to Always in the placement, then create a new run (C)."), engine.Lit("driftedPlacements of the binding lists the changed fields.")),
			shows: []command{showBinding, showOnMember},
		},
		reasons: []string{placement.ReasonManifestFoundDrifts, placement.ReasonManifestFoundDriftsDegraded},
	},
	rejection(engine.NewCause("rejected-by-quota"), "A quota on the member rejects the object", "`exceeded quota`",
		`(?i)exceeded quota|quota exceeded`, engine.HealMember, engine.Lit("After a fix on the member: its quota has to leave room."),
		engine.Lit("Raise the quota on the member, or free some of it. Or request less in the manifest, then create a new run (C)."), showQuotaOnMember),
	rejection(engine.NewCause("rejected-by-webhook"), "An admission webhook or policy on the member denies the object", "`admission webhook … denied the request`",
		`(?i)admission webhook|ValidatingAdmissionPolicy|violates PodSecurity|denied the request|failed calling webhook`, engine.HealMember,
		engine.Lit("After a fix on the member: the webhook or policy has to allow the object."),
		engine.Lit("Change the manifest as the webhook's message asks, then create a new run (C). Or change the policy on the member."), nil),
	rejection(engine.NewCause("immutable-field"), "The manifest changes a field that cannot be changed", "`field is immutable`",
		`(?i)is immutable|may not be changed|may not change fields|updates to .* are forbidden`, engine.HealMember,
		engine.Lit("After a fix on the member: the object has to be deleted, and is then created again."),
		engine.Lit("Delete the object on the member if it may be created again. Or revert the field in the manifest, then create a new run (C)."), nil),
	rejection(engine.NewCause("namespace-missing"), "The namespace is missing on the member", "`namespaces \"…\" not found`",
		`namespaces "[^"]*" not found|namespace .* (?:is being terminated|not found)`, engine.HealMember,
		engine.Lit("After a fix on the member: the namespace has to exist there."),
		engine.Lit("Create the namespace on the member, or place it with the placement."), nil),
	rejection(engine.NewCause("kind-missing"), "The member does not know the kind", "`no matches for kind`, `the server could not find the requested resource`",
		`(?i)no matches for kind|could not find the requested resource|no kind .* is registered|unable to recognize`, engine.HealMember,
		engine.Lit("After a fix on the member: its API server has to serve the kind."),
		engine.Lit("Install the CRD on the member, or place it first."), nil),
	rejection(engine.NewCause("agent-not-permitted"), "The member's agent may not apply the object", "`is forbidden: User … cannot …`",
		`(?i)is forbidden: User|cannot (?:create|patch|update|get) resource`, engine.HealMember,
		engine.Lit("After a fix on the member: its agent needs the permission."),
		engine.Lit("Grant the permission in the message to the member agent's service account."), nil),
	rejection(engine.NewCause("manifest-rejected"), "The member's API server rejects the manifest", "any other message: `failed to apply the manifest`, `failed to create the manifest`, `failed to patch the manifest`",
		"", engine.HealMember, engine.Lit("After a fix on the member (quota, webhook, permissions, a missing namespace or kind)."),
		engine.Lit("Fix what the manifest's message names: on the member, or in the manifest on the hub and then create a new run (C)."), nil),
	broken(engine.NewCause("manifest-not-decodable"), "The manifest cannot be read, or its kind is unknown on the member", placement.ReasonManifestDecodingErr, kindNow,
		engine.Lit("Fix the manifest on the hub, then create a new run (C)."), engine.Lit("If it is of a custom kind, install its CRD on the member: this run then recovers.")),
	broken(engine.NewCause("generate-name"), "The manifest has a generateName", placement.ReasonManifestFoundGenerateName, nil,
		engine.Lit("Give the object a name on the hub, then create a new run (C).")),
	broken(engine.NewCause("duplicated"), "The manifest is a duplicate", placement.ReasonManifestDuplicated, nil,
		engine.Lit("Select the object only once, envelopes included; then create a new run (C).")),
	{
		entry: entry{
			cause: engine.NewCause("lookup-on-member-failed"), title: "The member's agent could not look the object up",
			seen:  "failed manifest `FailedToFindObjInMemberCluster`",
			heals: engine.HealMember, heal: engine.Lit("After a fix on the member: its API server has to answer and serve the kind."), hard: true,
			steps: lits(engine.Lit("Look at the object and its kind on the member (m), and at the member's API server.")), shows: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToFindInMember}, pinned: true,
	},
	{
		entry: entry{
			cause: engine.NewCause("drift-detection-failed"), title: "The object could not be compared on the member",
			seen:  "failed manifest `FailedToRunDriftDetection`",
			heals: engine.HealMember, heal: engine.Lit("After a fix on the member: its API server has to answer."), hard: true,
			steps: lits(engine.Lit("Read the manifest's message. Check the member's API server and validate the manifest there.")), shows: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToRunDriftDetection}, pinned: true,
	},
	{
		entry: entry{
			cause: engine.NewCause("diff-not-reportable"), title: "The differences of an object could not be reported",
			seen:  "failed manifest `FailedToReportDiff`",
			heals: engine.HealMember, heal: healWhenMember, hard: true,
			steps: lits(engine.Lit("Read the manifest's message. Check the member's API server.")), shows: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToReportDiff},
	},
}

// unknownManifest is for reasons that are not known; its message is shown whole.
var unknownManifest = reject{
	entry: entry{
		cause: engine.NewCause("unknown-manifest-reason"), title: "A manifest fails with a reason that is not in this catalogue",
		seen:  "a failed manifest whose reason is none of the above",
		heals: engine.HealUnknown, heal: engine.Lit("Unknown: the reason is not in the catalogue."),
		steps: lits(engine.Lit("Fix what the manifest's message names: on the member, or in the manifest on the hub and then create a new run (C).")),
		shows: onMember, hard: true,
	},
	pinned: true,
}

// rejection makes the entry of one text with which a member's API server
// refuses a manifest.
func rejection(cause engine.Cause, title, seen, pattern string, heals engine.Healing, heal, step engine.Text, show command) reject {
	shows := []command{showOnMember, showBinding}
	if show != nil {
		shows = append([]command{show}, shows...)
	}
	var said *regexp.Regexp
	if pattern != "" {
		said = regexp.MustCompile(pattern)
	}
	return reject{
		entry: entry{
			cause: cause, title: title,
			seen: "failed manifest `ManifestApplyFailed`, " + seen, heals: heals, heal: heal, leads: onWorkload,
			steps: lits(step), shows: shows, hard: true,
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: said, pinned: true,
	}
}

// broken makes the entry of a manifest that can never be applied.
func broken(cause engine.Cause, title, reason string, now func(*kit) present, steps ...engine.Text) reject {
	return reject{
		entry: entry{
			cause: cause, title: title, seen: "failed manifest `" + reason + "`",
			heals: engine.HealNewRun, heal: engine.Lit("Needs a new run: the manifest itself is not usable."),
			steps: steps, shows: []command{showBinding, showSnapshots, showWorks}, hard: true,
			leads: []engine.Lead{engine.LeadDiff, engine.LeadClone}, now: now,
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
