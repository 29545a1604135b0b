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

// WriteTable prints one row a run, with the words that the screen uses.
func WriteTable(w io.Writer, s *engine.Snapshot, rows []*engine.RunView, wide, headers bool) error {
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	columns := slices.DeleteFunc(slices.Clone(column.All()), func(c column.Column) bool { return c.Drawn || c.Wide && !wide })
	cells := make([]string, len(columns))
	line := func(cell func(c *column.Column) string) error {
		for i := range columns {
			cells[i] = cell(&columns[i])
		}
		_, err := fmt.Fprintln(tw, strings.Join(cells, "\t"))
		return err
	}
	if headers {
		if err := line(func(c *column.Column) string { return c.Head }); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if err := line(func(c *column.Column) string { return Cell(c.Text(r, s.At)) }); err != nil {
			return err
		}
	}
	return tw.Flush()
}

// Cell is a text as a table prints it: "-" where there is none.
func Cell(x engine.Text) string {
	if x.IsZero() {
		return "-"
	}
	return x.String()
}
