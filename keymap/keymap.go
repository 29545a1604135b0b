// Package keymap defines every key of the screen once, with its help and its
// scope. The help page, the key bar and the command palette are generated from it,
// so every key that works is documented. Whether an act is possible is decided by
// package engine.
package keymap

import (
	"fmt"

	"charm.land/bubbles/v2/key"
)

// Scope is a place where keys have a meaning. A key means one thing in a scope.
type Scope uint8

// The scopes.
const (
	ScopeRuns    Scope = 1 << iota // the list of runs
	ScopeRun                       // one run, opened
	ScopeSheet                     // a page of sections: a cluster, a placement
	ScopePage                      // a page of text: help, YAML
	ScopeFilter                    // a filter is being typed
	ScopeDialog                    // a dialog asks
	ScopeCommand                   // a command is being typed
	ScopePick                      // a list to choose from, in a dialog
)

// String returns the heading of the scope on the help page.
func (s Scope) String() string {
	//exhaustive:enforce
	switch s {
	case ScopeRuns:
		return "list of runs"
	case ScopeRun:
		return "opened run"
	case ScopeSheet:
		return "detail page"
	case ScopePage:
		return "text page"
	case ScopeFilter:
		return "filter input"
	case ScopeDialog:
		return "dialog"
	case ScopePick:
		return "dialog list"
	case ScopeCommand:
		return "command line"
	}
	return "unknown"
}

// Scopes returns all scopes in the order of the help page.
func Scopes() []Scope {
	return []Scope{ScopeRuns, ScopeRun, ScopeSheet, ScopePage, ScopeFilter, ScopeDialog, ScopePick, ScopeCommand}
}

// Action is what a key does.
type Action uint8

// The actions.
const (
	None Action = iota
	Up
	Down
	Top
	Bottom
	HalfUp
	HalfDown
	PageUp
	PageDown
	Open
	PrevStage
	NextStage
	NextProblem
	OnlyProblems
	Filter
	Search
	Sort
	NthView
	NextMatch
	PrevMatch
	Taker
	Plan
	Cluster
	Owners
	AllOwners
	Placement
	Inbox
	Timeline
	Events
	Diagnose
	Member
	Logs
	Diff
	Copy
	Left
	Right
	YAML
	Help
	Back
	Quit
	Abort
	Suspend
	Approve
	Run
	Stop
	Clone
	Delete
	Mark
	FilterKeep
	FilterDrop
	FilterOlder
	FilterNewer
	DialogCancel
	DialogYes
	DialogEnter
	DialogNext
	DialogPrev
	DialogRetire
	DialogTurn
	DialogTurnBack
	DialogCopy
	DialogDown
	DialogUp
	PickTake
	PickBack
	PickNext
	PickPrev
	PickFirst
	PickLast
	PickOther
	PickOtherBefore
	PickDown
	PickUp
	Command
	CommandRun
	CommandDrop
	CommandComplete
	CommandNext
	CommandPrev
	CommandFirst
	CommandLast
	CommandDown
	CommandUp
	// What follows has no key, only a name.
	Exit
	Runs
	OpenRun
	Write
	Context
	Namespace
	Theme
	View
	Mouse
	LogIn
	Await
	Forget
	// The panes of a wide terminal.
	NextPane
	PrevPane
	LargerPane
	SmallerPane
	// Fold hides a part of a text.
	Fold
	// AllNamespaces shows the runs of all namespaces.
	AllNamespaces

	actions // how many there are
)

// Entry is one key binding.
type Entry struct {
	Action Action
	Key    key.Binding
	// In is the set of scopes in which the keys are bound.
	In Scope
	// Name is what the command line calls the action, Also other names for it;
	// empty for what makes sense as a key only.
	Name string
	Also []string
	// Takes names what a command takes behind its name; empty for nothing. Chooses is set
	// when that is one of several choices: without it, they are listed.
	Takes   string
	Chooses bool
	// Writes marks the keys that open the dialog of a write. They are upper case,
	// and no other key writes (docs/architecture.md#writes).
	Writes bool
	// Bar is the rank of the entry in the bar at the foot of the screen, 1
	// first; 0 leaves it to the help page.
	Bar int
	// Brief stands in the bar in place of the help. Pair are the actions whose keys stand
	// there, for keys that go in pairs; none for the key of the entry.
	Brief string
	Pair  []Action

	keys  []string
	short key.Help
}

