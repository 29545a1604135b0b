package repair

import (
	"errors"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// errUnread marks what the case does not have: nothing is concluded from it.
var errUnread = errors.New("not read")

// obstacle is one reason for which a new run with the same spec does not start.
type obstacle struct {
	cause engine.Cause // zero: it is no entry of the catalogue
	says  engine.Text  // a clause
	// ofLatest is true when it lies in what the latest policy snapshot selects.
	ofLatest bool
	// waits is true when the scheduler removes it: nothing is to be fixed.
	waits bool
}

// Causes of which one kind of step removes all.
var (
	severalPolicies = engine.Cause("several-policy-snapshots")
	notScheduled    = engine.Cause("not-scheduled")
	together        = [][]engine.Cause{
		{catalogue.PlacementMissingCause, engine.Cause("placement-not-external")},
		{severalPolicies, notScheduled, engine.Cause("no-policy-snapshot"), engine.Cause("policy-snapshot-incomplete")},
		{engine.Cause("stages-overlap"), engine.Cause("cluster-in-no-stage")},
		{engine.Cause("no-cluster-picked"), engine.Cause("binding-count"), notScheduled},
		{catalogue.NotScheduledYet.Cause, notScheduled},
	}
)

// ofPlacement are causes in what the scheduler makes of a placement that exists.
var ofPlacement = []engine.Cause{
	severalPolicies, notScheduled, engine.Cause("no-policy-snapshot"), engine.Cause("policy-snapshot-incomplete"),
	engine.Cause("no-cluster-picked"), engine.Cause("binding-count"),
}

// alike reports whether the steps for one cause remove the other too.
func alike(a, b engine.Cause) bool {
	return a == b || slices.ContainsFunc(together, func(group []engine.Cause) bool { return slices.Contains(group, a) && slices.Contains(group, b) })
}

// obstacles lists what keeps a new run from starting that has the spec of this one,
// with the newest snapshot, in
// the order of the controller's checks. They are the checks of the plan (package
// forecast), so that no next step offers a run that its plan rejects. What was not
// read is no obstacle.
func obstacles(k *subject.Subject) []obstacle {
	var out []obstacle
	p := k.Case.Placement
	if p != nil && !p.Deleting.IsZero() {
		out = append(out, obstacle{says: engine.Textf("placement %s is being deleted (requested at %s), which cannot be undone: create it again afterwards", p.ID.Name(), k.Case.Clock(p.Deleting))})
	}
	if len(k.Case.View.Placement.RawName()) == 0 {
		return out
	}
	out = append(out, refusals(k, newPlan(k))...)
	for _, going := range newPlan(k).Going {
		out = append(out, obstacle{says: going})
	}
	return out
}

// newPlan is the plan of a new run like that of the case. Every diagnosis of the case
// asks for it, so it is made once.
func newPlan(k *subject.Subject) *plan.Plan {
	return k.Case.Planned(true, func() plan.Plan { return forecast.Plan(newRunInput(k, k.Case.Run), nil, k.Case.Now, nil) })
}

// refusals lists what the plan of a new run is rejected for.
func refusals(k *subject.Subject, planned *plan.Plan) (out []obstacle) {
	p := k.Case.Placement
	several := false
	for i := range planned.Refusals {
		o := obstacleOf(k, &planned.Refusals[i])
		if k.Case.NoPlacement && slices.Contains(ofPlacement, o.cause) {
			continue // the placement does not exist, which is the obstacle
		}
		if !several || !o.ofLatest { // of several latest policy snapshots, any may remain
			out = append(out, o)
		}
		several = several || o.cause == severalPolicies && !o.ofLatest
	}
	if _, _, read := k.Case.Nearby.LatestPolicies(); p != nil && !read {
		if _, f := subject.Scheduled(p.ID.Kind(), p.Conditions); f.Truth == engine.TruthNo {
			out = append(out, obstacle{cause: notScheduled, says: engine.Textf("placement %s is not fully scheduled (%s)", p.ID.Name(), f.Reason)})
		}
	}
	return out
}

// reasonsShown is how many reasons a clause names.
const reasonsShown = 3

// Blocked returns a clause about the reasons for which a new run with the same spec does
// not start; empty when there is none. Reasons of the given cause are left out: the
// steps of its entry remove them. It has the mark waits when the scheduler removes all.
func Blocked(k *subject.Subject, but engine.Cause) engine.Text {
	var says []engine.Text
	waits := true
	for _, o := range obstacles(k) {
		if (o.cause.IsZero() || !alike(o.cause, but)) && !slices.Contains(says, o.says) {
			says, waits = append(says, o.says), waits && o.waits
		}
	}
	if len(says) > 0 && waits {
		return engine.Textf("{waits}%s", reasons(says))
	}
	return reasons(says)
}

// reasons joins clauses that all hold.
func reasons(says []engine.Text) engine.Text {
	if n := len(says); n > reasonsShown {
		return engine.Textf("%s; and %d more", engine.Join(says[:reasonsShown], "; "), n-reasonsShown)
	}
	return engine.Join(says, "; ")
}

// newRunInput is what the controller reads for a new run with the strategy of another,
// as far as the case has it.
func newRunInput(k *subject.Subject, like *placement.StagedUpdateRun) pass.Input {
	_, place, _ := k.Case.View.Placement.Raw()
	run := &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{Namespace: k.Case.View.ID.RawNamespace()}}
	run.Spec = placement.UpdateRunSpec{PlacementName: place, State: placement.StateRun}
	if like != nil {
		run.Spec.StagedRolloutStrategyName = like.Spec.StagedRolloutStrategyName
	}
	in := inputOf(k, run)
	in.Strategy, _ = k.Case.Nearby.Strategy(run.Spec.StagedRolloutStrategyName)
	in.Failed.Strategy = unread(k.Case.Nearby == nil || k.Case.Nearby.Strategies == nil || like == nil)
	return in
}

