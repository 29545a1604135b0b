package repair

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// relabelled is a cluster that does not match any more the stage in which the run
// recorded it.
type relabelled struct {
	cluster  string
	recorded int // the stage
	matches  []int
	stage    engine.Text
	has      map[string]string
	unmet    []labels.Requirement
}

// now says what the cluster has instead of the unmet requirements.
func (m *relabelled) now() engine.Text {
	out := make([]engine.Text, len(m.unmet))
	for i := range m.unmet {
		key := m.unmet[i].Key()
		if out[i] = engine.Textf("no label %s", key); m.has[key] != "" {
			out[i] = engine.Textf("label %s=%s", key, m.has[key])
		}
	}
	return engine.Join(out, " and ")
}

// wanted are the unmet requirements as a selector.
func (m *relabelled) wanted() engine.Text {
	out := make([]engine.Text, len(m.unmet))
	for i := range m.unmet {
		out[i] = engine.Clean(m.unmet[i].String())
	}
	return engine.Join(out, ",")
}

// relabelledMembers lists those clusters, in the run's order.
func relabelledMembers(k *subject.Subject) []relabelled {
	run := k.Case.Run
	if run == nil || run.Status.StagedUpdateStrategySnapshot == nil {
		return nil
	}
	known := map[string]map[string]string{}
	members := pickedMembers(k)
	if members == nil { // a cluster that is not picked any more fails the run too
		members, _ = k.Case.Members()
	}
	for _, m := range members {
		if known[memberName(m)] = m.Labels; m.Labels == nil {
			known[memberName(m)] = map[string]string{}
		}
	}
	stages := run.Status.StagedUpdateStrategySnapshot.Stages
	selectors := selectorsOf(stages)
	var out []relabelled
	for i := range stages {
		if i >= len(run.Status.StagesStatus) {
			break
		}
		requirements, _ := selectors[i].Requirements()
		for _, c := range run.Status.StagesStatus[i].Clusters {
			m := relabelled{cluster: c.ClusterName, recorded: i, stage: engine.Clean(stages[i].Name), has: known[c.ClusterName]}
			for _, r := range requirements {
				if m.has != nil && !r.Matches(labels.Set(m.has)) {
					m.unmet = append(m.unmet, r)
				}
			}
			if len(m.unmet) == 0 {
				continue
			}
			for j := range selectors {
				if selectors[j].Matches(labels.Set(m.has)) {
					m.matches = append(m.matches, j)
				}
			}
			out = append(out, m)
		}
	}
	return out
}

// relabelShown is how many relabelled clusters a rejection names.
const relabelShown = 3

// relabel adds to a rejection the labels by which clusters left the stages of the run, and
// how to restore them. of selects the clusters that the message is about.
func (r *Rejection) relabel(k *subject.Subject, of func(*relabelled) bool) {
	var says, undo []engine.Text
	all := relabelledMembers(k)
	for i := range all {
		m := &all[i]
		if !of(m) {
			continue
		}
		says = append(says, engine.Textf("cluster %s has %s, and stage %s of this run selects %s", m.cluster, m.now(), m.stage, m.wanted()))
		args := []string{"label", "--overwrite", "memberclusters", m.cluster}
		var back []engine.Text
		for _, want := range m.unmet {
			values := want.ValuesUnsorted()
			if op := want.Operator(); len(values) == 1 && (op == selection.Equals || op == selection.DoubleEquals || op == selection.In) {
				back, args = append(back, engine.Textf("set label %s of cluster %s back to %s", want.Key(), m.cluster, values[0])), append(args, want.Key()+"="+values[0])
			}
		}
		if len(back) < len(m.unmet) {
			back = []engine.Text{engine.Textf("label cluster %s so that it matches %s", m.cluster, m.wanted())}
		} else if len(r.Commands) < relabelShown {
			r.Commands = append(r.Commands, engine.Kubectl(k.Case.Hub, "", args...))
		}
		undo = append(undo, back...)
	}
	if len(says) == 0 {
		return
	}
	if r.Undo = engine.Enumerate(undo, relabelShown); r.Says.IsZero() {
		r.Says = engine.Enumerate(says, relabelShown)
		return
	}
	r.Says = engine.Textf("%s; %s", r.Says, engine.Enumerate(says, relabelShown))
}

// ofStage selects the clusters that left or joined a stage.
func ofStage(i int) func(*relabelled) bool {
	return func(m *relabelled) bool { return m.recorded == i || slices.Contains(m.matches, i) }
}

// named selects the clusters that a message names.
func named(said map[string]string) func(*relabelled) bool {
	names := strings.FieldsFunc(said["names"]+","+said["cluster"], func(r rune) bool { return r == ',' || r == ' ' })
	return func(m *relabelled) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.TrimSuffix(n, "...") == m.cluster })
	}
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
