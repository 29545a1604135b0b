package theme

import "charm.land/lipgloss/v2"

// Layers are what was drawn last over something: a compositor takes 2 ms for a screen,
// and most messages change neither layer.
type Layers struct {
	theme              *Theme
	behind, over, both string
	x, y               int
	recedes            bool
}

// Compose draws a text over another one, which recedes or keeps its colours.
func (l *Layers) Compose(th *Theme, behind, over string, x, y int, recedes bool) string {
	if l.theme == th && l.behind == behind && l.over == over && l.x == x && l.y == y && l.recedes == recedes {
		return l.both
	}
	*l = Layers{theme: th, behind: behind, over: over, x: x, y: y, recedes: recedes}
	if recedes {
		behind = th.Behind(behind)
	}
	l.both = lipgloss.NewCompositor(lipgloss.NewLayer(behind), lipgloss.NewLayer(over).X(x).Y(y).Z(1)).Render()
	return l.both
}
