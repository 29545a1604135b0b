package engine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// PlacementPage returns the page of a placement: scheduling, snapshots by
// number of clusters, what waits, its runs, snapshots and clusters.
func PlacementPage(f PlacementFacts) Answer {
	a := Answer{Question: f.Question, At: f.Now}
	if p := f.Placement; p != nil {
		a.Object = NewID(f.Question.About.Kind(), p.Namespace, p.Name, string(p.UID))
	}
	groups := groupSnapshots(f.Resources)
	runs := f.runRows(Lit("runs"))
	runs.Note = Text{}
	policies := f.policies()
	policies.Beside = true
	a.Sections = append(a.Sections, f.about(groups), runs, f.snapshots(groups), policies)
	if f.Placement != nil {
		s := Section{Title: Lit("conditions"), Note: Textf("placement generation %d", f.Placement.Generation)}
		for i := range f.Placement.Status.Conditions {
			s.Rows = append(s.Rows, placementCondition(f.Placement.Status.Conditions, i, f.Placement.Generation))
		}
		if len(s.Rows) == 0 {
			s.Rows = []Row{say(RoleFaint, Lit("none reported yet"))}
		}
		a.Sections = append(a.Sections, s)
	}
	a.Sections = append(a.Sections, f.clusters())
	return a
}

// placementCondition is a conditionRow without the prefix that the types of a
// placement have (docs/kubefleet.md#conditions).
func placementCondition(conds []metav1.Condition, i int, generation int64) Row {
	r := conditionRow(conds, conds[i].Type, generation)
	short := strings.TrimPrefix(strings.TrimPrefix(conds[i].Type, "Cluster"), "ResourcePlacement")
	if short != "" {
		r.Cells[0].Text = Clean(short)
	}
	return r
}

func (f *PlacementFacts) about(groups []snapshotGroup) Section {
	id := f.Question.About
	s := Section{Title: Textf("placement %s", id.Title()), Note: Clean(id.Kind().String())}
	p := f.Placement
	if p == nil {
		why := f.PlacementWhy
		if why.IsZero() {
			why = Lit("This placement does not exist. Runs that name it fail.")
		}
		s.Rows = []Row{say(RoleBad, why)}
		return s
	}
	strategy := cell(RoleText, Lit("External: staged update runs roll it out"))
	if p.Spec.Strategy.Type != placement.RolloutExternal {
		kind := p.Spec.Strategy.Type
		if kind == "" {
			kind = placement.RolloutRollingUpdate
		}
		strategy = cell(RoleWait, Textf("%s: rolled out automatically, not by runs", string(kind)))
	}
	s.Rows = append(s.Rows, label(Lit("strategy"), strategy), label(Lit("picks"), cell(RoleText, policyWords(p.Spec.Policy))))
	var picked []Text
	for i := range p.Spec.ResourceSelectors {
		t := &p.Spec.ResourceSelectors[i]
		name := Clean(t.Name)
		if t.Name == "" {
			name = Lit("by label")
			if t.LabelSelector == nil {
				name = Lit("all")
			}
		}
		picked = append(picked, Textf("%s %s", t.Kind, name))
	}
	if a := p.Spec.Strategy.ApplyStrategy; a != nil {
		s.Rows = append(s.Rows, label(Lit("applied by"), cell(RoleText, applyWords(a))))
	}
	s.Rows = append(s.Rows, label(Lit("selects"), cell(RoleText, Enumerate(picked, 6))))
	if p.DeletionTimestamp != nil {
		s.Rows = append(s.Rows, label(Lit("deleting"), Cell{Role: RoleWait, Text: Lit("since"), At: p.DeletionTimestamp.Time}))
	}
	s.Rows = append(s.Rows, f.out(groups)...)
	return s
}

func policyWords(p *placement.PlacementPolicy) Text {
	if p == nil {
		return Lit("every cluster (no policy)")
	}
	switch p.PlacementType {
	case placement.PickN:
		if p.NumberOfClusters != nil {
			return Textf("%d clusters (PickN)", *p.NumberOfClusters)
		}
		return Lit("PickN")
	case placement.PickFixed:
		var names []Text
		for _, n := range p.ClusterNames {
			names = append(names, Clean(n))
		}
		return Textf("%s by name: %s", Count(len(names), "cluster"), Enumerate(names, 6))
	}
	return Lit("every eligible cluster (PickAll)")
}

