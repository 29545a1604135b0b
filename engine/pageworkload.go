package engine

import (
	"cmp"
	"slices"
	"time"
)

// MemberFacts are what a member's own API server says about the workloads of a
// placement. Texts are made from it here; nothing else of it is shown.
type MemberFacts struct {
	Question Question
	// Context is the kubeconfig context that was used; empty when there is none,
	// and then ContextWhy says why.
	Context    string
	ContextWhy Text
	// Identity is the verdict on the context. After a Mismatch nothing was read.
	Identity Identity
	// Why is why the workloads could not be read.
	Why Text
	// Remembered is why the choice of the context could not be remembered.
	Remembered Text
	// Failing are the failed manifests of the cluster's binding; BindingWhy is
	// why they are not known.
	Failing    []ManifestView
	BindingWhy Text
	Workloads  []MemberWorkload
	// Choices are the contexts that a person may choose for the member.
	Choices []Text
	// Commands are what to type where there is no context.
	Commands []Text
	Now      time.Time
}

// MemberPage shows what a member says about the workloads of a placement.
func MemberPage(f MemberFacts) Answer {
	a := Answer{Question: f.Question, At: f.Now}
	a.Sections = append(a.Sections, f.headSection())
	if len(f.Choices) > 0 {
		a.Sections = append(a.Sections, f.choiceSection())
	}
	if len(f.Commands) > 0 {
		s := Section{Title: Lit("commands"), Note: Lit("to copy, with a context of the member"), Commands: true}
		for i, c := range f.Commands {
			s.Rows = append(s.Rows, Row{Key: Textf("command %d", i), Cells: []Cell{cell(RoleFaint, itoa(i+1)), cell(RoleText, c)}, Copy: c})
		}
		a.Sections = append(a.Sections, s)
	}
	for i := range f.Workloads {
		for _, s := range workloadSections(&f.Workloads[i]) {
			if f.Identity.Verdict != Verified {
				s.unverified()
			}
			a.Sections = append(a.Sections, s)
		}
	}
	return a
}

// unverified marks every row of a section that was read through a context which
// is not proven to lead to the member.
func (s *Section) unverified() {
	mark := cell(RoleWait, Textf("%s", NotVerified))
	s.Title = Textf("%s (%s)", s.Title, NotVerified)
	if len(s.Head) > 0 {
		s.Head = append(slices.Clip(s.Head), Lit("CONTEXT"))
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		if len(r.Cells) == 1 {
			r.Cells = []Cell{mark, r.Cells[0]}
			continue
		}
		r.Cells = append(slices.Clip(r.Cells), mark)
	}
}

// refused says that the context leads to another member, with both names.
func (f *MemberFacts) refused() Text {
	return Textf("context %s is of member %s, not of %s: %s", f.Context, f.Identity.Other, f.Question.Member.Name(), f.Identity.Why)
}

func (f *MemberFacts) headSection() Section {
	s := Section{Title: Textf("member %s", f.Question.Member.Name()), Note: Lit("read from the member; read only")}
	if f.Context == "" {
		s.Rows = append(s.Rows, label(Lit("context"), cell(RoleWait, f.ContextWhy)))
	} else {
		s.Rows = append(s.Rows, label(Lit("context"), raw(RoleName, f.Context)), f.identityRow())
	}
	if !f.Remembered.IsZero() {
		s.Rows = append(s.Rows, label(Lit("not remembered"), cell(RoleWait, f.Remembered)))
	}
	if !f.Why.IsZero() {
		s.Rows = append(s.Rows, label(Lit("not read"), Cell{Mark: MarkNo, Role: RoleBad, Text: f.Why}))
	}
	if !f.BindingWhy.IsZero() {
		s.Rows = append(s.Rows, label(Lit("not known"), Cell{Mark: MarkUnknown, Role: RoleWait, Text: f.BindingWhy}))
	}
	for i := range f.Failing {
		m := &f.Failing[i]
		s.Rows = append(s.Rows, Row{
			Cells: []Cell{cell(RoleSub, Lit("condition on the hub")), cell(RoleBad, Textf("%s is not %s (%s)", m.What, m.Cond, m.Reason))},
		})
	}
	if f.Context != "" && f.Why.IsZero() && f.Identity.Verdict != Mismatch && len(f.Workloads) == 0 {
		none := cell(RoleSub, Lit("the placement has none with pods"))
		if !f.BindingWhy.IsZero() {
			none = Cell{Mark: MarkUnknown, Role: RoleWait, Text: Lit("not known: the placement's manifests are not read")}
		}
		s.Rows = append(s.Rows, label(Lit("workloads"), none))
	}
	return s
}