// First returns the first key of the entry as it is shown; empty for a command without a key.
func (e Entry) First() string { return spellAll(e.keys[:min(1, len(e.keys))]) }

// Short returns what the bar shows.
func (e Entry) Short() key.Help { return e.short }

// Saying returns the entry with other words for the bar.
func (e Entry) Saying(words string) Entry {
	e.short.Desc = words
	return e
}

// Map is a set of bindings. The zero Map binds nothing.
type Map struct {
	entries []Entry
	in      map[Scope][]Entry
	index   map[Scope]map[string]Action
	shown   map[string]string // the first key as it is shown, by the name of the action
}

// OrDefault returns the Map; the zero Map is Default.
func (m Map) OrDefault() Map {
	if m.entries == nil {
		return Default()
	}
	return m
}

// New returns a Map of the entries. When a key is bound twice in a scope, the first entry
// has it; Collisions tells.
func New(entries []Entry) Map {
	m := Map{entries: entries, in: map[Scope][]Entry{}, index: map[Scope]map[string]Action{}, shown: map[string]string{}}
	for i := range entries {
		e := &entries[i]
		if n := names[e.Action]; e.Name == "" && len(n) > 0 {
			e.Name, e.Also = n[0], n[1:]
		}
		if h := e.Key.Help(); len(e.keys) > 0 {
			e.Key = key.NewBinding(key.WithKeys(e.keys...), key.WithHelp(spellAll(e.keys), h.Desc))
		}
	}
	for i := range entries {
		e := &entries[i]
		e.short = m.shortOf(e)
		if name := e.Action.Name(); len(e.keys) > 0 && m.shown[name] == "" {
			m.shown[name] = e.First()
		}
	}
	for _, s := range Scopes() {
		m.index[s] = map[string]Action{}
		n := 0
		for i := range entries {
			if entries[i].In&s != 0 {
				n++
			}
		}
		m.in[s] = make([]Entry, 0, n)
		for _, e := range entries {
			if e.In&s == 0 {
				continue
			}
			m.in[s] = append(m.in[s], e)
			for _, k := range e.keys {
				if _, taken := m.index[s][k]; !taken {
					m.index[s][k] = e.Action
				}
			}
		}
	}
	return m
}

// shortOf returns what the bar shows of an entry: its first key, or those of its pair.
func (m Map) shortOf(e *Entry) key.Help {
	h := e.Key.Help()
	if len(e.keys) == 0 {
		return h
	}
	h.Key = m.first(e.Action)
	if e.Brief != "" {
		h.Desc = e.Brief
	}
	if len(e.Pair) > 0 {
		h.Key = m.first(e.Pair[0]) + " " + m.first(e.Pair[1])
	}
	return h
}

// first returns the first key of an action as it is shown.
func (m Map) first(a Action) string {
	for i := range m.entries {
		if e := &m.entries[i]; e.Action == a && len(e.keys) > 0 {
			return e.First()
		}
	}
	return ""
}

// Shown returns the present key of an action, by its name; the name where it has none.
func (m Map) Shown(name string) string {
	if key, ok := m.shown[name]; ok {
		return key
	}
	return name
}

// Match returns what the pressed key does in the scope; None when nothing.
func (m Map) Match(s Scope, pressed fmt.Stringer) Action { return m.index[s][pressed.String()] }

// In returns the entries of one scope in their order. The slice belongs to the
// Map: every frame asks for it, and nobody changes it.
func (m Map) In(s Scope) []Entry { return m.in[s] }
