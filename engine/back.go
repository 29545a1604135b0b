package engine

// MovesBack says which pending clusters the run gives an older snapshot than the one that
// they have; empty when it does that to none.
func (v *RunView) MovesBack() Text {
	const shown = 3
	var names []Text
	more := 0
	for i := range v.Stages {
		names, more = append(names, v.Stages[i].Back...), more+v.Stages[i].BackMore
	}
	n := len(names) + more
	if n == 0 {
		return Text{}
	}
	says := Textf("The run moves %s back to the older snapshot %s", Count(n, "pending cluster"), OrUnknown(v.Index))
	if n <= shown {
		return Textf("%s: %s.", says, Enumerate(names, shown))
	}
	return Textf("%s: %s and %d more.", says, Join(names[:min(shown, len(names))], ", "), n-min(shown, len(names)))
}