// identityRow shows the verdict on the context and what it rests on.
func (f *MemberFacts) identityRow() Row {
	switch f.Identity.Verdict {
	case Verified:
		return label(Lit("identity"), Cell{Mark: MarkYes, Role: RoleGood, Text: Textf("verified: %s", f.Identity.Why)})
	case Mismatch:
		return label(Lit("refused"), Cell{Mark: MarkNo, Role: RoleBad, Text: f.refused()})
	default:
		return label(Lit("identity"), Cell{Mark: MarkUnknown, Role: RoleWait, Text: Textf("not verified: %s", f.Identity.Why)})
	}
}

func (f *MemberFacts) choiceSection() Section {
	s := Section{Title: Lit("choose a context"), Note: Lit("enter uses it for this member; a context that works is remembered")}
	for _, c := range f.Choices {
		q := f.Question
		q.Context, q.Forget = c, false
		s.Rows = append(s.Rows, Row{Key: Textf("choice %s", c), Cells: []Cell{cell(RoleName, c)}, Page: q, Copy: c})
	}
	return s
}

func workloadSections(w *MemberWorkload) []Section {
	title := Section{Title: w.Title(), Head: []Text{Lit("POD"), Lit("STATE"), Lit("READY"), Lit("RESTARTS"), Lit("AGE"), Lit("NODE")}}
	switch {
	case !w.Why.IsZero():
		title.Head, title.Rows = nil, []Row{say(RoleWait, w.Why)}
		return []Section{title}
	case w.Missing:
		title.Head, title.Rows = nil, []Row{say(RoleBad, Textf("The member has no such %s.", Clean(w.Kind)))}
		return []Section{title}
	}
	title.Note = Textf("%d replicas: %d updated, %d ready, %d available", w.Replicas, w.Updated, w.Ready, w.Available)
	for i := range w.Pods {
		title.Rows = append(title.Rows, podRow(&w.Pods[i]))
	}
	if len(w.Pods) == 0 {
		title.Rows, title.Head = []Row{say(RoleWait, Lit("It has no pods."))}, nil
	}
	for i := range w.Setbacks {
		b := &w.Setbacks[i]
		title.Rows = append(title.Rows, say(RoleBad, Textf("%s %s, %s: %s", Clean(b.Type), Clean(b.Status), Clean(b.Reason), Clean(b.Message))))
	}
	out := []Section{title}
	if len(w.Events) > 0 {
		out = append(out, workloadEvents(w))
	}
	if w.LogOf != "" {
		s := Section{Title: Textf("log of %s", Clean(w.LogOf)), Note: Lit("the last lines")}
		for _, l := range w.Log {
			s.Rows = append(s.Rows, say(RoleText, Clean(l)))
		}
		if !w.LogWhy.IsZero() {
			s.Rows = append(s.Rows, say(RoleWait, w.LogWhy))
		}
		if len(s.Rows) == 0 {
			s.Rows = append(s.Rows, say(RoleSub, Lit("It is empty.")))
		}
		out = append(out, s)
	}
	return out
}

func podRow(p *MemberPod) Row {
	state, role, mark := p.Phase, RoleText, MarkYes
	if p.Reason != "" {
		state = p.Reason
	}
	ready := Lit("yes")
	if !p.Ready {
		role, mark, ready = RoleBad, MarkNo, Lit("no")
	}
	return Row{
		Key: Textf("pod %s", Clean(p.Name)),
		Cells: []Cell{
			raw(RoleName, p.Name),
			{Mark: mark, Role: role, Text: Clean(state)},
			cell(RoleText, ready), cell(RoleText, itoa(p.Restarts)),
			{Role: RoleSub, Since: p.Created},
			raw(RoleSub, p.Node),
		},
		Note: Clean(p.Message),
	}
}

func workloadEvents(w *MemberWorkload) Section {
	s := Section{Title: Lit("events"), Note: Lit("the latest first"), Head: []Text{Lit("LAST"), Lit("REASON"), Lit("COUNT"), Lit("ABOUT")}}
	events := slices.Clone(w.Events)
	slices.SortStableFunc(events, func(a, b MemberEvent) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Object, b.Object)) })
	for i := range events {
		e := &events[i]
		role := RoleText
		if e.Type == "Warning" {
			role = RoleWait
		}
		s.Rows = append(s.Rows, Row{
			Key:   Textf("event %d", i),
			Cells: []Cell{{Role: RoleSub, Since: e.Last}, raw(role, e.Reason), cell(RoleSub, itoa(e.Count)), raw(RoleSub, e.Object)},
			Note:  Clean(e.Message),
		})
	}
	return s
}

// Report is what the facts hold for the diagnosis of the question's run, nil
// when the question is about none.
func (f *MemberFacts) Report() *MemberReport {
	if f.Question.Run.IsZero() {
		return nil
	}
	r := &MemberReport{
		Run: f.Question.Run, Member: f.Question.Member.RawName(), Context: f.Context, Identity: f.Identity,
		Why: f.Why, Workloads: f.Workloads, At: f.Now,
	}
	switch {
	case f.Context == "":
		r.Why = f.ContextWhy
	case f.Identity.Verdict == Mismatch:
		r.Why = f.refused()
	}
	return r
}
