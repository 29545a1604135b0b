package engine

import (
	"cmp"
	"slices"
	"strconv"
)

// indexesShown is how many of a placement's snapshots an IndexHint names.
const indexesShown = 8

// IndexHint returns which resource snapshot a run can name instead of the index asked, which no
// snapshot has. The controller compares it with the snapshots' index labels as text, so that
// neither 01 nor +1 matches snapshot 1. labels are those of the placement's snapshots.
func IndexHint(asked string, labels []string) Text {
	hint, plain := TextualIndex(asked)
	if slices.Contains(labels, plain.s) {
		return Textf("%s Snapshot %s exists: use index %[2]s.", hint, plain)
	}
	if len(labels) == 0 {
		return sentences(hint, Lit("The placement has no snapshot yet: leave the index out."))
	}
	// Longer numbers are higher; labels that are no numbers come in some order.
	labels = slices.SortedFunc(slices.Values(labels), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(b, a)) })
	names := make([]Text, 0, indexesShown)
	for _, l := range labels[:min(len(labels), indexesShown)] {
		names = append(names, Clean(l))
	}
	if len(labels) == 1 {
		return sentences(hint, Textf("The only snapshot has index %s.", names[0]))
	}
	if more := len(labels) - len(names); more > 0 {
		return sentences(hint, Textf("Existing snapshots: %s and %d older.", Join(names, ", "), more))
	}
	return sentences(hint, Textf("Existing snapshots: %s.", Join(names, ", ")))
}

// TextualIndex returns the index that a person meant by a number written in another way, like 01 or
// +1, and what the controller makes of it; both are empty for any other text.
func TextualIndex(asked string) (hint, plain Text) {
	n, err := strconv.Atoi(asked)
	if err != nil || n < 0 || strconv.Itoa(n) == asked {
		return Text{}, Text{}
	}
	return Textf("The index is compared with the snapshot's label as text: %q matches only the label %[1]q.", asked), Textf("%d", n)
}

func sentences(a, b Text) Text {
	if a.IsZero() {
		return b
	}
	return Textf("%s %s", a, b)
}

// ParseIndex returns the number of a snapshot index, -1 when it is no number.
func ParseIndex(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}
