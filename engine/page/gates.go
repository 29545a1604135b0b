package page

import "github.com/stagewatch/stagewatch/engine"

// gateSection lists the approvals and waits that are not over.
func gateSection(v *engine.RunView) Section {
	s := Section{Title: engine.Lit("gates ahead"), Head: []engine.Text{engine.Lit("GATE"), engine.Lit("STAGE"), engine.Lit("STATE"), engine.Lit("IN STATE")}}
	if v.Over() {
		return s
	}
	for i := range v.Stages {
		n := 0
		for g := range v.Stages[i].Gates() {
			if n++; g.State != engine.GatePassed && g.State != engine.GateSkipped {
				s.Rows = append(s.Rows, gateRow(v, engine.Textf("gate %d %d", i, n), &v.Stages[i], g))
			}
		}
	}
	return s
}

// deletionSection names the clusters from which the run will delete the resources.
func deletionSection(v *engine.RunView) Section {
	s := Section{Title: engine.Lit("deletions ahead"), Note: engine.Lit("from clusters that the placement no longer picks")}
	if at := v.DeletionAhead(); at != nil {
		s.Rows = []Row{{Key: engine.Lit("deletions"), Cells: []Cell{TextCell(engine.RoleWait, at.Deletes())}}}
	}
	return s
}

func gateRow(v *engine.RunView, key engine.Text, s *engine.StageView, g *engine.GateView) Row {
	what, role := engine.Lit("approval"), engine.RoleAsk
	if g.Timed {
		what, role = engine.Textf("timed wait of %s", engine.Span(g.Wait)), engine.RoleWait
	}
	switch g.State {
	case engine.GateComing:
		if g.Foreign() {
			role = engine.RoleBad
			break
		}
		role = engine.RoleFaint
	case engine.GateNotAccepted:
		role = engine.RoleBad
	default:
	}
	state := Cell{Role: role, Text: GateWord(v, s, g)}
	if g.State == engine.GateRunning && !g.Until.IsZero() {
		state = Cell{Role: role, Text: engine.Lit("ends"), At: g.Until}
	}
	return Row{
		Key: key, Object: g.Request,
		Cells: []Cell{TextCell(engine.RoleText, what), TextCell(engine.RoleName, engine.Textf("%s %s", engine.BeforeAfter(g), s.Name)), state, {Role: engine.RoleSub, Since: g.Since}},
		Note:  gateNote(v, s, g),
	}
}

func gateNote(v *engine.RunView, s *engine.StageView, g *engine.GateView) engine.Text {
	switch when := v.AcceptedWhen(s, g); {
	case g.Foreign():
		return v.ForeignSays(s, g)
	case g.State == engine.GateNotAccepted:
		return engine.Textf("%s was approved with observedGeneration %d; its generation is %d, so the controller does not accept it", g.Name, g.Sent, g.Generation)
	case g.State == engine.GateSent && !when.IsZero():
		return engine.Textf("%s is approved; the controller accepts it %s", g.Name, when)
	case g.State == engine.GateSent:
		return engine.Textf("%s is approved; the controller has not accepted it yet", g.Name)
	case g.State == engine.GateOpen && !g.Timed:
		return g.Name
	}
	return engine.Text{}
}

// GateWord says in few words how far a gate of a stage is.
func GateWord(v *engine.RunView, s *engine.StageView, g *engine.GateView) engine.Text {
	switch {
	case g.Foreign() && g.State == engine.GateComing:
		return engine.Lit("request of another run or stage")
	case g.State == engine.GateSent && !v.AcceptedWhen(s, g).IsZero():
		return engine.Lit("approved ahead")
	case g.State == engine.GateOpen && !g.Timed && !g.Unread.IsZero():
		return engine.Lit("open, request not read")
	case g.State == engine.GateOpen && !g.Timed && g.Request.IsZero():
		return engine.Lit("open, request missing")
	}
	return engine.Clean(g.State.String())
}
