// Package keymark marks the actions in the constants that texts are made of: "create a
// new run ({clone})". The screen shows the present key of the action, "create a new run
// (C)"; output without a screen names the command, "create a new run (stagewatch clone)".
package keymark

import (
	"cmp"
	"strings"
)

// A mark is begin, the name of the action, middle, words or none, middle, a command of its
// own or none, and end. The characters are of private use: no text from outside contains them.
const (
	begin  = "\ue000"
	middle = "\ue001"
	end    = "\ue002"
)

// commands are what does without a screen what an action does.
var commands = map[string]string{
	"approve":   "stagewatch approve",
	"approvals": "stagewatch approvals",
	"clone":     "stagewatch clone",
	"run":       "stagewatch run",
	"stop":      "stagewatch stop",
	"delete":    "stagewatch delete",
	"diagnose":  "stagewatch explain",
	"diff":      "stagewatch diff",
	"follow":    "stagewatch wait",
	"plan":      "stagewatch plan",
	"logs":      "stagewatch logs",
	"owners":    "stagewatch owners",
	"timeline":  "stagewatch timeline",
	"member":    "stagewatch member",
	"placement": "see the commands",
	"open":      "stagewatch explain",
	"command":   ":",
}

// silent are marks that are not shown: they say of a text for the program what it does.
var silent = map[string]bool{
	"undoes":         true, // a step that would undo what a run that was created later has done or needs
	"deletes-run":    true, // a step that deletes the run
	"fixes-first":    true, // a step that fixes the cause, then offers a new run
	"other-object":   true, // a step for who meant another object of the same name
	"takes-hub":      true, // a step that takes a workload as it is on the hub, newer than every snapshot
	"waits":          true, // a clause about what the scheduler removes without a person
	"labels-cluster": true, // a command or a step that labels a cluster
}

// In marks the actions of a constant: a name in braces. Words after a colon, as in
// {diagnose:first command}, follow the key, and stand alone without a screen.
func In(constant string) string {
	before, rest, found := strings.Cut(constant, "{")
	if !found {
		return constant
	}
	var b strings.Builder
	for ; found; before, rest, found = strings.Cut(rest, "{") {
		b.WriteString(before)
		inside, after, closed := strings.Cut(rest, "}")
		action, words, _ := strings.Cut(inside, ":")
		if !closed || !isName(action) {
			b.WriteString("{")
			continue
		}
		b.WriteString(begin + action + middle + words + middle + end)
		rest = after
	}
	b.WriteString(before)
	return b.String()
}

// isName reports whether a text can be the name of an action.
func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// Offers reports whether a text has an action.
func Offers(text, action string) bool { return strings.Contains(text, begin+action+middle) }

// WithCommand sets what stands for an action in a text without a screen.
func WithCommand(text, action, command string) string {
	parts := strings.Split(text, begin+action+middle)
	for i := range parts[1:] {
		words, rest, _ := strings.Cut(parts[i+1], middle)
		_, after, _ := strings.Cut(rest, end)
		parts[i+1] = words + middle + command + end + after
	}
	return strings.Join(parts, begin+action+middle)
}

// Keys shows the actions of a text by their keys.
func Keys(text string, key func(action string) string) string {
	return show(text, func(action, words, _ string) string {
		if words != "" {
			return key(action) + ": " + words
		}
		return key(action)
	})
}

// Commands shows the actions of a text by their commands.
func Commands(text string) string {
	return show(text, func(action, words, command string) string {
		return cmp.Or(command, words, commands[action], action)
	})
}

// Here leaves of the marks of an action the words that follow its key: the text stands where
// the action leads to.
func Here(text, action string) string {
	parts := strings.Split(text, begin+action+middle)
	for i := range parts[1:] {
		words, _, _ := strings.Cut(parts[i+1], middle)
		if _, after, _ := strings.Cut(parts[i+1], end); words != "" {
			parts[i+1] = words + after
		} else {
			parts[i+1] = begin + action + middle + parts[i+1]
		}
	}
	return strings.Join(parts, "")
}

// show replaces each mark of a text.
func show(text string, as func(action, words, command string) string) string {
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
		action, rest, _ := strings.Cut(mark, middle)
		words, command, _ := strings.Cut(rest, middle)
		if !silent[action] {
			b.WriteString(as(action, words, command))
		}
		text = after
	}
}
