package triage

import (
	"regexp"
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// reject is one way for a manifest to fail on a member (facts 5.3): by the
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

var rejects = []reject{
	{
		entry: entry{
			cause: engine.NewCause("workload-not-ready"), row: "5.3", title: "A workload does not become ready",
			seen:  "failed manifest Available `ManifestNotAvailableYet` (`Manifest is not yet available; …`, older: `Manifest is trackable but not available yet`)",
			leads: onWorkload, heals: engine.HealMember, heal: engine.Lit("Yes, if the member lets it become ready (image, capacity, quota, volumes)."),
			steps: lits(
				engine.Lit("Look at the workload's pods on the member; fix the member, or fix the manifest on the hub and make a new run."),
				engine.Lit("Look for ErrImagePull, ImagePullBackOff and InvalidImageName, for pods that are Pending, and for a missing volume, ConfigMap or Secret."),
			),
			shows: onMember,
		},
		reasons: []string{placement.ReasonManifestNotAvailableYet}, pinned: true,
	},
	{
		entry: entry{
			cause: engine.NewCause("availability-check-failed"), row: "3.10", title: "The availability of a manifest could not be checked",
			seen:  "failed manifest Available `Failed`",
			heals: engine.HealMember, heal: engine.Lit("Yes, if the member can check it later."),
			steps: lits(engine.Lit("Read the manifest's message and look at the object on the member.")), shows: onMember,
		},
		reasons: []string{placement.ReasonManifestFailed}, pinned: true,
	},
	{
		entry: entry{
			cause: engine.NewCause("placements-conflict"), row: "5.3", title: "Two placements place the same object",
			seen:  "failed manifest `ApplyConflictBetweenPlacements`, or message `already owned by another (Fleet) AppliedWork (object)`",
			leads: []engine.Lead{engine.LeadCluster}, heals: engine.HealHub, heal: engine.Lit("Yes, if the other placement stops placing the same object."), hard: true,
			steps: lits(engine.Lit("Let only one placement place this object."), engine.Lit("If both have to, give them the same apply strategy.")),
			shows: []command{showOnMember, showPlacements, showBinding},
		},
		reasons: []string{"ApplyConflictBetweenPlacements"}, either: true,
		pattern: regexp.MustCompile(`already owned by another (?:Fleet )?AppliedWork`),
	},
	{
		entry: entry{
			cause: engine.NewCause("takeover-refused-by-differences"), row: "5.3", title: "The object on the member differs, and differences forbid the takeover",
			seen:  "failed manifest `FailedToTakeOver`, message `configuration differences are found between the manifest object …` (whenToTakeOver IfNoDiff)",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealMember, heal: engine.Lit("Yes, if the object on the member is made the same as the manifest."), hard: true,
			steps: lits(
				engine.Lit("Compare (diffedPlacements on the binding) and make the object on the member the same, or relax whenToTakeOver and make a new run."),
			),
			shows: []command{showBinding, showOnMember},
		},
		reasons: []string{placement.ReasonManifestFailedToTakeOver, placement.ReasonManifestNotTakenOver},
		pattern: regexp.MustCompile(`configuration differences are found`),
	},
	{
		entry: entry{
			cause: engine.NewCause("not-taken-over"), row: "5.3", title: "The object exists on the member and may not be taken over",
			seen:  "failed manifest `NotTakenOver`, message `takeover is needed` (whenToTakeOver Never)",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealMember, heal: engine.Lit("Yes, if the object is removed from the member."), hard: true,
			steps: lits(engine.Lit("Remove the object from the member, or allow the takeover in the placement's apply strategy (whenToTakeOver) and make a new run.")),
			shows: []command{showOnMember, showPlacement, showBinding},
		},
		reasons: []string{placement.ReasonManifestNotTakenOver},
	},
	{
		entry: entry{
			cause: engine.NewCause("owned-by-others"), row: "5.3", title: "The object on the member belongs to somebody else",
			seen:  "failed manifest `ManifestsAlreadyOwnedByOthers` or `FailedToTakeOver`, message `not managed by the fleet controller`, `already owned by some other source(s)`",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealMember, heal: engine.Lit("Yes, if the object on the member is given up by its present owner."), hard: true,
			steps: lits(engine.Lit("Remove the object or its foreign owner on the member, or allow co-ownership (allowCoOwnership) in the placement's apply strategy and make a new run.")),
			shows: []command{showOnMember, showPlacement, showBinding},
		},
		reasons: []string{"ManifestsAlreadyOwnedByOthers"}, either: true,
		pattern: regexp.MustCompile(`not managed by the fleet controller|already owned by some other sources?\(s\)|co-?own`),
	},
	{
		entry: entry{
			cause: engine.NewCause("takeover-failed"), row: "5.3", title: "The object on the member could not be taken over, for a reason that is not known here",
			seen:  "failed manifest `FailedToTakeOver`, any other message",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealMember, heal: engine.Lit("Yes, if the object on the member is given up by its present owner."), hard: true,
			steps: lits(engine.Lit("Read the manifest's message; look at the object on the member and at its owners.")),
			shows: []command{showOnMember, showBinding},
		},
		reasons: []string{placement.ReasonManifestFailedToTakeOver},
	},
	{
		entry: entry{
			cause: engine.NewCause("drift-forbids-apply"), row: "5.3", title: "The object was changed on the member, and that forbids to apply",
			seen:  "failed manifest `FoundDrifts` or `FoundDriftsInDegradedMode`, message `drifts are found between the manifest …` (whenToApply IfNotDrifted)",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealMember, heal: engine.Lit("Yes, if the change on the member is taken back."), hard: true,
			steps: lits(engine.Lit("Take the change on the member back, or set whenToApply to Always and make a new run."), engine.Lit("driftedPlacements on the binding lists what was changed.")),
			shows: []command{showBinding, showOnMember},
		},
		reasons: []string{placement.ReasonManifestFoundDrifts, placement.ReasonManifestFoundDriftsDegraded},
	},
	rejection(engine.NewCause("rejected-by-quota"), "A quota on the member refuses the object", "`exceeded quota`",
		`(?i)exceeded quota|quota exceeded`, engine.HealMember, engine.Lit("Yes, if the quota on the member leaves room."),
		engine.Lit("Raise the quota on the member or make room; or ask for less in the manifest and make a new run."), showQuotaOnMember),
	rejection(engine.NewCause("rejected-by-webhook"), "An admission webhook or policy on the member refuses the object", "`admission webhook … denied the request`",
		`(?i)admission webhook|ValidatingAdmissionPolicy|violates PodSecurity|denied the request|failed calling webhook`, engine.HealMember,
		engine.Lit("Yes, if the webhook or policy on the member lets it through later."),
		engine.Lit("Read the webhook's message; change the policy on the member, or the manifest and make a new run."), nil),
	rejection(engine.NewCause("immutable-field"), "The manifest changes a field that cannot be changed", "`field is immutable`",
		`(?i)is immutable|may not be changed|may not change fields|updates to .* are forbidden`, engine.HealMember,
		engine.Lit("Only if the object is deleted on the member: it is made again then."),
		engine.Lit("Delete the object on the member if it may be made anew; or take the change out of the manifest and make a new run."), nil),
	rejection(engine.NewCause("namespace-missing"), "The namespace is missing on the member", "`namespaces \"…\" not found`",
		`namespaces "[^"]*" not found|namespace .* (?:is being terminated|not found)`, engine.HealMember,
		engine.Lit("Yes, if the namespace appears on the member."),
		engine.Lit("Place the namespace too, or create it on the member."), nil),
	rejection(engine.NewCause("kind-missing"), "The member does not know the kind", "`no matches for kind`, `the server could not find the requested resource`",
		`(?i)no matches for kind|could not find the requested resource|no kind .* is registered|unable to recognize`, engine.HealMember,
		engine.Lit("Yes, if the kind's definition is installed on the member."),
		engine.Lit("Install the CRD on the member, or place it before what uses it."), nil),
	rejection(engine.NewCause("agent-not-permitted"), "The member's agent may not apply the object", "`is forbidden: User … cannot …`",
		`(?i)is forbidden: User|cannot (?:create|patch|update|get) resource`, engine.HealMember,
		engine.Lit("Yes, if the member's agent is given the right."),
		engine.Lit("Give the member agent's service account the permission that the message names."), nil),
	rejection(engine.NewCause("manifest-rejected"), "The member's API server refuses the manifest", "any other message: `failed to apply the manifest`, `failed to create the manifest`, `failed to patch the manifest`",
		"", engine.HealMember, engine.Lit("Yes, if the member accepts the object later (quota, webhook, permissions, a missing namespace or kind)."),
		engine.Lit("Read the manifest's message; fix the member, or fix the manifest on the hub and make a new run."), nil),
	broken(engine.NewCause("manifest-not-decodable"), "The manifest cannot be read, or its kind is unknown on the member", placement.ReasonManifestDecodingErr,
		engine.Lit("Fix the manifest on the hub and make a new run."), engine.Lit("If it is of a custom kind, see whether its CRD is on the member: then this run heals when it is installed.")),
	broken(engine.NewCause("generate-name"), "The manifest has a generateName", placement.ReasonManifestFoundGenerateName,
		engine.Lit("Give the object a name on the hub and make a new run.")),
	broken(engine.NewCause("duplicated"), "The manifest is there twice", placement.ReasonManifestDuplicated,
		engine.Lit("Select the object only once (look into envelopes too) and make a new run.")),
	{
		entry: entry{
			cause: engine.NewCause("lookup-on-member-failed"), row: "5.3", title: "The member's agent could not look the object up",
			seen:  "failed manifest `FailedToFindObjInMemberCluster`",
			heals: engine.HealMember, heal: engine.Lit("Yes, if the member's API server answers again, or knows the kind."), hard: true,
			steps: lits(engine.Lit("Look at the object and its kind on the member, and at the member's API server.")), shows: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToFindInMember}, pinned: true,
	},
	{
		entry: entry{
			cause: engine.NewCause("drift-detection-failed"), row: "5.3", title: "The object could not be compared on the member",
			seen:  "failed manifest `FailedToRunDriftDetection`",
			heals: engine.HealMember, heal: engine.Lit("Yes, if the member's API server answers again."), hard: true,
			steps: lits(engine.Lit("Read the manifest's message; see the member's API server, and whether the manifest is valid there.")), shows: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToRunDriftDetection}, pinned: true,
	},
	{
		entry: entry{
			cause: engine.NewCause("diff-not-reportable"), row: "5.3", title: "The differences of an object could not be reported",
			seen:  "failed manifest `FailedToReportDiff`",
			heals: engine.HealMember, heal: healWhenMember, hard: true,
			steps: lits(engine.Lit("Read the manifest's message; see the member's API server.")), shows: onMember,
		},
		reasons: []string{placement.ReasonManifestFailedToReportDiff},
	},
}

// unknownManifest is for reasons that are not known; its message is shown whole.
var unknownManifest = reject{
	entry: entry{
		cause: engine.NewCause("unknown-manifest-reason"), row: "5.3", title: "A manifest fails with a reason that is not in this catalogue",
		seen:  "a failed manifest whose reason is none of the above",
		heals: engine.HealUnknown, heal: engine.Lit("Not known. Yes, if the cause is on the member."),
		steps: lits(engine.Lit("Read the manifest's message; fix the member, or fix the manifest on the hub and make a new run.")),
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
			cause: cause, row: "5.3", title: title,
			seen: "failed manifest `ManifestApplyFailed`, " + seen, heals: heals, heal: heal, leads: onWorkload,
			steps: lits(step), shows: shows, hard: true,
		},
		reasons: []string{placement.ReasonManifestApplyFailed}, pattern: said, pinned: true,
	}
}

// broken makes the entry of a manifest that can never be applied.
func broken(cause engine.Cause, title, reason string, steps ...engine.Text) reject {
	return reject{
		entry: entry{
			cause: cause, row: "5.3", title: title, seen: "failed manifest `" + reason + "`",
			heals: engine.HealNewRun, heal: engine.Lit("No: the manifest itself is not usable."),
			steps: steps, shows: []command{showBinding, showSnapshots, showWorks}, hard: true,
			leads: []engine.Lead{engine.LeadDiff, engine.LeadClone},
		},
		reasons: []string{reason}, pinned: true,
	}
}

// manifestEntry finds the entry of a failing manifest.
func manifestEntry(m *placement.FailedResourcePlacement) *reject {
	for i := range rejects {
		r := &rejects[i]
		named := slices.Contains(r.reasons, m.Condition.Reason)
		said := r.pattern == nil || r.pattern.MatchString(m.Condition.Message)
		if r.either && (named || said) || named && said {
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
