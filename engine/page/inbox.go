package page

import (
	"cmp"
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/message"
)

// InboxFacts is what the inbox is made of.
type InboxFacts struct {
	// Snapshot is what the screen shows at the time.
	Snapshot *engine.Snapshot
	Now      time.Time
	// Run is the run whose approvals are shown; zero for all runs.
	Run engine.ID
	// Bindings are those of the placements of Awaited, by key; a placement that
	// could not be read is in BindingsWhy.
	Bindings    map[engine.ID][]placement.ResourceBinding
	BindingsWhy map[engine.ID]engine.Text
}

// Awaited lists the placements of the runs that wait for an approval now, by
// key: the ones whose bindings an inbox gives as evidence. With run it is that run alone.
func Awaited(s *engine.Snapshot, run engine.ID) []engine.ID {
	var out []engine.ID
	for _, v := range s.Runs {
		if !run.IsZero() && v.ID != run {
			continue
		}
		if g := openGate(v); g != nil && !slices.Contains(out, v.Placement.Key()) {
			out = append(out, v.Placement.Key())
		}
	}
	return out
}

// openGate returns the approval that a person could give now, nil for none.
func openGate(v *engine.RunView) *engine.GateView {
	if v.Partial || v.Terminal {
		return nil
	}
	if g := v.Gate(engine.GateNotAccepted); g != nil {
		return g
	}
	return v.Gate(engine.GateOpen)
}

// pending is an approval in the inbox.
type pending struct {
	v     *engine.RunView
	stage *engine.StageView
	gate  *engine.GateView
}

// InboxPage returns the approvals of all runs: those that are given and ignored, those
// whose request cannot be approved, open ones with what is needed to decide, those sent but
// not accepted yet, and future ones.
func InboxPage(f InboxFacts) Answer {
	a := Answer{At: f.Now}
	var broken, blocked, open, sent, coming []pending
	for _, v := range f.Snapshot.Runs {
		if v.Partial || v.Terminal || !f.Run.IsZero() && v.ID != f.Run {
			continue
		}
		next := true // only the first that will come
		for i := range v.Stages {
			s := &v.Stages[i]
			for g := range s.Gates() {
				p := pending{v, s, g}
				switch {
				case g.Timed:
				case (g.State == engine.GateNotAccepted || g.State == engine.GateOpen) && (g.Foreign() || g.Deleting()):
					blocked = append(blocked, p)
				case g.State == engine.GateNotAccepted:
					broken = append(broken, p)
				case g.State == engine.GateOpen:
					open = append(open, p)
				case g.State == engine.GateSent:
					sent = append(sent, p)
				case g.State == engine.GateComing && next:
					coming, next = append(coming, p), false
				default: // passed, skipped, or not the next one
				}
			}
		}
	}
	byAge := func(x, y pending) int {
		return cmp.Or(x.gate.Since.Compare(y.gate.Since), x.v.ID.Compare(y.v.ID))
	}
	for _, l := range [][]pending{broken, blocked, open, sent} {
		slices.SortStableFunc(l, byAge)
	}
	head := []engine.Text{engine.Lit("RUN"), engine.Lit("APPROVAL"), engine.Lit("SNAPSHOT"), engine.Lit("CLUSTERS"), engine.Lit("IN STATE")}
	add := func(title engine.Text, note engine.Text, mark Mark, role engine.Role, evidence bool, list []pending) {
		if len(list) == 0 {
			return
		}
		s := Section{Title: engine.Textf("%s %d", title, len(list)), Note: note, Head: head}
		for _, p := range list {
			s.Rows = append(s.Rows, f.row(p, mark, role, evidence))
		}
		a.Sections = append(a.Sections, s)
	}
	add(engine.Lit("approved, ignored"), engine.Lit("repair it ({approve})"), MarkNo, engine.RoleBad, true, broken)
	add(engine.Lit("not approvable"), engine.Lit("the request is being deleted, or is of another run or stage"), MarkNo, engine.RoleBad, true, blocked)
	add(engine.Lit("open"), engine.Lit("approve it ({approve}), or see the plan first ({plan})"), MarkAsk, engine.RoleAsk, true, open)
	add(engine.Lit("given, not accepted yet"), engine.Lit("the controller normally accepts it within a second"), MarkYes, engine.RoleBusy, false, sent)
	if len(broken)+len(blocked)+len(open)+len(sent) == 0 {
		none := engine.Lit("No run waits for an approval.")
		if !f.Run.IsZero() {
			none = engine.Textf("%s does not wait for an approval.", f.Run.Title())
		}
		a.Sections = append(a.Sections, Section{Title: engine.Lit("approvals"), Rows: []Row{TextRow(engine.RoleGood, none)}})
	}
	add(engine.Lit("pending"), engine.Lit("the next one of each run"), MarkAbsent, engine.RoleFaint, false, coming)
	if !f.Snapshot.Complete || f.Snapshot.Scope.Hidden {
		a.Sections = append(a.Sections, Section{Title: engine.Lit("not complete"), Rows: []Row{TextRow(engine.RoleWait, engine.Lit("Runs are still loading, or may not be listed: there may be more."))}})
	}
	return a
}