// inputOf is what the controller reads for a run of the placement, as far as the case
// has it, without the strategy.
func inputOf(k *subject.Subject, run *placement.StagedUpdateRun) pass.Input {
	c := k.Case
	_, place, _ := c.View.Placement.Raw()
	ns := c.View.ID.RawNamespace()
	in := pass.Input{Run: run}
	in.Failed.Kinds = errUnread // leaves out the selection of resources and overrides
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: name, Namespace: ns, Labels: map[string]string{placement.LabelParentPlacement: place}}
	}
	switch p := c.Placement; {
	case p != nil:
		in.Placement = &placement.ResourcePlacement{ObjectMeta: meta(place)}
		in.Placement.Spec.Strategy.Type = placement.RolloutRollingUpdate
		if p.External {
			in.Placement.Spec.Strategy.Type = placement.RolloutExternal
		}
	case !c.NoPlacement:
		in.Failed.Placement = errUnread
	}
	n := c.Nearby
	if n == nil {
		n = &world.Nearby{}
	}
	if in.Failed.PolicySnapshots = unread(n.Policies == nil); n.Policies != nil {
		for i := range n.Policies {
			in.PolicySnapshots = append(in.PolicySnapshots, owned(n.Policies[i], meta("")))
		}
	}
	in.Failed.ResourceSnapshots = errUnread
	bindings, known := c.PlacementBindings()
	in.Failed.Bindings = unread(!known)
	for _, b := range bindings {
		_, name, _ := b.ID.Raw()
		o := &placement.ResourceBinding{ObjectMeta: meta(name)}
		if o.Finalizers = b.Finalizers; !b.Deleting.IsZero() {
			o.DeletionTimestamp = &metav1.Time{Time: b.Deleting}
		}
		o.Spec.State, o.Spec.TargetCluster, o.Spec.SchedulingPolicySnapshotName = placement.BindingState(b.State), b.Cluster, b.PolicyName
		in.Bindings = append(in.Bindings, o)
	}
	members, known := c.Members()
	in.Failed.Members = unread(!known)
	for _, m := range members {
		in.Members = append(in.Members, &cluster.MemberCluster{ObjectMeta: metav1.ObjectMeta{Name: memberName(m), Labels: m.Labels}})
	}
	return in
}

