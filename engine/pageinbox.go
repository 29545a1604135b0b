package engine

import (
	"cmp"
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// InboxFacts is what the inbox is made of.
type InboxFacts struct {
	Question Question
	// Snapshot is what the screen shows at the time.
	Snapshot *Snapshot
	Now      time.Time
	// Bindings are those of the placements of Awaited, by key; a placement that
	// could not be read is in BindingsWhy.
	Bindings    map[ID][]placement.ResourceBinding
	BindingsWhy map[ID]Text
}

// Awaited lists the placements of the runs that wait for an approval now, by
// key: the ones whose bindings an inbox gives as evidence.
func Awaited(s *Snapshot) []ID {
	var out []ID
	for _, v := range s.Runs {
		if g := openGate(v); g != nil && !slices.Contains(out, v.Placement.Key()) {
			out = append(out, v.Placement.Key())
		}
	}
	return out
}

// openGate returns the approval that a person could give now, nil for none.
func openGate(v *RunView) *GateView {
	if v.Partial || v.Terminal {
		return nil
	}
	if g := v.Gate(GateNotAccepted); g != nil {
		return g
	}
	return v.Gate(GateOpen)
}

// pending is an approval in the inbox.
type pending struct {
	v     *RunView
	stage *StageView
	gate  *GateView
}

// InboxPage returns the approvals of all runs: open ones with what is needed to
// decide, those that were given and are ignored, those sent but not accepted
// yet, and future ones.
func InboxPage(f InboxFacts) Answer {
	a := Answer{Question: f.Question, At: f.Now}
	var broken, open, sent, coming []pending
	for _, v := range f.Snapshot.Runs {
		if v.Partial || v.Terminal {
			continue
		}
		next := true // only the first that will come
		for i := range v.Stages {
			s := &v.Stages[i]
			for g := range s.Gates() {
				p := pending{v, s, g}
				switch {
				case g.Timed:
				case g.State == GateNotAccepted:
					broken = append(broken, p)
				case g.State == GateOpen:
					open = append(open, p)
				case g.State == GateSent:
					sent = append(sent, p)
				case g.State == GateComing && next:
					coming, next = append(coming, p), false
				default: // passed, skipped, or not the next one
				}
			}
		}
	}
	byAge := func(x, y pending) int {
		return cmp.Or(x.gate.Since.Compare(y.gate.Since), x.v.ID.Compare(y.v.ID))
	}
	for _, l := range [][]pending{broken, open, sent} {
		slices.SortStableFunc(l, byAge)
	}
	head := []Text{Lit("RUN"), Lit("APPROVAL"), Lit("SNAPSHOT"), Lit("CLUSTERS"), Lit("IN STATE")}
	add := func(title Text, note Text, mark Mark, role Role, evidence bool, list []pending) {
		if len(list) == 0 {
			return
		}
		s := Section{Title: Textf("%s %d", title, len(list)), Note: note, Head: head}
		for _, p := range list {
			s.Rows = append(s.Rows, f.row(p, mark, role, evidence))
		}
		a.Sections = append(a.Sections, s)
	}
	add(Lit("approved, ignored"), Lit("A repairs it"), MarkNo, RoleBad, true, broken)
	add(Lit("open"), Lit("A approves, space marks several, i: when it would be done"), MarkAsk, RoleAsk, true, open)
	add(Lit("given, not accepted yet"), Lit("the controller looks once a minute"), MarkYes, RoleBusy, false, sent)
	if len(broken)+len(open)+len(sent) == 0 {
		a.Sections = append(a.Sections, Section{Title: Lit("approvals"), Rows: []Row{say(RoleGood, Lit("No run waits for an approval."))}})
	}
	add(Lit("pending"), Lit("the next one of each run"), MarkAbsent, RoleFaint, false, coming)
	if !f.Snapshot.Complete || f.Snapshot.Scope.Hidden {
		a.Sections = append(a.Sections, Section{Title: Lit("not complete"), Rows: []Row{say(RoleWait, Lit("Runs are still loading, or may not be listed: there may be more."))}})
	}
	return a
}

func (f *InboxFacts) row(p pending, mark Mark, role Role, evidence bool) Row {
	v := p.v
	r := Row{
		Key: Textf("%s %s %s", v.ID.Title(), p.stage.Name, p.gate.Name), Run: v.ID, Object: p.gate.Request,
		Cells: []Cell{
			{Mark: mark, Role: role, Text: v.ID.Title()},
			cell(RoleText, Textf("%s %s", BeforeAfter(p.gate), StageName(p.stage))),
			cell(RoleSub, OrUnknown(v.Index)), cell(RoleSub, Textf("%d/%d", v.Done, v.Total)),
			{Role: RoleSub, Since: p.gate.Since},
		},
	}
	if evidence {
		r.Note = Join(f.evidence(p), " ")
	}
	return r
}

// evidence is what one wants to know before one approves.
func (f *InboxFacts) evidence(p pending) []Text {
	v, s := p.v, p.stage
	var out []Text
	if p.gate.State == GateNotAccepted {
		out = append(out, Textf("The controller ignores this approval: it has observedGeneration %d, the request has generation %d.", p.gate.Sent, p.gate.Generation))
	}
	seen := s
	if p.gate.Before {
		// What counts is how the stage before went.
		seen = nil
		for i := range v.Stages {
			if &v.Stages[i] == s {
				break
			}
			if v.Stages[i].Total > 0 && !v.Stages[i].Deletion {
				seen = &v.Stages[i]
			}
		}
	}
	switch {
	case seen == nil:
		out = append(out, Lit("No stage came before it."))
	case seen.Stuck+seen.Taken > 0:
		out = append(out, Textf("%s: %d of %d done, %d stuck, %d preempted.", Capital(StageName(seen)), seen.Done, seen.Total, seen.Stuck, seen.Taken))
	case seen.Ended.IsZero():
		out = append(out, Textf("%s: %d of %d done.", Capital(StageName(seen)), seen.Done, seen.Total))
	default:
		out = append(out, Textf("%s: %d of %d done, ended %s.", Capital(StageName(seen)), seen.Done, seen.Total, Clock(seen.Ended, f.Now)))
	}
	out = append(out, f.health(v))
	if p.gate.State == GateOpen || p.gate.State == GateNotAccepted {
		if v.Current() == s {
			for i, t := range approveEffect(v, p.gate, f.Now) {
				if i == 0 {
					t = Textf("If you approve: %s", t)
				}
				out = append(out, t)
			}
		}
	}
	if w := approveWarnings(f.Snapshot, v); len(w) > 0 {
		return append(out, w...)
	}
	return append(out, Lit("No other unfinished run of the placement."))
}

// health sums up what the bindings of a run's snapshot report.
func (f *InboxFacts) health(v *RunView) Text {
	key := v.Placement.Key()
	if why, ok := f.BindingsWhy[key]; ok {
		return Textf("Its bindings are not shown: %s.", why)
	}
	list, ok := f.Bindings[key]
	if !ok {
		return Lit("Its bindings were not looked at.")
	}
	n, bad, failing, drifted, differing := 0, 0, 0, 0, 0
	for i := range list {
		b := &list[i]
		if v.Index.IsZero() || SnapshotIndex(b.Spec.ResourceSnapshotName) != v.Index.String() {
			continue
		}
		n++
		if availableCell(b).Mark != MarkYes {
			bad++
		}
		failing += len(b.Status.FailedPlacements)
		drifted += len(b.Status.DriftedPlacements)
		differing += len(b.Status.DiffedPlacements)
	}
	switch {
	case n == 0 && v.Done > 0:
		return Textf("No cluster has snapshot %s now: what this run gave was taken back.", OrUnknown(v.Index))
	case n == 0:
		return Textf("No cluster has snapshot %s yet.", OrUnknown(v.Index))
	case bad+failing+drifted+differing == 0:
		return Textf("Snapshot %s is on %s, available, and nothing is failing, drifted or different.", OrUnknown(v.Index), Count(n, "cluster"))
	}
	var ill []Text
	count := func(n int, what Text) {
		if n > 0 {
			ill = append(ill, what)
		}
	}
	count(bad, Textf("%d of them not available", bad))
	count(failing, Textf("%s failing", Count(failing, "manifest")))
	count(drifted, Textf("%s drifted", Count(drifted, "manifest")))
	count(differing, Textf("%s different", Count(differing, "manifest")))
	return Textf("Snapshot %s is on %s; %s.", OrUnknown(v.Index), Count(n, "cluster"), Enumerate(ill, len(ill)))
}
