package page

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// PlanPage returns a plan: the verdict and what decides it, then the other runs, then
// the stages. Rows of clusters open their pages for the run.
func PlanPage(p *plan.Plan) Answer {
	a := Answer{Object: p.Run, At: p.At}
	a.Sections = append(a.Sections, planHead(p))
	if p.Forecasts() {
		a.Sections = append(a.Sections, forecastSection(p.Forecast))
		a.Forecast = p.Forecast.Ahead()
	}
	if len(p.Refusals) > 0 {
		a.Sections = append(a.Sections, planRefused(p))
	}
	if len(p.Warnings) > 0 {
		s := Section{Title: engine.Lit("warning"), Note: engine.Lit("what may delay the run")}
		for _, w := range p.Warnings {
			s.Rows = append(s.Rows, Row{Cells: []Cell{{Mark: MarkUnknown, Role: engine.RoleWait, Text: w}}})
		}
		a.Sections = append(a.Sections, s)
	}
	if len(p.Unknown) > 0 {
		a.Sections = append(a.Sections, planUnread(p))
	}
	run := p.Run
	if run.RawName() == "" { // it would be a new one
		run = engine.ID{}
	}
	page := func(c engine.Text) Question {
		return ClusterQuestion{Placement: p.PlacementID(), Run: run, Member: p.Run.Beside(engine.KindMemberCluster, "", c.String(), "")}
	}
	a.Sections = append(a.Sections, mismatchSections(p, page)...)
	if len(p.CompetingRuns) > 0 && !p.Ended() {
		a.Sections = append(a.Sections, planRivals(p))
	}
	for i := range p.Stages {
		a.Sections = append(a.Sections, planStage(p, i, page))
	}
	if len(p.Deletions) > 0 {
		s := Section{Title: engine.Lit("deletion stage"), Note: engine.Lit("after the last stage, resources are deleted from")}
		for i, c := range p.Deletions {
			r := Row{Key: engine.Textf("gone %s", c), Cells: []Cell{TextCell(engine.RoleName, c)}, Page: page(c)}
			if i < p.Deleted {
				r.Cells = append(r.Cells, TextCell(engine.RoleGood, engine.Lit("done")))
			}
			s.Rows = append(s.Rows, r)
		}
		a.Sections = append(a.Sections, s)
	}
	return a
}

func planHead(p *plan.Plan) Section {
	state := p.State
	if state.IsZero() {
		state = engine.Lit("-")
	}
	mark, role := MarkYes, engine.RoleGood
	note := engine.Lit("plan by the controller's rules")
	if p.Again {
		note = engine.Lit("plan of a new run with the same spec, by the controller's rules")
	}
	switch {
	case p.Ended():
		mark, role = MarkAbsent, engine.RoleFaint
	case len(p.Refusals) > 0:
		mark, role = MarkNo, engine.RoleBad
	case !p.Doom().IsZero(), len(p.Unknown) > 0, p.Forecast != nil && p.Forecast.Held:
		mark, role = MarkUnknown, engine.RoleWait
	}
	s := Section{Title: planTitle(p.Run), Note: note, Rows: []Row{
		LabelRow(engine.Lit("placement"), TextCell(engine.RoleName, p.Placement)), LabelRow(engine.Lit("strategy"), TextCell(engine.RoleText, p.Strategy)),
		LabelRow(engine.Lit("snapshot"), TextCell(engine.RoleText, p.Rolls())), LabelRow(engine.Lit("state"), TextCell(engine.RoleText, state)),
		LabelRow(engine.Lit("verdict"), Cell{Mark: mark, Role: role, Text: p.Verdict()}),
	}}
	if back := p.MovesBack(); !back.IsZero() {
		s.Rows = append(s.Rows, LabelRow(engine.Lit("warning"), TextCell(engine.RoleWait, back)))
	}
	if next := p.Next(); !next.IsZero() {
		s.Rows = append(s.Rows, LabelRow(engine.Lit("next"), TextCell(engine.RoleText, next)))
	}
	return s
}