func (f *InboxFacts) row(p pending, mark Mark, role engine.Role, evidence bool) Row {
	v := p.v
	r := Row{
		Key: engine.Textf("%s %s %s", v.ID.Title(), p.stage.Name, p.gate.Name), Run: v.ID, Object: p.gate.Request,
		Cells: []Cell{
			{Mark: mark, Role: role, Text: v.ID.Title()},
			TextCell(engine.RoleText, engine.Textf("%s %s", engine.BeforeAfter(p.gate), engine.StageName(p.stage))),
			TextCell(engine.RoleSub, engine.OrUnknown(v.Index)), TextCell(engine.RoleSub, engine.Textf("%d/%d", v.Done, v.Total)),
			{Role: engine.RoleSub, Since: p.gate.Since},
		},
	}
	if evidence {
		r.Note = engine.Join(f.evidence(p), " ")
	}
	return r
}

// evidence is what one wants to know before one approves.
func (f *InboxFacts) evidence(p pending) []engine.Text {
	v, s := p.v, p.stage
	var out []engine.Text
	if p.gate.State == engine.GateNotAccepted {
		out = append(out, engine.Textf("The controller ignores this approval: it has observedGeneration %d, the request has generation %d.", p.gate.Sent, p.gate.Generation))
	}
	switch g := p.gate; {
	case g.Foreign():
		out = append(out, engine.Textf("Approval request %s is for another run or stage: the run will fail.", g.Name))
	case g.Deleting():
		out = append(out, engine.Textf("%s. It cannot be approved: approve the request that the controller creates then.", engine.Capital(g.DeletionSays(f.Now))))
	case g.Request.IsZero() && f.Snapshot.Complete:
		out = append(out, engine.Textf("Approval request %s was not found: approve it when the controller has created it again.", g.Name))
	}
	if g := p.gate; g.Seen != nil && !g.Seen.Rejected.IsZero() {
		out = append(out, engine.Textf("It was rejected: Approved is False (%s).", g.Seen.Rejected))
	} else if g.Seen != nil && !g.Seen.Undecided.IsZero() {
		out = append(out, engine.Textf("Not decided: Approved is Unknown (%s).", g.Seen.Undecided))
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
		out = append(out, engine.Lit("No stage came before it."))
	case seen.Stuck+seen.Preempted > 0:
		out = append(out, engine.Textf("%s: %d of %d done, %d stuck, %d preempted.", engine.Capital(engine.StageName(seen)), seen.Done, seen.Total, seen.Stuck, seen.Preempted))
	case seen.Ended.IsZero():
		out = append(out, engine.Textf("%s: %d of %d done.", engine.Capital(engine.StageName(seen)), seen.Done, seen.Total))
	default:
		out = append(out, engine.Textf("%s: %d of %d done, ended %s.", engine.Capital(engine.StageName(seen)), seen.Done, seen.Total, engine.Clock(seen.Ended, f.Now)))
	}
	out = append(out, f.health(v))
	if open := p.gate.State == engine.GateOpen || p.gate.State == engine.GateNotAccepted; open && v.Current() == s && !p.gate.Foreign() && !p.gate.Deleting() {
		for i, t := range act.ApproveEffect(v, p.gate, f.Now) {
			if i == 0 {
				t = engine.Textf("If you approve: %s", t)
			}
			out = append(out, t)
		}
	}
	if w := act.ApproveWarnings(f.Snapshot, v); len(w) > 0 {
		return append(out, w...)
	}
	return append(out, engine.Lit("No other unfinished run of the placement."))
}

// health sums up what the bindings of a run's snapshot report.
func (f *InboxFacts) health(v *engine.RunView) engine.Text {
	key := v.Placement.Key()
	if why, ok := f.BindingsWhy[key]; ok {
		return engine.Textf("Its bindings are not shown: %s.", why)
	}
	list, ok := f.Bindings[key]
	if !ok {
		return engine.Lit("Its bindings were not looked at.")
	}
	n, bad, failing, drifted, differing := 0, 0, 0, 0, 0
	for i := range list {
		b := &list[i]
		if v.Index.IsZero() || message.SnapshotIndex(b.Spec.ResourceSnapshotName) != v.Index.String() {
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
		return engine.Textf("No cluster has snapshot %s any more.", engine.OrUnknown(v.Index))
	case n == 0:
		return engine.Textf("No cluster has snapshot %s yet.", engine.OrUnknown(v.Index))
	case bad+failing+drifted+differing == 0:
		return engine.Textf("Snapshot %s is on %s, available, and nothing is failing, drifted or different.", engine.OrUnknown(v.Index), engine.Count(n, "cluster"))
	}
	var ill []engine.Text
	count := func(n int, what engine.Text) {
		if n > 0 {
			ill = append(ill, what)
		}
	}
	count(bad, engine.Textf("%d of them not available", bad))
	count(failing, engine.Textf("%s failing", engine.Count(failing, "manifest")))
	count(drifted, engine.Textf("%s drifted", engine.Count(drifted, "manifest")))
	count(differing, engine.Textf("%s different", engine.Count(differing, "manifest")))
	return engine.Textf("Snapshot %s is on %s; %s.", engine.OrUnknown(v.Index), engine.Count(n, "cluster"), engine.Enumerate(ill, len(ill)))
}
