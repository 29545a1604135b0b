package page

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
)

// ClusterFacts are the objects read about one cluster of a placement. What
// could not be read is nil, with the reason in its Why.
type ClusterFacts struct {
	Question ClusterQuestion
	// Snapshot is what the screen shows at the time; nil is allowed.
	Snapshot *engine.Snapshot
	Now      time.Time

	Binding    *placement.ResourceBinding // of either scope
	BindingWhy engine.Text
	Works      []placement.Work
	WorksWhy   engine.Text
	Member     *cluster.MemberCluster
	MemberWhy  engine.Text

	Overrides        []placement.ResourceOverrideSnapshot
	ClusterOverrides []placement.ClusterResourceOverrideSnapshot
	// Mask replaces a value of a Secret (docs/architecture.md#hub-text).
	Mask func(string) engine.Text
}

// ClusterPage returns the page of one cluster of a placement: the conditions of
// its binding, its owner, what fails, drifts and differs, the overrides, the
// works and the member (docs/kubefleet.md#binding, #work, #member).
func ClusterPage(f ClusterFacts) Answer {
	a := Answer{At: f.Now}
	b := f.Binding
	if b == nil {
		why := f.BindingWhy
		if why.IsZero() {
			why = engine.Textf("Cluster %s has no binding of %s: the placement does not pick it (yet).", f.Question.Member.Name(), f.Question.Placement.Title())
		}
		a.Sections = []Section{{Title: engine.Lit("binding"), Rows: []Row{TextRow(engine.RoleWait, why)}}, f.member()}
		return a
	}
	a.Object = f.bindingID()
	owner := f.owner()
	owner.Rows = append(owner.Rows, f.ailments()...)
	a.Sections = append(a.Sections, owner, f.conditions())
	if n := len(b.Status.FailedPlacements); n > 0 {
		a.Sections = append(a.Sections, f.failing())
	}
	a.Sections = append(a.Sections, f.patches()...)
	if s := f.overrides(); len(s.Rows) > 0 {
		a.Sections = append(a.Sections, s)
	}
	works := f.works()
	member := f.member()
	member.Beside = true
	a.Sections = append(a.Sections, works, member, f.schedule())
	return a
}

// ailments are what is not well with the member: its section is far down, and
// that may be why nothing moves here.
func (f *ClusterFacts) ailments() []Row {
	if f.Member == nil {
		return nil
	}
	var out []Row
	for _, r := range f.member().Rows {
		if len(r.Cells) > 1 && r.Cells[1].Role == engine.RoleBad {
			out = append(out, LabelRow(engine.Textf("member: %s", r.Cells[0].Text), r.Cells[1]))
		}
	}
	return out
}

func (f *ClusterFacts) bindingID() engine.ID {
	kind := f.Question.Placement.Kind().InScope(engine.KindClusterResourceBinding, engine.KindResourceBinding)
	return f.Question.Placement.Beside(kind, f.Binding.Namespace, f.Binding.Name, string(f.Binding.UID))
}

// run returns the run in whose light the page is read, nil for none.
func (f *ClusterFacts) run() *engine.RunView {
	if f.Snapshot == nil || f.Question.Run.IsZero() {
		return nil
	}
	return f.Snapshot.Find(f.Question.Run)
}

// conditions is the conditions of the binding in the order in which they come. Those
// of another run's rollout have no marks, and the first row says so.
func (f *ClusterFacts) conditions() Section {
	b := f.Binding
	s := Section{Title: engine.Lit("conditions"), Note: engine.Textf("binding generation %d", b.Generation), Beside: true}
	types := []string{placement.BindingRolloutStarted, placement.BindingOverridden, placement.BindingWorkSynchronized, placement.BindingApplied, placement.BindingAvailable}
	if engine.ReadCondition(b.Status.Conditions, placement.BindingDiffReported).Truth != engine.TruthAbsent || engine.ReportsDiff(b.Spec.ApplyStrategy) {
		types = append(types[:3], placement.BindingDiffReported)
	}
	for _, typ := range types {
		s.Rows = append(s.Rows, conditionRow(b.Status.Conditions, typ, b.Generation))
	}
	for i := range b.Status.Conditions {
		if c := &b.Status.Conditions[i]; !slices.Contains(types, c.Type) {
			s.Rows = append(s.Rows, conditionRow(b.Status.Conditions, c.Type, b.Generation))
		}
	}
	if foreign := engine.ForeignTo(b, f.run(), f.Snapshot); !foreign.IsZero() {
		for i := range s.Rows {
			unmark(&s.Rows[i])
		}
		s.Rows = slices.Insert(s.Rows, 0, TextRow(engine.RoleWait, engine.Textf("Not of run %s: the cluster is %s. Conditions of that rollout:", f.run().ID.Name(), foreign)))
	}
	return s
}

