package palette

import (
	"slices"
	"sort"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Choice is an argument that a command can take.
type Choice struct {
	// Value is what is typed for it, Also other forms of it.
	Value string
	Also  []string
	About engine.Text
	// Now is set for the choice that holds at present. Of an order, Up or Down is, too.
	Now, Up, Down bool
}

// findChoices lists the choices that the typed argument may mean.
func (p *Palette) findChoices() {
	p.listing, p.none, p.matching = false, false, nil
	arg, typed := p.Argument()
	if len(p.found) == 0 || !typed || p.offers == nil {
		p.of, p.offered = 0, nil
		return
	}
	if e := p.found[0].Entry; e.Action != p.of {
		p.of, p.offered = e.Action, p.offers(e)
	}
	type fit struct {
		Choice
		rank int
	}
	var fits []fit
	for _, c := range p.offered {
		best := -1
		for _, form := range append([]string{c.Value}, c.Also...) {
			if rank := rankOf(strings.ToLower(form), strings.ToLower(strings.TrimSpace(arg))); rank >= 0 && (best < 0 || rank < best) {
				best, c.Value = rank, form
			}
		}
		if best >= 0 {
			fits = append(fits, fit{c, best})
		}
	}
	sort.SliceStable(fits, func(i, j int) bool { return fits[i].rank < fits[j].rank })
	for _, f := range fits {
		p.matching = append(p.matching, f.Choice)
	}
	p.listing = len(p.matching) > 0
	p.none = !p.listing && len(p.offered) > 0 && (p.found[0].Chooses || p.of == keymap.OpenRun)
	p.sure = p.listing && fits[0].rank != matchLetters
	if now := slices.IndexFunc(p.matching, func(c Choice) bool { return c.Now }); now > 0 && strings.TrimSpace(arg) == "" {
		p.at = now
	}
}

// Refresh lists the choices as they are now. The selected one stays selected.
func (p *Palette) Refresh() {
	if p.of == keymap.None {
		return
	}
	was, picked, selected := p.listing, p.picked, ""
	if was {
		selected = p.matching[p.at].Value
	}
	p.of = keymap.None
	p.find()
	if i := slices.IndexFunc(p.matching, func(c Choice) bool { return c.Value == selected }); was && i >= 0 {
		p.at, p.picked = i, picked
	}
}

// Take returns the argument that enter gives the command: the choice that a person moved to,
// else what is typed. A command that only takes its choices takes the selected one, if it
// fits by more than its letters.
func (p *Palette) Take() string {
	arg, _ := p.Argument()
	arg = strings.TrimSpace(arg)
	switch {
	case !p.listing:
		return arg
	case p.picked:
		return p.matching[p.at].Value
	case p.found[0].Chooses && p.sure:
		return p.matching[p.at].Value
	}
	return arg
}

// Choosing returns the selected choice of a command; false while others are typed.
func (p *Palette) Choosing(a keymap.Action) (value string, ok bool) {
	if !p.listing || p.of != a {
		return "", false
	}
	return p.matching[p.at].Value, true
}

// noneRow says that no choice matches. Enter still takes what is typed: a namespace without
// runs is not listed, for example.
func noneRow(th *theme.Theme, width int) string {
	return cell.NewRow(th, width, theme.Plain).To(3).Put(theme.Sub, "no matches").String()
}

// choiceRow is one choice: its value, whether it holds, and what it means.
func (p *Palette) choiceRow(th *theme.Theme, width, i int) string {
	c, g := &p.matching[i], theme.Plain
	if i == p.at {
		g = theme.Cursor
	}
	r := cell.NewRow(th, width, g)
	if i == p.at {
		r.Put(theme.Key, th.Glyph.Cursor)
	}
	if c.Now {
		r.To(1).Put(theme.Done|theme.Bold, th.Glyph.Yes)
	}
	room := 12
	for _, all := range p.offered {
		room = max(room, cell.Width(all.Value)+1)
	}
	room = min(room, width*3/5)
	arrow := ""
	if c.Up {
		arrow = th.Glyph.Up
	} else if c.Down {
		arrow = th.Glyph.Down
	}
	r.To(3).Put(theme.Text, cell.CutMiddle(th, cell.Text(th, engine.Clean(c.Value)), room-cell.Width(arrow))).Put(theme.Key|theme.Bold, arrow).To(3 + room).Gap(1)
	r.Put(theme.Sub, cell.Cut(th, cell.Text(th, c.About), max(0, width-r.At()-1)))
	return r.String()
}
