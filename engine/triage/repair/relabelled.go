package repair

import (
	"strconv"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// relabelled is a picked cluster that does not match any more the stage in which the run
// recorded it.
type relabelled struct {
	cluster string
	stage   engine.Text
	now     engine.Text // the label and its value, or that it is missing
	want    labels.Requirement
}

// relabelledMembers lists those clusters, in the run's order.
func relabelledMembers(k *subject.Subject) []relabelled {
	run := k.Case.Run
	if run == nil || run.Status.StagedUpdateStrategySnapshot == nil {
		return nil
	}
	picked := map[string]map[string]string{}
	members := pickedMembers(k)
	if members == nil { // a cluster that is not picked any more fails the run too
		members, _ = k.Case.Members()
	}
	for _, m := range members {
		picked[memberName(m)] = m.Labels
	}
	stages := run.Status.StagedUpdateStrategySnapshot.Stages
	var out []relabelled
	for i, selector := range selectorsOf(stages) {
		if i >= len(run.Status.StagesStatus) {
			break
		}
		requirements, _ := selector.Requirements()
		for _, c := range run.Status.StagesStatus[i].Clusters {
			has, ok := picked[c.ClusterName]
			for _, r := range requirements {
				if !ok || r.Matches(labels.Set(has)) {
					continue
				}
				now := engine.Textf("no label %s", r.Key())
				if value, set := has[r.Key()]; set {
					now = engine.Textf("label %s=%s", r.Key(), value)
				}
				out = append(out, relabelled{cluster: c.ClusterName, stage: engine.Clean(stages[i].Name), now: now, want: r})
				break
			}
		}
	}
	return out
}

// relabelShown is how many relabelled clusters a rejection names.
const relabelShown = 3

// relabel names the clusters whose labels fail the run, with what they have and what the
// stages of the run select.
func (r *Rejection) relabel(k *subject.Subject) {
	all := relabelledMembers(k)
	if len(all) == 0 {
		return
	}
	var says, undo []engine.Text
	for i := range all {
		m := &all[i]
		says = append(says, engine.Textf("cluster %s has %s, and stage %s of this run selects %s", m.cluster, m.now, m.stage, m.want.String()))
		values := m.want.ValuesUnsorted()
		if op := m.want.Operator(); len(values) != 1 || op != selection.Equals && op != selection.DoubleEquals && op != selection.In {
			undo = append(undo, engine.Textf("label cluster %s so that it matches %s", m.cluster, m.want.String()))
			continue
		}
		undo = append(undo, engine.Textf("set label %s of cluster %s back to %s", m.want.Key(), m.cluster, values[0]))
		if i < relabelShown {
			r.Commands = append(r.Commands, engine.Kubectl(k.Case.Hub, "", "label", "--overwrite", "memberclusters", m.cluster, m.want.Key()+"="+values[0]))
		}
	}
	r.Says, r.Undo = engine.Enumerate(says, relabelShown), engine.Enumerate(undo, relabelShown)
}

// sortedBy says by which label a stage of the run sorts its clusters, and what two of them
// have; empty when it sorts by name.
func sortedBy(k *subject.Subject, stage int, names ...string) engine.Text {
	run := k.Case.Run
	if run.Status.StagedUpdateStrategySnapshot == nil || stage >= len(run.Status.StagedUpdateStrategySnapshot.Stages) {
		return engine.Text{}
	}
	key := run.Status.StagedUpdateStrategySnapshot.Stages[stage].SortingLabelKey
	if key == nil {
		return engine.Text{}
	}
	var have []engine.Text
	for _, name := range names {
		m, _ := k.Case.Member(name)
		if m == nil {
			continue
		}
		if value, set := m.Labels[*key]; set {
			have = append(have, engine.Textf("%s has %s", name, strconv.Quote(value)))
		} else {
			have = append(have, engine.Textf("%s has no such label", name))
		}
	}
	return engine.Textf("; it sorts by label %s (%s)", *key, engine.Join(have, ", "))
}