// unmark says the state of a condition in words in place of its mark.
func unmark(r *Row) {
	c, last := &r.Cells[0], &r.Cells[len(r.Cells)-1]
	state := engine.Lit("")
	switch c.Mark {
	case MarkYes:
		state = engine.Lit("True: ")
	case MarkNo:
		state = engine.Lit("False: ")
	case MarkUnknown:
		state = engine.Lit("Unknown: ")
	default:
	}
	c.Mark, c.Role = MarkAbsent, engine.RoleFaint
	last.Role, last.Text = engine.RoleFaint, engine.Textf("%s%s", state, last.Text)
}

// conditionRow tells one condition: mark, type, since when, reason, and the
// message unless all is well.
func conditionRow(conds []metav1.Condition, typ string, generation int64) Row {
	g := engine.BindingConditionOf(conds, typ, generation)
	mark, role := MarkAbsent, engine.RoleFaint
	switch g.State {
	case engine.BindingConditionTrue:
		mark, role = MarkYes, engine.RoleGood
	case engine.BindingConditionFalse:
		mark, role = MarkNo, engine.RoleBad
	case engine.BindingConditionUnknown:
		mark, role = MarkUnknown, engine.RoleWait
	case engine.BindingConditionOutdated:
		mark = MarkOld
	case engine.BindingConditionAbsent:
		return Row{Cells: []Cell{{Mark: mark, Role: role, Text: engine.Clean(typ)}, {}, {}, TextCell(engine.RoleFaint, engine.Lit("not reported"))}}
	}
	reason := TextCell(engine.RoleText, g.Reason)
	if g.State == engine.BindingConditionOutdated {
		reason = TextCell(engine.RoleFaint, engine.Textf("%s (older generation)", g.Reason))
	}
	r := Row{Cells: []Cell{{Mark: mark, Role: role, Text: engine.Clean(typ)}, {Role: engine.RoleSub, At: g.Since}, {Role: engine.RoleSub, Since: g.Since}, reason}}
	if g.State != engine.BindingConditionTrue {
		r.Note = g.Why
	}
	return r
}

