package engine

import (
	"strings"
	"time"
)

// DiagnosisFacts is what a diagnosis is written from. Only Snapshot and Run are
// needed.
type DiagnosisFacts struct {
	Question Question
	// Snapshot is what the screen shows at the time; Run is one of its runs.
	Snapshot *Snapshot
	Run      *RunView
	// Detail has the run's clusters; nil while the run is not opened.
	Detail *Detail
	// Plan has the refusals that a run would meet; nil when none was made.
	Plan *Plan
	Now  time.Time
}

// DiagnosisPage returns the diagnosis of a run, or of the question's cluster of
// it: the sentences, the chain of causes, the evidence, the next steps with
// their commands, and further findings.
func DiagnosisPage(f DiagnosisFacts) Answer {
	v := f.Run
	a := Answer{Question: f.Question, Object: v.ID, At: f.Now}
	d := f.diagnosis()
	add := func(s Section) {
		if len(s.Rows) > 0 {
			a.Sections = append(a.Sections, s)
		}
	}
	add(f.stateSection())
	add(whySection(d))
	add(stepSection(d))
	add(f.pathSection(d))
	add(evidenceSection(d))
	add(readSection(d))
	add(commandSection(d))
	add(f.troubleSection())
	add(gateSection(v))
	add(f.nextSection())
	add(f.refusalSection())
	add(f.rivalSection())
	add(f.gapSection())
	return a
}

// diagnosis is that of the question's cluster when it has one, else the run's.
func (f *DiagnosisFacts) diagnosis() *Diagnosis {
	if c := f.cluster(); c != nil && !c.Diagnosis.What.IsZero() {
		return &c.Diagnosis
	}
	return &f.Run.Why
}

// readSection shows through which context a member was read, and when.
func readSection(d *Diagnosis) Section {
	r := &d.Read
	s := Section{Title: Textf("member %s", r.Member), Note: Lit("part of the evidence was read there")}
	if r.Says.IsZero() {
		return s
	}
	identity := Cell{Mark: MarkUnknown, Role: RoleWait, Text: Textf("%s: %s", r.Identity.Verdict, r.Identity.Why)}
	if r.Identity.Verdict == Verified {
		identity.Mark, identity.Role = MarkYes, RoleGood
	}
	s.Rows = []Row{
		label(Lit("context"), cell(RoleName, r.Context)), label(Lit("identity"), identity),
		label(Lit("age"), Cell{Role: RoleSub, Since: r.At}),
	}
	return s
}

// cluster returns the question's cluster, nil when it names none that is known.
func (f *DiagnosisFacts) cluster() *ClusterView {
	return f.Detail.Cluster(f.Question.Member)
}

func (f *DiagnosisFacts) stateSection() Section {
	v := f.Run
	state := Cell{Role: wordRole(v.Word), Text: Clean(v.Word.String()), Since: v.Since}
	if b := v.Beside(); !b.IsZero() {
		state.Text = Textf("%s, %s", state.Text, b)
	}
	s := Section{Title: v.ID.Title(), Note: Lit("state, chain of causes, next steps"), Rows: []Row{label(Lit("state"), state)}}
	if c := f.cluster(); c != nil {
		state := Clean(c.State.String())
		if c.State == ClusterComing && v.Terminal {
			state = Lit("not started") // and never will be by this run
		}
		s.Rows = append(s.Rows, label(Lit("cluster"), cell(RoleName, Textf("%s: %s", c.Name, state))))
	}
	if !v.Placement.IsZero() {
		s.Rows = append(s.Rows, label(Lit("placement"), cell(RoleText, v.Placement.Title())))
	}
	if !v.Index.IsZero() {
		s.Rows = append(s.Rows, label(Lit("snapshot"), cell(RoleText, v.Index)))
	}
	if !v.Partial && v.Total > 0 {
		s.Rows = append(s.Rows, label(Lit("clusters"), cell(RoleText, Textf("%d of %d done", v.Done, v.Total))))
	}
	if !v.TakenBy.IsZero() {
		s.Rows = append(s.Rows, Row{
			Key: Textf("preempted by %s", v.TakenBy.Title()), Run: v.TakenBy, Object: v.TakenBy,
			Cells: []Cell{cell(RoleSub, Lit("preempted by")), cell(RoleName, v.TakenBy.Title())},
		})
	}
	return s
}

func whySection(d *Diagnosis) Section {
	s := Section{Title: Lit("why"), Note: Textf("cause %s", Clean(d.Cause.String()))}
	if d.What.IsZero() {
		return s
	}
	s.Rows = append(s.Rows, say(RoleName, d.What))
	if !d.Quote.IsZero() {
		s.Rows = append(s.Rows, say(RoleSub, Textf("Message: %s", d.Quote)))
	}
	if !d.Heal.IsZero() {
		s.Rows = append(s.Rows, say(RoleWait, Textf("Recovery: %s", d.Heal)))
	}
	for _, c := range d.Also {
		s.Rows = append(s.Rows, say(RoleSub, Textf("Also: %s", Clean(strings.ReplaceAll(c.String(), "-", " ")))))
	}
	return s
}

