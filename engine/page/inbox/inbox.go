// Package inbox is the page of the approvals of all runs, with what is needed to decide.
package inbox

import (
	"cmp"
	"slices"
	"sort"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
)

// Facts is what the inbox is made of.
type Facts struct {
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

// due reports whether the run waits for the approval now.
func (p *pending) due() bool {
	return p.gate.State == engine.GateOpen || p.gate.State == engine.GateNotAccepted
}

// refused reports whether the approval cannot be given. A request that is not there counts
// once all are read.
func (f *Facts) refused(p pending) bool {
	return p.v.Word == engine.WordDeleting || act.ApproveRefusal(p.gate, f.Now).Refused() && (f.Snapshot.Complete || p.gate.Seen != nil)
}

// Page returns the approvals of all runs: those that are given and ignored, those
// whose request cannot be approved, those that would be in vain, open ones with what is
// needed to decide, those sent but not accepted yet, those approved ahead, and future ones.
func Page(f Facts) page.Answer {
	a := page.Answer{At: f.Now}
	var broken, blocked, vain, open, sent, ahead, coming []pending
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
				case p.due() && f.refused(p):
					blocked = append(blocked, p)
				case p.due() && act.InVain(v):
					vain = append(vain, p)
				case g.State == engine.GateNotAccepted:
					broken = append(broken, p)
				case g.State == engine.GateOpen:
					open = append(open, p)
				case !p.due() && v.Word == engine.WordDeleting: // nothing comes of it
				case g.State == engine.GateSent && !v.AcceptedWhen(s, g).IsZero():
					ahead = append(ahead, p)
				case g.State == engine.GateSent:
					sent = append(sent, p)
				case g.State == engine.GateComing && (next || g.Foreign()):
					coming, next = append(coming, p), false
				default: // passed, skipped, or not the next one
				}
			}
		}
	}
	for _, l := range [][]pending{broken, blocked, vain, open, sent, ahead} {
		sort.SliceStable(l, func(i, j int) bool {
			return cmp.Or(l[i].gate.Since.Compare(l[j].gate.Since), l[i].v.ID.Compare(l[j].v.ID)) < 0
		})
	}
	head := []engine.Text{engine.Lit("RUN"), engine.Lit("APPROVAL"), engine.Lit("IN STATE"), engine.Lit("CLUSTERS"), engine.Lit("REPORTED"), engine.Lit("IF APPROVED")}
	add := func(title engine.Text, note engine.Text, mark page.Mark, role engine.Role, evidence bool, list []pending) {
		if len(list) == 0 {
			return
		}
		s := page.Section{Title: engine.Textf("%s %d", title, len(list)), Note: note, Head: head}
		for _, p := range list {
			s.Rows = append(s.Rows, f.row(p, mark, role, evidence))
		}
		a.Sections = append(a.Sections, s)
	}
	add(engine.Lit("not accepted"), engine.Lit("the controller ignores the approval: repair it ({approve})"), page.MarkNo, engine.RoleBad, true, broken)
	add(engine.Lit("not approvable"), engine.Lit("the request is missing, being deleted, or of another run or stage; or the run is being deleted"), page.MarkNo, engine.RoleBad, true, blocked)
	add(engine.Lit("do not approve"), engine.Lit("the run will fail, or only a new run helps"), page.MarkNo, engine.RoleBad, true, vain)
	add(engine.Lit("open"), engine.Lit("approve it ({approve}), or see the plan first ({plan})"), page.MarkAsk, engine.RoleAsk, true, open)
	add(engine.Lit("sent"), engine.Lit("approved; the controller normally accepts it within a second"), page.MarkYes, engine.RoleBusy, false, sent)
	if len(broken)+len(blocked)+len(vain)+len(open)+len(sent) == 0 {
		role, none := engine.RoleGood, engine.Lit("No run waits for an approval.")
		switch {
		case !f.Run.IsZero():
			none = engine.Textf("%s does not wait for an approval.", f.Run.Title())
		case !f.whole():
			role, none = engine.RoleWait, engine.Lit("No run that has been read waits for an approval.")
		}
		a.Sections = append(a.Sections, page.Section{Title: engine.Lit("approvals"), Rows: []page.Row{page.TextRow(role, none)}})
	}
	add(engine.Lit("approved ahead"), engine.Lit("nothing to do: the run does not wait for this approval"), page.MarkYes, engine.RoleSub, false, ahead)
	add(engine.Lit("pending"), engine.Lit("the next one of each run"), page.MarkAbsent, engine.RoleFaint, false, coming)
	a.Partial = !f.Snapshot.Complete
	if !f.whole() {
		a.Sections = append(a.Sections, page.Section{Title: engine.Lit("not complete"), Rows: []page.Row{page.TextRow(engine.RoleWait, engine.Lit("Runs are still loading, or may not be listed: there may be more."))}})
	}
	return a
}

