// Package workload is the page of what the API server of a member returned about
// the workloads of a placement.
package workload

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Facts are what a member's own API server says about the workloads of a
// placement. Texts are made from it here; nothing else of it is shown.
type Facts struct {
	Question page.MemberQuestion
	// Context is the kubeconfig context that was used; empty when there is none,
	// and then ContextWhy says why.
	Context    string
	ContextWhy engine.Text
	// Identity is the verdict on the context. After a Mismatch nothing was read.
	Identity engine.Identity
	// Why is why the workloads could not be read. NotMember is set if that is not a failure of the whole member.
	Why       engine.Text
	NotMember bool
	// Remembered is why the choice of the context could not be remembered.
	Remembered engine.Text
	// Failing are the failed manifests of the cluster's binding; BindingWhy is
	// why they are not known.
	Failing    []engine.ManifestView
	BindingWhy engine.Text
	Workloads  []world.MemberWorkload
	// Owned are the failed objects that another owner holds.
	Owned []world.MemberObject
	// Choices are the contexts that a person may choose for the member.
	Choices []engine.Text
	// Commands are what to type where there is no context.
	Commands []engine.Text
	Now      time.Time
}

// Page shows what a member says about the workloads of a placement.
func Page(f Facts) page.Answer {
	a := page.Answer{At: f.Now, Unread: f.unread()}
	a.Sections = append(a.Sections, f.headSection())
	if len(f.Choices) > 0 {
		a.Sections = append(a.Sections, f.choiceSection())
	}
	if len(f.Commands) > 0 {
		s := page.Section{Title: engine.Lit("commands"), Note: engine.Lit("to copy, with a context of the member"), Commands: true}
		for i, c := range f.Commands {
			s.Rows = append(s.Rows, page.Row{Key: engine.Textf("command %d", i), Cells: []page.Cell{page.TextCell(engine.RoleFaint, page.NumberText(i+1)), page.TextCell(engine.RoleText, c)}, Copy: c})
		}
		a.Sections = append(a.Sections, s)
	}
	for i := range f.Workloads {
		for _, s := range f.workloadSections(&f.Workloads[i]) {
			if f.Identity.Verdict != engine.Verified {
				markUnverified(&s)
			}
			a.Sections = append(a.Sections, s)
		}
	}
	return a
}

// unread says why the workloads were not read.
func (f *Facts) unread() engine.Text {
	switch {
	case f.Context == "":
		return engine.Textf("member %s was not read: %s", f.Question.Member.Name(), f.ContextWhy)
	case f.Identity.Verdict == engine.Mismatch:
		return f.otherMember()
	case f.NotMember:
		return engine.Textf("member %s: %s", f.Question.Member.Name(), f.Why)
	case !f.Why.IsZero():
		return engine.Textf("member %s was not read: %s", f.Question.Member.Name(), f.Why)
	}
	return engine.Text{}
}

// markUnverified marks every row of a section that was read through a context which
// is not proven to lead to the member.
func markUnverified(s *page.Section) {
	mark := page.TextCell(engine.RoleWait, engine.Textf("%s", engine.NotVerified))
	of := &s.Title
	if !s.Name.IsZero() {
		of = &s.Name
	}
	*of = engine.Textf("%s (%s)", *of, engine.NotVerified)
	if len(s.Head) > 0 {
		s.Head = append(slices.Clip(s.Head), engine.Lit("CONTEXT"))
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		if len(r.Cells) == 1 {
			r.Cells = []page.Cell{mark, r.Cells[0]}
			continue
		}
		r.Cells = append(slices.Clip(r.Cells), mark)
	}
}

// otherMember says that the context leads to another member, with both names.
func (f *Facts) otherMember() engine.Text {
	if f.Identity.Other.IsZero() {
		return engine.Textf("context %s is not of member %s: %s", f.Context, f.Question.Member.Name(), f.Identity.Why)
	}
	return engine.Textf("context %s is of member %s, not of %s: %s", f.Context, f.Identity.Other, f.Question.Member.Name(), f.Identity.Why)
}