// owner says which run wrote the binding last, and with what.
func (f *ClusterFacts) owner() Section {
	b, v := f.Binding, f.run()
	s := Section{Title: engine.Textf("cluster %s", f.Question.Member.Name()), Note: engine.Textf("%s %s", f.Question.Placement.Kind().Short(), f.Question.Placement.Title())}
	o := ownerOf(b, f.Question.Placement, f.Snapshot)
	row := LabelRow(engine.Lit("owner now"), TextCell(engine.RoleFaint, engine.Lit("none: no run has updated this cluster")))
	if !o.run.IsZero() {
		row = LabelRow(engine.Lit("owner now"), o.TextCell(f.Question.Run))
		row.Key, row.Run = engine.Textf("owner %s", o.run.Name()), o.run
	}
	s.Rows = append(s.Rows, row)
	has := engine.Textf("%s", engine.OrUnknown(engine.Clean(o.index)))
	switch {
	case b.Spec.ResourceSnapshotName == "":
		s.Rows = append(s.Rows, LabelRow(engine.Lit("snapshot"), TextCell(engine.RoleFaint, engine.Lit("none yet"))))
	case v != nil && !v.Index.IsZero() && v.Index.String() != o.index:
		s.Rows = append(s.Rows, LabelRow(engine.Lit("snapshot"), TextCell(engine.RoleWait, engine.Textf("%s; run %s rolls out %s", has, v.ID.Name(), v.Index))))
	case v != nil && !v.Index.IsZero():
		s.Rows = append(s.Rows, LabelRow(engine.Lit("snapshot"), TextCell(engine.RoleText, engine.Textf("%s, as run %s rolls out", has, v.ID.Name()))))
	default:
		s.Rows = append(s.Rows, LabelRow(engine.Lit("snapshot"), TextCell(engine.RoleText, has)))
	}
	if !o.since.IsZero() {
		s.Rows = append(s.Rows, LabelRow(engine.Lit("started"), Cell{Role: engine.RoleText, At: o.since, Since: o.since}))
	}
	state := TextCell(engine.RoleText, engine.Clean(string(b.Spec.State)))
	if b.DeletionTimestamp != nil {
		state = Cell{Role: engine.RoleWait, Text: engine.Textf("%s, being deleted since", string(b.Spec.State)), At: b.DeletionTimestamp.Time}
	} else if b.Spec.State == placement.BindingUnscheduled {
		state.Role = engine.RoleWait
	}
	s.Rows = append(s.Rows, LabelRow(engine.Lit("binding"), state))
	return s
}

// schedule says why the cluster was picked and how resources are applied.
func (f *ClusterFacts) schedule() Section {
	b := f.Binding
	s := Section{Title: engine.Lit("schedule"), Rows: []Row{LabelRow(engine.Lit("binding"), CleanCell(engine.RoleText, b.Name)), LabelRow(engine.Lit("picked by"), CleanCell(engine.RoleText, b.Spec.SchedulingPolicySnapshotName))}}
	s.Rows[1].Note = engine.Clean(b.Spec.ClusterDecision.Reason)
	if a := b.Spec.ApplyStrategy; a != nil {
		s.Rows = append(s.Rows, LabelRow(engine.Lit("applied by"), TextCell(engine.RoleText, applyWords(a))))
	}
	return s
}

func applyWords(a *placement.ApplyStrategy) engine.Text {
	var words []engine.Text
	for _, w := range [][2]string{{"", string(a.Type)}, {"", string(a.ComparisonOption)}, {"whenToApply ", string(a.WhenToApply)}, {"whenToTakeOver ", string(a.WhenToTakeOver)}} {
		if w[1] != "" {
			words = append(words, engine.Clean(w[0]+w[1]))
		}
	}
	return engine.Join(words, ", ")
}

// owned is who wrote a binding last.
type owned struct {
	run   engine.ID // zero when no run did; its UID may be empty
	index string
	since time.Time
	view  *engine.RunView
}

// ownerOf reads the owner of a binding from its RolloutStarted
// (docs/kubefleet.md#conditions).
func ownerOf(b *placement.ResourceBinding, place engine.ID, s *engine.Snapshot) owned {
	o := owned{index: message.SnapshotIndex(b.Spec.ResourceSnapshotName)}
	c := engine.ReadCondition(b.Status.Conditions, placement.BindingRolloutStarted)
	if c.Truth != engine.TruthYes {
		return o
	}
	name, _ := message.RolloutBy(c.Message)
	o.since = c.Since
	if name == "" {
		return o
	}
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:] // some flavours write the namespace too
	}
	o.run = place.Beside(place.Kind().InScope(engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun), place.RawNamespace(), name, "")
	if s == nil {
		return o
	}
	for _, v := range s.Runs {
		if v.ID.SameName(o.run) {
			o.run, o.view = v.ID, v
		}
	}
	return o
}

// cell names the owner and its word; mine is the run that the page is read for.
func (o *owned) TextCell(mine engine.ID) Cell {
	c := Cell{Role: engine.RoleName, Text: o.run.Name()}
	if o.view != nil {
		c.Text = engine.Textf("%s  %s", o.run.Name(), o.view.Word)
	}
	if !mine.IsZero() && o.run.SameName(mine) {
		c.Text = engine.Textf("%s, this run", c.Text)
	} else if !mine.IsZero() {
		c.Role = engine.RoleWait
	}
	return c
}

