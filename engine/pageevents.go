package engine

import (
	"cmp"
	"slices"
	"time"
)

// Event is an event of the hub about an object, as far as a page shows it.
type Event struct {
	Type, Reason, Message, From string
	Count                       int
	First, Last                 time.Time
}

// EventsFacts is what the page of events is made of.
type EventsFacts struct {
	Question Question
	Now      time.Time
	// Events are those about the object; of the placement when it is a run, too.
	Events []EventsOf
}

// EventsOf are the events about one object.
type EventsOf struct {
	About  ID
	Events []Event
	// Why says why they could not be read.
	Why Text
}

// EventsPage lists the events about an object and its placement, newest first.
// The controllers of runs write none (docs/kubefleet.md#logs), which it says.
func EventsPage(f EventsFacts) Answer {
	a := Answer{Question: f.Question, At: f.Now}
	for _, of := range f.Events {
		s := Section{Title: Textf("%s %s", of.About.Kind().Short(), of.About.Title()), Note: Count(len(of.Events), "event")}
		slices.SortStableFunc(of.Events, func(x, y Event) int { return cmp.Or(y.Last.Compare(x.Last), cmp.Compare(x.Reason, y.Reason)) })
		for i := range of.Events {
			e := &of.Events[i]
			mark, role := MarkNot, RoleText
			if e.Type != "Normal" {
				mark, role = MarkNo, RoleBad
			}
			times := Text{}
			if e.Count > 1 {
				times = Textf("%d times", e.Count)
			}
			s.Rows = append(s.Rows, Row{
				Key:   Textf("%s %s %d", of.About.Title(), e.Reason, i),
				Cells: []Cell{{Role: RoleSub, At: e.Last}, {Role: RoleSub, Since: e.Last}, {Mark: mark, Role: role, Text: Clean(e.Reason)}, cell(RoleSub, times), raw(RoleFaint, e.From)},
				Note:  Clean(e.Message),
			})
		}
		switch {
		case !of.Why.IsZero():
			s.Note, s.Rows = Text{}, []Row{say(RoleWait, Textf("not shown: %s", of.Why))}
		case len(of.Events) > 0:
			s.Head = []Text{Lit("LAST"), Lit("AGO"), Lit("REASON"), Lit(""), Lit("FROM")}
		case isRun(of.About.Kind()):
			s.Rows = []Row{say(RoleFaint, Lit("none: KubeFleet's controllers write no events for runs. See the timeline (t)."))}
		default:
			s.Rows = []Row{say(RoleFaint, Lit("none: the hub keeps events for an hour"))}
		}
		a.Sections = append(a.Sections, s)
	}
	return a
}