// out tells on how many clusters each snapshot is, and what waits.
func (f *PlacementFacts) out(groups []snapshotGroup) []Row {
	if !f.BindingsWhy.IsZero() || !f.ResourcesWhy.IsZero() {
		return nil
	}
	on, none := f.onSnapshot()
	indices := make([]string, 0, len(on))
	for i := range on {
		indices = append(indices, i)
	}
	slices.SortFunc(indices, func(a, b string) int { return cmp.Compare(ParseIndex(b), ParseIndex(a)) })
	var parts []Text
	for _, i := range indices {
		parts = append(parts, Textf("snapshot %s on %s", OrUnknown(Clean(i)), Count(on[i], "cluster")))
	}
	if none > 0 {
		parts = append(parts, Textf("no snapshot on %s", Count(none, "cluster")))
	}
	if len(parts) == 0 {
		parts = append(parts, Lit("nowhere: no cluster is picked"))
	}
	rows := []Row{label(Lit("rolled out"), cell(RoleText, Join(parts, ", ")))}
	newest := -1
	for i := range groups {
		if newest < 0 || groups[i].latest {
			newest = i
		}
	}
	behind := none
	for i, n := range on {
		if newest >= 0 && ParseIndex(i) != groups[newest].index {
			behind += n
		}
	}
	unfinished := 0
	for _, v := range f.runs() {
		if !v.Terminal {
			unfinished++
		}
	}
	switch {
	case newest < 0:
		rows = append(rows, label(Lit("waits"), cell(RoleWait, Lit("no resource snapshot exists yet: the first run creates one"))))
	case behind == 0:
		rows = append(rows, label(Lit("waits"), cell(RoleFaint, Textf("none: every cluster has the newest snapshot, %d", groups[newest].index))))
	case unfinished == 0 && f.Snapshot != nil && f.Snapshot.Complete:
		rows = append(rows, label(Lit("waits"), cell(RoleWait, Textf("snapshot %d for %s; no unfinished run rolls it out", groups[newest].index, Count(behind, "cluster")))))
	default:
		rows = append(rows, label(Lit("waits"), cell(RoleText, Textf("snapshot %d for %s", groups[newest].index, Count(behind, "cluster")))))
	}
	return rows
}

func (f *PlacementFacts) onSnapshot() (on map[string]int, none int) {
	on = map[string]int{}
	for i := range f.Bindings {
		if f.Bindings[i].Spec.ResourceSnapshotName == "" {
			none++
			continue
		}
		on[SnapshotIndex(f.Bindings[i].Spec.ResourceSnapshotName)]++
	}
	return on, none
}

func (f *PlacementFacts) snapshots(groups []snapshotGroup) Section {
	s := Section{Title: Lit("resource snapshots")}
	switch {
	case !f.ResourcesWhy.IsZero():
		s.Rows = []Row{say(RoleWait, Textf("not shown: %s", f.ResourcesWhy))}
		return s
	case len(groups) == 0:
		s.Rows = []Row{say(RoleFaint, Lit("none"))}
		return s
	}
	if len(groups) > 1 {
		s.Note = Lit("enter: changes since the previous one")
	}
	s.Head = []Text{Lit("INDEX"), Lit(""), Lit("RESOURCES"), Lit("SIZE"), Lit("CLUSTERS"), Lit("MADE")}
	on, _ := f.onSnapshot()
	for i := range groups {
		g := &groups[i]
		latest := cell(RoleFaint, Text{})
		if g.latest {
			latest = cell(RoleGood, Lit("latest"))
		}
		n, bytes := g.resources()
		many := itoa(n)
		if len(g.parts) > 1 {
			many = Textf("%d in %d parts", n, len(g.parts))
		}
		r := Row{Key: Textf("snapshot %d", g.index)}
		made := Cell{Role: RoleSub}
		first := g.parts[0]
		if g.master != nil {
			first = g.master
		} else {
			latest = cell(RoleBad, Lit("master missing"))
		}
		made.Since = first.CreationTimestamp.Time
		r.Object = NewID(f.Question.About.Kind().Twin(KindClusterResourceSnapshot, KindResourceSnapshot), first.Namespace, first.Name, string(first.UID))
		r.Cells = []Cell{cell(RoleName, itoa(g.index)), latest, cell(RoleSub, many), cell(RoleSub, sizeOf(bytes)), cell(RoleText, itoa(on[strconv.Itoa(g.index)])), made}
		if i+1 < len(groups) {
			r.Page = Question{Kind: QuestionSnapshots, About: f.Question.About, From: groups[i+1].index, To: g.index}
		}
		s.Rows = append(s.Rows, r)
	}
	return s
}

