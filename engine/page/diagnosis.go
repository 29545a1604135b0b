package page

import (
	"slices"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// DiagnosisFacts is what a diagnosis is written from. Only Snapshot and Run are
// needed.
type DiagnosisFacts struct {
	// Member is the cluster to diagnose; zero for the whole run.
	Member engine.ID
	// Snapshot is what the screen shows at the time; Run is one of its runs.
	Snapshot *engine.Snapshot
	Run      *engine.RunView
	// Detail has the run's clusters; nil while the run is not opened.
	Detail *engine.Detail
	// Plan has the refusals that a run would meet; nil when none was made.
	Plan *plan.Plan
	// Hub has what the diagnosis reads on demand; nil when it reads nothing.
	Hub *HubFacts
	Now time.Time
}

// DiagnosisPage returns the diagnosis of a run, or of the cluster Member of
// it: the sentences, the chain of causes, the evidence, the next steps with
// their commands, and further findings.
func DiagnosisPage(f DiagnosisFacts) Answer {
	v := f.Run
	a := Answer{Object: v.ID, At: f.Now}
	d := f.diagnosis()
	add := func(s Section) {
		if len(s.Rows) > 0 {
			a.Sections = append(a.Sections, s)
		}
	}
	add(f.stateSection())
	add(whySection(d))
	add(stepSection(d.Steps))
	add(f.pathSection(d))
	add(f.overrideSection())
	add(f.workSection())
	add(evidenceSection(d))
	add(readSection(d))
	add(commandSection(d))
	add(f.troubleSection())
	add(gateSection(v))
	add(deletionSection(v))
	add(f.nextSection())
	add(f.refusalSection())
	add(f.competingRuns())
	add(f.gapSection())
	return a
}

// diagnosis is that of Member when it has one, else the run's.
func (f *DiagnosisFacts) diagnosis() *engine.Diagnosis {
	if c := f.cluster(); c != nil && !c.Diagnosis.What.IsZero() {
		return &c.Diagnosis
	}
	return &f.Run.Why
}

// Reads returns what the diagnosis needs from the hub, and the cluster that it is
// about.
func (f *DiagnosisFacts) Reads() (engine.HubRead, engine.ID) {
	d := f.diagnosis()
	return d.Reads, d.Member
}

// readSection shows through which context a member was read, and when.
func readSection(d *engine.Diagnosis) Section {
	r := &d.Read
	s := Section{Title: engine.Lit("member"), Name: r.Member, Note: engine.Lit("part of the evidence was read there")}
	if r.Says.IsZero() {
		return s
	}
	identity := Cell{Mark: MarkUnknown, Role: engine.RoleWait, Text: engine.Textf("%s: %s", r.Identity.Verdict, r.Identity.Why)}
	if r.Identity.Verdict == engine.Verified {
		identity.Mark, identity.Role = MarkYes, engine.RoleGood
	}
	s.Rows = []Row{
		LabelRow(engine.Lit("context"), TextCell(engine.RoleName, r.Context)), LabelRow(engine.Lit("identity"), identity),
		LabelRow(engine.Lit("age"), Cell{Role: engine.RoleSub, Since: r.At}),
	}
	return s
}

// cluster returns the question's cluster, nil when it names none that is known.
func (f *DiagnosisFacts) cluster() *engine.ClusterView {
	return f.Detail.Cluster(f.Member)
}

func (f *DiagnosisFacts) stateSection() Section {
	v := f.Run
	state := Cell{Role: wordRole(v.Word), Text: engine.Clean(v.Word.String()), Since: v.Since}
	if b := v.Beside(); !b.IsZero() {
		state.Text = engine.Textf("%s, %s", state.Text, b)
	}
	s := Section{Title: v.ID.Title(), Note: about(v), Rows: []Row{LabelRow(engine.Lit("state"), state)}}
	if c := f.cluster(); c != nil {
		s.Rows = append(s.Rows, LabelRow(engine.Lit("cluster"), TextCell(engine.RoleName, engine.Textf("%s: %s", c.Name, v.ClusterWord(c.State)))))
	}
	if !v.PreemptedBy.IsZero() {
		by := engine.Lit("preempted by")
		if v.Word != engine.WordPreempted && v.StopWanted {
			by = engine.Lit("clusters held by") // the controller does not check that while stopping
		}
		s.Rows = append(s.Rows, Row{
			Key: engine.Textf("%s %s", by, v.PreemptedBy.Title()), Run: v.PreemptedBy, Object: v.PreemptedBy,
			Cells: []Cell{TextCell(engine.RoleSub, by), TextCell(engine.RoleName, v.PreemptedBy.Title())},
		})
	}
	return s
}

// about names in one line what the page of the run shows in full.
func about(v *engine.RunView) engine.Text {
	var out []engine.Text
	if !v.Placement.IsZero() {
		out = append(out, engine.Textf("placement %s", v.Placement.Title()))
	}
	if !v.Index.IsZero() {
		out = append(out, engine.Textf("snapshot %s", v.Index))
	}
	if !v.Partial && v.Total > 0 {
		out = append(out, v.DoneCount())
	}
	return engine.Join(out, ", ")
}

// whySection has the cause, the first evidence, and the recovery: with the first next step, they
// are on the screen of the smallest terminal.
func whySection(d *engine.Diagnosis) Section {
	s := Section{Title: engine.Lit("why"), Note: engine.Textf("cause %s", engine.Clean(d.Cause.String()))}
	if d.What.IsZero() {
		return s
	}
	s.Rows = append(s.Rows, TextRow(engine.RoleName, d.What))
	if len(d.Evidence) > 0 {
		e := &d.Evidence[0]
		of := e.Object
		if !isCondition(e.Value) { // which does not name its field otherwise
			of = engine.Textf("%s %s", e.Object, e.Field)
		}
		s.Rows = append(s.Rows, TextRow(engine.RoleSub, engine.Textf("Evidence: %s: %s", of, shortened(e.Value))))
	}
	if !d.Quote.IsZero() && !slices.ContainsFunc(d.Evidence, func(e engine.Evidence) bool { return strings.Contains(e.Value.String(), d.Quote.String()) }) {
		s.Rows = append(s.Rows, TextRow(engine.RoleSub, engine.Textf("Message: %s", d.Quote)))
	}
	if !d.RecoveryText.IsZero() {
		s.Rows = append(s.Rows, TextRow(engine.RoleWait, engine.Textf("Recovery: %s", d.RecoveryText)))
	}
	for _, c := range d.Also {
		s.Rows = append(s.Rows, TextRow(engine.RoleSub, engine.Textf("Also: %s", c.Title)))
	}
	return s
}

// isCondition reports whether a value is the status of a condition with its reason.
func isCondition(value engine.Text) bool {
	status, reason, _ := strings.Cut(value.String(), " ")
	return reason != "" && slices.Contains([]string{"True", "False", "Unknown"}, strings.TrimSuffix(status, ":"))
}

// shortened cuts a value that stands in full among the evidence below.
func shortened(value engine.Text) engine.Text {
	const most = 120
	if all := []rune(value.String()); len(all) > most {
		return engine.Textf("%s…", engine.Clean(strings.TrimSpace(string(all[:most]))))
	}
	return value
}

func (f *DiagnosisFacts) pathSection(d *engine.Diagnosis) Section {
	s := Section{Title: engine.Lit("chain of causes"), Head: []engine.Text{engine.Lit("LEVEL"), engine.Lit("NAME"), engine.Lit("STATE"), engine.Lit("IN STATE")}}
	for _, h := range d.Path {
		r := Row{
			Key:   engine.Textf("way %s %s", h.Level, h.Name),
			Cells: []Cell{TextCell(engine.RoleSub, h.Level), TextCell(engine.RoleName, h.Name), TextCell(engine.RoleText, h.State), {Role: engine.RoleSub, Since: h.Since}},
			Copy:  h.Name,
		}
		of := MemberQuestion{Placement: f.Run.Placement, Run: f.Run.ID, Member: d.Member}
		namespace, pod, _ := strings.Cut(h.Name.String(), "/")
		switch {
		case of.Placement.IsZero():
		case h.Level == engine.Lit("cluster"):
			r.Page = ClusterQuestion{Placement: of.Placement, Run: of.Run, Member: of.Run.Beside(engine.KindMemberCluster, "", h.Name.String(), "")}
		case h.Level == engine.Lit("pod") && pod != "" && !of.Member.IsZero():
			r.Page = PodQuestion{On: of, Namespace: engine.Clean(namespace), Pod: engine.Clean(pod)}
		}
		s.Rows = append(s.Rows, r)
	}
	return s
}

func evidenceSection(d *engine.Diagnosis) Section {
	s := Section{Title: engine.Lit("evidence"), Note: engine.Lit("fields and values")}
	for i := range d.Evidence {
		e := &d.Evidence[i]
		s.Rows = append(s.Rows, Row{
			Key:   engine.Textf("evidence %d %s %s", i, e.Object, e.Field),
			Cells: []Cell{TextCell(engine.RoleName, e.Object), TextCell(engine.RoleSub, e.Field), {Role: engine.RoleSub, Since: e.Since}},
			Note:  e.Value,
		})
	}
	return s
}

func stepSection(steps []engine.Text) Section {
	s := Section{Title: engine.Lit("next")}
	for i, step := range steps {
		s.Rows = append(s.Rows, Row{Key: engine.Textf("step %d", i), Cells: []Cell{TextCell(engine.RoleGood, NumberText(i+1)), TextCell(engine.RoleText, step.Here("diagnose"))}})
	}
	return s
}

func commandSection(d *engine.Diagnosis) Section {
	s := Section{Title: engine.Lit("commands"), Note: engine.Lit("to copy"), Commands: true}
	for i, c := range d.Commands {
		s.Rows = append(s.Rows, Row{Key: engine.Textf("command %d", i), Cells: []Cell{TextCell(engine.RoleFaint, NumberText(i+1)), TextCell(engine.RoleText, c)}, Copy: c})
	}
	return s
}

// troubleSection lists the clusters that are not well; the question's own has
// the page to itself.
func (f *DiagnosisFacts) troubleSection() Section {
	s := Section{Title: engine.Lit("clusters in trouble"), Head: []engine.Text{engine.Lit("CLUSTER"), engine.Lit("STAGE"), engine.Lit("STATE"), engine.Lit("IN STATE"), engine.Lit("WHY")}}
	if f.Detail == nil || !f.Member.IsZero() {
		return s
	}
	for i, stage := range f.Detail.Clusters {
		for j := range stage {
			c := &stage[j]
			role, since := engine.RoleBad, c.Started
			switch c.State {
			case engine.ClusterSlow:
				role = engine.RoleWait
			case engine.ClusterStuck:
			case engine.ClusterPreempted:
				since = c.PreemptedAt
			case engine.ClusterFailed:
				since = c.Ended
			default:
				continue
			}
			name := engine.Text{}
			if i < len(f.Run.Stages) {
				name = f.Run.Stages[i].Name
			}
			s.Rows = append(s.Rows, Row{
				Key: engine.Textf("cluster %s", c.Name), Run: c.PreemptedBy,
				Page: ClusterQuestion{Placement: f.Run.Placement, Run: f.Run.ID, Member: c.Member},
				Cells: []Cell{
					TextCell(engine.RoleName, c.Name), TextCell(engine.RoleSub, name), TextCell(role, engine.Clean(c.State.String())),
					{Role: engine.RoleSub, Since: since},
					TextCell(engine.RoleText, c.Why),
				},
			})
		}
	}
	return s
}

func (f *DiagnosisFacts) nextSection() Section {
	s := Section{Title: engine.Lit("next clusters"), Note: engine.Lit("in the order of the strategy")}
	st := f.Run.Current()
	if st == nil || f.Run.Over() || f.Run.Word == engine.WordPreempted || f.Run.Why.Fails || len(st.Coming) == 0 {
		return s // the controller fails the run before it starts one
	}
	names := engine.Join(st.Coming, ", ")
	if st.ComingMore > 0 {
		names = engine.Textf("%s and %d more", names, st.ComingMore)
	}
	most := engine.Text{}
	if st.AtOnce > 0 {
		most = engine.Textf(" (%s)", engine.Concurrency(st.AtOnce))
	}
	s.Rows = append(s.Rows, TextRow(engine.RoleText, engine.Textf("stage %s: %s%s", st.Name, names, most)))
	return s
}

// refusalSection lists the failed checks of the plan, unless the evidence quotes all of them and
// none has a hint.
func (f *DiagnosisFacts) refusalSection() Section {
	if f.Plan == nil || f.Plan.Finished || !slices.ContainsFunc(f.Plan.Refusals, func(r plan.Refusal) bool {
		return !r.Hint.IsZero() || !slices.ContainsFunc(f.Run.Why.Evidence, func(e engine.Evidence) bool { return e.Value == r.Message })
	}) {
		return Section{}
	}
	return planRefused(f.Plan)
}

// CompetingRuns are the other unfinished runs of the placement.
func (f *DiagnosisFacts) CompetingRuns() []*engine.RunView {
	var out []*engine.RunView
	for _, o := range f.Snapshot.Runs {
		if o.ID != f.Run.ID && o.Word != engine.WordNoRun && !o.Over() && !f.Run.Placement.IsZero() && o.Placement.Key() == f.Run.Placement.Key() {
			out = append(out, o)
		}
	}
	return out
}

func (f *DiagnosisFacts) competingRuns() Section {
	s := Section{Title: engine.Lit("other unfinished runs"), Note: engine.Lit("of this placement")}
	for _, o := range f.CompetingRuns() {
		s.Rows = append(s.Rows, Row{
			Key: engine.Textf("run %s", o.ID.Title()), Run: o.ID, Object: o.ID,
			Cells: []Cell{TextCell(engine.RoleName, o.ID.Title()), {Role: wordRole(o.Word), Text: engine.Clean(o.Word.String()), Since: o.Since}, TextCell(engine.RoleSub, engine.Textf("snapshot %s", engine.OrUnknown(o.Index)))},
		})
	}
	return s
}

// Gaps returns what is unknown, so that a missing fact is not read as a good
// one.
func (f *DiagnosisFacts) Gaps() []engine.Gap {
	var out []engine.Gap
	gap := func(what, why engine.Text) { out = append(out, engine.Gap{What: what, Why: why}) }
	if f.Run.Partial {
		gap(engine.Lit("the run"), engine.Lit("its details are still loading"))
	}
	switch {
	case f.Detail == nil:
		if !f.Run.Partial && f.Run.Word != engine.WordNoRun {
			gap(engine.Lit("its clusters"), engine.Lit("the run is not open"))
		}
	case f.Detail.Bindings.State != engine.CoverComplete:
		why := engine.Clean(f.Detail.Bindings.State.String())
		if !f.Detail.Bindings.Why.IsZero() {
			why = engine.Textf("%s: %s", why, f.Detail.Bindings.Why)
		}
		gap(engine.Lit("bindings"), why)
	case f.Detail.Reading:
		gap(engine.Lit("strategies and snapshots"), engine.Lit("still loading"))
	}
	if f.Detail != nil {
		out = append(out, f.Detail.Gaps...)
	}
	if d := f.diagnosis(); !d.Read.Why.IsZero() {
		what := d.Unread
		if what.IsZero() {
			what = engine.Textf("pods on %s", d.Read.Member)
		}
		gap(what, d.Read.Why)
	}
	if f.Hub != nil && !f.Hub.Why.IsZero() {
		read, of := f.Reads()
		what := engine.Textf("Works of %s", of.Name())
		if read == engine.ReadOverrides {
			what = engine.Textf("overrides of %s", of.Name())
		}
		if !slices.ContainsFunc(out, func(g engine.Gap) bool { return g.What == what }) {
			gap(what, f.Hub.Why)
		}
	}
	if !f.Snapshot.Complete {
		gap(engine.Lit("other runs"), engine.Lit("still loading"))
	} else if f.Snapshot.Scope.Hidden {
		gap(engine.Lit("other runs"), engine.Lit("those of some namespaces may not be listed"))
	}
	if f.Plan != nil {
		out = append(out, f.Plan.Unknown...)
	}
	return out
}

func (f *DiagnosisFacts) gapSection() Section {
	s := Section{Title: engine.Lit("not read"), Note: engine.Lit("the diagnosis may be incomplete")}
	for _, g := range f.Gaps() {
		s.Rows = append(s.Rows, LabelRow(g.What, TextCell(engine.RoleWait, g.Why)))
	}
	return s
}
