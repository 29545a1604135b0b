package page

import (
	"cmp"
	"sort"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Event is an event of the hub about an object, as far as a page shows it.
type Event struct {
	Type, Reason, Message, From string
	Count                       int
	First, Last                 time.Time
}

// EventsFacts is what the page of events is made of.
type EventsFacts struct {
	Now time.Time
	// Events are those about the object; of the placement when it is a run, too.
	Events []EventsOf
}

// EventsOf are the events about one object.
type EventsOf struct {
	About  engine.ID
	Events []Event
	// Why says why they could not be read.
	Why engine.Text
}

// EventsPage lists the events about an object and its placement, newest first.
// The controllers of runs write none (docs/kubefleet.md#logs), which it says.
func EventsPage(f EventsFacts) Answer {
	a := Answer{At: f.Now}
	for _, of := range f.Events {
		s := Section{Title: engine.Textf("%s", of.About.Kind().Short()), Name: of.About.Title(), Note: engine.Count(len(of.Events), "event")}
		sort.SliceStable(of.Events, func(i, j int) bool {
			return cmp.Or(of.Events[j].Last.Compare(of.Events[i].Last), cmp.Compare(of.Events[i].Reason, of.Events[j].Reason)) < 0
		})
		for i := range of.Events {
			e := &of.Events[i]
			mark, role := MarkNot, engine.RoleText
			if e.Type != "Normal" {
				mark, role = MarkNo, engine.RoleBad
			}
			times := engine.Text{}
			if e.Count > 1 {
				times = engine.Textf("%d times", e.Count)
			}
			s.Rows = append(s.Rows, Row{
				Key:   engine.Textf("%s %s %d", of.About.Title(), e.Reason, i),
				Cells: []Cell{{Role: engine.RoleSub, At: e.Last}, {Role: engine.RoleSub, Since: e.Last}, {Mark: mark, Role: role, Text: engine.Clean(e.Reason)}, TextCell(engine.RoleSub, times), CleanCell(engine.RoleFaint, e.From)},
				Note:  engine.Message(e.Message),
			})
		}
		switch {
		case !of.Why.IsZero():
			s.Note, s.Rows = engine.Text{}, []Row{TextRow(engine.RoleWait, engine.Textf("not shown: %s", of.Why))}
		case len(of.Events) > 0:
			s.Head = []engine.Text{engine.Lit("LAST"), engine.Lit("AGO"), engine.Lit("REASON"), engine.Lit(""), engine.Lit("FROM")}
		case engine.IsRun(of.About.Kind()):
			s.Rows = []Row{TextRow(engine.RoleFaint, engine.Lit("none: KubeFleet's controllers write no events for runs. See the timeline ({timeline})."))}
		default:
			s.Rows = []Row{TextRow(engine.RoleFaint, engine.Lit("none in the last hour: the hub deletes older events"))}
		}
		a.Sections = append(a.Sections, s)
	}
	return a
}
