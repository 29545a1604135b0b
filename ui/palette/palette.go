// Package palette is the command line and the list of commands above it: what is
// typed, which commands that may mean, and which of them is chosen. The root model
// does the command.
package palette

import (
	"sort"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/field"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// most is how many commands are listed.
const most = 9

// Palette is a command line: the name of a command, and for some an argument.
type Palette struct {
	entries []keymap.Entry // all commands
	line    field.Field
	// found are the commands that match what is typed, the best first.
	found []found
	at    int // the one that enter does
	// picked is set when a person moved to the command, or to the choice, at at.
	picked bool
	// offers lists what a command can take; offered is that for the command whose argument
	// is typed, matching what of it fits.
	offers   func(keymap.Entry) []Choice
	offered  []Choice
	of       keymap.Action
	matching []Choice
	listing  bool // choices are listed, not commands
	none     bool // an argument is typed that matches no choice
	sure     bool // the first choice fits by more than its letters
}

// found is a command and how well what is typed fits it.
type found struct {
	keymap.Entry
	rank int
}

// New returns an empty command line for commands. offers lists what one of them can take;
// nil where that is not known.
func New(entries []keymap.Entry, offers func(keymap.Entry) []Choice) Palette {
	p := Palette{entries: entries, offers: offers}
	p.find()
	return p
}

// Value returns what is typed.
func (p *Palette) Value() string { return p.line.Value() }

// Set replaces what is typed.
func (p *Palette) Set(s string) {
	p.line.Set(s)
	p.find()
}

// Update moves the selection, completes what is typed, or types a key. The keys for the first
// and the last edit a command that is typed.
func (p *Palette) Update(a keymap.Action, k tea.KeyPressMsg) {
	if (a == keymap.CommandFirst || a == keymap.CommandLast) && !p.listing && p.Value() != "" {
		a = keymap.None
	}
	switch a {
	case keymap.CommandNext:
		p.Choose(p.at + 1)
	case keymap.CommandPrev:
		p.Choose(p.at - 1)
	case keymap.CommandFirst:
		p.Choose(0)
	case keymap.CommandLast:
		p.Choose(p.length() - 1)
	case keymap.CommandDown:
		p.Choose(p.at + most)
	case keymap.CommandUp:
		p.Choose(p.at - most)
	case keymap.CommandComplete:
		p.complete()
	default:
		if p.line.Update(k) {
			p.find()
		}
	}
}

// complete types the rest of the chosen command, or of what it takes.
func (p *Palette) complete() {
	e, ok := p.Chosen()
	_, typed := p.Argument()
	switch {
	case !ok, typed && !p.listing:
	case typed:
		p.Set(e.Name + " " + p.matching[p.at].Value)
	case e.Takes != "":
		p.Set(e.Name + " ")
	default:
		p.Set(e.Name)
	}
}

// Paste inserts a text at the cursor.
func (p *Palette) Paste(s string) {
	if p.line.Paste(s) {
		p.find()
	}
}

// Argument returns what is typed after the name, and whether anything is, a space
// included.
func (p *Palette) Argument() (arg string, ok bool) {
	_, arg, ok = strings.Cut(strings.TrimLeft(p.line.Value(), " "), " ")
	return arg, ok
}

// Chosen returns the selected command, if any matches. Tab completes it.
func (p *Palette) Chosen() (e keymap.Entry, ok bool) {
	if len(p.found) == 0 {
		return e, false
	}
	if p.listing {
		return p.found[0].Entry, true
	}
	return p.found[p.at].Entry, true
}

// Command returns the command that enter does: the selected one, unless only its
// letters match what is typed and no person moved to it.
func (p *Palette) Command() (e keymap.Entry, ok bool) {
	if e, ok = p.Chosen(); ok && !p.listing && p.found[p.at].rank == matchLetters && !p.picked {
		return keymap.Entry{}, false
	}
	return e, ok
}

// At returns the place of the chosen command in the list.
func (p *Palette) At() int { return p.at }

// Choose selects a command, or a choice, by its place in the list, as far as there are any.
func (p *Palette) Choose(i int) { p.at, p.picked = max(0, min(i, p.length()-1)), true }

// length is how many commands or choices are listed.
func (p *Palette) length() int {
	switch {
	case p.listing:
		return len(p.matching)
	case p.none:
		return 1 // the row that says so
	}
	return len(p.found)
}

// find lists the commands that the typed text may mean.
func (p *Palette) find() {
	name, _, behind := strings.Cut(strings.TrimLeft(p.line.Value(), " "), " ")
	p.at, p.picked, p.found = 0, false, nil
	for _, e := range p.entries {
		if rank, ok := matches(e, name, behind); ok {
			p.found = append(p.found, found{e, rank})
		}
	}
	sort.SliceStable(p.found, func(i, j int) bool { return p.found[i].rank < p.found[j].rank })
	p.findChoices()
}

// rows returns which commands are listed in a body of so many rows, one of which
// is the heading.
func (p *Palette) rows(height int) (from, n int) {
	n = max(0, min(most, p.length(), height-1))
	return max(0, min(p.at-n/2, p.length()-n)), n
}

// Rows is the height of the list in a body of a height.
func (p *Palette) Rows(height int) int {
	if _, n := p.rows(height); n > 0 {
		return n + 1
	}
	return 0
}

// Hit returns the place of the command in row y of a list that View returned for
// the height, or -1.
func (p *Palette) Hit(y, height int) int {
	if from, n := p.rows(height); y >= 1 && y <= n && !p.none {
		return from + y - 1
	}
	return -1
}

// View draws the list in at most height rows: a heading with what the commands are
// about, and the commands. refusal says why one is not possible.
func (p *Palette) View(th *theme.Theme, width, height int, about engine.Text, refusal func(keymap.Entry) engine.Refusal) []string {
	from, n := p.rows(height)
	if n == 0 {
		return nil
	}
	what := "commands "
	if p.listing || p.none {
		what, about = p.found[0].Name+" ", engine.Text{}
	}
	r := cell.NewRow(th, width, theme.Plain).Fill(theme.Faint, th.Glyph.Rule, 2).To(3).Put(theme.Sub, what)
	if !about.IsZero() {
		// What is covered by the list may be what the command is about.
		r.Put(theme.Sub, "on ").Put(theme.Name|theme.Bold, cell.CutMiddle(th, cell.Text(th, about), max(12, width/3))).Gap(1)
	}
	if p.length() > n {
		r.Put(theme.Faint, strconv.Itoa(from+n)+"/"+strconv.Itoa(p.length())+" ")
	}
	out := []string{r.Fill(theme.Faint, th.Glyph.Rule, width).String()}
	for i := from; i < from+n; i++ {
		switch {
		case p.listing:
			out = append(out, p.choiceRow(th, width, i))
		case p.none:
			out = append(out, noneRow(th, width))
		default:
			out = append(out, p.row(th, width, i, refusal))
		}
	}
	return out
}

// row is one command: its name, its key, and what it does or why it cannot.
func (p *Palette) row(th *theme.Theme, width, i int, refusal func(keymap.Entry) engine.Refusal) string {
	e, g := p.found[i].Entry, theme.Plain
	if i == p.at {
		g = theme.Cursor
	}
	r := cell.NewRow(th, width, g)
	if i == p.at {
		r.Put(theme.Key, th.Glyph.Cursor)
	}
	name, k, help := e.Name, theme.Text, engine.Clean(e.Key.Help().Desc)
	if e.Takes != "" {
		name += " " + e.Takes
	}
	shown := th.KeyName(e.First())
	if e.Writes {
		k = theme.Key | theme.Bold
		if no := refusal(e); no.Refused() {
			k, help = theme.Faint, no.Why
		}
	}
	r.To(3).Col(k, cell.Text(th, engine.Clean(name)), 18).Gap(1).Col(theme.Sub, cell.Text(th, engine.Clean(shown)), 7).Gap(1)
	r.Put(theme.Sub, cell.Cut(th, cell.Text(th, help), max(0, width-r.At()-1)))
	return r.String()
}

// Write writes what is typed into a row, and the rest of the chosen command after
// it. It returns the column of the cursor.
func (p *Palette) Write(r *cell.Row, th *theme.Theme) (cursor int) {
	cursor = p.line.Write(r.Put(theme.Key|theme.Bold, ":"), th, theme.Name, r.Left())
	if p.line.AtEnd() {
		r.Gap(1)
	}
	e, ok := p.Command()
	if !ok {
		r.Put(theme.Faint, "  unknown command")
		return cursor
	}
	typed := strings.TrimLeft(p.line.Value(), " ")
	if _, arg := p.Argument(); !arg && p.line.AtEnd() && typed != "" && strings.HasPrefix(e.Name, typed) {
		r.Put(theme.Faint, e.Name[len(typed):])
		if e.Takes != "" {
			r.Put(theme.Faint, " "+e.Takes)
		}
	}
	return cursor
}

// The ranks of a match, the best first.
const (
	matchWhole = iota
	matchBegin
	matchWord
	matchWithin
	matchLetters
)

// matches ranks how well what is typed fits a command. A name that something is
// typed behind has to be whole, and to take something.
func matches(e keymap.Entry, typed string, behind bool) (rank int, ok bool) {
	typed = strings.ToLower(typed)
	best := -1
	for _, n := range append([]string{e.Name}, e.Also...) {
		r := rankOf(n, typed)
		if behind && r != matchWhole {
			r = -1
		}
		if r >= 0 && (best < 0 || r < best) {
			best = r
		}
	}
	if behind && e.Takes == "" {
		return 0, false
	}
	return best, best >= 0
}

// rankOf ranks how well what is typed fits a name; negative when it does not.
func rankOf(name, typed string) int {
	switch {
	case name == typed:
		return matchWhole
	case strings.HasPrefix(name, typed):
		return matchBegin
	case strings.Contains(name, "-"+typed) || strings.Contains(name, "/"+typed):
		return matchWord
	case len(typed) > 1 && strings.Contains(name, typed):
		return matchWithin
	case len(typed) > 1 && len(fuzzy.FindNoSort(typed, []string{name})) > 0:
		return matchLetters
	}
	return -1
}
