package repair

import (
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// stagesOf returns the stages that a new run by the same strategy would have now;
// nil when the strategy was not read or does not exist.
func stagesOf(k *subject.Subject) []placement.StageConfig {
	s, _ := k.Case.Nearby.Strategy(subject.StrategyOf(k))
	if s == nil {
		return nil
	}
	return s.Spec.Stages
}

// pickedMembers lists the clusters that the placement picks now; nil when the bindings
// or the members are not all known.
func pickedMembers(k *subject.Subject) []*world.Member {
	bindings, known := k.Case.PlacementBindings()
	if !known {
		return nil
	}
	var out []*world.Member
	last := "" // several bindings of a cluster follow each other
	for _, b := range bindings {
		if !subject.Picks(b) || b.Cluster == last {
			continue
		}
		if m, _ := k.Case.Member(b.Cluster); m != nil {
			out, last = append(out, m), b.Cluster
		}
	}
	return out
}

// noneBound reports whether the placement picks no cluster now, by its bindings.
func noneBound(k *subject.Subject) bool {
	bindings, known := k.Case.PlacementBindings()
	return known && !slices.ContainsFunc(bindings, subject.Picks)
}

// memberName returns the name of a member, raw.
func memberName(m *world.Member) string {
	_, name, _ := m.ID.Raw()
	return name
}

// selectorsOf returns the label selectors of stages. One that is not valid matches
// nothing.
func selectorsOf(stages []placement.StageConfig) []labels.Selector {
	out := make([]labels.Selector, len(stages))
	for i := range stages {
		s, err := metav1.LabelSelectorAsSelector(stages[i].LabelSelector)
		if err != nil {
			s = labels.Nothing()
		}
		out[i] = s
	}
	return out
}

// matching lists the stages whose label selector a member matches.
func matching(m *world.Member, stages []placement.StageConfig, selectors []labels.Selector) (names []engine.Text) {
	for i := range stages {
		if selectors[i].Matches(labels.Set(m.Labels)) {
			names = append(names, engine.Clean(stages[i].Name))
		}
	}
	return names
}

// stageMismatch is a cluster that is not in exactly one stage.
type stageMismatch struct {
	cluster string
	says    engine.Text // a clause
	left    bool        // it left the fleet
}

// stageMismatchesOf lists the picked clusters that the strategy as it is now puts into no
// stage or into several, by name.
func stageMismatchesOf(k *subject.Subject) []stageMismatch {
	stages := stagesOf(k)
	if stages == nil {
		return nil
	}
	var out []stageMismatch
	selectors := selectorsOf(stages)
	for _, m := range pickedMembers(k) {
		name := memberName(m)
		switch in := matching(m, stages, selectors); len(in) {
		case 0:
			out = append(out, stageMismatch{cluster: name, says: engine.Textf("cluster %s matches no stage of strategy %s", name, subject.StrategyOf(k))})
		case 1:
		default:
			out = append(out, stageMismatch{cluster: name, says: engine.Textf("cluster %s matches stages %s of strategy %s", name, engine.Enumerate(in, 3), subject.StrategyOf(k))})
		}
	}
	for _, name := range k.NotRemoved() {
		out = append(out, stageMismatch{cluster: name, says: engine.Textf("cluster %s left the fleet, and the scheduler has not removed it from the placement yet", name), left: true})
	}
	return out
}

// stagesFit is the present of the causes that lie in the labels of clusters and
// the selectors of stages.
func stagesFit(k *subject.Subject) Outcome {
	if stagesOf(k) == nil || pickedMembers(k) == nil {
		return Outcome{Evidence: subject.LabelEvidence(k)}
	}
	bad := stageMismatchesOf(k)
	if len(bad) == 0 {
		return afterRepair(k, engine.Textf("Every picked cluster matches one stage of strategy %s now", subject.StrategyOf(k)), subject.LabelEvidence(k)...)
	}
	says, clusters := make([]engine.Text, len(bad)), make([]string, len(bad))
	for i, b := range bad {
		says[i], clusters[i] = b.says, b.cluster
	}
	evidence := subject.LabelEvidence(k, clusters...)
	if left := k.NotRemoved(); len(left) == len(bad) {
		out := then(engine.Textf("{fixes-first}Wait until the scheduler has removed %s, no longer in the fleet, from the placement. Then create a new run ({clone}).", engine.Enumerate(engine.CleanAll(left), 3)))
		out.Evidence = evidence
		return out
	}
	out := then(
		engine.Textf("Change the stages of strategy %s, or label each cluster for one stage. Current state: %s.", subject.StrategyOf(k), engine.Enumerate(says, 2)),
		catalogue.LabelsAreShared.Text(),
		engine.Lit("To leave a cluster out of the rollout, exclude it in the placement's policy or taint it."),
		engine.Lit("{fixes-first}Then create a new run ({clone})."),
	)
	if names := fitting(k); len(names) > 0 {
		out.Steps = append(out.Steps, engine.Textf("Or create a new run with another strategy ({clone}): each picked cluster matches one stage of %s. The stages differ: check the plan first.", engine.Enumerate(names, 3)))
	}
	out.Evidence, out.Commands = evidence, showOthers(k, clusters)
	return out
}

// showOthers shows clusters that do not fit now, unless the message names them all.
func showOthers(k *subject.Subject, clusters []string) []engine.Text {
	named := k.NamedClusters()
	if !slices.ContainsFunc(clusters, func(c string) bool { return !slices.Contains(named, c) }) {
		return nil
	}
	return []engine.Text{subject.ShowTheseMembers(k, clusters)}
}

// fitting lists the other strategies in which every picked cluster matches one stage, and that are
// valid otherwise.
func fitting(k *subject.Subject) (names []engine.Text) {
	refused := forecast.RefusedStrategies(newRunInput(k, k.Case.Run), k.Case.Nearby.Strategies)
	for _, s := range k.Case.Nearby.Strategies {
		selectors := selectorsOf(s.Spec.Stages)
		if s.Name == subject.StrategyOf(k) || !refused[s.Name].IsZero() || slices.ContainsFunc(pickedMembers(k), func(m *world.Member) bool { return len(matching(m, s.Spec.Stages, selectors)) != 1 }) {
			continue
		}
		names = append(names, engine.Clean(s.Name))
	}
	return names
}

// unsorted is a cluster whose sorting label is not a number.
type unsorted struct {
	stage, key, cluster string
	labels              map[string]string
}

// unsortableMembers lists the picked clusters that the strategy as it is now cannot
// sort.
func unsortableMembers(k *subject.Subject) []unsorted {
	var out []unsorted
	stages := stagesOf(k)
	if !slices.ContainsFunc(stages, func(s placement.StageConfig) bool { return s.SortingLabelKey != nil }) {
		return nil
	}
	selectors, picked := selectorsOf(stages), pickedMembers(k)
	for i := range stages {
		key := stages[i].SortingLabelKey
		if key == nil {
			continue
		}
		for _, m := range picked {
			if !selectors[i].Matches(labels.Set(m.Labels)) {
				continue
			}
			if _, err := strconv.Atoi(m.Labels[*key]); err != nil {
				out = append(out, unsorted{stages[i].Name, *key, memberName(m), m.Labels})
			}
		}
	}
	return out
}

// sortingFit is the present of a sorting label that is not a number.
func sortingFit(k *subject.Subject) Outcome {
	key, cluster := k.Named["key"], k.Named["cluster"]
	evidence := subject.SortingEvidence(k, key, cluster)
	stages := stagesOf(k)
	bad := unsortableMembers(k)
	m, _ := k.Case.Member(cluster)
	labelled := false
	if m != nil {
		_, err := strconv.Atoi(m.Labels[key])
		labelled = err == nil
	}
	switch sorted := stages != nil && pickedMembers(k) != nil && len(bad) == 0; {
	case sorted && !sortsBy(stages, key):
		return afterRepair(k, engine.Textf("Strategy %s does not sort by label %s now", subject.StrategyOf(k), key), evidence...)
	case labelled && len(bad) == 0:
		return afterRepair(k, engine.Textf("Label %s of cluster %s is %s now", key, cluster, m.Labels[key]), evidence...)
	case sorted:
		return afterRepair(k, engine.Textf("Every picked cluster in a sorted stage of strategy %s has a number now", subject.StrategyOf(k)), evidence...)
	case len(bad) > 0:
		key, cluster, m = bad[0].key, bad[0].cluster, &world.Member{Labels: bad[0].labels}
	}
	of := engine.Lit("the strategy")
	if name := subject.StrategyOf(k); name != "" {
		of = engine.Textf("strategy %s", name)
	}
	if len(bad) > 0 {
		of = engine.Textf("stage %s of %s", bad[0].stage, of)
	}
	first := engine.Textf("Correct sortingLabelKey %q in %s: it must name a label whose values are numbers", key, of)
	if m != nil {
		if numbers := subject.Numbered(m.Labels); len(numbers) > 0 {
			first = engine.Textf("%s (cluster %s has %s)", first, cluster, engine.Enumerate(numbers, 3))
		}
	}
	unlabelled := []string{cluster}
	for _, b := range bad {
		if b.key == key && !slices.Contains(unlabelled, b.cluster) {
			unlabelled = append(unlabelled, b.cluster)
		}
	}
	label := engine.Textf("label cluster %s with a number: %s", cluster, engine.Clean(key+"=1"))
	if len(unlabelled) > 1 {
		label = engine.Textf("label clusters %s with numbers, such as %s", engine.Enumerate(engine.CleanAll(unlabelled), 3), engine.Clean(key+"=1"))
	}
	out := then(engine.Textf("%s.", first), engine.Textf("Or, if %s is the right key, %s.", key, label), catalogue.LabelsAreShared.Text(), engine.Lit("{fixes-first}Then create a new run ({clone})."))
	out.Evidence, out.Commands = subject.SortingEvidence(k, key, unlabelled[:min(len(unlabelled), 3)]...), showOthers(k, unlabelled)
	return out
}

func sortsBy(stages []placement.StageConfig, key string) bool {
	return slices.ContainsFunc(stages, func(s placement.StageConfig) bool { return s.SortingLabelKey != nil && *s.SortingLabelKey == key })
}

// stageChanges lists the clusters that stage i of the recorded strategy has now and the
// run did not record, and those that it recorded and the stage does not have now. ok is
// false when not everything was read.
func stageChanges(k *subject.Subject, i int) (joined, left []engine.Text, ok bool) {
	run := k.Case.Run
	if run == nil || run.Status.StagedUpdateStrategySnapshot == nil {
		return nil, nil, false
	}
	stages := run.Status.StagedUpdateStrategySnapshot.Stages
	picked := pickedMembers(k)
	if i < 0 || i >= len(stages) || i >= len(run.Status.StagesStatus) || picked == nil && !noneBound(k) {
		return nil, nil, false
	}
	recorded := map[string]bool{}
	for _, c := range run.Status.StagesStatus[i].Clusters {
		recorded[c.ClusterName] = true
	}
	now := map[string]bool{}
	selectors := selectorsOf(stages)
	for _, m := range picked {
		if !selectors[i].Matches(labels.Set(m.Labels)) {
			continue
		}
		name := memberName(m)
		if now[name] = true; !recorded[name] {
			joined = append(joined, engine.Clean(name))
		}
	}
	for _, name := range subject.SortedKeys(recorded) {
		if !now[name] {
			left = append(left, engine.Clean(name))
		}
	}
	return joined, left, true
}

// moves says which clusters came and went.
func moves(joined, left []engine.Text) engine.Text {
	var moved []engine.Text
	if len(joined) > 0 {
		moved = append(moved, engine.Textf("added: %s", engine.Enumerate(joined, 5)))
	}
	if len(left) > 0 {
		moved = append(moved, engine.Textf("removed: %s", engine.Enumerate(left, 5)))
	}
	return engine.Join(moved, "; ")
}

// stageClusters is the present of a stage whose clusters differ from those that
// the run recorded.
func stageClusters(k *subject.Subject) Outcome {
	i, err := strconv.Atoi(k.Named["idx"])
	if err != nil {
		return Outcome{}
	}
	joined, left, ok := stageChanges(k, i)
	if !ok {
		return Outcome{}
	}
	stage := engine.Clean(k.Case.Run.Status.StagedUpdateStrategySnapshot.Stages[i].Name)
	moved := moves(joined, left)
	if moved.IsZero() && comesBefore(k, i, k.Named["new"], k.Named["old"]) {
		return orderNow(k, i, stage)
	}
	if moved.IsZero() {
		return afterRepair(k, engine.Textf("Stage %s has its recorded clusters again", stage))
	}
	diff := subject.Field(subject.Object(k.View.ID), engine.Textf("status.stagesStatus[%s].clusters", stage), moved)
	if o := Blocked(k, ""); !o.IsZero() {
		out := then(engine.Textf("%s Stage %s changed (%s).", subject.BeforeNewRun(o), stage, moved))
		out.Evidence = []engine.Evidence{diff}
		return out
	}
	out := then(
		engine.Textf("Create a new run ({clone}): it uses stage %s as it is now (%s).", stage, moved),
		engine.Lit("Do not relabel, add or remove clusters while a run is in progress."),
	)
	out.Evidence = []engine.Evidence{diff}
	return out
}

// orderNow is the present of a stage that has its recorded clusters in another order.
func orderNow(k *subject.Subject, i int, stage engine.Text) Outcome {
	now, was := k.Named["new"], k.Named["old"]
	r := Rejection{}
	out := then(
		engine.Textf("{undoes}To keep the old order, first %s.", r.reorder(k, i, now, was)),
		catalogue.LabelsAreShared.Text(),
		engine.Textf("Create a new run ({clone}): in stage %s, cluster %s comes before %s now%s.", stage, now, was, sortedBy(k, i, now, was)),
	)
	out.Evidence, out.Commands = subject.SortingEvidence(k, sortingKey(k, i), was, now), r.Commands
	return out
}

// comesBefore reports whether a stage of the run sorts one cluster before another by its sorting
// label; false when it has none, or a label is not a number.
func comesBefore(k *subject.Subject, i int, one, other string) bool {
	a, _ := k.Case.Member(one)
	b, _ := k.Case.Member(other)
	key := sortingKey(k, i)
	if key == "" || a == nil || b == nil {
		return false
	}
	x, err := strconv.Atoi(a.Labels[key])
	y, failed := strconv.Atoi(b.Labels[key])
	return err == nil && failed == nil && (x < y || x == y && one < other)
}
