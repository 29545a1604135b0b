package output

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// WriteTable prints one row a run, with the words that the screen uses.
func WriteTable(w io.Writer, s *engine.Snapshot, rows []*engine.RunView, wide, headers bool) error {
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	head := []string{"STATE", "RUN", "PLACEMENT", "SNAPSHOT", "STAGE", "CLUSTERS", "IN STATE"}
	if wide {
		head = append(head, "KIND", "STRATEGY", "WHY")
	}
	if headers {
		if _, err := fmt.Fprintln(tw, strings.Join(head, "\t")); err != nil {
			return err
		}
	}
	for _, r := range rows {
		cells := []string{
			StateOf(r), nameOf(r), placementOf(r), dash(r.Index.String()), StageOf(r), DoneOf(r), ageOf(s.At, r.Since),
		}
		if wide {
			cells = append(cells, r.ID.Kind().String(), dash(r.Strategy.String()), dash(r.Why.What.String()))
		}
		if _, err := fmt.Fprintln(tw, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return tw.Flush()
}

// StateOf is the word, with the mark beside it.
func StateOf(r *engine.RunView) string {
	if b := r.Beside(); !b.IsZero() {
		return r.Word.String() + " (" + b.String() + ")"
	}
	return r.Word.String()
}

func nameOf(r *engine.RunView) string {
	if r.Word == engine.WordNoRun {
		return "-"
	}
	return r.ID.Title().String()
}

// placementOf leaves out the namespace, which is the run's.
func placementOf(r *engine.RunView) string {
	if r.Word == engine.WordNoRun && r.Placement.IsZero() {
		return r.ID.Title().String()
	}
	if r.Word == engine.WordNoRun {
		return r.Placement.Title().String()
	}
	return dash(r.Placement.Name().String())
}

// StageOf is the stage that acts or waits, and which one of how many it is.
func StageOf(r *engine.RunView) string {
	cur := r.Current()
	if r.Partial || cur == nil {
		return "-"
	}
	if cur.Deletion {
		return "deletion"
	}
	n := 0
	for i := range r.Stages {
		if !r.Stages[i].Deletion {
			n++
		}
	}
	return fmt.Sprintf("%d/%d %s", r.At+1, n, cur.Name)
}

// DoneOf returns how many clusters of a run have finished, as the table prints it.
func DoneOf(r *engine.RunView) string {
	if r.Partial {
		return "-"
	}
	return fmt.Sprintf("%d/%d", r.Done, r.Total)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// ageOf is how long since lies back in hub time.
func ageOf(at, since time.Time) string {
	if since.IsZero() {
		return "-"
	}
	return engine.Age(at.Sub(since)).String()
}
