package page

import (
	"cmp"
	"slices"
	"sort"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// PlacementFacts are the objects read about a placement. What could not be read
// is nil, with the reason in its Why.
type PlacementFacts struct {
	Question PlacementQuestion
	// Snapshot is what the screen shows at the time; nil is allowed.
	Snapshot *engine.Snapshot
	Now      time.Time

	Placement    *placement.ResourcePlacement // of either scope
	PlacementWhy engine.Text

	Bindings    []placement.ResourceBinding // of either scope
	BindingsWhy engine.Text
	Unread      int // bindings that could not be decoded

	// Resources are the resource snapshots, masters and parts.
	Resources    []placement.ResourceSnapshot
	ResourcesWhy engine.Text
	Policies     []placement.SchedulingPolicySnapshot
	PoliciesWhy  engine.Text
}

// runs returns the rows of the runs that name the placement, newest first.
func (f *PlacementFacts) runs() []*engine.RunView {
	if f.Snapshot == nil {
		return nil
	}
	var out []*engine.RunView
	for _, v := range f.Snapshot.Runs {
		if engine.IsRun(v.ID.Kind()) && v.Placement.SameName(f.Question.Placement) {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b *engine.RunView) int {
		return cmp.Or(b.Created.Compare(a.Created), a.ID.Compare(b.ID))
	})
	return out
}

// OwnersPage is the map of a placement: which run wrote each cluster's binding
// last, and with which snapshot, beside what the runs want.
func OwnersPage(f PlacementFacts) Answer {
	a := Answer{At: f.Now}
	a.Sections = append(a.Sections, f.runRows(engine.Lit("runs of the placement")))
	if !f.BindingsWhy.IsZero() {
		a.Sections = append(a.Sections, Section{Title: engine.Lit("bindings"), Rows: []Row{TextRow(engine.RoleWait, engine.Textf("not shown: %s", f.BindingsWhy))}})
		return a
	}
	type ofOne struct {
		b *placement.ResourceBinding
		o owned
	}
	all := make([]ofOne, len(f.Bindings))
	counted, gone, order := map[engine.Text]int{}, map[engine.Text]bool{}, []engine.Text{}
	for i := range f.Bindings {
		all[i] = ofOne{&f.Bindings[i], ownerOf(&f.Bindings[i], f.Question.Placement, f.Snapshot)}
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
	sort.Slice(all, func(i, j int) bool {
		return cmp.Or(rank(&all[i].o)-rank(&all[j].o), cmp.Compare(all[i].o.run.RawName(), all[j].o.run.RawName()), cmp.Compare(all[i].b.Spec.TargetCluster, all[j].b.Spec.TargetCluster)) < 0
	})
	sort.Slice(order, func(i, j int) bool {
		return cmp.Or(counted[order[j]]-counted[order[i]], cmp.Compare(order[i].String(), order[j].String())) < 0
	})
	s := Section{Title: engine.Lit("owners"), Head: []engine.Text{engine.Lit("CLUSTER"), engine.Lit("OWNER"), engine.Lit("SNAPSHOT"), engine.Lit("WANTED"), engine.Lit("SINCE"), engine.Lit("PROGRESS")}}
	var parts []engine.Text
	for _, who := range order {
		if gone[who] {
			parts = append(parts, engine.Textf("%s (deleted): %d", who, counted[who]))
			continue
		}
		parts = append(parts, engine.Textf("%s: %d", who, counted[who]))
	}
	s.Note = engine.Enumerate(parts, 5)
	for i := range all {
		s.Rows = append(s.Rows, f.ownerRow(all[i].b, &all[i].o))
	}
	if len(all) == 0 {
		s.Head, s.Rows = nil, []Row{TextRow(engine.RoleFaint, engine.Lit("the placement has no bindings"))}
	}
	if f.Unread > 0 {
		s.Rows = append(s.Rows, TextRow(engine.RoleWait, engine.Textf("%s could not be read", engine.Count(f.Unread, "binding"))))
	}
	a.Sections = append(a.Sections, s)
	return a
}

func ownerName(o *owned) engine.Text {
	if o.run.IsZero() {
		return engine.Lit("no run")
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
	r := Row{Key: engine.Textf("%s %s", b.Spec.TargetCluster, b.Name), Object: f.bindingID(b), Run: o.run}
	page := ClusterQuestion{Placement: f.Question.Placement, Run: mine, Member: f.Question.Placement.Beside(engine.KindMemberCluster, "", b.Spec.TargetCluster, "")}
	name, owner := CleanCell(engine.RoleText, b.Spec.TargetCluster), TextCell(engine.RoleFaint, engine.Lit("no run"))
	if !o.run.IsZero() {
		owner = TextCell(engine.RoleText, o.run.Name())
		switch {
		case f.deleted(o):
			owner.Role = engine.RoleFaint
			if !mine.IsZero() {
				owner.Mark = MarkNot
			}
			r.Page = page // there is no run to go to
		case mine.IsZero():
		case o.run.SameName(mine):
			owner.Mark = MarkMine
		default:
			owner.Mark, owner.Role = MarkNot, engine.RoleWait
		}
	} else {
		r.Page = page
	}
	index := TextCell(engine.RoleText, engine.OrUnknown(engine.Clean(o.index)))
	if b.Spec.ResourceSnapshotName == "" {
		index = TextCell(engine.RoleFaint, engine.Lit("none"))
	}
	want := TextCell(engine.RoleFaint, engine.Lit("-"))
	reader := f.Snapshot.Find(mine)
	if reader == nil {
		reader = o.view
	}
	if reader != nil && !reader.Index.IsZero() {
		want = TextCell(engine.RoleFaint, reader.Index)
		if reader.Index.String() != o.index {
			want.Role, index.Role = engine.RoleWait, engine.RoleWait
		}
	}
	far, early := NotRolledOut(b)
	if !early {
		far = AvailableCell(b)
		if foreign := engine.ForeignTo(b, f.Snapshot.Find(mine), f.Snapshot); !foreign.IsZero() {
			far.Mark, far.Role = MarkAbsent, engine.RoleSub // the columns before tell of which run and snapshot
		}
	}
	r.Cells = []Cell{name, owner, index, want, {Role: engine.RoleSub, Since: o.since}, far}
	return r
}

// NotRolledOut says why nothing is rolled out by a binding; false for one that is bound.
func NotRolledOut(b *placement.ResourceBinding) (Cell, bool) {
	switch {
	case b.DeletionTimestamp != nil:
		return Cell{Mark: MarkNo, Role: engine.RoleWait, Text: engine.Lit("the binding is being deleted")}, true
	case b.Spec.State == placement.BindingUnscheduled:
		return Cell{Mark: MarkNo, Role: engine.RoleWait, Text: engine.Textf("%s: no longer picked", string(b.Spec.State))}, true
	case b.Spec.State != placement.BindingBound:
		return Cell{Mark: MarkAbsent, Role: engine.RoleSub, Text: engine.Textf("%s: nothing rolled out yet", string(b.Spec.State))}, true
	}
	return Cell{}, false
}

func (f *PlacementFacts) bindingID(b *placement.ResourceBinding) engine.ID {
	kind := f.Question.Placement.Kind().InScope(engine.KindClusterResourceBinding, engine.KindResourceBinding)
	return f.Question.Placement.Beside(kind, b.Namespace, b.Name, string(b.UID))
}

// AvailableCell says how far a binding is: the first condition that is not True.
func AvailableCell(b *placement.ResourceBinding) Cell {
	last := placement.BindingAvailable
	if engine.ReportsDiff(b.Spec.ApplyStrategy) {
		last = placement.BindingDiffReported
	}
	for _, typ := range []string{placement.BindingRolloutStarted, placement.BindingOverridden, placement.BindingWorkSynchronized, placement.BindingApplied, last} {
		if last == placement.BindingDiffReported && typ == placement.BindingApplied {
			continue
		}
		f := engine.ReadCondition(b.Status.Conditions, typ)
		switch f.StateAt(b.Generation) {
		case engine.BindingConditionTrue:
			continue
		case engine.BindingConditionFalse:
			return Cell{Mark: MarkNo, Role: engine.RoleBad, Text: engine.Textf("%s: %s", typ, f.Reason)}
		case engine.BindingConditionAbsent:
			return Cell{Mark: MarkAbsent, Role: engine.RoleFaint, Text: engine.Textf("%s not reported", typ)}
		case engine.BindingConditionOutdated:
			return Cell{Mark: MarkOld, Role: engine.RoleFaint, Text: engine.Textf("%s for an older generation", typ)}
		case engine.BindingConditionUnknown:
			return Cell{Mark: MarkUnknown, Role: engine.RoleWait, Text: engine.Textf("%s: %s", typ, f.Reason)}
		}
	}
	return Cell{Mark: MarkYes, Role: engine.RoleGood, Text: engine.Clean(last)}
}

// runRows lists the runs of the placement; enter opens one.
func (f *PlacementFacts) runRows(title engine.Text) Section {
	s := Section{Title: title, Note: f.Question.Placement.Title(), Head: []engine.Text{engine.Lit("RUN"), engine.Lit("STATE"), engine.Lit("SNAPSHOT"), engine.Lit("CLUSTERS"), engine.Lit("IN STATE"), engine.Lit("STRATEGY")}}
	runs := f.runs()
	open := 0
	for _, v := range runs {
		if !v.Over() {
			open++
		}
		name := TextCell(engine.RoleName, v.ID.Name())
		if !f.Question.Run.IsZero() {
			name.Mark = MarkNot
			if v.ID.SameName(f.Question.Run) {
				name.Mark = MarkMine
			}
		}
		index, done := v.UsedSnapshot(), engine.Textf("%d/%d", v.Done, v.Total)
		if v.Partial {
			index, done = engine.Lit("not read"), engine.Lit("not read")
		}
		s.Rows = append(s.Rows, Row{
			Key: engine.Textf("run %s", v.ID.Name()), Run: v.ID, Object: v.ID,
			Cells: []Cell{
				name, TextCell(wordRole(v.Word), engine.Textf("%s", v.Word)), TextCell(engine.RoleText, engine.OrUnknown(index)),
				TextCell(engine.RoleSub, done),
				{Role: engine.RoleSub, Since: v.Since},
				TextCell(engine.RoleSub, v.Strategy),
			},
		})
	}
	if len(runs) == 0 {
		s.Head, s.Rows = nil, []Row{TextRow(engine.RoleWait, engine.Lit("No listed run uses this placement."))}
	}
	if open > 1 {
		s.Rows = append(s.Rows, TextRow(engine.RoleWait, engine.Textf("%d runs are unfinished and compete: the run that updates a cluster later preempts the others.", open)))
	}
	return s
}

// wordRole is the role of a run's word.
func wordRole(w engine.Word) engine.Role {
	switch w {
	case engine.WordStuck, engine.WordNotAccepted, engine.WordPreempted, engine.WordFailed, engine.WordInitFailed:
		return engine.RoleBad
	case engine.WordApproval:
		return engine.RoleAsk
	case engine.WordWaiting, engine.WordNotObserved, engine.WordStopping, engine.WordUnreadable:
		return engine.RoleWait
	case engine.WordRunning:
		return engine.RoleBusy
	case engine.WordDone:
		return engine.RoleGood
	default:
		return engine.RoleSub
	}
}