func (f *Facts) headSection() page.Section {
	s := page.Section{Title: engine.Textf("member %s", f.Question.Member.Name()), Note: engine.Lit("read from the member; read only")}
	if len(f.Workloads) > 0 {
		s.Note = engine.Lit("read only; the log of a pod: {logs}").WithCommand("logs", "stagewatch logs RUN MEMBER POD")
	}
	if f.Context == "" {
		s.Rows = append(s.Rows, page.LabelRow(engine.Lit("context"), page.TextCell(engine.RoleWait, f.ContextWhy)))
	} else {
		s.Rows = append(s.Rows, page.LabelRow(engine.Lit("context"), page.CleanCell(engine.RoleName, f.Context)), f.identityRow())
	}
	if !f.Remembered.IsZero() {
		s.Rows = append(s.Rows, page.LabelRow(engine.Lit("not remembered"), page.TextCell(engine.RoleWait, f.Remembered)))
	}
	if !f.Why.IsZero() {
		s.Rows = append(s.Rows, page.LabelRow(engine.Lit("not read"), page.Cell{Mark: page.MarkNo, Role: engine.RoleBad, Text: f.Why}))
	}
	if !f.BindingWhy.IsZero() {
		s.Rows = append(s.Rows, page.LabelRow(engine.Lit("not known"), page.Cell{Mark: page.MarkUnknown, Role: engine.RoleWait, Text: f.BindingWhy}))
	}
	for i := range f.Failing {
		m := &f.Failing[i]
		s.Rows = append(s.Rows, page.Row{
			Cells: []page.Cell{page.TextCell(engine.RoleSub, engine.Lit("condition on the hub")), page.TextCell(engine.RoleBad, engine.Textf("%s is not %s (%s)", m.What, m.Cond, m.Reason))},
		})
	}
	if f.Context != "" && f.Why.IsZero() && f.Identity.Verdict != engine.Mismatch && len(f.Workloads) == 0 {
		none := page.TextCell(engine.RoleSub, engine.Lit("the placement has none with pods"))
		if !f.BindingWhy.IsZero() {
			none = page.Cell{Mark: page.MarkUnknown, Role: engine.RoleWait, Text: engine.Lit("not known: the placement's manifests are not read")}
		}
		s.Rows = append(s.Rows, page.LabelRow(engine.Lit("workloads"), none))
	}
	return s
}

// identityRow shows the verdict on the context and what it rests on.
func (f *Facts) identityRow() page.Row {
	switch f.Identity.Verdict {
	case engine.Verified:
		return page.LabelRow(engine.Lit("identity"), page.Cell{Mark: page.MarkYes, Role: engine.RoleGood, Text: engine.Textf("verified: %s", f.Identity.Why)})
	case engine.Mismatch:
		return page.LabelRow(engine.Lit("wrong context"), page.Cell{Mark: page.MarkNo, Role: engine.RoleBad, Text: f.otherMember()})
	default:
		return page.LabelRow(engine.Lit("identity"), page.Cell{Mark: page.MarkUnknown, Role: engine.RoleWait, Text: engine.Textf("not verified: %s", f.Identity.Why)})
	}
}

func (f *Facts) choiceSection() page.Section {
	note := engine.Lit("a context that works is remembered ({open:use it for this member})").WithCommand("open", "--member-context NAME")
	s := page.Section{Title: engine.Lit("contexts"), Note: note}
	for _, c := range f.Choices {
		q := f.Question
		q.Context = c
		s.Rows = append(s.Rows, page.Row{Key: engine.Textf("choice %s", c), Cells: []page.Cell{page.TextCell(engine.RoleName, c)}, Page: q, Copy: c})
	}
	return s
}