func unread(is bool) error {
	if is {
		return errUnread
	}
	return nil
}

// owned returns a copy of a policy snapshot with the namespace and the label of the
// placement by which it was listed.
func owned(p placement.SchedulingPolicySnapshot, of metav1.ObjectMeta) *placement.SchedulingPolicySnapshot {
	p.Namespace = of.Namespace
	p.Labels = maps.Clone(p.Labels)
	if p.Labels == nil {
		p.Labels = map[string]string{}
	}
	maps.Copy(p.Labels, of.Labels)
	return &p
}

// oldPolicy is what the controller logs of a binding that another policy snapshot than
// the latest selected: it retries.
var oldPolicy = catalogue.Matching("binding `[^`]+` with old policy snapshot `(?P<snapshot>[^`]+)` has state")

// Clause returns what a plan's refusal means as a clause, and its cause in the
// catalogue; zero for none.
func Clause(k *subject.Subject, r *plan.Refusal) (engine.Text, engine.Cause) {
	o := obstacleOf(k, r)
	return o.says, o.cause
}

// obstacleOf makes a clause of a reason for which a plan is rejected.
func obstacleOf(k *subject.Subject, r *plan.Refusal) obstacle {
	if said := oldPolicy.Groups(r.Message.String()); said != nil {
		return obstacle{cause: severalPolicies, says: oldPolicyClause(k, said["snapshot"]), ofLatest: true, waits: true}
	}
	f, said := catalogue.FailureOf(r.Message.String())
	if f == nil {
		return obstacle{says: r.Short()}
	}
	o := obstacle{cause: f.Cause, says: r.Short()}
	switch f.Cause.String() {
	case "placement-missing":
		o.says = engine.Textf("placement %s does not exist", k.View.Placement.Name())
	case "placement-not-external":
		o.says = engine.Textf("the strategy type of placement %s is not External", k.View.Placement.Name())
	case "several-policy-snapshots":
		latest, _, _ := k.Case.Nearby.LatestPolicies()
		o.says = engine.Textf("%d scheduling policy snapshots are labelled latest", len(latest))
	case "no-policy-snapshot":
		o.says = engine.Lit("no scheduling policy snapshot is labelled latest")
	case "policy-snapshot-incomplete":
		o.ofLatest, o.says = true, engine.Lit("the latest policy snapshot has no valid cluster count")
		if strings.Contains(r.Message.String(), "index label") {
			o.says = engine.Lit("the latest policy snapshot has no index label")
		}
	case "not-scheduled":
		o.ofLatest = true
		if latest, _, _ := k.Case.Nearby.LatestPolicies(); len(latest) == 1 {
			o.says, o.waits = unscheduledClause(k, latest[0])
		}
	case "no-cluster-picked":
		o.ofLatest = true
		o.says = engine.Textf("placement %s picks no cluster", k.View.Placement.Name())
		if n := wantedClusters(k); n > 0 {
			o.says = engine.Textf("placement %s has no binding, although its policy picks %s", k.View.Placement.Name(), engine.Count(n, "cluster"))
		}
	case "binding-count":
		o.ofLatest = true
		o.says = engine.Textf("placement %s picks %s, and its policy requires %s", k.View.Placement.Name(), catalogue.Counted(said["got"]), said["want"])
	case "strategy-missing":
		o.says = engine.Textf("strategy %s does not exist", subject.LastOf(said["strategy"]))
	case "stages-overlap", "cluster-in-no-stage":
		if bad := stageMismatchesOf(k); len(bad) > 0 {
			says := make([]engine.Text, len(bad))
			o.waits = true
			for i := range bad {
				says[i], o.waits = bad[i].says, o.waits && bad[i].left
			}
			o.says = reasons(says)
		}
	case "sorting-label":
		o.says = engine.Textf("label %s of cluster %s is not a number", said["key"], said["cluster"])
	case "stage-selector-invalid":
		o.says = engine.Textf("the label selector of stage %s is not valid (%s)", said["stage"], said["err"])
	case "stage-tasks-invalid":
		o.says = engine.Textf("the %s-stage tasks of stage %s are not valid (%s)", said["when"], said["stage"], said["err"])
	case "index-invalid":
		o.says = engine.Textf("the resource snapshot index %q is not a number of 0 or more", said["idx"])
	case "index-missing":
		o.says = engine.Textf("resource snapshot %s does not exist", said["idx"])
		if asked := subject.AskedIndex(k); asked != "" && asked != said["idx"] { // the controller's message has the number
			o.says = engine.Textf("no resource snapshot has the index label %q", asked)
		}
	case "snapshot-incomplete", "snapshot-being-created":
		o.says = engine.Lit("the resource snapshot is incomplete")
	case "resource-not-cluster-scoped":
		o.says = engine.Textf("the placement selects %s (%s), which the controller handles as namespace-scoped", said["resource"], said["version"])
	case "resources-not-selectable":
		o.says = engine.Textf("the placement selects resources that cannot be placed (%s)", said["err"])
	}
	return o
}

