package forecast

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// advise adds a hint to the failed check with the message of err.
func (r *checker) advise(err error, hint engine.Text) {
	message := engine.Message(err.Error())
	for i := range r.out.Refusals {
		if r.out.Refusals[i].Message == message {
			r.out.Refusals[i].Hint = hint
		}
	}
}

// aboutIndex says which snapshots a run can name, whose own index finds none.
func (r *checker) aboutIndex() engine.Text {
	var labels []string
	for _, s := range r.In.ResourceSnapshots {
		if label := s.Labels[placement.LabelResourceIndex]; r.Owned(s) && !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	return engine.IndexHint(r.Run.Spec.ResourceSnapshotIndex, labels)
}

// aboutName says what a run can name in place of a placement or a strategy that
// does not exist; names are nil when they were not read.
func (r *checker) aboutName(kind engine.Text, name string, names []string) engine.Text {
	in := engine.Text{}
	if ns := r.Run.Namespace; ns != "" {
		in = engine.Textf(" in namespace %s", ns)
	}
	what := engine.Textf("%s %s does not exist%s.", engine.Capital(kind), name, in)
	switch {
	case names == nil:
		return what
	case len(names) == 0:
		return engine.Textf("%s No %s exists%s that a run can use: create one first.", what, kind, in)
	}
	return engine.Textf("%s Use one that exists: %s.", what, engine.Nearest(name, names))
}

// aboutParts says what to do about parts of a snapshot that the controller does
// not find.
func (r *checker) aboutParts() engine.Text {
	switch {
	case r.Run.Namespace != "":
		return engine.Lit("In a namespace the controller never finds the parts of a snapshot over 800 KiB while the hub has any override. Make the snapshot smaller, or delete the overrides.")
	case r.out.Snapshot.Made:
		return engine.Textf("The controller counts the parts of snapshot %s before it can see them. Create a second run after this one has failed: snapshot %[1]s exists by then.", r.Status().ResourceSnapshotIndexUsed)
	}
	return engine.Text{}
}

// aboutOldPolicy says what to do about bindings that another policy snapshot than the
// latest selected.
func (r *checker) aboutOldPolicy(of string) engine.Text {
	exists := slices.ContainsFunc(r.In.PolicySnapshots, func(p *placement.SchedulingPolicySnapshot) bool { return p.Name == of })
	if len(r.Selected) > 0 || !exists { // some bindings are moved already, or none can be moved back
		return engine.Textf("The scheduler moves the bindings to policy snapshot %s, the latest. If they still have %s after a minute, check that the scheduler is running: read the controller's log.", r.Policy.Name, of)
	}
	return engine.Textf("The scheduler moves the bindings to policy snapshot %s, the latest. If they still have %s after a minute, set the label %s to true on %[2]s and to false on %[1]s.",
		r.Policy.Name, of, placement.LabelIsLatestSnapshot)
}

// warnDeleted warns of a placement that is being deleted: the controller does not
// check it, but its snapshots and bindings go.
func (r *checker) warnDeleted() {
	p := r.In.Placement
	if p == nil || p.DeletionTimestamp == nil || r.out.Finished {
		return
	}
	r.out.Deleting = true
	w := engine.Textf("Placement %s is being deleted (requested at %s): %s. The hub agent deletes its snapshots and bindings; the controller's next check after that fails the run.",
		p.Name, engine.Clock(p.DeletionTimestamp.Time, r.Now.Time), plan.DeletionOnMembers(p.Spec.Strategy.DeleteStrategy.Abandons()))
	if others := placement.ForeignFinalizers(p.Finalizers); len(others) > 0 {
		w = engine.Textf("%s Until %s is removed, the placement itself stays.", w, engine.Enumerate(engine.CleanAll(others), 3))
	}
	r.out.Warnings = append(r.out.Warnings, w)
}

// warnSnapshotGone warns of a run whose resource snapshot was deleted after it had been
// initialized: the controller does not read it again, and the works of the clusters that it
// starts cannot be written (workgenerator, fetchAllResourceSnapshots).
func (r *checker) warnSnapshotGone() {
	used := r.Run.Status.ResourceSnapshotIndexUsed
	if !r.out.Initialized || r.out.Finished || len(r.out.Refusals) > 0 || used == "" || r.In.ResourceSnapshots == nil || r.In.Failed.ResourceSnapshots != nil {
		return
	}
	if slices.ContainsFunc(r.In.ResourceSnapshots, func(s *placement.ResourceSnapshot) bool {
		return s.Labels[placement.LabelResourceIndex] == used && s.DeletionTimestamp == nil
	}) {
		return
	}
	if !slices.ContainsFunc(r.out.Stages, func(s plan.Stage) bool {
		return slices.ContainsFunc(s.Clusters, func(c plan.Cluster) bool { return !c.Started && !c.Succeeded })
	}) {
		return // it starts none
	}
	r.out.SnapshotGone = engine.Clean(used)
	r.out.Warnings = append(r.out.Warnings, engine.Textf("Resource snapshot %s of this run no longer exists: every cluster that the run starts gets stuck. Create a new run ({clone}) with a snapshot that exists, or without an index.", used))
}

// warnSharedApprovals warns of stages of one name: their approval requests have one name,
// too, so that one approval passes both gates (docs/kubefleet.md#quirks, 7.9).
func (r *checker) warnSharedApprovals() {
	type gate struct {
		stage  int
		passed bool
	}
	gates := map[engine.Text]gate{} // the first one of each request
	for i := range r.out.Stages {
		s := &r.out.Stages[i]
		for _, t := range slices.Concat(s.Before, s.After) {
			if t.Timed() {
				continue
			}
			first, seen := gates[t.Request]
			switch {
			case !seen:
				gates[t.Request] = gate{i, t.Passed}
			case t.Passed, first.stage == i: // two approvals of one stage are not valid
			case first.passed:
				r.out.Warnings = append(r.out.Warnings, engine.Textf("Two stages are called %s: they share one approval request. The first approval passes the second gate, too: no second approval is needed.", s.Name))
				return
			default:
				r.out.Warnings = append(r.out.Warnings, engine.Textf("Two stages are called %s: they share one approval request, and one approval passes both gates.", s.Name))
				return
			}
		}
	}
}

// warnLastBindings warns of a run that updates no cluster and deletes the last bindings of its
// placement: the check after that fails it (docs/kubefleet.md#validate).
func (r *checker) warnLastBindings() {
	if r.out.Finished || len(r.out.Deletions) == 0 || len(r.Selected) > 0 || r.In.Failed.Bindings != nil {
		return
	}
	r.out.Warnings = append(r.out.Warnings, engine.Textf("The run deletes the last bindings of placement %s. The controller's next check after that fails the run; the resources are deleted all the same.", r.out.Placement))
}

// warnStrategyChanged warns that a change of the strategy does not reach a run that is
// initialized: it has a copy (docs/kubefleet.md#initialize).
func (r *checker) warnStrategyChanged() {
	now, own := r.In.Strategy, r.Run.Status.StagedUpdateStrategySnapshot
	if !r.out.Initialized || r.out.Finished || now == nil || own == nil || equality.Semantic.DeepEqual(now.Spec, *own) {
		return
	}
	r.out.Warnings = append(r.out.Warnings, engine.Textf("Strategy %s was changed after this run was initialized: the run keeps its stages, approvals and timed waits. A new run uses the changed strategy.", now.Name))
}

// warnPolicyAhead warns of a policy that the hub agent has not handled: it makes another policy
// snapshot, or changes the number of the latest one, and the controller then fails a run of the
// one before (docs/kubefleet.md#validate).
func (r *checker) warnPolicyAhead() {
	p, latest := r.In.Placement, r.Policy
	if r.out.Finished || p == nil || latest == nil || len(r.out.Refusals) > 0 {
		return
	}
	was, now := latest.Annotations[placement.AnnotationNumberOfClusters], ""
	if p.Spec.Policy != nil && p.Spec.Policy.NumberOfClusters != nil {
		now = strconv.Itoa(int(*p.Spec.Policy.NumberOfClusters))
	}
	if p.Spec.Policy.SelectsAs(latest.Spec.Policy) && (was == "" || now == "" || was == now) {
		return
	}
	r.out.Warnings = append(r.out.Warnings, engine.Textf("Policy snapshot %s does not have the current policy of placement %s: a run that uses it fails as soon as the hub agent handles the change.", latest.Name, p.Name))
}

// warnBindingsGoing warns of clusters whose binding is being deleted: the controller counts
// such a binding and starts its cluster, and the hub agent writes nothing for it
// (workgenerator, Reconcile); once it is gone, the count is wrong.
func (r *checker) warnBindingsGoing() {
	if r.out.Finished {
		return
	}
	var done []string
	for i := range r.Status().StagesStatus {
		for _, c := range r.Status().StagesStatus[i].Clusters {
			if !unfinished(c) {
				done = append(done, c.ClusterName)
			}
		}
	}
	for _, b := range r.Selected {
		if b.DeletionTimestamp == nil || slices.Contains(done, b.Spec.TargetCluster) {
			continue
		}
		by := engine.Text{}
		if others := placement.ForeignFinalizers(b.Finalizers); len(others) > 0 {
			by = engine.Textf("; %s blocks that", engine.Enumerate(engine.CleanAll(others), 3))
		}
		going := engine.Textf("the binding of cluster %s is being deleted (requested at %s%s)", b.Spec.TargetCluster, engine.Clock(b.DeletionTimestamp.Time, r.Now.Time), by)
		r.out.Going = append(r.out.Going, going)
		r.out.Warnings = append(r.out.Warnings, engine.Textf("%s: a run that starts this cluster gets stuck, and fails when the binding is gone.", engine.Capital(going)))
	}
}

// heldByOthers notes the clusters that make a stopped run fail when it is resumed: a pass
// of a stopped run does not compare their bindings, one of a running run does
// (docs/kubefleet.md#cluster-checks).
func (r *checker) heldByOthers() {
	if r.Run.Spec.State != placement.StateStop || !r.out.Initialized || r.out.Finished {
		return
	}
	for i := range r.Status().StagesStatus {
		for j := range r.Status().StagesStatus[i].Clusters {
			c := &r.Status().StagesStatus[i].Clusters[j]
			if !unfinished(*c) || !meta.IsStatusConditionTrue(c.Conditions, placement.ClusterStarted) {
				continue
			}
			at := slices.IndexFunc(r.Selected, func(b *placement.ResourceBinding) bool { return b.Spec.TargetCluster == c.ClusterName })
			if at >= 0 && r.HeldByOther(c, r.Selected[at], r.SnapshotName()) {
				r.out.Held = append(r.out.Held, engine.Clean(c.ClusterName))
			}
		}
	}
}

// warnUnwatched warns of a selected version that the controller may not watch
// yet.
func (r *checker) warnUnwatched(gvr schema.GroupVersionResource) {
	i := slices.IndexFunc(r.In.Kinds, func(k pass.Kind) bool { return k.GroupVersionResource() == gvr })
	if i < 0 || r.In.Kinds[i].Preferred {
		return
	}
	kind := &r.In.Kinds[i]
	version, _ := kind.ToAPIVersionAndKind()
	preferred := engine.Text{}
	if k := r.preferred(kind); k != nil {
		preferred = engine.Textf(" (preferred: %s)", k.Version)
	}
	w := engine.Textf("%s %s is not the preferred version%s: the first run that selects it is retried for up to 30 s, then initializes.", version, kind.Kind, preferred)
	if !slices.Contains(r.out.Warnings, w) {
		r.out.Warnings, r.out.Delays = append(r.out.Warnings, w), append(r.out.Delays, w)
	}
}

// preferred is a kind in the version that the hub prefers; nil for none.
func (r *checker) preferred(kind *pass.Kind) *pass.Kind {
	for i := range r.In.Kinds {
		if k := &r.In.Kinds[i]; k.Preferred && k.GroupKind() == kind.GroupKind() {
			return k
		}
	}
	return nil
}

// aboutVersion says what is wrong with a selected kind that is cluster-scoped, although
// err says that it is not: the controller takes every version that is not preferred for
// namespaced (docs/kubefleet.md#new-snapshot).
func (r *checker) aboutVersion(err error) engine.Text {
	for i := range r.In.Kinds {
		k := &r.In.Kinds[i]
		if k.Namespaced || k.Preferred || !strings.Contains(err.Error(), engine.Textf("namespace-scoped resource %s in", k.GroupVersionResource().String()).String()) {
			continue
		}
		version, _ := k.ToAPIVersionAndKind()
		of := engine.Textf("%s is cluster-scoped, but %s is not its preferred version: the controller handles it as namespace-scoped.", k.Kind, version)
		if best := r.preferred(k); best != nil {
			return engine.Textf("%s Select version %s.", of, best.Version)
		}
		return of
	}
	return engine.Text{}
}
