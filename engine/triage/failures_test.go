package triage

import (
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
)

// prefixes are what hubs of all ages write before a failure.
var prefixes = map[string]string{
	"now":            "cannot continue the updateRun: failed to validate the updateRun: failed to process the request due to a client error: ",
	"now, internal":  "cannot continue the updateRun: failed to validate the updateRun: unexpected behavior which cannot be handled by the controller: ",
	"now, bare":      "cannot continue the updateRun: ",
	"v0.1":           "cannot continue the updateRun: failed to initialize the updateRun: ",
	"2025":           "cannot continue the ClusterStagedUpdateRun: failed to initialize the clusterStagedUpdateRun: failed to process the request due to a client error: ",
	"guides":         "cannot continue the StagedUpdateRun: failed to initialize the stagedUpdateRun: ",
	"with a comma":   "cannot continue the updateRun: failed to validate the updateRun, unexpected behavior which cannot be handled by the controller: ",
	"one of several": "[cannot continue the updateRun: ",
	"none":           "",
}

func TestFailures(t *testing.T) {
	// One message per row of docs/kubefleet.md#failed-runs, and the older forms
	// where they differ.
	tests := []struct{ name, in, want string }{
		{"placement-missing", "parent placement not found", "Placement web did not exist."},
		{"placement-missing", "parent clusterResourcePlacement not found", "Placement web did not exist."},
		{"placement-missing", "parent resourcePlacement not found", "Placement web did not exist."},
		{"placement-not-external", "parent placement does not have an external rollout strategy, current strategy: RollingUpdate", "The placement's strategy type was RollingUpdate, and a run needs External."},
		{"no-policy-snapshot", "no latest policy snapshot found for placement /web", "no latest scheduling policy snapshot"},
		{"several-policy-snapshots", "multiple active policy snapshots found for placement /web: got 2, want 1", "More than one scheduling policy snapshot of the placement was labelled latest."},
		{"policy-snapshot-incomplete", "policy snapshot `/web-0` does not have a policy index label", "The placement's scheduling policy snapshot had no index label or no valid cluster count annotation."},
		{"policy-snapshot-incomplete", "cannot find annotation kubernetes-fleet.io/number-of-clusters: the policy snapshot `/web-0` doesn't have valid cluster count annotation", "The placement's scheduling policy snapshot had no index label or no valid cluster count annotation."},
		{"not-scheduled", "policy snapshot `web-0` not fully scheduled yet", "(policy snapshot web-0)"},
		{"no-cluster-picked", "no scheduled or to-be-deleted bindings found for the latest policy snapshot /web-0", "The placement had no binding: it picked no cluster, or its bindings did not exist yet."},
		{"binding-count", "the number of selected bindings 3 is not equal to the observed cluster count 4", "The number of clusters with a binding was 3, but the placement's policy requires 4."},
		{"strategy-missing", "referenced updateStrategy not found: `/rings`", "Strategy rings did not exist."},
		{"strategy-missing", "referenced updateStrategy not found: `team-a/rings`", "Strategy team-a/rings did not exist."},
		{"strategy-missing", "referenced clusterStagedUpdateStrategy not found: rings", "Strategy rings did not exist."},
		{"stage-tasks-invalid", "the before stage tasks are invalid, updateStrategy: `/rings`, stage: prod, err: beforeStageTasks can have at most one task", "The before-stage tasks of stage prod in strategy rings were not valid: beforeStageTasks can have at most one task."},
		{"stage-tasks-invalid", "the after stage tasks are invalid, updateStrategy: `/rings`, stage: prod, err: task 0 of type TimedWait has wait duration <= 0", "after-stage tasks of stage prod in strategy rings"},
		{"stage-selector-invalid", "the stage label selector is invalid, updateStrategy: `/rings`, stage: prod, err: bad operator", "The label selector of stage prod in strategy rings was not valid: bad operator."},
		{"stages-overlap", "cluster `prod-1` appears in more than one stages", "Cluster prod-1 matched more than one stage: label selectors overlap, or the cluster was relabelled."},
		{"stages-overlap", "cluster `prod-1` appears in more than one stage", "Cluster prod-1 matched more than one stage: label selectors overlap, or the cluster was relabelled."},
		{"sorting-label", "the sorting label `order:` on cluster `prod-1` is not valid: strconv.Atoi: parsing \"\": invalid syntax", "The strategy sorts by label order, which cluster prod-1 did not have: it must be a number."},
		{"cluster-in-no-stage", "some clusters are not placed in any stage, total 12, showing up to 10: a, b, c", "12 picked clusters matched no stage of the strategy: a, b, c."},
		{"cluster-in-no-stage", "some clusters are not placed in any stage, total 1, showing up to 10: edge-1", "1 picked cluster matched no stage of the strategy: edge-1."},
		{"sorting-label", "the sorting label `order:first` on cluster `prod-1` is not valid: strconv.Atoi: parsing \"first\": invalid syntax", "The strategy sorts by label order, whose value \"first\" on cluster prod-1 was not a number."},
		{"resources-not-selectable", "invalid placement /web, failed to get GVR of the selector: no matches for kind \"Widget\" in version \"shop/v1\"", `cannot be placed: invalid placement /web, failed to get GVR of the selector: no matches for kind "Widget"`},
		{"resources-not-selectable", "invalid clusterRresourcePlacement web: namespace kube-system is not allowed to propagate", "namespace kube-system is not allowed"},
		{"resources-not-selectable", "invalid clusterResourcePlacement web: NamespaceWithResourceSelectors mode requires exactly one namespace, but no namespaces were selected", "requires exactly one namespace"},
		{"resource-not-cluster-scoped", "invalid placement /web: cannot select namespace-scoped resource scheduling.k8s.io/v1alpha1, Resource=priorityclasses in a clusterResourcePlacement", "The placement selected priorityclasses (scheduling.k8s.io/v1alpha1), which the controller handles as"},
		{"resources-not-selectable", "found duplicate resource {Group: Version:v1 Kind:ConfigMap Name:a Namespace:b Envelope:<nil>}", "found duplicate resource {Group"},
		{"index-invalid", "invalid resource snapshot index `-1` provided, expected an integer >= 0", `index "-1"`},
		{"index-missing", "no resourceSnapshots with index `9` found for placement `/web`", "Resource snapshot 9 of placement web did not exist."},
		{"index-missing", "no clusterResourceSnapshots with index `9` found for clusterResourcePlacement `web`", "Resource snapshot 9 of placement web did not exist."},
		{"index-missing", "no resourceSnapshots with index `9` found for placement `team-a/web`", "Resource snapshot 9 of placement team-a/web did not exist."},
		{"snapshot-incomplete", "no master resourceSnapshot found for placement /web", "The resource snapshot was incomplete: its first part was missing."},
		{"snapshot-count-invalid", "unexpected behavior which cannot be handled by the controller: master resource snapshot web-1-snapshot for placement web has an invalid snapshot count 0 or err %!w(<nil>)", "Annotation kubernetes-fleet.io/number-of-resource-snapshots of resource snapshot web-1-snapshot was not a positive number."},
		{"snapshot-being-created", "expected behavior which can be recovered by itself: resource snapshots are still being created for the placement", "The resource snapshot was incomplete when the run was created."},
		{"apply-strategy-changed", "the applyStrategy in the updateRun is outdated, latest: &{}, recorded: &{}", "apply strategy was changed"},
		{"apply-strategy-changed", "the applyStrategy in the clusterStagedUpdateRun is outdated, latest: &{}, recorded: &{}", "apply strategy was changed"},
		{"apply-strategy-changed", "the applyStrategy in the updateRun is outdated: whenToApply IfNotDrifted (was Always)", "was changed during the run: whenToApply IfNotDrifted (was Always)."},
		{"policy-changed", "the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0", "The placement's scheduling policy was changed during the run: policy snapshot 1, was 0."},
		{"cluster-count-changed", "the cluster count initialized in the updateRun is outdated, latest: 4, recorded: 3", "The placement's number of clusters was changed during the run: 4, was 3."},
		{"stage-clusters-changed", "the number of clusters in index `1` stage has changed, new: 4, existing: 3", "The clusters of the stage at position 1 (counted from 0) changed during the run: 4 clusters, was 3."},
		{"cluster-order-changed", "the `0` cluster in the `1` stage has changed, new: prod-2, existing: prod-1", "The order of clusters changed during the run: position 0 (from 0) of the stage at position 1 (counted from 0) has cluster prod-2, was prod-1."},
		{"cluster-unscheduled", "the cluster `old-1` to be deleted is not in the delete stage", "The placement stopped picking cluster old-1 during the run."},
		{"binding-deleted", "the binding for cluster `a` in stage `b` is not found in the toBeUpdatedBindings map", "The binding of cluster a in stage b was deleted during the run."},
		{"binding-deleted", "the binding for cluster `a` in stage `b` is not found in the toBeUpdatedBindings map during stopping", "The binding of cluster a in stage b was deleted during the run."},
		{"approval-of-another-run", "the approval request task `/r1-before-b` is targeting update run `/r9` and stage `b`, want target update run `/r1 and stage `b`", "Approval request r1-before-b belonged to run r9, stage b."},
		{"status-edited", "the number of updating clusters `3` in the updating stage `b` exceeds maxConcurrency `1`", "The run's recorded status is inconsistent: it was edited, or written by another version of the controller."},
		{"status-edited", "the updateRun has nil stagesStatus", "The run's recorded status is inconsistent: it was edited, or written by another version of the controller."},
		{"status-edited", "the updateRun has nil updateStrategySnapshot", "The run's recorded status is inconsistent: it was edited, or written by another version of the controller."},
		{"status-edited", "the updateRun has nil deletionStageStatus", "The run's recorded status is inconsistent: it was edited, or written by another version of the controller."},
		{"status-edited", "index `1` stage name in the updateRun has changed, new: a, existing: b", "The run's recorded status is inconsistent: it was edited, or written by another version of the controller."},
		{"status-edited", "the number of stages in the updateRun has changed, new: 1, existing: 2", "The run's recorded status is inconsistent: it was edited, or written by another version of the controller."},
		{"status-edited", "the delete stage is active, but there are still stages updating, updatingStageIndex: 1, lastFinishedStageIndex: 0", "The run's recorded status is inconsistent: it was edited, or written by another version of the controller."},
		{"status-edited", "the finished stage `2` is after the updating stage `1`", "The run's recorded status is inconsistent: it was edited, or written by another version of the controller."},
		{"status-edited", "cluster `a` in the finished stage `b` has not succeeded", "The run's recorded status is inconsistent: it was edited, or written by another version of the controller."},
		{"status-edited", "the finished stage `b` is not right after the last finished stage with index `0`", "The run's recorded status is inconsistent: it was edited, or written by another version of the controller."},
		{"status-edited", "the stage `b` is updating, but there is already a stage with index `0` updating", "The run's recorded status is inconsistent: it was edited, or written by another version of the controller."},
		{"status-edited", "the updating stage `b` is not right after the last finished stage with index `0`", "The run's recorded status is inconsistent: it was edited, or written by another version of the controller."},
		{"state-unsupported", "found unsupported updateRun state: Execute", "The run has state \"Execute\" of an older version, which this hub does not support."},
		{"deletion-inconsistent", "the deleted cluster `a` in the deleting stage still has a binding", "The binding of cluster a was not in the state that the deletion stage expects."},
		{"deletion-inconsistent", "the cluster `a` in the deleting stage is marked as deleting but its corresponding binding is not deleting", "The binding of cluster a was not in the state that the deletion stage expects."},
		{"deletion-inconsistent", "the to be deleted cluster `a` is not in the deleting stage during execution", "The binding of cluster a was not in the state that the deletion stage expects."},
		{"stage-failed", "the stage `b` has failed, err: x", "Stage b had failed."},
		{"stage-failed", "the delete stage has failed, err: x", "The deletion stage had failed."},
		{"stage-failed", "the cluster `a` in the stage b has failed", "Cluster a in stage b had failed."},
	}
	covered := map[string]bool{}
	for _, tt := range tests {
		covered[tt.name] = true
		for age, prefix := range prefixes {
			f, said := catalogue.FailureOf(prefix + tt.in)
			if f == nil || f.Cause.String() != tt.name {
				t.Errorf("%s (%s): got %v, want %q", tt.in, age, f, tt.name)
				continue
			}
			said["of"] = "web"
			if got := f.What(said).String(); !strings.Contains(got, tt.want) {
				t.Errorf("%s (%s): got %q, want it to hold %q", tt.in, age, got, tt.want)
			}
		}
	}
	for _, f := range catalogue.Failures {
		if !covered[f.Cause.String()] {
			t.Errorf("no message for %q", f.Cause)
		}
	}
	for _, in := range []string{"", "another change", "cannot continue the updateRun: a brand new reason", "the binding of the updating cluster `a` in the stage `b` is not up-to-date with the desired status"} {
		if f, _ := catalogue.FailureOf(in); f != nil {
			t.Errorf("%q was guessed to be %q", in, f.Cause)
		}
	}
}
