package engine

import "time"

// PlanPage returns a plan: the verdict first, then the stages, then other runs.
// Rows of clusters open their pages for the question's run.
func PlanPage(q Question, p *Plan, now time.Time) Answer {
	a := Answer{Question: q, Object: p.Run, At: now}
	a.Sections = append(a.Sections, planHead(p))
	if p.Forecasts() {
		a.Sections = append(a.Sections, forecastSection(p.Forecast))
		a.Foretold = p.Forecast.Ahead()
	}
	if len(p.Refusals) > 0 {
		a.Sections = append(a.Sections, planRefused(p))
	}
	if len(p.Warnings) > 0 {
		s := Section{Title: Lit("warning"), Note: Lit("what may delay the run")}
		for _, w := range p.Warnings {
			s.Rows = append(s.Rows, Row{Cells: []Cell{{Mark: MarkUnknown, Role: RoleWait, Text: w}}})
		}
		a.Sections = append(a.Sections, s)
	}
	if len(p.Unknown) > 0 {
		a.Sections = append(a.Sections, planUnread(p))
	}
	page := func(c Text) Question {
		return Question{Kind: QuestionCluster, About: p.PlacementID(), Run: q.Run, Member: NewID(KindMemberCluster, "", c.String(), "")}
	}
	a.Sections = append(a.Sections, misfitSections(p, page)...)
	if len(p.Rivals) > 0 && !p.Ended() {
		a.Sections = append(a.Sections, planRivals(p))
	}
	for i := range p.Stages {
		a.Sections = append(a.Sections, planStage(p, i, page))
	}
	if len(p.Deletions) > 0 {
		s := Section{Title: Lit("deletion stage"), Note: Lit("after the last stage the placement is removed from")}
		for _, c := range p.Deletions {
			s.Rows = append(s.Rows, Row{Key: Textf("gone %s", c), Cells: []Cell{cell(RoleName, c)}, Page: page(c)})
		}
		a.Sections = append(a.Sections, s)
	}
	return a
}

func planHead(p *Plan) Section {
	state := p.State
	if state.IsZero() {
		state = Lit("-")
	}
	mark, role := MarkYes, RoleGood
	note := Lit("by the controller's rules")
	if p.Again {
		note = Lit("of a new run with the same spec, by the controller's rules")
	}
	switch {
	case p.Ended():
		mark, role = MarkAbsent, RoleFaint
	case len(p.Refusals) > 0:
		mark, role = MarkNo, RoleBad
	case len(p.Unknown) > 0, p.Forecast != nil && p.Forecast.Held:
		mark, role = MarkUnknown, RoleWait
	}
	return Section{Title: Lit("plan"), Note: note, Rows: []Row{
		label(Lit("placement"), cell(RoleName, p.Placement)), label(Lit("strategy"), cell(RoleText, p.Strategy)),
		label(Lit("snapshot"), cell(RoleText, p.Rolls())), label(Lit("state"), cell(RoleText, state)),
		label(Lit("verdict"), Cell{Mark: mark, Role: role, Text: p.Verdict()}),
	}}
}

func planRefused(p *Plan) Section {
	s := Section{Title: Lit("refused"), Note: Lit("the controller reports the first only")}
	for i := range p.Refusals {
		r := &p.Refusals[i]
		s.Rows = append(s.Rows, Row{Cells: []Cell{{Mark: MarkNo, Role: RoleBad, Text: Textf("%s (%s)", r.Short(), r.Fate())}}})
		if !r.Hint.IsZero() {
			s.Rows = append(s.Rows, say(RoleSub, r.Hint))
		}
	}
	return s
}

func planUnread(p *Plan) Section {
	s := Section{Title: Lit("not read"), Note: Lit("reasons to fail may be missing")}
	for _, g := range p.Unknown {
		s.Rows = append(s.Rows, label(g.What, Cell{Mark: MarkUnknown, Role: RoleWait, Text: g.Why}))
	}
	return s
}

func misfitSections(p *Plan, page func(Text) Question) []Section {
	var out []Section
	for _, of := range []struct {
		title Text
		list  []PlanMisfit
	}{{Lit("in no stage"), p.Unplaced}, {Lit("in several stages"), p.Overlapping}} {
		if len(of.list) == 0 {
			continue
		}
		s := Section{Title: of.title, Note: Lit("with the labels that the stages select by")}
		for i := range of.list {
			m := &of.list[i]
			s.Rows = append(s.Rows, Row{
				Key: Textf("misfit %s", m.Cluster), Page: page(m.Cluster),
				Cells: []Cell{{Mark: MarkNo, Role: RoleName, Text: m.Cluster}, cell(RoleText, m.Seen()), cell(RoleSub, Join(m.Stages, " and "))},
			})
		}
		out = append(out, s)
	}
	return out
}