// oldPolicyClause says that bindings are of another policy snapshot than the latest.
func oldPolicyClause(k *subject.Subject, of string) engine.Text {
	latest, _, _ := k.Case.Nearby.LatestPolicies()
	now := engine.Lit("the latest")
	if len(latest) == 1 {
		now = engine.Textf("%s, the latest", latest[0].Name)
	}
	all, known := k.Case.PlacementBindings()
	all = slices.DeleteFunc(slices.Clone(all), func(b *world.Binding) bool { return b.State == string(placement.BindingUnscheduled) }) // a run does not check their policy
	others := slices.DeleteFunc(slices.Clone(all), func(b *world.Binding) bool { return b.PolicyName == of })
	if old := len(all) - len(others); known && old > 0 && len(others) > 0 {
		return engine.Textf("%d of %s %s policy snapshot %s, not %s", old, engine.Count(len(all), "binding"), subject.Agree(old, "has", "have"), of, now)
	}
	return engine.Textf("the bindings have policy snapshot %s, not %s", of, now)
}

// unscheduledClause says why a policy snapshot does not count as fully scheduled, and whether the
// scheduler has not processed it yet.
func unscheduledClause(k *subject.Subject, p *placement.SchedulingPolicySnapshot) (says engine.Text, waits bool) {
	f := engine.ReadCondition(p.Status.Conditions, placement.PlacementScheduled)
	switch f.Truth {
	case engine.TruthAbsent:
		return engine.Textf("policy snapshot %s has no Scheduled condition yet", p.Name), true
	case engine.TruthYes:
		return engine.Textf("the Scheduled condition of policy snapshot %s is out of date (observedGeneration %d, generation %d)", p.Name, f.Generation, p.Generation), true
	case engine.TruthNo, engine.TruthUnknown:
	}
	return engine.Textf("policy snapshot %s has not been fully scheduled since %s (%s)", p.Name, k.Case.Clock(f.Since), f.Reason), false
}

// wantedClusters counts the clusters that the latest policy snapshot selects.
func wantedClusters(k *subject.Subject) int {
	latest, _, _ := k.Case.Nearby.LatestPolicies()
	if len(latest) != 1 {
		return 0
	}
	n := 0
	for _, d := range latest[0].Status.TargetClusters {
		if d.Selected {
			n++
		}
	}
	return n
}
