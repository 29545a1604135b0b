package output

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"
)

// textPage collects lines; a buffer does not fail.
type textPage struct{ bytes.Buffer }

func (b *textPage) line(format string, args ...any) {
	b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// table aligns rows of cells, which are separated by tabs.
func (b *textPage) table(rows []string) { b.tableWith(rows, nil) }

// tableWith aligns rows of cells, and writes below a row the note that it has, by its index.
func (b *textPage) tableWith(rows []string, notes map[int]string) {
	var aligned bytes.Buffer
	tw := tabwriter.NewWriter(&aligned, 0, 0, 3, ' ', 0)
	//nolint:errcheck // neither of the two buffers can fail
	fmt.Fprint(tw, strings.Join(rows, "\n")+"\n")
	//nolint:errcheck // as above
	tw.Flush()
	for i, l := range strings.Split(strings.TrimSuffix(aligned.String(), "\n"), "\n") {
		b.line("%s", l)
		if note, ok := notes[i]; ok {
			b.line("      %s", note)
		}
	}
}