func (f *DiagnosisFacts) pathSection(d *Diagnosis) Section {
	s := Section{Title: Lit("chain of causes"), Head: []Text{Lit("LEVEL"), Lit("NAME"), Lit("STATE"), Lit("IN STATE")}}
	for _, h := range d.Path {
		r := Row{
			Key:   Textf("way %s %s", h.Level, h.Name),
			Cells: []Cell{cell(RoleSub, h.Level), cell(RoleName, h.Name), cell(RoleText, h.State), {Role: RoleSub, Since: h.Since}},
			Copy:  h.Name,
		}
		if h.Level == Lit("cluster") && !f.Run.Placement.IsZero() {
			r.Page = Question{Kind: QuestionCluster, About: f.Run.Placement, Run: f.Run.ID, Member: NewID(KindMemberCluster, "", h.Name.String(), "")}
		}
		s.Rows = append(s.Rows, r)
	}
	return s
}

func evidenceSection(d *Diagnosis) Section {
	s := Section{Title: Lit("evidence"), Note: Lit("fields and values")}
	for i := range d.Evidence {
		e := &d.Evidence[i]
		s.Rows = append(s.Rows, Row{
			Key:   Textf("evidence %d %s %s", i, e.Object, e.Field),
			Cells: []Cell{cell(RoleName, e.Object), cell(RoleSub, e.Field), {Role: RoleSub, Since: e.Since}},
			Note:  e.Value,
		})
	}
	return s
}

func stepSection(d *Diagnosis) Section {
	s := Section{Title: Lit("next")}
	for i, step := range d.Steps {
		s.Rows = append(s.Rows, Row{Key: Textf("step %d", i), Cells: []Cell{cell(RoleGood, itoa(i+1)), cell(RoleText, step)}})
	}
	return s
}

func commandSection(d *Diagnosis) Section {
	s := Section{Title: Lit("commands"), Note: Lit("to copy"), Commands: true}
	for i, c := range d.Commands {
		s.Rows = append(s.Rows, Row{Key: Textf("command %d", i), Cells: []Cell{cell(RoleFaint, itoa(i+1)), cell(RoleText, c)}, Copy: c})
	}
	return s
}

// troubleSection lists the clusters that are not well; the question's own has
// the page to itself.
func (f *DiagnosisFacts) troubleSection() Section {
	s := Section{Title: Lit("clusters in trouble"), Head: []Text{Lit("CLUSTER"), Lit("STAGE"), Lit("STATE"), Lit("IN STATE"), Lit("WHY")}}
	if f.Detail == nil || !f.Question.Member.IsZero() {
		return s
	}
	for i, stage := range f.Detail.Clusters {
		for j := range stage {
			c := &stage[j]
			role, since := RoleBad, c.Started
			switch c.State {
			case ClusterSlow:
				role = RoleWait
			case ClusterStuck:
			case ClusterTaken:
				since = c.TakenAt
			case ClusterFailed:
				since = c.Ended
			default:
				continue
			}
			name := Text{}
			if i < len(f.Run.Stages) {
				name = f.Run.Stages[i].Name
			}
			s.Rows = append(s.Rows, Row{
				Key: Textf("cluster %s", c.Name), Run: c.TakenBy,
				Page: Question{Kind: QuestionCluster, About: f.Run.Placement, Run: f.Run.ID, Member: c.Member},
				Cells: []Cell{
					cell(RoleName, c.Name), cell(RoleSub, name), cell(role, Clean(c.State.String())),
					{Role: RoleSub, Since: since},
					cell(RoleText, c.Why),
				},
			})
		}
	}
	return s
}

// gateSection lists the approvals and waits that are not over.
func gateSection(v *RunView) Section {
	s := Section{Title: Lit("gates ahead"), Head: []Text{Lit("GATE"), Lit("STAGE"), Lit("STATE"), Lit("IN STATE")}}
	if v.Terminal {
		return s
	}
	for i := range v.Stages {
		n := 0
		for g := range v.Stages[i].Gates() {
			if n++; g.State != GatePassed && g.State != GateSkipped {
				s.Rows = append(s.Rows, gateRow(Textf("gate %d %d", i, n), &v.Stages[i], g))
			}
		}
	}
	return s
}

