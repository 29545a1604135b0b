package repair

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/shell"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
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

// found says what the cluster has under a key: the value, or that there is no such label.
func found(has map[string]string, key string) engine.Text {
	if value, set := has[key]; set {
		return engine.Textf("%q", value)
	}
	return engine.Lit("not set")
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
	var has func(cluster string) map[string]string
	stages := run.Status.StagedUpdateStrategySnapshot.Stages
	selectors := selectorsOf(stages)
	var out []relabelled
	for i := range stages[:min(len(stages), len(run.Status.StagesStatus))] {
		requirements, _ := selectors[i].Requirements()
		if len(requirements) == 0 {
			continue
		}
		if has == nil { // the members of a thousand bindings
			has = labelsOf(k)
		}
		for _, c := range run.Status.StagesStatus[i].Clusters {
			m := relabelled{cluster: c.ClusterName, recorded: i, stage: engine.Clean(stages[i].Name), has: has(c.ClusterName)}
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

// labelsOf returns the labels of a member that the placement picks; without such members, of
// any member: a cluster that is not picked any more fails the run too. They are nil for a
// member that is not known, and no others are.
func labelsOf(k *subject.Subject) func(cluster string) map[string]string {
	labels := func(m *world.Member) map[string]string {
		if m.Labels == nil {
			return map[string]string{}
		}
		return m.Labels
	}
	picked := pickedMembers(k)
	if picked == nil {
		return func(cluster string) map[string]string {
			if m, _ := k.Case.Member(cluster); m != nil {
				return labels(m)
			}
			return nil
		}
	}
	known := make(map[string]map[string]string, len(picked))
	for _, m := range picked {
		known[memberName(m)] = labels(m)
	}
	return func(cluster string) map[string]string { return known[cluster] }
}

// undo is what gives the cluster the labels that are wanted, in the imperative, with the
// value that each has now; and its command, empty where several values would do.
func (m *relabelled) undo(k *subject.Subject) (out []engine.Text, command engine.Text) {
	args := []string{"label", "--overwrite", "memberclusters", m.cluster}
	for _, want := range m.unmet {
		values := want.ValuesUnsorted()
		if op := want.Operator(); len(values) == 1 && (op == selection.Equals || op == selection.DoubleEquals || op == selection.In) {
			out, args = append(out, engine.Textf("set label %s of cluster %s to %s (now %s)", want.Key(), m.cluster, values[0], found(m.has, want.Key()))), append(args, want.Key()+"="+values[0])
		}
	}
	if len(out) < len(m.unmet) {
		return []engine.Text{engine.Textf("label{labels-cluster} cluster %s so that it matches %s (it has %s)", m.cluster, m.wanted(), m.now())}, engine.Text{}
	}
	return out, engine.Textf("{labels-cluster}%s", shell.Kubectl(k.Case.Hub, "", args...))
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
		back, command := m.undo(k)
		if !command.IsZero() && len(r.Commands) < relabelShown {
			r.Commands = append(r.Commands, command)
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

// restoreClusters is a clause, in the imperative, about what gives a stage its recorded
// clusters again, apart from labels; empty when labels explain all. A cluster that the placement
// picked later cannot go: its binding is in no deletion stage (docs/kubefleet.md#validate).
func restoreClusters(k *subject.Subject, stage int) (clause engine.Text, possible bool) {
	place := k.View.Placement.Name()
	joined, left, ok := stageChanges(k, stage)
	if !ok {
		return engine.Textf("restore the labels and the bindings of the clusters of placement %s", place), true
	}
	all := relabelledMembers(k)
	unexplained := func(names []engine.Text) []engine.Text {
		return slices.DeleteFunc(slices.Clone(names), func(name engine.Text) bool {
			return slices.ContainsFunc(all, func(m relabelled) bool { return engine.Clean(m.cluster) == name })
		})
	}
	if len(unexplained(joined)) > 0 {
		return engine.Text{}, false
	}
	left = unexplained(left)
	for i := range k.Case.Clusters { // a binding that is created again preempts the run (docs/kubefleet.md#cluster-checks)
		cl := &k.Case.Clusters[i]
		if (cl.Binding == nil || k.LeftFleet(cl)) && !cl.Started.IsZero() && cl.Outcome.Truth == engine.TruthAbsent && slices.Contains(left, engine.Clean(cl.Name)) {
			return engine.Text{}, false
		}
	}
	if gone := subject.NotMembers(k, engine.Join(left, ", ").String()); len(gone) > 0 {
		clause = engine.Textf("join %s to the fleet again under the same name, so that placement %s picks %s", engine.Enumerate(engine.CleanAll(gone), relabelShown), place, subject.Agree(len(gone), "it", "them"))
		left = slices.DeleteFunc(left, func(name engine.Text) bool { return slices.Contains(gone, name.String()) })
	}
	switch again := engine.Textf("make placement %s pick %s again (no valid binding now; a change of the placement's policy fails the run)", place, engine.Enumerate(left, relabelShown)); {
	case len(left) == 0:
		return clause, true
	case clause.IsZero():
		return again, true
	default:
		return engine.Textf("%s, and %s", clause, again), true
	}
}

// reorder is a clause, in the imperative, about what gives the clusters of a stage their
// recorded order again, and the command for it; empty for a stage that sorts by name.
func (r *Rejection) reorder(k *subject.Subject, stage int, now, was string) engine.Text {
	key := sortingKey(k, stage)
	a, _ := k.Case.Member(was)
	b, _ := k.Case.Member(now)
	if key == "" || a == nil || b == nil {
		return engine.Text{}
	}
	for _, name := range []string{was, now} {
		r.Commands = append(r.Commands, engine.Textf("{labels-cluster}%s", shell.Kubectl(k.Case.Hub, "", "label", "--overwrite", "memberclusters", name, key+"=<number>")))
	}
	return engine.Textf("set label %s of cluster %s (now %s) and of cluster %s (now %s) back, so that %s comes before %s", key, was, found(a.Labels, key), now, found(b.Labels, key), was, now)
}

// sortingKey is the label by which a stage of the run sorts its clusters, raw.
func sortingKey(k *subject.Subject, stage int) string {
	s := k.Case.Run.Status.StagedUpdateStrategySnapshot
	if s == nil || stage >= len(s.Stages) || s.Stages[stage].SortingLabelKey == nil {
		return ""
	}
	return *s.Stages[stage].SortingLabelKey
}

// LabelsChanged says what happened when an initialized run failed because of labels: the
// controller reports a cluster that was relabelled in the words of a failed initialization.
// It adds the step and the commands that undo it, while the labels differ, and replaces the
// steps once they do not. what is what the message says; it is returned for a cause that
// lies elsewhere.
func LabelsChanged(k *subject.Subject, c engine.Cause, what engine.Text, steps []engine.Text) (says engine.Text, next, commands []engine.Text) {
	said, of := k.Named, named(k.Named)
	switch c.String() {
	case "clusters-left":
		back := subject.JoinedAgain(k, said["names"])
		if says = engine.Textf("%s left the fleet during the run: %s.", engine.Count(len(subject.NotMembers(k, said["names"]))+len(back), "cluster"), said["names"]); len(back) > 0 {
			says = engine.Textf("%s Of these, %s joined again.", says, engine.Enumerate(engine.CleanAll(back), relabelShown))
		}
		return says, steps, nil
	case "cluster-in-no-stage":
		what = engine.Textf("Labels were changed during the run: %s no longer in any stage: %s.", verbCounted(said["total"]), said["names"])
		if left := subject.NotMembers(k, said["names"]); len(left) > 0 {
			what = engine.Textf("%s Of these, %s left the fleet.", what, engine.Enumerate(engine.CleanAll(left), relabelShown))
		}
	case "stages-overlap":
		what = engine.Textf("Labels were changed during the run: cluster %s matches several of its stages.", said["cluster"])
	case "sorting-label":
		what = engine.Textf("Labels were changed during the run: label %s of cluster %s must be a number, and was %s.", said["key"], said["cluster"], sortingValue(said))
	case "stage-clusters-changed", "cluster-order-changed":
		if i, err := strconv.Atoi(said["idx"]); err == nil {
			of = ofStage(i)
		}
	default:
		return what, steps, nil
	}
	r := Rejection{}
	if r.relabel(k, of); !r.Says.IsZero() {
		return engine.Textf("%s %s.", what, engine.Capital(r.Says)), append([]engine.Text{engine.Textf("{undoes}To put the clusters back in their old stages, first %s.", r.Undo), catalogue.LabelsAreShared.Text()}, steps...), r.Commands
	}
	if _, known := k.Case.Members(); known && c.String() == "cluster-in-no-stage" && subject.Recorded(k, said["names"]) {
		return engine.Textf("%s The labels match the stages of this run again.", what), []engine.Text{engine.Lit("Create a new run ({clone}): the labels have been restored.")}, nil
	}
	return what, steps, nil
}

// EntryOf is the entry of a failure, given that of its message. The controller reports clusters
// that left the fleet after the run had been initialized as clusters that match no stage.
func EntryOf(k *subject.Subject, e *catalogue.Entry, said map[string]string) *catalogue.Entry {
	left := len(subject.NotMembers(k, said["names"]))
	if k.View.Terminal {
		left += len(subject.JoinedAgain(k, said["names"]))
	}
	if e.Cause.String() == "cluster-in-no-stage" && k.Case.Initialized.Truth == engine.TruthYes && left > strings.Count(said["names"], ", ") {
		return &catalogue.ClustersLeft
	}
	return e
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
	key := sortingKey(k, stage)
	if key == "" {
		return engine.Text{}
	}
	var have []engine.Text
	for _, name := range names {
		m, _ := k.Case.Member(name)
		if m == nil {
			continue
		}
		if value, set := m.Labels[key]; set {
			have = append(have, engine.Textf("%s has %s", name, strconv.Quote(value)))
		} else {
			have = append(have, engine.Textf("%s has no such label", name))
		}
	}
	return engine.Textf("; the stage sorts by label %s (%s)", key, engine.Join(have, ", "))
}
