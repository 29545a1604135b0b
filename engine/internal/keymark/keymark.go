// Package keymark marks the keys in the constants that texts are made of. The screen
// shows the key, "create a new run (C)"; output without a screen names the command in
// its place, "create a new run (stagewatch clone)".
package keymark

import "strings"

// A mark is begin, the key, middle, the command, end. The characters are of private
// use: no text from outside contains them.
const (
	begin  = "\ue000"
	middle = "\ue001"
	end    = "\ue002"
)

// commands are what does without a screen what a key does.
var commands = map[string]string{
	"A": "stagewatch approve",
	"C": "stagewatch clone",
	"R": "stagewatch run",
	"S": "stagewatch stop",
	"X": "stagewatch delete",
	"d": "stagewatch explain",
	"f": "stagewatch wait",
	"i": "stagewatch plan",
	"m": "stagewatch member",
	"L": "stagewatch logs",
	"o": "stagewatch owners",
	"t": "stagewatch timeline",
	"p": "see the commands",

	"enter": "stagewatch explain",

	// The screen shows the commands on the page of the diagnosis.
	"d: first command":  "first command",
	"d: second command": "second command",

	"enter: use it for this member": "--member-context NAME",
}

// In marks the keys of a constant: a space and a key in parentheses.
func In(constant string) string {
	if !strings.Contains(constant, " (") {
		return constant
	}
	var b strings.Builder
	for {
		i := strings.Index(constant, " (")
		if i < 0 {
			b.WriteString(constant)
			return b.String()
		}
		b.WriteString(constant[:i+1])
		constant = constant[i+1:]
		key, after, _ := strings.Cut(constant[1:], ")")
		if command := commands[key]; command != "" {
			b.WriteString(begin + key + middle + command + end)
			constant = after
		}
	}
}

// Keys shows the keys of a text.
func Keys(text string) string { return show(text, false) }

// Commands shows the commands of a text.
func Commands(text string) string { return show(text, true) }

func show(text string, command bool) string {
	if !strings.Contains(text, begin) {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, begin)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		mark, after, _ := strings.Cut(rest, end)
		shown, other, _ := strings.Cut(mark, middle)
		if command {
			shown = other
		}
		b.WriteString("(" + shown + ")")
		text = after
	}
}
