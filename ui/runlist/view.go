package runlist

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/filter"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// View is a filter and an order with a name.
type View struct {
	Name, Filter string
	// Sort is the name of a column; empty for the order of attention.
	Sort       string
	Descending bool
}

// NoView is the name for all runs in the order of attention.
const NoView = "none"

// used is the view that was used last, and what it listed.
type used struct {
	name, filter string
	order        order
}

// SetViews sets the saved views. One that is shown is shown as it is now.
func (l *List) SetViews(views []View) {
	now := l.Used()
	l.Views = views
	if i := slices.IndexFunc(views, func(v View) bool { return v.Name == now }); i >= 0 && now != "" {
		l.use(views[i])
	} else if now != "" {
		l.view = used{}
	}
}

// use lists what a view admits, in its order.
func (l *List) use(v View) {
	l.problems, l.filter = false, filter.New(v.Filter, l.chosen...)
	l.SortBy(v.Sort, v.Descending)
	l.view = used{v.Name, v.Filter, l.order}
}

// Use shows the view of a name; NoView shows none.
func (l *List) Use(name string) {
	i := slices.IndexFunc(l.Views, func(v View) bool { return v.Name == name })
	switch {
	case i >= 0:
		l.use(l.Views[i])
	case name == NoView:
		l.use(View{})
	default:
		l.scene.Say(theme.Wait, engine.Textf("Unknown view %s: the configuration has %s.", engine.Clean(name), l.howMany()))
	}
}

// howMany is how many views there are.
func (l *List) howMany() engine.Text {
	if len(l.Views) == 0 {
		return engine.Lit("no views")
	}
	return engine.Count(len(l.Views), "view")
}

// UseDigit shows the view of a digit; ok is false for another key.
func (l *List) UseDigit(key string) (ok bool) {
	if len(key) != 1 || key < "1" || key > "9" {
		return false
	}
	l.scene.Quiet()
	if n := int(key[0] - '1'); n < len(l.Views) {
		l.use(l.Views[n])
	} else {
		l.scene.Say(theme.Sub, engine.Textf("No view %d: the configuration has %s.", n+1, l.howMany()))
	}
	return true
}

// Used returns the name of the view that is listed; empty for none, and after the filter or
// the order was changed.
func (l *List) Used() string {
	if l.view.filter != l.filter.Text || l.view.order != l.order {
		return ""
	}
	return l.view.name
}
