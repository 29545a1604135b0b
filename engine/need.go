package engine

import "slices"

// Need is how many runs with the same word need attention. Late ones, and those that
// the controller will fail, are counted apart, since their word alone does not say it.
type Need struct {
	Word        Word
	Late, Fails bool
	Count       int
	// Least is set if there may be more: of a run that goes on, what it will fail for is read only while it is looked at.
	Least bool
}

// CountNeeds counts the runs that need attention, in the order of the rows.
func CountNeeds(rows []*RunView) []Need {
	var out []Need
	for _, v := range rows {
		if !v.NeedsAttention() {
			continue
		}
		if i := slices.IndexFunc(out, NeedOf(v).Same); i >= 0 {
			out[i].Count++
		} else {
			out = append(out, NeedOf(v))
		}
	}
	for i := range out {
		n := &out[i]
		n.Least = n.Fails && slices.ContainsFunc(rows, func(v *RunView) bool { return v.Word == n.Word && v.GoesOn() && !v.Near })
	}
	return out
}

// NeedOf is the Need of one run that needs attention.
func NeedOf(v *RunView) Need {
	n := Need{Word: v.Word, Late: !v.Word.NeedsPerson() && v.Late && v.Word != WordDeleting, Count: 1}
	n.Fails = v.Why.Fails && !n.Late && v.Word != WordStuck
	return n
}

// Same reports whether two are counted together.
func (n Need) Same(o Need) bool { return n.Word == o.Word && n.Late == o.Late && n.Fails == o.Fails }