// failing lists the manifests that failed on the member.
func (f *ClusterFacts) failing() Section {
	list := f.Binding.Status.FailedPlacements
	s := Section{Title: engine.Textf("%s failing", engine.Count(len(list), "manifest")), Head: []engine.Text{engine.Lit("MANIFEST"), engine.Lit("CONDITION"), engine.Lit("REASON"), engine.Lit("IN STATE")}}
	if len(list) >= 100 {
		s.Note = engine.Lit("the binding lists at most 100")
	}
	if !engine.ForeignTo(f.Binding, f.run(), f.Snapshot).IsZero() {
		s.Note = engine.Textf("not of run %s", f.run().ID.Name())
	}
	for i := range list {
		m := &list[i]
		s.Rows = append(s.Rows, Row{
			Cells: []Cell{
				{Mark: MarkNo, Role: engine.RoleBad, Text: engine.ManifestName(m)},
				CleanCell(engine.RoleSub, m.Condition.Type),
				CleanCell(engine.RoleText, m.Condition.Reason),
				{Role: engine.RoleSub, Since: m.Condition.LastTransitionTime.Time},
			},
			Note: engine.Message(m.Condition.Message),
		})
	}
	return s
}

// patches lists what drifted on the member and what differs from the hub.
func (f *ClusterFacts) patches() []Section {
	var out []Section
	st := &f.Binding.Status
	if n := len(st.DriftedPlacements); n > 0 {
		s := Section{Title: engine.Textf("%s drifted", engine.Count(n, "manifest")), Note: engine.Lit("changed on the member after it was applied: - hub, + member")}
		for i := range st.DriftedPlacements {
			d := &st.DriftedPlacements[i]
			s.Rows = append(s.Rows, f.patch(&d.ResourceIdentifier, d.FirstDriftedObservedTime.Time, d.ObservedDrifts)...)
		}
		out = append(out, s)
	}
	if n := len(st.DiffedPlacements); n > 0 {
		s := Section{Title: engine.Textf("%s differing", engine.Count(n, "manifest")), Note: engine.Lit("- hub, + member")}
		for i := range st.DiffedPlacements {
			d := &st.DiffedPlacements[i]
			rows := f.patch(&d.ResourceIdentifier, d.FirstDiffedObservedTime.Time, d.ObservedDiffs)
			if d.TargetClusterObservedGeneration == nil {
				rows = append(rows, TextRow(engine.RoleSub, engine.Lit("  the member has no such object")))
			}
			s.Rows = append(s.Rows, rows...)
		}
		out = append(out, s)
	}
	return out
}

func (f *ClusterFacts) patch(id *placement.ResourceIdentifier, since time.Time, details []placement.PatchDetail) []Row {
	rows := []Row{{Key: engine.Textf("patch %s", identifierName(id)), Cells: []Cell{{Mark: MarkNo, Role: engine.RoleWait, Text: identifierName(id), Since: since}}}}
	for i := range details {
		p := &details[i]
		path := p.Path
		if path == "" {
			path = "(the whole object)"
		}
		rows = append(rows, TextRow(engine.RoleSub, engine.Textf("  %s", path)))
		value := func(v string) engine.Text {
			switch {
			case v == "":
				return engine.Lit("(not there)")
			case id.Kind == "Secret":
				return f.Mask(v)
			}
			return engine.Clean(v)
		}
		rows = append(rows,
			Row{Cells: []Cell{{Mark: MarkGone, Role: engine.RoleBad, Text: engine.Textf("  %s", value(p.ValueInHub))}}},
			Row{Cells: []Cell{{Mark: MarkAdded, Role: engine.RoleGood, Text: engine.Textf("  %s", value(p.ValueInMember))}}})
	}
	return rows
}

func identifierName(id *placement.ResourceIdentifier) engine.Text {
	m := placement.FailedResourcePlacement{ResourceIdentifier: *id}
	return engine.ManifestName(&m)
}
