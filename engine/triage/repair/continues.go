package repair

import (
	"slices"
	"strconv"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/applystrategy"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/shell"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// Rejection is why the controller will not continue an initialized run.
type Rejection struct {
	// Says is a clause in the present tense.
	Says engine.Text
	// Undo is what removes it so that the same run continues, in the imperative
	// without a full stop; empty when nothing does.
	Undo engine.Text
	// Commands are those of Undo.
	Commands []engine.Text
	// Failure is the entry of the message; nil for a text that is not in the catalogue.
	Failure *catalogue.Entry
	// Awaited is set when the hub agent first has to handle a change of the placement.
	Awaited bool
	// foreseen is set for a Rejection without a plan: All has no message then.
	foreseen bool
	// All are the reasons of the plan; the controller reports the first.
	All []plan.Refusal
	// More are the other reasons that end the run, as far as what removes those before
	// does not remove them, too.
	More []*Rejection
}

// Quote is the message that the controller will report; empty when it is not known.
func (r *Rejection) Quote() engine.Text {
	if r.foreseen {
		return engine.Text{}
	}
	return r.All[0].Message
}

// Final reports whether it ends the run; otherwise the controller retries.
func (r *Rejection) Final() bool { return r.All[0].Final }

// Rejected returns why the controller will not continue the run of the case, which is
// initialized: what the plan of the run is rejected for. It is nil when nothing of what
// was read speaks against the run.
func Rejected(k *subject.Subject) *Rejection {
	own := k.Case.Planned(false, func() plan.Plan { return forecast.Plan(ownInput(k), nil, k.Case.Now, nil) })
	if len(own.Refusals) == 0 {
		return nil
	}
	out := &Rejection{All: own.Refusals}
	out.explain(k, &own.Refusals[0])
	counted := strconv.Itoa(k.Case.Run.Status.PolicyObservedClusterCount)
	for i := range own.Refusals[1:] {
		if _, said := catalogue.FailureOf(own.Refusals[i+1].Message.String()); out.Failure != nil && out.Failure.Cause.String() == "cluster-count-changed" && said["got"] == counted {
			continue // the bindings are those that the run counted: with the old number, they are right again
		}
		if more := (&Rejection{All: own.Refusals[i+1:]}); more.Final() {
			more.explain(k, &more.All[0])
			out.add(more)
		}
	}
	return out
}

// add adds another reason, unless what removes those before removes it, too.
func (r *Rejection) add(more *Rejection) {
	for _, one := range append([]*Rejection{r}, r.More...) {
		same := len(more.Commands) > 0 && !slices.ContainsFunc(more.Commands, func(c engine.Text) bool { return !slices.Contains(one.Commands, c) })
		if same || one.Says == more.Says || !more.Undo.IsZero() && one.Undo == more.Undo {
			return
		}
	}
	r.More = append(r.More, more)
}

// MoreSays is a clause about the other reasons; empty for none.
func (r *Rejection) MoreSays() engine.Text {
	says := make([]engine.Text, len(r.More))
	for i, m := range r.More {
		says[i] = m.Says
	}
	return reasons(says)
}

// Undoes returns what removes all reasons, in the imperative without a full stop, and
// its commands; nil when one cannot be removed.
func (r *Rejection) Undoes() (undo, commands []engine.Text) {
	for _, one := range append([]*Rejection{r}, r.More...) {
		if one.Undo.IsZero() {
			return nil, nil
		}
		undo = append(undo, one.Undo)
		for _, c := range one.Commands {
			if !slices.Contains(commands, c) {
				commands = append(commands, c)
			}
		}
	}
	return undo, commands
}

// LabelWarning is the warning of Undoes that label clusters; nil for others.
func (r *Rejection) LabelWarning() []engine.Text {
	if undo, commands := r.Undoes(); slices.ContainsFunc(append(undo, commands...), catalogue.LabelsCluster) {
		return []engine.Text{catalogue.LabelsAreShared.Text()}
	}
	return nil
}

// ownInput is what the controller reads for the run of the case, as far as the case has
// it.
func ownInput(k *subject.Subject) pass.Input {
	in := inputOf(k, k.Case.Run)
	switch n := k.Case.Nearby; {
	case in.Placement == nil:
	case n == nil || !n.PlacementRead || k.Case.Run.Status.AppliedStrategy == nil:
		in.Failed.Placement = errUnread // the apply strategy cannot be compared
	default:
		in.Placement.Spec.Strategy.ApplyStrategy = n.Apply
	}
	return in
}

// explain fills what follows from a reason as the controller reports it.
func (r *Rejection) explain(k *subject.Subject, reported *plan.Refusal) {
	message := reported.Message.String()
	o := obstacleOf(k, reported)
	r.Says = o.says
	f, said := catalogue.FailureOf(message)
	if f == nil {
		return
	}
	r.Failure = EntryOf(k, &f.Entry, said)
	place := k.View.Placement.Name()
	of := *k
	of.Named = said
	run := &k.Case.Run.Status
	switch f.Cause.String() {
	case "apply-strategy-changed":
		r.applyChanged(place, applystrategy.Values(k.Case.Nearby.Apply), applystrategy.Values(run.AppliedStrategy))
	case "policy-changed":
		r.Says = engine.Textf("the scheduling policy of placement %s was changed after this run was initialized: policy snapshot %s, was %s", place, said["new"], said["old"])
	case "cluster-count-changed":
		r.Says = engine.Textf("placement %s requires %s now, and %s when this run was initialized", place, catalogue.Counted(said["new"]), said["old"])
		if p := k.Case.Nearby.Policy; p == nil || p.PlacementType == placement.PickN { // no other policy has a number
			r.Undo = engine.Textf("set spec.policy.numberOfClusters of placement %s back to %s", place, said["old"])
		}
	case "stage-clusters-changed", "cluster-order-changed":
		r.Says = stageClause(&of)
		if i, err := strconv.Atoi(said["idx"]); err == nil {
			r.relabel(k, ofStage(i))
			restore, possible := restoreClusters(k, i)
			if !possible {
				r.Undo = engine.Text{}
				break
			}
			for _, more := range []engine.Text{restore, r.reorder(k, i, said["new"], said["old"])} {
				switch {
				case r.Undo.IsZero():
					r.Undo = more
				case !more.IsZero():
					r.Undo = engine.Textf("%s, and %s", r.Undo, more)
				}
			}
		}
	case "cluster-unscheduled":
		r.Says = engine.Textf("placement %s no longer picks cluster %s", place, said["cluster"])
		switch m, known := k.Case.Member(said["cluster"]); {
		case m == nil && known: // the binding of a cluster that joins again is another one
			r.Says = engine.Textf("%s: member %s no longer exists", r.Says, said["cluster"])
		case m != nil && !m.Deleting.IsZero():
			r.Says = engine.Textf("%s: member %s is being deleted (requested at %s)", r.Says, said["cluster"], k.Case.Clock(m.Deleting))
		case updates(k, said["cluster"]): // picked again, one that is in no stage of the run fails it, too
			r.Undo = engine.Textf("restore the labels{labels-cluster} or the taints by which placement %s picked cluster %s", place, said["cluster"])
		}
	case "cluster-in-no-stage", "stages-overlap", "sorting-label":
		r.Says = frozenClause(r.Says, said)
		if r.relabel(k, named(said)); said["key"] != "" { // a sorting label moves no cluster out of its stage
			r.Undo = engine.Textf("set label %s of cluster %s to a number again (now %s)", said["key"], said["cluster"], sortingValue(said))
			r.Commands = append(r.Commands, engine.Textf("{labels-cluster}%s", shell.Kubectl(k.Case.Hub, "", "label", "--overwrite", "memberclusters", said["cluster"], said["key"]+"=<number>")))
		}
		switch left := subject.NotMembers(k, said["names"]); {
		case r.Failure == &catalogue.ClustersLeft:
			r.Says, r.Undo = engine.Textf("clusters of this run left the fleet: %s", said["names"]), engine.Text{}
		case len(left) > 0:
			r.Says, r.Undo = engine.Textf("%s: member %s no longer exists", r.Says, left[0]), engine.Text{}
		}
	case "binding-count", "no-cluster-picked":
		r.Undo = engine.Textf("restore what the policy of placement %s requires: a binding for each of its clusters", place)
		if steps := unboundSteps(k); steps != nil {
			r.Undo = steps[0].Clause()
		}
	case "not-scheduled":
		r.Undo = engine.Lit("join or label{labels-cluster} enough clusters, until the latest policy snapshot is fully scheduled")
	case "several-policy-snapshots", "no-policy-snapshot":
		r.relabelPolicy(k, engine.Clean(run.PolicySnapshotIndexUsed))
	case "policy-snapshot-incomplete":
		if latest, _, _ := k.Case.Nearby.LatestPolicies(); len(latest) == 1 {
			r.Undo = engine.Textf("restore %s of policy snapshot %s", engine.Join(lacksOf(latest[0]), " and "), latest[0].Name)
		}
	case "placement-not-external":
		r.Undo = engine.Textf("set the strategy type of placement %s to External", place)
	}
	if r.policyChanged(k) { // what is restored does not bring the old policy back
		r.Undo = engine.Text{}
	}
}

// applyChanged says which fields of the apply strategy were changed, and how to undo it.
func (r *Rejection) applyChanged(place engine.Text, now, was []string) {
	r.Says = engine.Textf("the apply strategy of placement %s was changed after this run was initialized: %s", place, engine.Join(applystrategy.Diff(now, was), "; "))
	r.Undo = engine.Textf("set the apply strategy of placement %s back: %s", place, engine.Join(applystrategy.Restore(now, was), "; "))
}

// updates reports whether a cluster is in a stage of the run that updates clusters.
func updates(k *subject.Subject, cluster string) bool {
	return slices.ContainsFunc(k.Case.Run.Status.StagesStatus, func(s placement.StageStatus) bool {
		return slices.ContainsFunc(s.Clusters, func(c placement.ClusterStatus) bool { return c.ClusterName == cluster })
	})
}

// policyChanged reports whether the only latest policy snapshot is not that of the
// run, whatever else the controller reports first.
func (r *Rejection) policyChanged(k *subject.Subject) bool {
	latest, _, read := k.Case.Nearby.LatestPolicies()
	if !read || len(latest) != 1 {
		return false
	}
	index, used := latest[0].Labels[placement.LabelPolicyIndex], k.Case.Run.Status.PolicySnapshotIndexUsed
	return r.Final() && index != "" && used != "" && index != used
}

// stageClause says how the clusters of a stage differ from those that the run recorded.
func stageClause(k *subject.Subject) engine.Text {
	i, err := strconv.Atoi(k.Named["idx"])
	if err != nil || i < 0 || i >= len(k.View.Stages) {
		return engine.Lit("the clusters of a stage have changed")
	}
	stage := engine.StageName(&k.View.Stages[i])
	if joined, left, ok := stageChanges(k, i); ok && len(joined)+len(left) > 0 {
		return engine.Textf("the clusters of %s have changed after this run was initialized (%s)", stage, moves(joined, left))
	}
	if k.Named["pos"] != "" {
		return engine.Textf("the order of the clusters of %s has changed: %s is where %s was%s", stage, k.Named["new"], k.Named["old"], sortedBy(k, i, k.Named["new"], k.Named["old"]))
	}
	return engine.Textf("%s has %s now, and %s when this run was initialized", stage, catalogue.Counted(k.Named["new"]), k.Named["old"])
}

// frozenClause says which clusters do not fit the stages that the run recorded.
func frozenClause(says engine.Text, said map[string]string) engine.Text {
	switch {
	case said["names"] != "":
		return engine.Textf("%s in no stage of this run: %s", verbCounted(said["total"]), said["names"])
	case said["cluster"] != "" && said["key"] == "":
		return engine.Textf("cluster %s matches several stages of this run", said["cluster"])
	}
	return says
}

func verbCounted(n string) engine.Text {
	if n == "1" {
		return engine.Lit("1 picked cluster is")
	}
	return engine.Textf("%s picked clusters are", n)
}

// sortingValue is the value of a sorting label that a message names.
func sortingValue(said map[string]string) engine.Text {
	if said["value"] == "" {
		return engine.Lit("not set")
	}
	return engine.Textf("%q", said["value"])
}

// relabelPolicy makes the policy snapshot that the run was initialized with the latest
// again. One that was deleted cannot be; the hub agent creates one with its index only
// where the placement has none left.
func (r *Rejection) relabelPolicy(k *subject.Subject, index engine.Text) {
	latest, all, read := k.Case.Nearby.LatestPolicies()
	own := slices.IndexFunc(all, func(p *placement.SchedulingPolicySnapshot) bool {
		return p.Labels[placement.LabelPolicyIndex] == index.String() && p.DeletionTimestamp == nil
	})
	if own >= 0 {
		others := slices.DeleteFunc(slices.Clone(latest), func(p *placement.SchedulingPolicySnapshot) bool { return p == all[own] })
		r.Undo = engine.Textf("set the label %s to true on %s, the policy snapshot of this run", placement.LabelIsLatestSnapshot, all[own].Name)
		if r.Commands = append(r.Commands, subject.LabelLatest(k, all[own].Name, true)); len(others) > 0 {
			r.Undo = engine.Textf("%s, and to false on %s, one right after the other (a PENDING run of the placement fails if it is checked in between)", r.Undo, subject.PolicyNames(others))
		}
		for _, p := range others {
			r.Commands = append(r.Commands, subject.LabelLatest(k, p.Name, false))
		}
		return
	}
	if !read || index.IsZero() {
		r.Undo = engine.Textf("set the label %s to true on the policy snapshot of this run (index %s), and to false on the others", placement.LabelIsLatestSnapshot, engine.OrUnknown(index))
		return
	}
	r.Says = engine.Textf("the policy snapshot of this run (index %s) no longer exists", index)
	if len(all) == 0 && index == engine.Lit("0") {
		r.Undo = engine.Textf("check that the hub agent is running: it creates policy snapshot 0 of placement %s again when it next processes the placement", k.View.Placement.Name())
	}
}
