package output

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
)

// WriteTable prints one row a run, with the words that the screen uses; chosen are
// the columns of the configuration.
func WriteTable(w io.Writer, s *engine.Snapshot, rows []*engine.RunView, chosen []column.Column, wide, headers bool) error {
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	for i, row := range tableOf(s, rows, chosen, wide) {
		if i == 0 && !headers {
			continue
		}
		if _, err := fmt.Fprintln(tw, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	return tw.Flush()
}

// WriteMarkdownTable prints the columns of the wide table, chosen ones first, for a ticket. What comes
// from the hub cannot become markup there.
func WriteMarkdownTable(w io.Writer, s *engine.Snapshot, rows []*engine.RunView, chosen []column.Column) error {
	b := &textPage{}
	b.line("Staged update runs as of %s.", at(s.At, HubsOf(s)))
	b.line("")
	table := tableOf(s, rows, chosen, true)
	for _, row := range table {
		for i := range row {
			row[i] = Escaped(row[i])
		}
	}
	b.markdownTable(table[0], table[1:])
	_, err := b.WriteTo(w)
	return err
}

// tableOf is the heads of the columns, then one row a run. Chosen columns are those of the
// plain table; the wide one has all others behind them.
func tableOf(s *engine.Snapshot, rows []*engine.RunView, chosen []column.Column, wide bool) [][]string {
	columns := slices.Clone(chosen)
	for _, c := range column.All() {
		if !slices.ContainsFunc(chosen, func(o column.Column) bool { return o.Name == c.Name }) && (wide || chosen == nil && !c.Wide && !c.Bindings) {
			columns = append(columns, c)
		}
	}
	columns = slices.DeleteFunc(columns, func(c column.Column) bool { return c.Drawn || c.Hubs && len(s.Hubs) == 0 })
	out := make([][]string, 1+len(rows))
	for i := range columns {
		out[0] = append(out[0], columns[i].Head)
		for n, r := range rows {
			out[n+1] = append(out[n+1], Cell(columns[i].Text(r, s.At)))
		}
	}
	return out
}

// Cell is a text as a table prints it: "-" where there is none.
func Cell(x engine.Text) string {
	if x.IsZero() {
		return "-"
	}
	return x.String()
}