func sizeOf(n int) Text {
	switch {
	case n < 10<<10:
		return Textf("%d B", n)
	case n < 10<<20:
		return Textf("%d KiB", n>>10)
	}
	return Textf("%d MiB", n>>20)
}

func (f *PlacementFacts) policies() Section {
	s := Section{Title: Lit("policy snapshots")}
	switch {
	case !f.PoliciesWhy.IsZero():
		s.Rows = []Row{say(RoleWait, Textf("not shown: %s", f.PoliciesWhy))}
		return s
	case len(f.Policies) == 0:
		s.Rows = []Row{say(RoleFaint, Lit("none: the placement was not scheduled yet"))}
		return s
	}
	s.Head = []Text{Lit("INDEX"), Lit(""), Lit("PICKED"), Lit("SCHEDULED"), Lit("MADE")}
	all := slices.Clone(f.Policies)
	slices.SortFunc(all, func(a, b placement.SchedulingPolicySnapshot) int {
		return cmp.Compare(ParseIndex(b.Labels[placement.LabelPolicyIndex]), ParseIndex(a.Labels[placement.LabelPolicyIndex]))
	})
	for i := range all {
		p := &all[i]
		latest := cell(RoleFaint, Text{})
		if p.Labels[placement.LabelIsLatestSnapshot] == "true" {
			latest = cell(RoleGood, Lit("latest"))
		}
		picked := 0
		for j := range p.Status.TargetClusters {
			if p.Status.TargetClusters[j].Selected {
				picked++
			}
		}
		g := ReadCondition(p.Status.Conditions, "Scheduled")
		scheduled := Cell{Mark: MarkAbsent, Role: RoleFaint, Text: Lit("not reported")}
		switch g.Truth {
		case TruthYes:
			scheduled = Cell{Mark: MarkYes, Role: RoleGood, Text: Clean(g.Reason)}
		case TruthNo:
			scheduled = Cell{Mark: MarkNo, Role: RoleBad, Text: Clean(g.Reason)}
		case TruthUnknown:
			scheduled = Cell{Mark: MarkUnknown, Role: RoleWait, Text: Clean(g.Reason)}
		}
		r := Row{
			Key:    Textf("policy %s", p.Name),
			Object: NewID(f.Question.About.Kind().Twin(KindClusterSchedulingPolicySnapshot, KindSchedulingPolicySnapshot), p.Namespace, p.Name, string(p.UID)),
			Cells: []Cell{
				raw(RoleName, p.Labels[placement.LabelPolicyIndex]), latest, cell(RoleSub, itoa(picked)), scheduled,
				{Role: RoleSub, Since: p.CreationTimestamp.Time},
			},
		}
		if g.Truth == TruthNo {
			r.Note = Clean(g.Message)
		}
		s.Rows = append(s.Rows, r)
	}
	return s
}

// clusters lists the placement's bindings; enter opens the cluster.
func (f *PlacementFacts) clusters() Section {
	s := Section{Title: Lit("clusters"), Note: Count(len(f.Bindings), "binding"), Head: []Text{Lit("CLUSTER"), Lit("OWNER"), Lit("SNAPSHOT"), Lit("WANTED"), Lit("SINCE"), Lit("PROGRESS")}}
	if !f.BindingsWhy.IsZero() {
		s.Head, s.Rows = nil, []Row{say(RoleWait, Textf("not shown: %s", f.BindingsWhy))}
		return s
	}
	all := make([]*placement.ResourceBinding, len(f.Bindings))
	for i := range f.Bindings {
		all[i] = &f.Bindings[i]
	}
	slices.SortFunc(all, func(a, b *placement.ResourceBinding) int {
		return cmp.Or(cmp.Compare(a.Spec.TargetCluster, b.Spec.TargetCluster), cmp.Compare(a.Name, b.Name))
	})
	for _, b := range all {
		o := ownerOf(b, f.Question.About, f.Snapshot)
		r := f.ownerRow(b, &o)
		r.Key, r.Run = Textf("cluster %s %s", b.Spec.TargetCluster, b.Name), ID{}
		r.Page = Question{Kind: QuestionCluster, About: f.Question.About, Run: f.Question.Run, Member: NewID(KindMemberCluster, "", b.Spec.TargetCluster, "")}
		s.Rows = append(s.Rows, r)
	}
	if len(s.Rows) == 0 {
		s.Head, s.Rows = nil, []Row{say(RoleFaint, Lit("none: the placement picks no cluster"))}
	}
	return s
}