func planStage(p *Plan, i int, page func(Text) Question) Section {
	st := &p.Stages[i]
	s := Section{Title: Textf("stage %d/%d %s", i+1, len(p.Stages), st.Name), Note: st.About()}
	for j := range st.Before {
		s.Rows = append(s.Rows, taskRow(Lit("before"), &st.Before[j]))
	}
	for j := range st.Clusters {
		c := &st.Clusters[j]
		fate := cell(RoleSub, st.Fate(j))
		switch {
		case c.Succeeded:
			fate.Mark, fate.Role = MarkYes, RoleGood
		case c.Started:
			fate.Mark, fate.Role = MarkMine, RoleBusy
		}
		var about Text
		if !c.Now.IsZero() {
			about = Textf("has %s", c.Now)
			if i := SnapshotIndex(c.Now.String()); i != "" {
				about = Textf("has snapshot %s", Clean(i))
			}
		}
		if !c.SortLabel.IsZero() {
			about = Textf("%s   sorting label %s", about, c.SortLabel)
		}
		if len(c.Overrides) > 0 {
			about = Textf("%s   overrides %s", about, Join(c.Overrides, ", "))
		}
		s.Rows = append(s.Rows, Row{
			Key: Textf("cluster %s", c.Name), Page: page(c.Name),
			Cells: []Cell{cell(RoleFaint, itoa(j+1)), cell(RoleName, c.Name), fate, cell(RoleSub, about)},
		})
	}
	for j := range st.After {
		s.Rows = append(s.Rows, taskRow(Lit("after"), &st.After[j]))
	}
	return s
}

func taskRow(when Text, t *PlanTask) Row {
	role := RoleAsk
	if t.Wait > 0 {
		role = RoleWait
	}
	return say(role, Textf("%s: %s", when, t.What()))
}

func planRivals(p *Plan) Section {
	s := Section{Title: Lit("other unfinished runs"), Note: Lit("of this placement")}
	for i := range p.Rivals {
		r := &p.Rivals[i]
		role := RoleText
		if len(r.WillLose)+len(r.MayTake) > 0 {
			role = RoleWait
		}
		s.Rows = append(s.Rows, Row{
			Key: Textf("rival %s", r.Run.Title()), Run: r.Run, Object: r.Run,
			Cells: []Cell{cell(RoleName, r.Run.Title()), cell(RoleSub, r.About()), cell(role, Join(r.Danger(), "; "))},
		})
	}
	return s
}

// forecastSection shows the forecast on a page.
func forecastSection(f *Forecast) Section {
	s := Section{Title: Lit("forecast"), Note: Lit("estimated completion, UTC")}
	if !f.Never.IsZero() {
		s.Rows = []Row{{Cells: []Cell{{Mark: MarkUnknown, Role: RoleWait, Text: Textf("no estimate: %s", f.Never)}}}}
		return s
	}
	s.Head = []Text{Lit("stage"), Lit("estimated completion"), Lit("earliest"), Lit("latest")}
	if f.Asks() {
		s.Head = append(s.Head, Lit("approval request"))
	}
	s.Head = append(s.Head, Lit("waits for"))
	row := func(name Cell, e Estimate, unknown Text, asked Estimate, waits Text) Row {
		r := Row{Cells: []Cell{name, cell(RoleSub, unknown), {}, {}}}
		if !e.IsZero() {
			r.Cells = []Cell{name, {At: e.Likely}, {Role: RoleSub, At: e.Earliest}, {Role: RoleSub, At: e.Latest}}
		}
		if f.Asks() {
			r.Cells = append(r.Cells, Cell{Role: RoleAsk, At: asked.Likely})
		}
		r.Cells = append(r.Cells, cell(RoleWait, waits))
		return r
	}
	for i := range f.Stages {
		st := &f.Stages[i]
		s.Rows = append(s.Rows, row(cell(RoleName, st.Name), st.Finish, st.Known(), st.Asked, st.Waits()))
	}
	s.Rows = append(s.Rows, row(cell(RoleText, Lit("the run")), f.Finish, Lit("no estimate"), Estimate{}, Text{}))
	s.Rows = append(s.Rows, say(RoleSub, f.Terms()))
	if next := f.Upcoming(); !next.IsZero() {
		s.Rows = append(s.Rows, say(RoleSub, next))
	}
	return s
}
