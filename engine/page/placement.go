package page

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/world"
)

// PlacementPage returns the page of a placement: scheduling, snapshots by
// number of clusters, what waits, its runs, snapshots and clusters.
func PlacementPage(f PlacementFacts) Answer {
	a := Answer{At: f.Now}
	if p := f.Placement; p != nil {
		a.Object = f.Question.Placement.Beside(f.Question.Placement.Kind(), p.Namespace, p.Name, string(p.UID))
	}
	groups := world.GroupSnapshots(f.Resources)
	runs := f.runRows(engine.Lit("runs"))
	runs.Note = engine.Text{}
	policies := f.policies()
	policies.Beside = true
	a.Sections = append(a.Sections, f.about(groups), runs, f.snapshots(groups), policies)
	if f.Placement != nil {
		s := Section{Title: engine.Lit("conditions"), Note: engine.Textf("placement generation %d", f.Placement.Generation)}
		for i := range f.Placement.Status.Conditions {
			s.Rows = append(s.Rows, placementCondition(f.Placement.Status.Conditions, i, f.Placement.Generation))
		}
		if len(s.Rows) == 0 {
			s.Rows = []Row{TextRow(engine.RoleFaint, engine.Lit("none reported yet"))}
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
		r.Cells[0].Text = engine.Clean(short)
	}
	return r
}

func (f *PlacementFacts) about(groups []world.SnapshotGroup) Section {
	id := f.Question.Placement
	s := Section{Title: engine.Textf("placement %s", id.Title()), Note: engine.Clean(id.Kind().String())}
	p := f.Placement
	if p == nil {
		why := f.PlacementWhy
		if why.IsZero() {
			why = engine.Lit("This placement does not exist. Runs that name it fail.")
		}
		s.Rows = []Row{TextRow(engine.RoleBad, why)}
		return s
	}
	strategy := TextCell(engine.RoleText, engine.Lit("External: staged update runs roll it out"))
	if p.Spec.Strategy.Type != placement.RolloutExternal {
		kind := p.Spec.Strategy.Type
		if kind == "" {
			kind = placement.RolloutRollingUpdate
		}
		strategy = TextCell(engine.RoleWait, engine.Textf("%s: rolled out automatically, not by runs", string(kind)))
	}
	s.Rows = append(s.Rows, LabelRow(engine.Lit("strategy"), strategy), LabelRow(engine.Lit("picks"), TextCell(engine.RoleText, policyWords(p.Spec.Policy))))
	var picked []engine.Text
	for i := range p.Spec.ResourceSelectors {
		t := &p.Spec.ResourceSelectors[i]
		name := engine.Clean(t.Name)
		if t.Name == "" {
			name = engine.Lit("by label")
			if t.LabelSelector == nil {
				name = engine.Lit("all")
			}
		}
		picked = append(picked, engine.Textf("%s %s", t.Kind, name))
	}
	if a := p.Spec.Strategy.ApplyStrategy; a != nil {
		s.Rows = append(s.Rows, LabelRow(engine.Lit("applied by"), TextCell(engine.RoleText, applyWords(a))))
	}
	s.Rows = append(s.Rows, LabelRow(engine.Lit("selects"), TextCell(engine.RoleText, engine.Enumerate(picked, 6))))
	if p.DeletionTimestamp != nil {
		s.Rows = append(s.Rows, LabelRow(engine.Lit("deleting"), Cell{Role: engine.RoleWait, Text: engine.Lit("since"), At: p.DeletionTimestamp.Time}))
	}
	s.Rows = append(s.Rows, f.out(groups)...)
	return s
}

func policyWords(p *placement.PlacementPolicy) engine.Text {
	if p == nil {
		return engine.Lit("every cluster (no policy)")
	}
	switch p.PlacementType {
	case placement.PickN:
		if p.NumberOfClusters != nil {
			return engine.Textf("%s (PickN)", engine.Count(int(*p.NumberOfClusters), "cluster"))
		}
		return engine.Lit("PickN")
	case placement.PickFixed:
		var names []engine.Text
		for _, n := range p.ClusterNames {
			names = append(names, engine.Clean(n))
		}
		return engine.Textf("%s by name: %s", engine.Count(len(names), "cluster"), engine.Enumerate(names, 6))
	}
	return engine.Lit("every eligible cluster (PickAll)")
}

// out says on how many clusters each snapshot is, and what waits.
func (f *PlacementFacts) out(groups []world.SnapshotGroup) []Row {
	if !f.BindingsWhy.IsZero() || !f.ResourcesWhy.IsZero() {
		return nil
	}
	on, failing, none := f.onSnapshot()
	indices := make([]string, 0, len(on))
	for i := range on {
		indices = append(indices, i)
	}
	slices.SortFunc(indices, func(a, b string) int { return cmp.Compare(engine.ParseIndex(b), engine.ParseIndex(a)) })
	var parts []engine.Text
	for _, i := range indices {
		part := engine.Textf("snapshot %s on %s", engine.OrUnknown(engine.Clean(i)), engine.Count(on[i], "cluster"))
		if n := failing[i]; n > 0 {
			available := engine.Textf("%d not available", n)
			if n == on[i] {
				available = engine.Lit("not available")
			}
			part = engine.Textf("%s (%s)", part, available)
		}
		parts = append(parts, part)
	}
	if none > 0 {
		parts = append(parts, engine.Textf("no snapshot on %s", engine.Count(none, "cluster")))
	}
	if len(parts) == 0 {
		parts = append(parts, engine.Lit("nowhere: no cluster is picked"))
	}
	rows := []Row{LabelRow(engine.Lit("rolled out"), TextCell(engine.RoleText, engine.Join(parts, ", ")))}
	newest := -1
	for i := range groups {
		if newest < 0 || groups[i].Latest {
			newest = i
		}
	}
	behind := none
	for i, n := range on {
		if newest >= 0 && engine.ParseIndex(i) != groups[newest].Index {
			behind += n
		}
	}
	unfinished := 0
	for _, v := range f.runs() {
		if !v.Over() {
			unfinished++
		}
	}
	switch {
	case newest < 0:
		rows = append(rows, LabelRow(engine.Lit("waits"), TextCell(engine.RoleWait, engine.Lit("no resource snapshot exists yet: the first run creates one"))))
	case behind == 0:
		rows = append(rows, LabelRow(engine.Lit("waits"), TextCell(engine.RoleFaint, engine.Textf("none: every cluster has the newest snapshot, %d", groups[newest].Index))))
	case unfinished == 0 && f.Snapshot != nil && f.Snapshot.Complete:
		rows = append(rows, LabelRow(engine.Lit("waits"), TextCell(engine.RoleWait, engine.Textf("snapshot %d for %s; no unfinished run rolls it out", groups[newest].Index, engine.Count(behind, "cluster")))))
	default:
		rows = append(rows, LabelRow(engine.Lit("waits"), TextCell(engine.RoleText, engine.Textf("snapshot %d for %s", groups[newest].Index, engine.Count(behind, "cluster")))))
	}
	return rows
}

// onSnapshot counts the clusters by the index of their snapshot, those of them on which the
// resources are not available, and the clusters without a snapshot.
func (f *PlacementFacts) onSnapshot() (on, failing map[string]int, none int) {
	on, failing = map[string]int{}, map[string]int{}
	for i := range f.Bindings {
		b := f.Bindings[i]
		if b.Spec.ResourceSnapshotName == "" {
			none++
			continue
		}
		index := message.SnapshotIndex(b.Spec.ResourceSnapshotName)
		on[index]++
		if f := engine.ReadCondition(b.Status.Conditions, placement.BindingAvailable); f.Truth != engine.TruthYes || !f.At(b.Generation) {
			failing[index]++
		}
	}
	return on, failing, none
}

func (f *PlacementFacts) snapshots(groups []world.SnapshotGroup) Section {
	s := Section{Title: engine.Lit("resource snapshots")}
	switch {
	case !f.ResourcesWhy.IsZero():
		s.Rows = []Row{TextRow(engine.RoleWait, engine.Textf("not shown: %s", f.ResourcesWhy))}
		return s
	case len(groups) == 0:
		s.Rows = []Row{TextRow(engine.RoleFaint, engine.Lit("none"))}
		return s
	}
	if len(groups) > 1 {
		s.Note = engine.Lit("{open:changes since the previous one}")
	}
	s.Head = []engine.Text{engine.Lit("INDEX"), engine.Lit(""), engine.Lit("RESOURCES"), engine.Lit("SIZE"), engine.Lit("CLUSTERS"), engine.Lit("CREATED")}
	on, _, _ := f.onSnapshot()
	for i := range groups {
		g := &groups[i]
		latest := TextCell(engine.RoleFaint, engine.Text{})
		if g.Latest {
			latest = TextCell(engine.RoleGood, engine.Lit("latest"))
		}
		n, bytes := g.Resources()
		many := NumberText(n)
		if len(g.Parts) > 1 {
			many = engine.Textf("%d in %d parts", n, len(g.Parts))
		}
		r := Row{Key: engine.Textf("snapshot %s", g.Label)}
		made := Cell{Role: engine.RoleSub}
		first := g.Parts[0]
		if g.Master != nil {
			first = g.Master
		} else {
			latest = TextCell(engine.RoleBad, engine.Lit("master missing"))
		}
		made.Since = first.CreationTimestamp.Time
		r.Object = f.Question.Placement.Beside(f.Question.Placement.Kind().InScope(engine.KindClusterResourceSnapshot, engine.KindResourceSnapshot), first.Namespace, first.Name, string(first.UID))
		r.Cells = []Cell{TextCell(engine.RoleName, engine.OrUnknown(engine.Clean(g.Label))), latest, TextCell(engine.RoleSub, many), TextCell(engine.RoleSub, engine.Size(int64(bytes))), TextCell(engine.RoleText, NumberText(on[message.SnapshotIndex(first.Name)])), made}
		if i+1 < len(groups) && groups[i+1].Index >= 0 && groups[i+1].Index < g.Index {
			r.Page = SnapshotsQuestion{Placement: f.Question.Placement, From: groups[i+1].Index, To: g.Index}
		}
		s.Rows = append(s.Rows, r)
	}
	return s
}

func (f *PlacementFacts) policies() Section {
	s := Section{Title: engine.Lit("policy snapshots")}
	switch {
	case !f.PoliciesWhy.IsZero():
		s.Rows = []Row{TextRow(engine.RoleWait, engine.Textf("not shown: %s", f.PoliciesWhy))}
		return s
	case len(f.Policies) == 0:
		s.Rows = []Row{TextRow(engine.RoleFaint, engine.Lit("none: the placement has not been scheduled yet"))}
		return s
	}
	s.Head = []engine.Text{engine.Lit("INDEX"), engine.Lit(""), engine.Lit("PICKED"), engine.Lit("SCHEDULED"), engine.Lit("CREATED")}
	all := slices.Clone(f.Policies)
	sort.Slice(all, func(i, j int) bool {
		return engine.ParseIndex(all[j].Labels[placement.LabelPolicyIndex]) < engine.ParseIndex(all[i].Labels[placement.LabelPolicyIndex])
	})
	for i := range all {
		p := &all[i]
		latest := TextCell(engine.RoleFaint, engine.Text{})
		if p.Labels[placement.LabelIsLatestSnapshot] == "true" {
			latest = TextCell(engine.RoleGood, engine.Lit("latest"))
		}
		picked := 0
		for j := range p.Status.TargetClusters {
			if p.Status.TargetClusters[j].Selected {
				picked++
			}
		}
		g := engine.ReadCondition(p.Status.Conditions, "Scheduled")
		scheduled := Cell{Mark: MarkAbsent, Role: engine.RoleFaint, Text: engine.Lit("not reported")}
		switch g.Truth {
		case engine.TruthYes:
			scheduled = Cell{Mark: MarkYes, Role: engine.RoleGood, Text: engine.Clean(g.Reason)}
		case engine.TruthNo:
			scheduled = Cell{Mark: MarkNo, Role: engine.RoleBad, Text: engine.Clean(g.Reason)}
		case engine.TruthUnknown:
			scheduled = Cell{Mark: MarkUnknown, Role: engine.RoleWait, Text: engine.Clean(g.Reason)}
		}
		r := Row{
			Key:    engine.Textf("policy %s", p.Name),
			Object: f.Question.Placement.Beside(f.Question.Placement.Kind().InScope(engine.KindClusterSchedulingPolicySnapshot, engine.KindSchedulingPolicySnapshot), p.Namespace, p.Name, string(p.UID)),
			Cells: []Cell{
				CleanCell(engine.RoleName, p.Labels[placement.LabelPolicyIndex]), latest, TextCell(engine.RoleSub, NumberText(picked)), scheduled,
				{Role: engine.RoleSub, Since: p.CreationTimestamp.Time},
			},
		}
		if g.Truth == engine.TruthNo {
			r.Note = engine.Message(g.Message)
		}
		s.Rows = append(s.Rows, r)
	}
	return s
}

// clusters lists the placement's bindings; enter opens the cluster.
func (f *PlacementFacts) clusters() Section {
	s := Section{Title: engine.Lit("clusters"), Note: engine.Count(len(f.Bindings), "binding"), Head: []engine.Text{engine.Lit("CLUSTER"), engine.Lit("OWNER"), engine.Lit("SNAPSHOT"), engine.Lit("WANTED"), engine.Lit("SINCE"), engine.Lit("PROGRESS")}}
	if !f.BindingsWhy.IsZero() {
		s.Head, s.Rows = nil, []Row{TextRow(engine.RoleWait, engine.Textf("not shown: %s", f.BindingsWhy))}
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
		o := ownerOf(b, f.Question.Placement, f.Snapshot)
		r := f.ownerRow(b, &o)
		r.Key, r.Run = engine.Textf("cluster %s %s", b.Spec.TargetCluster, b.Name), engine.ID{}
		r.Page = ClusterQuestion{Placement: f.Question.Placement, Run: f.Question.Run, Member: f.Question.Placement.Beside(engine.KindMemberCluster, "", b.Spec.TargetCluster, "")}
		s.Rows = append(s.Rows, r)
	}
	if len(s.Rows) == 0 {
		s.Head, s.Rows = nil, []Row{TextRow(engine.RoleFaint, engine.Lit("none"))}
	}
	return s
}
