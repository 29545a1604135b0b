package palette

import (
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
)

// Commands lists what the command line knows that is opened in a scope: the acts and what else
// has a name there, what is possible everywhere, and the movements.
func Commands(keys keymap.Map, in keymap.Scope) []keymap.Entry {
	var acts, moves, others []keymap.Entry
	for _, e := range keys.In(in) {
		switch {
		case e.Name == "" || e.Action == keymap.Quit:
		case e.Action.Move():
			moves = append(moves, e)
		case e.Writes:
			acts = append(acts, e)
		default:
			others = append(others, e)
		}
	}
	for _, e := range keys.In(keymap.ScopeCommand) {
		if e.Name != "" {
			others = append(others, e)
		}
	}
	return slices.Concat(acts, others, moves)
}

// Unknown says why what was typed is none of the commands of a scope.
func (p *Palette) Unknown(keys keymap.Map, in keymap.Scope) engine.Text {
	typed := p.Value()
	name, _, _ := strings.Cut(strings.TrimSpace(typed), " ")
	for _, scope := range keymap.Scopes() {
		for _, e := range keys.In(scope) {
			if e.Name == "" || e.Name != name && !slices.Contains(e.Also, name) {
				continue
			}
			if e.Takes == "" && name != strings.TrimSpace(typed) {
				return engine.Textf("Command %s takes no argument: it acts on the selection.", engine.Clean(name))
			}
			return engine.Textf("Command %s is not available here, only on: %s.", engine.Clean(name), engine.Clean(scope.String()))
		}
	}
	var names []string
	var letters []engine.Text
	for _, e := range Commands(keys, in) {
		names = append(append(names, e.Name), e.Also...)
	}
	near := engine.Closest(name, names)
	for _, e := range p.found[:min(3, len(p.found))] {
		letters = append(letters, engine.Clean(e.Name))
	}
	if near.IsZero() && len(letters) > 0 {
		near = engine.Textf("; nearest: %s", engine.Join(letters, ", "))
	}
	return engine.Textf("%s: unknown command%s.", engine.Clean(name), near)
}
