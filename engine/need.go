package engine

// Need is how many runs with the same word need attention. Late ones, and those that
// the controller will fail, are counted apart, since their word alone does not say it.
type Need struct {
	Word        Word
	Late, Fails bool
	Count       int
}

// NeedOf is the Need of one run that needs attention.
func NeedOf(v *RunView) Need {
	n := Need{Word: v.Word, Late: !v.Word.NeedsPerson() && v.Late && v.Word != WordDeleting, Count: 1}
	n.Fails = v.Why.Fails && !n.Late && v.Word != WordStuck
	return n
}

// Same reports whether two are counted together.
func (n Need) Same(o Need) bool { return n.Word == o.Word && n.Late == o.Late && n.Fails == o.Fails }