func (f *Facts) row(p pending, mark page.Mark, role engine.Role, evidence bool) page.Row {
	v, name := p.v, p.stage.Name
	if p.stage.Deletion {
		name = engine.StageName(p.stage)
	}
	r := page.Row{
		Key: engine.Textf("%s %s %s", v.ID.Title(), p.stage.Name, p.gate.Name), Run: v.ID, Object: p.gate.Request,
		Cells: []page.Cell{
			{Mark: mark, Role: role, Text: v.ID.Title()},
			page.TextCell(engine.RoleText, engine.Textf("%s %s", engine.BeforeAfter(p.gate), name)),
			{Role: engine.RoleSub, Since: p.gate.Since},
			page.TextCell(engine.RoleSub, engine.Textf("%d/%d", v.Done, v.Total)),
		},
	}
	if evidence {
		h := f.healthOf(v)
		r.Aside = f.evidence(p, &h)
		r.Note = engine.Join(r.Aside, " ")
		starts := engine.Lit("-")
		if f.approvable(p) {
			starts = act.ApproveBrief(v, p.gate, f.Now)
		}
		r.Cells = append(r.Cells, h.cell(), page.TextCell(engine.RoleText, starts))
		return r
	}
	if p.gate.Foreign() {
		r.Cells[0].Mark, r.Cells[0].Role, r.Note = page.MarkNo, engine.RoleBad, engine.Textf("%s.", engine.Capital(v.ForeignSays(p.stage, p.gate)))
	}
	if when := v.AcceptedWhen(p.stage, p.gate); p.gate.State == engine.GateSent && !when.IsZero() {
		r.Note = engine.Textf("Accepted %s.", when)
	}
	r.Cells = append(r.Cells, page.Cell{}, page.Cell{})
	return r
}

// effect is what an approval would start; none where it cannot be given.
func (f *Facts) effect(p pending) []engine.Text {
	if !f.approvable(p) || p.v.Why.Fails { // nothing, for the cause that the diagnosis says
		return nil
	}
	return act.ApproveEffect(p.v, p.gate, f.Now)
}

// approvable reports whether an approval can be given now.
func (f *Facts) approvable(p pending) bool {
	return p.due() && p.v.Current() == p.stage && p.v.Word != engine.WordDeleting && !act.ApproveRefusal(p.gate, f.Now).Refused()
}

// leads reports whether the diagnosis of the run says more of an approval than its state
// does: something is wrong with it, or something else comes first.
func (f *Facts) leads(p pending) bool {
	v := p.v
	switch {
	case v.Why.What.IsZero():
		return false
	case act.InVain(v):
		return true
	}
	waits := v.Word == engine.WordApproval || v.Word == engine.WordNotAccepted
	return waits && (f.refused(p) || p.gate.State == engine.GateNotAccepted || !slices.Contains(v.Why.NextActions, engine.NextApprove))
}

// evidence is what one wants to know before one approves.
func (f *Facts) evidence(p pending, h *health) []engine.Text {
	v, s := p.v, p.stage
	var out []engine.Text
	switch g := p.gate; {
	case v.Word == engine.WordDeleting:
		out = append(out, engine.Lit("The run is being deleted."))
	case f.leads(p):
		out = append(out, v.Why.What, v.Why.Next)
	case f.refused(p):
		no := act.ApproveRefusal(g, f.Now)
		out = append(out, engine.Textf("%s.", engine.Capital(no.Why)), engine.Textf("%s.", engine.Capital(no.Hint)))
	case g.State == engine.GateNotAccepted:
		out = append(out, engine.Textf("The controller ignores this approval: it has observedGeneration %d, the request has generation %d.", g.Sent, g.Generation))
	}
	switch g := p.gate; {
	case g.Seen == nil || f.leads(p): // the diagnosis has said it
	case !g.Seen.Rejected.IsZero():
		out = append(out, engine.Textf("It was rejected: Approved is False (%s).", g.Seen.Rejected))
	case !g.Seen.Undecided.IsZero():
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
	out = append(out, h.sentence(v))
	if !f.leads(p) {
		out = append(out, v.Why.Warnings...)
	}
	for i, t := range f.effect(p) {
		if i == 0 {
			t = engine.Textf("If you approve: %s", t)
		}
		out = append(out, t)
	}
	return append(out, f.others(v)...)
}

// whole reports whether every run of the scope has been read.
func (f *Facts) whole() bool { return f.Snapshot.Complete && !f.Snapshot.Scope.Hidden }

// others says what other runs of the placement mean for an approval.
func (f *Facts) others(v *engine.RunView) []engine.Text {
	if v.Over() { // it updates nothing more, whatever others do
		return nil
	}
	out := act.RunsBeside(f.Snapshot, v)
	switch {
	case !f.knowsRunsBeside(v):
		return append(out, engine.Lit("Not all runs have been read: another run of the placement may compete."))
	case len(out) > 0:
		return out
	case slices.ContainsFunc(f.Snapshot.Runs, func(o *engine.RunView) bool {
		return o.ID != v.ID && engine.IsRun(o.ID.Kind()) && !o.Over() && o.Placement.SameName(v.Placement)
	}):
		return []engine.Text{engine.Lit("No other run of the placement competes.")}
	}
	return []engine.Text{engine.Lit("No other unfinished run of the placement.")}
}

// knowsRunsBeside reports whether every run that may have the placement of a run was read.
func (f *Facts) knowsRunsBeside(v *engine.RunView) bool {
	beside := func(id engine.ID) bool {
		return id.Hub() == v.ID.Hub() && id.Kind() == v.ID.Kind() && (id.RawNamespace() == "" || id.RawNamespace() == v.ID.RawNamespace())
	}
	return f.Snapshot.Complete &&
		!slices.ContainsFunc(f.Snapshot.Scope.Runs, func(set engine.RunSet) bool { return beside(set.ID) && set.State != engine.CoverComplete }) &&
		!slices.ContainsFunc(f.Snapshot.Runs, func(o *engine.RunView) bool {
			return beside(o.ID) && (o.Word == engine.WordUnreadable || o.Partial && o.Placement.SameName(v.Placement) && !o.Terminal)
		})
}