// planTitle names the planned run, or says that there is none.
func planTitle(run engine.ID) engine.Text {
	scope := engine.Lit("cluster run")
	if run.Kind().Namespaced() {
		scope = engine.Lit("namespaced run")
	}
	switch {
	case !run.Name().IsZero():
		return engine.Textf("%s %s", scope, run.Title())
	case run.Namespace().IsZero():
		return engine.Textf("a %s that does not exist yet", scope)
	}
	return engine.Textf("a %s that does not exist yet, namespace %s", scope, run.Namespace())
}

func planRefused(p *plan.Plan) Section {
	s := Section{Title: engine.Lit("failed checks")}
	if len(p.Refusals) > 1 {
		s.Note = engine.Lit("the controller reports only the first; the others follow after a fix")
	}
	for i := range p.Refusals {
		r := &p.Refusals[i]
		row := Row{Cells: []Cell{{Mark: MarkNo, Role: engine.RoleBad, Text: engine.Textf("%s (%s)", r.Short(), r.Fate())}}, Note: r.Hint}
		if i+1 < len(p.Refusals) && p.Refusals[i+1].Hint == r.Hint {
			row.Note = engine.Text{} // the last of several has it
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

func planUnread(p *plan.Plan) Section {
	s := Section{Title: engine.Lit("not read"), Note: engine.Lit("failed checks may be missing")}
	for _, g := range p.Unknown {
		s.Rows = append(s.Rows, LabelRow(g.What, Cell{Mark: MarkUnknown, Role: engine.RoleWait, Text: g.Why}))
	}
	return s
}

func mismatchSections(p *plan.Plan, page func(engine.Text) Question) []Section {
	var out []Section
	for _, of := range []struct {
		title engine.Text
		list  []plan.StageMismatch
	}{{engine.Lit("in no stage"), p.Unplaced}, {engine.Lit("in several stages"), p.Overlapping}} {
		if len(of.list) == 0 {
			continue
		}
		s := Section{Title: of.title, Note: engine.Lit("with the labels that the stages select by")}
		for i := range of.list {
			m := &of.list[i]
			s.Rows = append(s.Rows, Row{
				Key: engine.Textf("mismatch %s", m.Cluster), Page: page(m.Cluster),
				Cells: []Cell{{Mark: MarkNo, Role: engine.RoleName, Text: m.Cluster}, TextCell(engine.RoleText, m.Seen()), TextCell(engine.RoleSub, engine.Join(m.Stages, " and "))},
			})
		}
		out = append(out, s)
	}
	return out
}

func planStage(p *plan.Plan, i int, page func(engine.Text) Question) Section {
	st := &p.Stages[i]
	s := Section{Title: engine.Textf("stage %d/%d", i+1, len(p.Stages)), Name: st.Name, Note: st.About()}
	for j := range st.Before {
		s.Rows = append(s.Rows, taskRow(engine.Lit("before"), &st.Before[j]))
	}
	for j := range st.Clusters {
		c := &st.Clusters[j]
		fate := TextCell(engine.RoleSub, st.Fate(j))
		switch {
		case c.Succeeded:
			fate.Mark, fate.Role = MarkYes, engine.RoleGood
		case c.Started:
			fate.Mark, fate.Role = MarkMine, engine.RoleBusy
		}
		var about engine.Text
		if !c.Now.IsZero() {
			about = engine.Textf("has %s", c.Now)
			if i := message.SnapshotIndex(c.Now.String()); i != "" {
				switch about = engine.Textf("has snapshot %s", engine.Clean(i)); {
				case p.ReportDiff: // its resources are those of before
					about = engine.Textf("compared with snapshot %s", engine.Clean(i))
				case c.Started && !c.Succeeded && p.Snapshot.Index.String() == i: // its binding has it, the cluster may not
					about = engine.Textf("to snapshot %s", engine.Clean(i))
				}
			}
		}
		if !c.SortLabel.IsZero() {
			about = engine.Textf("%s   sorting label %s", about, c.SortLabel)
		}
		if len(c.Overrides) > 0 {
			about = engine.Textf("%s   overrides %s", about, engine.Join(c.Overrides, ", "))
		}
		s.Rows = append(s.Rows, Row{
			Key: engine.Textf("cluster %s", c.Name), Page: page(c.Name),
			Cells: []Cell{TextCell(engine.RoleFaint, NumberText(j+1)), TextCell(engine.RoleName, c.Name), fate, TextCell(engine.RoleSub, about)},
		})
	}
	for j := range st.After {
		s.Rows = append(s.Rows, taskRow(engine.Lit("after"), &st.After[j]))
	}
	return s
}

func taskRow(when engine.Text, t *plan.Task) Row {
	role := engine.RoleAsk
	switch {
	case t.Passed:
		role = engine.RoleFaint
	case t.Timed():
		role = engine.RoleWait
	}
	return TextRow(role, engine.Textf("%s: %s", when, t.What()))
}

func planRivals(p *plan.Plan) Section {
	s := Section{Title: engine.Lit("other unfinished runs"), Note: engine.Lit("of this placement")}
	for i := range p.CompetingRuns {
		r := &p.CompetingRuns[i]
		role := engine.RoleText
		if len(r.WillLose)+len(r.MayTake)+len(r.BothStarted) > 0 {
			role = engine.RoleWait
		}
		s.Rows = append(s.Rows, Row{
			Key: engine.Textf("competing %s", r.Run.Title()), Run: r.Run, Object: r.Run,
			Cells: []Cell{TextCell(engine.RoleName, r.Run.Title()), TextCell(engine.RoleSub, r.About()), TextCell(role, engine.Join(r.Danger(), "; "))},
		})
	}
	return s
}

// forecastSection shows the forecast on a page.
func forecastSection(f *plan.Forecast) Section {
	s := Section{Title: engine.Lit("forecast"), Note: engine.Lit("estimated completion, UTC")}
	if !f.Never.IsZero() {
		s.Rows = []Row{{Cells: []Cell{{Mark: MarkUnknown, Role: engine.RoleWait, Text: engine.Textf("no estimate: %s", f.Never)}}}}
		return s
	}
	s.Head = []engine.Text{engine.Lit("stage"), engine.Lit("estimated completion"), engine.Lit("earliest"), engine.Lit("latest")}
	if f.Asks() {
		s.Head = append(s.Head, engine.Lit("approval request"))
	}
	s.Head = append(s.Head, engine.Lit("waits for"))
	row := func(name Cell, e plan.Estimate, unknown engine.Text, asked plan.Estimate, waits engine.Text) Row {
		r := Row{Cells: []Cell{name, TextCell(engine.RoleSub, unknown), {}, {}}}
		if !e.IsZero() {
			r.Cells = []Cell{name, {At: e.Likely}, {Role: engine.RoleSub, At: e.Earliest}, {Role: engine.RoleSub, At: e.Latest}}
		}
		if f.Asks() {
			r.Cells = append(r.Cells, Cell{Role: engine.RoleAsk, At: asked.Likely})
		}
		r.Cells = append(r.Cells, TextCell(engine.RoleWait, waits))
		return r
	}
	for i := range f.Stages {
		st := &f.Stages[i]
		s.Rows = append(s.Rows, row(TextCell(engine.RoleName, st.Name), st.Finish, st.Known(), st.Asked, st.Waits()))
	}
	s.Rows = append(s.Rows, row(TextCell(engine.RoleText, engine.Lit("the run")), f.Finish, engine.Lit("no estimate"), plan.Estimate{}, engine.Text{}))
	s.Rows = append(s.Rows, TextRow(engine.RoleSub, f.Terms()))
	if next := f.Upcoming(); !next.IsZero() {
		s.Rows = append(s.Rows, TextRow(engine.RoleSub, next))
	}
	return s
}