func gateRow(key Text, s *StageView, g *GateView) Row {
	what, role := Lit("approval"), RoleAsk
	if g.Timed {
		what, role = Textf("timed wait of %s", Span(g.Wait)), RoleWait
	}
	switch g.State {
	case GateComing:
		role = RoleFaint
	case GateNotAccepted:
		role = RoleBad
	default:
	}
	state := Cell{Role: role, Text: Clean(g.State.String())}
	if g.Timed && !g.Until.IsZero() {
		state = Cell{Role: role, Text: Lit("ends"), At: g.Until}
	}
	return Row{
		Key: key, Object: g.Request,
		Cells: []Cell{cell(RoleText, what), cell(RoleName, Textf("%s %s", BeforeAfter(g), s.Name)), state, {Role: RoleSub, Since: g.Since}},
		Note:  gateNote(g),
	}
}

func gateNote(g *GateView) Text {
	switch {
	case g.State == GateNotAccepted:
		return Textf("%s was approved with observedGeneration %d; its generation is %d, so the controller does not accept it", g.Name, g.Sent, g.Generation)
	case g.State == GateSent:
		return Textf("%s is approved; the controller has not accepted it yet", g.Name)
	case g.State == GateOpen && !g.Timed:
		return g.Name
	}
	return Text{}
}

func (f *DiagnosisFacts) nextSection() Section {
	s := Section{Title: Lit("next clusters"), Note: Lit("in the order of the strategy")}
	st := f.Run.Current()
	if st == nil || f.Run.Terminal || len(st.Coming) == 0 {
		return s
	}
	names := Join(st.Coming, ", ")
	if st.ComingMore > 0 {
		names = Textf("%s and %d more", names, st.ComingMore)
	}
	most := Text{}
	if st.AtOnce > 0 {
		most = Textf("; %d at once at most", st.AtOnce)
	}
	s.Rows = append(s.Rows, say(RoleText, Textf("stage %s: %s%s", st.Name, names, most)))
	return s
}

func (f *DiagnosisFacts) refusalSection() Section {
	if f.Plan == nil || f.Plan.Finished || len(f.Plan.Refusals) == 0 {
		return Section{}
	}
	return planRefused(f.Plan)
}

// Rivals are the other unfinished runs of the placement.
func (f *DiagnosisFacts) Rivals() []*RunView {
	var out []*RunView
	for _, o := range f.Snapshot.Runs {
		if o.ID != f.Run.ID && o.Word != WordNoRun && !o.Terminal && !f.Run.Placement.IsZero() && o.Placement.Key() == f.Run.Placement.Key() {
			out = append(out, o)
		}
	}
	return out
}

func (f *DiagnosisFacts) rivalSection() Section {
	s := Section{Title: Lit("other unfinished runs"), Note: Lit("of this placement")}
	for _, o := range f.Rivals() {
		s.Rows = append(s.Rows, Row{
			Key: Textf("run %s", o.ID.Title()), Run: o.ID, Object: o.ID,
			Cells: []Cell{cell(RoleName, o.ID.Title()), {Role: wordRole(o.Word), Text: Clean(o.Word.String()), Since: o.Since}, cell(RoleSub, Textf("snapshot %s", OrUnknown(o.Index)))},
		})
	}
	return s
}

// Gaps returns what is unknown, so that a missing fact is not read as a good
// one.
func (f *DiagnosisFacts) Gaps() []PlanGap {
	var out []PlanGap
	gap := func(what, why Text) { out = append(out, PlanGap{What: what, Why: why}) }
	if f.Run.Partial {
		gap(Lit("the run"), Lit("its details are still loading"))
	}
	switch {
	case f.Detail == nil:
		if !f.Run.Partial {
			gap(Lit("its clusters"), Lit("the run is not open"))
		}
	case f.Detail.Bindings.State != CoverComplete:
		why := Clean(f.Detail.Bindings.State.String())
		if !f.Detail.Bindings.Why.IsZero() {
			why = Textf("%s: %s", why, f.Detail.Bindings.Why)
		}
		gap(Lit("bindings"), why)
	case f.Detail.Reading:
		gap(Lit("strategies and snapshots"), Lit("still loading"))
	}
	if f.Detail != nil {
		out = append(out, f.Detail.Gaps...)
	}
	if r := &f.diagnosis().Read; !r.Why.IsZero() {
		gap(Textf("pods on %s", r.Member), r.Why)
	}
	if !f.Snapshot.Complete {
		gap(Lit("other runs"), Lit("still loading"))
	} else if f.Snapshot.Scope.Hidden {
		gap(Lit("other runs"), Lit("those of some namespaces may not be listed"))
	}
	if f.Plan != nil {
		out = append(out, f.Plan.Unknown...)
	}
	return out
}

func (f *DiagnosisFacts) gapSection() Section {
	s := Section{Title: Lit("not read"), Note: Lit("the diagnosis may be incomplete")}
	for _, g := range f.Gaps() {
		s.Rows = append(s.Rows, label(g.What, cell(RoleWait, g.Why)))
	}
	return s
}