func (f *Facts) workloadSections(w *world.MemberWorkload) []page.Section {
	title := page.Section{Title: engine.Clean(w.Kind), Name: engine.Textf("%s/%s", engine.Clean(w.Namespace), engine.Clean(w.Name)), Head: []engine.Text{engine.Lit("POD"), engine.Lit("STATE"), engine.Lit("READY"), engine.Lit("RESTARTS"), engine.Lit("AGE"), engine.Lit("NODE")}}
	switch {
	case !w.Why.IsZero():
		title.Head, title.Rows = nil, []page.Row{page.TextRow(engine.RoleWait, w.Why)}
		return []page.Section{title}
	case w.Missing:
		title.Head, title.Rows = nil, []page.Row{page.TextRow(engine.RoleBad, engine.Textf("The member has no such %s.", engine.Clean(w.Kind)))}
		return []page.Section{title}
	}
	title.Note = engine.Textf("%d replicas: %d updated, %d ready, %d available", w.Replicas, w.Updated, w.Ready, w.Available)
	for i := range w.Pods {
		title.Rows = append(title.Rows, podRow(&w.Pods[i], f.pod(w, w.Pods[i].Name)))
	}
	if len(w.Pods) == 0 {
		title.Rows, title.Head = []page.Row{page.TextRow(engine.RoleWait, engine.Lit("It has no pods."))}, nil
	}
	for i := range w.Setbacks {
		b := &w.Setbacks[i]
		title.Rows = append(title.Rows, page.TextRow(engine.RoleBad, engine.Textf("%s %s, %s: %s", engine.Clean(b.Type), engine.Clean(b.Status), engine.Clean(b.Reason), engine.Message(b.Message))))
	}
	out := []page.Section{title}
	if len(w.Events) > 0 {
		out = append(out, f.workloadEvents(w))
	}
	if w.LogOf != "" {
		s := page.Section{Log: w.LogWhy.IsZero(), Title: engine.Lit("log of"), Name: engine.Clean(w.LogOf), Note: engine.Lit("the last lines")}
		for _, l := range w.Log {
			s.Rows = append(s.Rows, page.TextRow(logRole(l), LogText(l)))
		}
		if !w.LogWhy.IsZero() {
			s.Rows = append(s.Rows, page.TextRow(engine.RoleWait, w.LogWhy))
		}
		if len(s.Rows) == 0 {
			s.Rows = append(s.Rows, page.TextRow(engine.RoleSub, engine.Lit("It is empty.")))
		}
		out = append(out, s)
	}
	return out
}

// pod asks for a pod of a workload.
func (f *Facts) pod(w *world.MemberWorkload, name string) page.Question {
	return page.PodQuestion{On: f.Question, Namespace: engine.Clean(w.Namespace), Pod: engine.Clean(name)}
}

func podRow(p *world.MemberPod, q page.Question) page.Row {
	state, role, mark := p.Phase, engine.RoleText, page.MarkYes
	if p.Reason != "" {
		state = p.Reason
	}
	ready := engine.Lit("yes")
	if !p.Ready {
		role, mark, ready = engine.RoleBad, page.MarkNo, engine.Lit("no")
	}
	return page.Row{
		Key: engine.Textf("pod %s", engine.Clean(p.Name)), Page: q,
		Cells: []page.Cell{
			page.CleanCell(engine.RoleName, p.Name),
			{Mark: mark, Role: role, Text: engine.Clean(state)},
			page.TextCell(engine.RoleText, ready), page.TextCell(engine.RoleText, page.NumberText(p.Restarts)),
			{Role: engine.RoleSub, Since: p.Created},
			page.CleanCell(engine.RoleSub, p.Node),
		},
		Note: engine.Message(p.Message),
	}
}

func (f *Facts) workloadEvents(w *world.MemberWorkload) page.Section {
	s := page.Section{Title: engine.Lit("events"), Note: engine.Lit("the latest first"), Head: []engine.Text{engine.Lit("LAST"), engine.Lit("REASON"), engine.Lit("COUNT"), engine.Lit("ABOUT")}}
	events := slices.Clone(w.Events)
	sort.SliceStable(events, func(i, j int) bool {
		return cmp.Or(events[j].Last.Compare(events[i].Last), cmp.Compare(events[i].Object, events[j].Object)) < 0
	})
	for i := range events {
		e := &events[i]
		role := engine.RoleText
		if e.Type == "Warning" {
			role = engine.RoleWait
		}
		s.Rows = append(s.Rows, page.Row{
			Key:   engine.Textf("event %d", i),
			Cells: []page.Cell{{Role: engine.RoleSub, Since: e.Last}, page.CleanCell(role, e.Reason), page.TextCell(engine.RoleSub, page.NumberText(e.Count)), page.CleanCell(engine.RoleSub, e.Object)},
			Note:  engine.Message(e.Message),
		})
		if pod, ok := strings.CutPrefix(e.Object, "Pod "); ok {
			s.Rows[i].Page = f.pod(w, pod)
		}
	}
	return s
}

// Report is what the facts hold for the diagnosis of the question's run, nil
// when the question is about none.
func (f *Facts) Report() *world.MemberReport {
	if f.Question.Run.IsZero() {
		return nil
	}
	r := &world.MemberReport{
		Run: f.Question.Run, Member: f.Question.Member.RawName(), Context: f.Context, Identity: f.Identity,
		Why: f.Why, Workloads: f.Workloads, Owned: f.Owned, At: f.Now,
	}
	switch {
	case f.Context == "":
		r.Why = f.ContextWhy
	case f.Identity.Verdict == engine.Mismatch:
		r.Why = f.otherMember()
	}
	return r
}
