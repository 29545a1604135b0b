package engine

import "regexp"

// failure is one way for a run to be refused or aborted by the hub: its
// pattern in all flavours, what it means, and the way out (facts 5.1).
type failure struct {
	name    string // for tests and for the machine-readable outputs to come
	pattern *regexp.Regexp
	// what is a sentence with a %s for each named group of groups, in order.
	what   literal
	groups []string
	next   Text
}

// failures are tried in order; the first match explains the run.
var failures = []failure{
	{
		"placement missing",
		regexp.MustCompile(`parent (?:placement|clusterResourcePlacement|resourcePlacement) not found`),
		"The placement that the run names does not exist, or was deleted meanwhile.", nil,
		Lit("Create the placement, or name an existing one in a new run."),
	},
	{
		"placement not external",
		regexp.MustCompile(`does not have an external rollout strategy, current strategy: (?P<type>\S+)`),
		"The placement rolls out by itself: its strategy type is %s, and a run needs External.",
		[]string{"type"},
		Lit("Set the placement's strategy type to External (it cannot be set back), then make a new run."),
	},
	{
		"no policy snapshot",
		regexp.MustCompile(`no latest policy snapshot found for placement`),
		"The placement has no latest scheduling policy snapshot: the scheduler has not worked on it yet, or a label was changed.", nil,
		Lit("Wait until the placement is Scheduled and look at its policy snapshots, then make a new run."),
	},
	{
		"several policy snapshots",
		regexp.MustCompile(`multiple active policy snapshots found for placement`),
		"The placement has more than one scheduling policy snapshot that is labelled latest.", nil,
		Lit("Repair the is-latest-snapshot labels of the policy snapshots, then make a new run."),
	},
	{
		"policy snapshot damaged",
		regexp.MustCompile(`does not have a policy index label|valid cluster count annotation`),
		"The placement's scheduling policy snapshot lost its index label or its cluster count annotation.", nil,
		Lit("Restore it, or change the placement's policy so that a new snapshot is made; then make a new run."),
	},
	{
		"not scheduled",
		regexp.MustCompile("policy snapshot `(?P<snapshot>[^`]+)` not fully scheduled yet"),
		"The placement was not fully scheduled when the run began (policy snapshot %s): too few clusters fit, or the run came too early.",
		[]string{"snapshot"},
		Lit("Look at the placement's Scheduled condition; fix labels, taints or the join state of clusters, then make a new run."),
	},
	{
		"nothing to update",
		regexp.MustCompile(`no scheduled or to-be-deleted bindings found`),
		"The placement picks no cluster, so there is nothing to update.", nil,
		Lit("Fix the placement's policy, then make a new run."),
	},
	{
		"binding count",
		regexp.MustCompile(`the number of selected bindings (?P<got>\d+) is not equal to the observed cluster count (?P<want>\d+)`),
		"The placement picked %s clusters while its policy asks for %s.",
		[]string{"got", "want"},
		Lit("Wait until the scheduler has settled, then make a new run."),
	},
	{
		"strategy missing",
		regexp.MustCompile("referenced (?:updateStrategy|clusterStagedUpdateStrategy) not found: `?/?(?P<strategy>[^`]+)"),
		"The strategy %s does not exist.",
		[]string{"strategy"},
		Lit("Create the strategy, or name an existing one in a new run."),
	},
	{
		"stage tasks invalid",
		regexp.MustCompile(`the (?P<when>before|after) stage tasks are invalid, .*stage: (?P<stage>[^,\s]+), err: (?P<err>.*)$`),
		"The strategy's %s-stage tasks of stage %s are not valid: %s.",
		[]string{"when", "stage", "err"},
		Lit("Correct the strategy, then make a new run."),
	},
	{
		"selector invalid",
		regexp.MustCompile(`the stage label selector is invalid, .*stage: (?P<stage>[^,\s]+), err: (?P<err>.*)$`),
		"The label selector of stage %s is not valid: %s.",
		[]string{"stage", "err"},
		Lit("Correct the strategy, then make a new run."),
	},
	{
		"stages overlap",
		regexp.MustCompile("cluster `(?P<cluster>[^`]+)` appears in more than one stages?"),
		"Cluster %s is in more than one stage: the stages' label selectors overlap, or it was relabelled during the run.",
		[]string{"cluster"},
		Lit("Make labels and selectors disjoint, then make a new run."),
	},
	{
		"sorting label",
		regexp.MustCompile("the sorting label `(?P<key>[^:`]*):(?P<value>[^`]*)` on cluster `(?P<cluster>[^`]+)` is not valid"),
		"The stage sorts by the label %s, whose value %q on cluster %s is not a number.",
		[]string{"key", "value", "cluster"},
		Lit("Label the cluster with a number, then make a new run."),
	},
	{
		"cluster in no stage",
		regexp.MustCompile(`some clusters are not placed in any stage, total (?P<total>\d+), showing up to 10: (?P<names>.+)$`),
		"%s picked clusters match no stage of the strategy: %s.",
		[]string{"total", "names"},
		Lit("Label the clusters, add a stage that takes the rest, or keep them out by policy or taint; then make a new run."),
	},
	{
		"index invalid",
		regexp.MustCompile("invalid resource snapshot index `(?P<idx>[^`]*)`"),
		"The resource snapshot index %q is not a number of 0 or more.",
		[]string{"idx"},
		Lit("Make a new run with an index that exists, or without one for the newest."),
	},
	{
		"index missing",
		regexp.MustCompile("no (?:cluster)?[rR]esourceSnapshots with index `(?P<idx>\\d+)` found for (?:placement|(?:clusterR|r)esourcePlacement) `/?(?P<placement>[^`]+)`"),
		"Resource snapshot %s of placement %s does not exist: it never did, or it was removed by the revision limit.",
		[]string{"idx", "placement"},
		Lit("Make a new run with an index that exists, or without one for the newest."),
	},
	{
		"snapshot incomplete",
		regexp.MustCompile(`no master resourceSnapshot found`),
		"The resource snapshot is not whole: its first part is missing.", nil,
		Lit("Make a new run with another index, or without one for the newest."),
	},
	{
		"snapshot in the making",
		regexp.MustCompile(`resource snapshots are still being created`),
		"The resource snapshot was not complete when the run began.", nil,
		Lit("Make a new run. For a namespaced placement with a large snapshot and overrides on the hub this never works."),
	},
	{
		"apply strategy changed",
		regexp.MustCompile(`the applyStrategy in the (?:clusterStagedU|stagedU|u)pdateRun is outdated`),
		"The placement's apply strategy was changed during the run.", nil,
		Lit("Make a new run."),
	},
	{
		"policy changed",
		regexp.MustCompile(`the policy snapshot index used in the (?:clusterStagedU|stagedU|u)pdateRun is outdated, latest: (?P<new>[^,\s]+), recorded: (?P<old>\S+)`),
		"The placement's scheduling policy was changed during the run: the latest is %s, the run began with %s.",
		[]string{"new", "old"},
		Lit("Make a new run."),
	},
	{
		"cluster count changed",
		regexp.MustCompile(`the cluster count initialized in the (?:clusterStagedU|stagedU|u)pdateRun is outdated, latest: (?P<new>\d+), recorded: (?P<old>\d+)`),
		"The number of clusters that the placement asks for was changed during the run, to %s from %s.",
		[]string{"new", "old"},
		Lit("Make a new run."),
	},
	{
		"stage clusters changed",
		regexp.MustCompile("the number of clusters in index `(?P<idx>\\d+)` stage has changed, new: (?P<new>\\d+), existing: (?P<old>\\d+)"),
		"Clusters joined, left or were relabelled during the run: the stage at position %s (counted from 0) has %s clusters now and had %s.",
		[]string{"idx", "new", "old"},
		Lit("Keep clusters and their labels as they are while a run goes on; make a new run."),
	},
	{
		"cluster order changed",
		regexp.MustCompile("the `(?P<pos>\\d+)` cluster in the `(?P<idx>\\d+)` stage has changed, new: (?P<new>[^,\\s]+), existing: (?P<old>\\S+)"),
		"Labels were changed during the run: position %s of the stage at position %s (both counted from 0) is %s now and was %s.",
		[]string{"pos", "idx", "new", "old"},
		Lit("Keep the labels of clusters as they are while a run goes on; make a new run."),
	},
	{
		"cluster unscheduled",
		regexp.MustCompile("the cluster `(?P<cluster>[^`]+)` to be deleted is not in the delete stage"),
		"Cluster %s is no longer picked by the placement; it was when the run began.",
		[]string{"cluster"},
		Lit("Make a new run."),
	},
	{
		"binding vanished",
		regexp.MustCompile("the binding for cluster `(?P<cluster>[^`]+)` in stage `(?P<stage>[^`]+)` is not found in the toBeUpdatedBindings map"),
		"The binding of cluster %s in stage %s is gone.",
		[]string{"cluster", "stage"},
		Lit("See why the placement no longer picks the cluster, then make a new run."),
	},
	{
		"foreign approval request",
		regexp.MustCompile("the approval request task `/?(?P<request>[^`]+)` is targeting update run `/?(?P<run>[^`]+)` and stage `(?P<stage>[^`]+)`"),
		"An approval request %s exists that belongs to run %s, stage %s.",
		[]string{"request", "run", "stage"},
		Lit("Delete that approval request, then make a new run."),
	},
	{
		"status edited",
		regexp.MustCompile(`exceeds maxConcurrency|has nil (?:updateStrategySnapshot|stagesStatus|deletionStageStatus)|stage name in the \S+ has changed|the delete stage is active, but there are still stages updating|the number of stages in the \S+ has changed|the finished stage .* is (?:after|not right after)|in the finished stage .* has not succeeded|is not right after the last finished stage|there is already a stage with index`),
		"The run's recorded status contradicts itself: it was edited by hand, or written by another version of the hub.", nil,
		Lit("Make a new run; if nobody edited the status, report it."),
	},
	{
		"state not supported",
		regexp.MustCompile(`found unsupported updateRun state: (?P<state>.*)$`),
		"The run holds the state %q of an older version, which this hub does not know.",
		[]string{"state"},
		Lit("Make a new run."),
	},
	{
		"deletion inconsistent",
		regexp.MustCompile("(?:deleted cluster|cluster) `(?P<cluster>[^`]+)` in the deleting stage|to be deleted cluster `(?P<other>[^`]+)` is not in the deleting stage"),
		"The removal from a cluster went wrong: its binding is not in the state that the run expects.", nil,
		Lit("Look at the cluster's binding, then make a new run."),
	},
	{
		"stage failed",
		regexp.MustCompile("the (?:stage `(?P<stage>[^`]+)`|delete stage) has failed|the cluster `(?P<cluster>[^`]+)` in the stage (?P<of>\\S+) has failed"),
		"A stage or a cluster of the run has failed.", nil,
		Lit("Open the run to see the failed cluster; make a new run when its cause is gone."),
	},
}

// explain finds the failure that a message speaks of, and what it says of it;
// false for a text that is not known, which is quoted and never guessed at.
func explain(message string) (f *failure, what Text, ok bool) {
	for i := range failures {
		f := &failures[i]
		m := f.pattern.FindStringSubmatch(message)
		if m == nil {
			continue
		}
		args := make([]any, len(f.groups))
		for j, g := range f.groups {
			args[j] = m[f.pattern.SubexpIndex(g)]
		}
		return f, Textf(f.what, args...), true
	}
	return nil, Text{}, false
}
