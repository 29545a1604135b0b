package engine

import (
	"cmp"
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// PlacementFacts are the objects read about a placement. What could not be read
// is nil, with the reason in its Why.
type PlacementFacts struct {
	Question Question
	// Snapshot is what the screen shows at the time; nil is allowed.
	Snapshot *Snapshot
	Now      time.Time

	Placement    *placement.ResourcePlacement // of either scope
	PlacementWhy Text

	Bindings    []placement.ResourceBinding // of either scope
	BindingsWhy Text
	Unread      int // bindings that could not be decoded

	// Resources are the resource snapshots, masters and parts.
	Resources    []placement.ResourceSnapshot
	ResourcesWhy Text
	Policies     []placement.SchedulingPolicySnapshot
	PoliciesWhy  Text
}

// runs returns the rows of the runs that name the placement, newest first.
func (f *PlacementFacts) runs() []*RunView {
	if f.Snapshot == nil {
		return nil
	}
	var out []*RunView
	for _, v := range f.Snapshot.Runs {
		if isRun(v.ID.Kind()) && v.Placement.SameName(f.Question.About) {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b *RunView) int {
		return cmp.Or(b.Created.Compare(a.Created), a.ID.Compare(b.ID))
	})
	return out
}

// OwnersPage is the map of a placement: which run wrote each cluster's binding
// last, and with which snapshot, beside what the runs want.
func OwnersPage(f PlacementFacts) Answer {
	a := Answer{Question: f.Question, At: f.Now}
	a.Sections = append(a.Sections, f.runRows(Lit("runs of the placement")))
	if !f.BindingsWhy.IsZero() {
		a.Sections = append(a.Sections, Section{Title: Lit("bindings"), Rows: []Row{say(RoleWait, Textf("not shown: %s", f.BindingsWhy))}})
		return a
	}
	type ofOne struct {
		b *placement.ResourceBinding
		o owned
	}
	all := make([]ofOne, len(f.Bindings))
	counted, gone, order := map[Text]int{}, map[Text]bool{}, []Text{}
	for i := range f.Bindings {
		all[i] = ofOne{&f.Bindings[i], ownerOf(&f.Bindings[i], f.Question.About, f.Snapshot)}
		who := ownerName(&all[i].o)
		if counted[who] == 0 {
			order = append(order, who)
		}
		counted[who]++
		gone[who] = f.deleted(&all[i].o)
	}
	// What another run took stands first: it is what one comes to see.
	mine := f.Question.Run
	rank := func(o *owned) int {
		switch {
		case o.run.IsZero():
			return 2
		case mine.IsZero() || o.run.SameName(mine):
			return 1
		}
		return 0
	}
	slices.SortFunc(all, func(x, y ofOne) int {
		return cmp.Or(rank(&x.o)-rank(&y.o), cmp.Compare(x.o.run.RawName(), y.o.run.RawName()), cmp.Compare(x.b.Spec.TargetCluster, y.b.Spec.TargetCluster))
	})
	slices.SortFunc(order, func(x, y Text) int { return cmp.Or(counted[y]-counted[x], cmp.Compare(x.String(), y.String())) })
	s := Section{Title: Lit("who owns each cluster now"), Head: []Text{Lit("CLUSTER"), Lit("OWNER"), Lit("SNAPSHOT"), Lit("WANTED"), Lit("SINCE"), Lit("PROGRESS")}}
	var parts []Text
	for _, who := range order {
		if gone[who] {
			parts = append(parts, Textf("%s (deleted): %d", who, counted[who]))
			continue
		}
		parts = append(parts, Textf("%s: %d", who, counted[who]))
	}
	s.Note = Enumerate(parts, 5)
	for i := range all {
		s.Rows = append(s.Rows, f.ownerRow(all[i].b, &all[i].o))
	}
	if len(all) == 0 {
		s.Head, s.Rows = nil, []Row{say(RoleFaint, Lit("no bindings: the placement picks no cluster"))}
	}
	if f.Unread > 0 {
		s.Rows = append(s.Rows, say(RoleWait, Textf("%s could not be read", Count(f.Unread, "binding"))))
	}
	a.Sections = append(a.Sections, s)
	return a
}

func ownerName(o *owned) Text {
	if o.run.IsZero() {
		return Lit("no run")
	}
	return o.run.Name()
}

// deleted reports whether the run that wrote a binding is known to be gone.
func (f *PlacementFacts) deleted(o *owned) bool {
	s := f.Snapshot
	if o.run.IsZero() || o.view != nil || s == nil || !s.Complete || s.Scope.Hidden {
		return false
	}
	return o.run.RawNamespace() != "" || s.Scope.ClusterRuns
}

func (f *PlacementFacts) ownerRow(b *placement.ResourceBinding, o *owned) Row {
	mine := f.Question.Run
	r := Row{Key: Textf("%s %s", b.Spec.TargetCluster, b.Name), Object: f.bindingID(b), Run: o.run}
	page := Question{Kind: QuestionCluster, About: f.Question.About, Run: mine, Member: NewID(KindMemberCluster, "", b.Spec.TargetCluster, "")}
	name, owner := raw(RoleText, b.Spec.TargetCluster), cell(RoleFaint, Lit("no run"))
	if !o.run.IsZero() {
		owner = cell(RoleText, o.run.Name())
		switch {
		case f.deleted(o):
			owner.Role = RoleFaint
			if !mine.IsZero() {
				owner.Mark = MarkNot
			}
			r.Page = page // there is no run to go to
		case mine.IsZero():
		case o.run.SameName(mine):
			owner.Mark = MarkMine
		default:
			owner.Mark, owner.Role = MarkNot, RoleWait
		}
	} else {
		r.Page = page
	}
	index := cell(RoleText, OrUnknown(Clean(o.index)))
	if b.Spec.ResourceSnapshotName == "" {
		index = cell(RoleFaint, Lit("none"))
	}
	want := cell(RoleFaint, Lit("-"))
	reader := f.Snapshot.Find(mine)
	if reader == nil {
		reader = o.view
	}
	if reader != nil && !reader.Index.IsZero() {
		want = cell(RoleFaint, reader.Index)
		if reader.Index.String() != o.index {
			want.Role, index.Role = RoleWait, RoleWait
		}
	}
	far := availableCell(b)
	if foreign := foreignTo(b, f.Snapshot.Find(mine), f.Snapshot); !foreign.IsZero() {
		far = Cell{Mark: MarkAbsent, Role: RoleSub, Text: foreign}
	}
	switch {
	case b.DeletionTimestamp != nil:
		far = Cell{Mark: MarkNo, Role: RoleWait, Text: Lit("the binding is being deleted")}
	case b.Spec.State == placement.BindingUnscheduled:
		far = Cell{Mark: MarkNo, Role: RoleWait, Text: Textf("%s: no longer picked", string(b.Spec.State))}
	case b.Spec.State != placement.BindingBound:
		far = Cell{Mark: MarkAbsent, Role: RoleSub, Text: Textf("%s: nothing rolled out yet", string(b.Spec.State))}
	}
	r.Cells = []Cell{name, owner, index, want, {Role: RoleSub, Since: o.since}, far}
	return r
}

func (f *PlacementFacts) bindingID(b *placement.ResourceBinding) ID {
	kind := f.Question.About.Kind().Twin(KindClusterResourceBinding, KindResourceBinding)
	return NewID(kind, b.Namespace, b.Name, string(b.UID))
}

// availableCell tells how far a binding is: the first rung that is not True.
func availableCell(b *placement.ResourceBinding) Cell {
	last := placement.BindingAvailable
	if reportsDiff(b.Spec.ApplyStrategy) {
		last = placement.BindingDiffReported
	}
	for _, typ := range []string{placement.BindingRolloutStarted, placement.BindingOverridden, placement.BindingWorkSynchronized, placement.BindingApplied, last} {
		if last == placement.BindingDiffReported && typ == placement.BindingApplied {
			continue
		}
		g := rungOf(b.Status.Conditions, typ, b.Generation)
		switch g.State {
		case RungTrue:
			continue
		case RungFalse:
			return Cell{Mark: MarkNo, Role: RoleBad, Text: Textf("%s: %s", typ, g.Reason)}
		case RungNone:
			return Cell{Mark: MarkAbsent, Role: RoleFaint, Text: Textf("%s not reported", typ)}
		case RungOld:
			return Cell{Mark: MarkOld, Role: RoleFaint, Text: Textf("%s for an older generation", typ)}
		case RungUnknown:
			return Cell{Mark: MarkUnknown, Role: RoleWait, Text: Textf("%s: %s", typ, g.Reason)}
		}
	}
	return Cell{Mark: MarkYes, Role: RoleGood, Text: Clean(last)}
}

// runRows lists the runs of the placement; enter opens one.
func (f *PlacementFacts) runRows(title Text) Section {
	s := Section{Title: title, Note: f.Question.About.Title(), Head: []Text{Lit("RUN"), Lit("STATE"), Lit("SNAPSHOT"), Lit("CLUSTERS"), Lit("IN STATE"), Lit("STRATEGY")}}
	runs := f.runs()
	open := 0
	for _, v := range runs {
		if !v.Terminal {
			open++
		}
		name := cell(RoleName, v.ID.Name())
		if !f.Question.Run.IsZero() {
			name.Mark = MarkNot
			if v.ID.SameName(f.Question.Run) {
				name.Mark = MarkMine
			}
		}
		index := v.Index
		if index.IsZero() {
			index = v.IndexAsked
		}
		s.Rows = append(s.Rows, Row{
			Key: Textf("run %s", v.ID.Name()), Run: v.ID, Object: v.ID,
			Cells: []Cell{
				name, cell(wordRole(v.Word), Textf("%s", v.Word)), cell(RoleText, OrUnknown(index)),
				cell(RoleSub, Textf("%d/%d", v.Done, v.Total)),
				{Role: RoleSub, Since: v.Since},
				cell(RoleSub, v.Strategy),
			},
		})
	}
	if len(runs) == 0 {
		s.Head, s.Rows = nil, []Row{say(RoleWait, Lit("No listed run uses this placement."))}
	}
	if open > 1 {
		s.Rows = append(s.Rows, say(RoleWait, Textf("%d runs are unfinished and compete: the run that writes a cluster last preempts the others.", open)))
	}
	return s
}

// wordRole is the role of a run's word.
func wordRole(w Word) Role {
	switch w {
	case WordStuck, WordNotAccepted, WordPreempted, WordFailed, WordInitFailed:
		return RoleBad
	case WordApproval:
		return RoleAsk
	case WordWaiting, WordNotObserved, WordStopping, WordUnreadable:
		return RoleWait
	case WordRunning:
		return RoleBusy
	case WordDone:
		return RoleGood
	default:
		return RoleSub
	}
}
