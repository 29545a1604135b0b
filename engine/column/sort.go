package column

import (
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Sortable returns the columns by which runs can be sorted, in the order of the screen, then
// the fields among chosen columns.
func Sortable(chosen []Column) []Column {
	out := slices.Clone(all[:])
	for i := range chosen {
		if chosen[i].IsField() {
			out = append(out, chosen[i])
		}
	}
	return slices.DeleteFunc(out, func(c Column) bool { return c.Compare == nil })
}

// SortNames are the words of the columns of Sortable.
func SortNames(chosen []Column) []string {
	var names []string
	for _, c := range Sortable(chosen) {
		names = append(names, c.Word())
	}
	return names
}

// Sorted is a column to sort runs by, the largest first if Desc; without a column runs keep
// their order.
type Sorted struct {
	Column *Column
	Desc   bool
}

// ParseSort reads the name of a column, with "-" before it for the largest first, or the
// path of a name or an age as kubectl sorts by it.
func ParseSort(by string, chosen []Column) (Sorted, engine.Refusal) {
	name := strings.ToLower(strings.Trim(by, "{}"))
	switch name {
	case "":
		return Sorted{}, engine.Refusal{}
	case ".metadata.name":
		name = "run"
	case ".metadata.creationtimestamp": // the oldest first
		name = "-age"
	}
	name, desc := strings.CutPrefix(name, "-")
	c, ok := Find(chosen, name)
	if !ok || c.Compare == nil {
		return Sorted{}, engine.Refusal{
			Why:  engine.Textf("unknown column %q", engine.Clean(by)),
			Hint: engine.Textf("%suse %s", engine.DidYouMean(name, SortNames(chosen)), strings.Join(SortNames(chosen), ", ")),
		}
	}
	return Sorted{c, desc}, engine.Refusal{}
}

// Apply returns the runs in the order.
func (o Sorted) Apply(runs []*engine.RunView, now time.Time) []*engine.RunView {
	if o.Column == nil {
		return runs
	}
	runs = slices.Clone(runs)
	Sort(runs, o.Column, o.Desc, now)
	return runs
}

// Sort sorts runs by a column of Sortable, the largest first if desc. Runs of which the
// column is not known come last either way; runs that are equal keep their order.
func Sort(runs []*engine.RunView, c *Column, desc bool, now time.Time) {
	type row struct {
		run     *engine.RunView
		unknown bool
	}
	rows := make([]row, len(runs))
	for i, v := range runs {
		rows[i] = row{v, c.Text != nil && c.Text(v, now).IsZero()}
	}
	sort.SliceStable(rows, func(i, j int) bool {
		a, b := rows[i], rows[j]
		switch n := c.Compare(a.run, b.run); {
		case a.unknown != b.unknown:
			return b.unknown
		case desc:
			return n > 0
		default:
			return n < 0
		}
	})
	for i := range rows {
		runs[i] = rows[i].run
	}
}

// byText compares texts.
func byText(of func(*engine.RunView) engine.Text) func(a, b *engine.RunView) int {
	return func(a, b *engine.RunView) int { return strings.Compare(of(a).String(), of(b).String()) }
}

// byAge compares how long ago times are.
func byAge(of func(*engine.RunView) time.Time) func(a, b *engine.RunView) int {
	return func(a, b *engine.RunView) int { return of(b).Compare(of(a)) }
}
