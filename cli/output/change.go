package output

import (
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/engine/runref"
)

// changeDocument is a line of get --watch in JSON.
type changeDocument struct {
	At     time.Time   `json:"at"`
	Change string      `json:"change"`
	Run    runDocument `json:"run"`
}

// Lines prints changes of rows, one line each.
type Lines struct {
	W       io.Writer
	Form    string
	Headers bool
	Scope   runref.Scope
	// Columns are those of the configuration.
	Columns []column.Column

	widths []int
}

// Widen makes the columns as wide as the rows of a list require.
func (l *Lines) Widen(s *engine.Snapshot, rows []*engine.RunView) {
	table := tableOf(s, rows, l.Columns, l.Form == Wide)
	for _, cells := range table {
		l.widen(append([]string{engine.Time(s.At, s.At).String(), "changed"}, cells...))
	}
}

func (l *Lines) widen(cells []string) {
	for i, c := range cells {
		if i == len(l.widths) {
			l.widths = append(l.widths, 0)
		}
		l.widths[i] = max(l.widths[i], utf8.RuneCountInString(c))
	}
}

// Write prints a change of a row of the Snapshot.
func (l *Lines) Write(s *engine.Snapshot, v *engine.RunView, change string) error {
	switch l.Form {
	case JSON, JSONLines:
		return writeLine(l.W, changeDocument{s.At.UTC(), change, runDocumentOf(s, v)})
	case Name:
		if v.Word == engine.WordNoRun {
			return nil // as in the list
		}
		_, err := fmt.Fprintln(l.W, l.Scope.Kubectl(v.ID))
		return err
	}
	table := tableOf(s, []*engine.RunView{v}, l.Columns, l.Form == Wide)
	if l.Headers {
		l.Headers = false
		if err := l.line(append([]string{"TIME", "CHANGE"}, table[0]...)); err != nil {
			return err
		}
	}
	return l.line(append([]string{engine.Time(s.At, s.At).String(), change}, table[1]...))
}

// line prints cells below those of the lines before.
func (l *Lines) line(cells []string) error {
	l.widen(cells)
	var out []byte
	for i, c := range cells {
		if out = append(out, c...); i < len(cells)-1 {
			out = fmt.Appendf(out, "%*s", l.widths[i]-utf8.RuneCountInString(c)+3, "")
		}
	}
	_, err := l.W.Write(append(out, '\n'))
	return err
}
