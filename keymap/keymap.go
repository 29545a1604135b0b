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
	DialogCancel
	DialogYes
	DialogEnter
	DialogNext
	DialogPrev
	DialogRetire
	DialogTurn
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
	Await
	Forget
	// The panes of a wide terminal.
	NextPane
	PrevPane
	LargerPane
	SmallerPane
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
	// BarHelp stands in the bar in place of the key's own help, for keys that
	// go in pairs.
	BarHelp key.Help
}

// Short returns what the bar shows.
func (e Entry) Short() key.Help {
	if e.BarHelp.Key != "" {
		return e.BarHelp
	}
	return e.Key.Help()
}

// Map is a set of bindings. The zero Map binds nothing.
type Map struct {
	in    map[Scope][]Entry
	index map[Scope]map[string]Action
}

// Default returns the bindings stagewatch comes with.
func Default() Map {
	const lists = ScopeRuns | ScopeRun
	const pages = lists | ScopeSheet
	const moves = pages | ScopePage
	b := func(a Action, in Scope, bar int, keys []string, shown, help string) Entry {
		return Entry{Action: a, In: in, Bar: bar, Key: key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, help))}
	}
	pair := func(e Entry, shown, help string) Entry {
		e.BarHelp = key.Help{Key: shown, Desc: help}
		return e
	}
	w := func(a Action, k, help string) Entry {
		e := b(a, pages, 1, []string{k}, k, help)
		e.Writes = true
		return e
	}
	takes := func(e Entry, what string) Entry { e.Takes = what; return e }
	chooses := func(e Entry, what string) Entry { e.Takes, e.Chooses = what, true; return e }
	// c is a command without a key.
	c := func(a Action, takes, help string) Entry {
		e := Entry{Action: a, In: ScopeCommand, Takes: takes}
		shown := ":" + names[a][0]
		if takes != "" {
			shown += " " + takes
		}
		e.Key = key.NewBinding(key.WithHelp(shown, help))
		return e
	}
	return New([]Entry{
		b(Open, pages, 1, []string{"enter"}, "enter", "open"),
		b(PrevStage, ScopeRun, 0, []string{"h", "left"}, "h ←", "previous stage"),
		pair(b(NextStage, ScopeRun, 2, []string{"l", "right"}, "l →", "next stage"), "h l", "stage"),
		pair(b(NextProblem, lists, 4, []string{"!"}, "!", "next problem"), "!", "problem"),
		b(OnlyProblems, lists, 6, []string{"z"}, "z", "only problems"),
		takes(b(Filter, lists, 5, []string{"/"}, "/", "filter"), "WORDS"),
		chooses(b(Sort, ScopeRuns, 8, []string{"s"}, "s", "sort"), "COLUMN"),
		b(NthView, ScopeRuns, 0, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, "1-9", "saved view"),
		takes(b(Search, ScopePage, 1, []string{"/"}, "/", "search"), "WORDS"),
		pair(b(NextMatch, lists, 0, []string{"n"}, "n", "next match"), "n N", "next match"),
		pair(b(NextMatch, ScopePage, 2, []string{"n"}, "n", "next match"), "n N", "next match"),
		b(PrevMatch, lists|ScopePage, 0, []string{"N"}, "N", "previous match"),
		pair(b(Taker, lists, 6, []string{"f"}, "f", "open the preempting run"), "f", "follow"),
		pair(b(Plan, pages, 0, []string{"i"}, "i", "plan: stages, forecast, failed checks"), "i", "plan"),
		pair(b(Cluster, pages, 7, []string{"c"}, "c", "cluster: conditions, manifests, works, member"), "c", "cluster"),
		pair(b(Owners, pages, 7, []string{"o"}, "o", "owners: run of each cluster"), "o", "owners"),
		pair(b(Placement, pages, 7, []string{"p"}, "p", "placement: runs, snapshots, what waits"), "p", "placement"),
		pair(b(Inbox, pages, 7, []string{"a"}, "a", "approvals of all runs, with evidence"), "a", "approvals"),
		pair(b(Timeline, pages, 8, []string{"t"}, "t", "timeline: all transitions"), "t", "timeline"),
		b(Events, pages, 8, []string{"e"}, "e", "events"),
		// On 80 columns this is the key that must be seen.
		pair(b(Diagnose, ScopeRuns, 2, []string{"d"}, "d", "diagnosis"), "d", "why"),
		pair(b(Diagnose, ScopeRun, 3, []string{"d"}, "d", "diagnosis"), "d", "why"),
		pair(b(Diagnose, ScopeSheet, 6, []string{"d"}, "d", "diagnosis"), "d", "why"),
		pair(b(Member, ScopeRun, 4, []string{"m"}, "m", "member: pods, events, logs"), "m", "member"),
		pair(b(Member, ScopeRuns|ScopeSheet, 7, []string{"m"}, "m", "member: pods, events, logs"), "m", "member"),
		pair(b(Diff, pages, 0, []string{"="}, "=", "diff against the running snapshot"), "=", "changes"),
		b(Logs, pages, 0, []string{"L"}, "L", "controller log"),
		b(YAML, pages, 8, []string{"Y"}, "Y", "YAML"),
		pair(b(Await, pages, 0, []string{"w"}, "w", "notify when the state changes"), "w", "wait"),
		b(Copy, lists, 0, []string{"y"}, "y", "copy"),
		b(Copy, ScopeSheet|ScopePage, 4, []string{"y"}, "y", "copy"),
		pair(b(Forget, ScopeSheet, 0, []string{"u"}, "u", "member: forget its chosen context"), "u", "forget context"),
		b(Left, ScopePage, 0, []string{"h", "left"}, "h ←", "scroll left"),
		pair(b(Right, ScopePage, 5, []string{"l", "right"}, "l →", "scroll right"), "h l", "scroll left, right"),
		b(Down, moves, 0, []string{"j", "down"}, "j ↓", "down"),
		b(Up, moves, 0, []string{"k", "up"}, "k ↑", "up"),
		b(Top, moves, 0, []string{"g", "home"}, "g", "first"),
		b(Bottom, moves, 0, []string{"G", "end"}, "G", "last"),
		b(HalfDown, moves, 0, []string{"ctrl+d"}, "ctrl-d", "half a page down"),
		b(HalfUp, moves, 0, []string{"ctrl+u"}, "ctrl-u", "half a page up"),
		b(PageDown, moves&^(ScopeRuns|ScopeSheet), 0, []string{"pgdown", "space"}, "pgdn", "page down"),
		b(PageDown, ScopeRuns|ScopeSheet, 0, []string{"pgdown"}, "pgdn", "page down"),
		b(PageUp, moves, 0, []string{"pgup"}, "pgup", "page up"),
		pair(b(NextPane, pages, 2, []string{"tab"}, "tab", "next pane of a wide terminal"), "tab", "pane"),
		b(PrevPane, pages, 0, []string{"shift+tab"}, "shift-tab", "previous pane"),
		b(LargerPane, pages, 0, []string{"+"}, "+", "larger pane"),
		b(SmallerPane, pages, 0, []string{"_", "-"}, "_ -", "smaller pane"),
		b(Help, moves, 9, []string{"?"}, "?", "help"),
		b(Back, moves&^ScopeRun, 3, []string{"esc"}, "esc", "back"),
		b(Back, ScopeRun, 4, []string{"esc"}, "esc", "back"),
		b(Quit, moves, 0, []string{"q"}, "q", "back, quit from the list"),
		b(Mouse, moves, 0, []string{"%"}, "%", "mouse on or off"),
		b(Suspend, moves, 0, []string{"ctrl+z"}, "ctrl-z", "suspend"),
		b(Command, moves, 9, []string{":", "ctrl+p"}, ":", "command"),
		b(Abort, moves|ScopeFilter|ScopeDialog|ScopePick|ScopeCommand, 0, []string{"ctrl+c"}, "ctrl-c", "cancel, twice: quit"),
		w(Approve, "A", "approve"),
		w(Run, "R", "run"),
		w(Stop, "S", "stop"),
		w(Clone, "C", "clone"),
		w(Delete, "X", "delete"),
		b(Mark, ScopeRuns, 0, []string{"space"}, "space", "mark runs for A, R, S or X"),
		b(Mark, ScopeSheet, 0, []string{"space"}, "space", "mark an approval; elsewhere page down"),
		b(FilterKeep, ScopeFilter, 1, []string{"enter"}, "enter", "keep"),
		b(FilterDrop, ScopeFilter, 2, []string{"esc"}, "esc", "clear"),
		b(DialogEnter, ScopeDialog, 0, []string{"enter"}, "enter", "press the focused button (first Cancel)"),
		b(DialogCancel, ScopeDialog, 0, []string{"esc"}, "esc", "cancel"),
		b(DialogYes, ScopeDialog, 0, []string{"y"}, "y", "confirm a reversible act"),
		b(DialogNext, ScopeDialog, 0, []string{"tab", "down"}, "tab", "next field"),
		b(DialogPrev, ScopeDialog, 0, []string{"shift+tab", "up"}, "shift-tab", "previous field"),
		b(DialogRetire, ScopeDialog, 0, []string{"X"}, "X", "after a clone: delete the old run"),
		b(DialogTurn, ScopeDialog, 0, []string{"left", "right"}, "← → space", "clone: change the choice; enter lists all"),
		b(DialogDown, ScopeDialog, 0, []string{"pgdown"}, "pgdn", "scroll down"),
		b(DialogUp, ScopeDialog, 0, []string{"pgup"}, "pgup", "scroll up"),
		b(DialogCopy, ScopeDialog, 1, []string{"ctrl+y"}, "ctrl-y", "copy the kubectl command"),
		b(PickTake, ScopePick, 1, []string{"enter"}, "enter", "use"),
		b(PickBack, ScopePick, 2, []string{"esc"}, "esc", "back to the dialog"),
		pair(b(PickNext, ScopePick, 3, []string{"j", "down", "tab"}, "j ↓", "next"), "j k", "choose"),
		b(PickPrev, ScopePick, 0, []string{"k", "up", "shift+tab"}, "k ↑", "previous"),
		b(PickFirst, ScopePick, 0, []string{"g", "home"}, "g", "first"),
		b(PickLast, ScopePick, 0, []string{"G", "end"}, "G", "last"),
		pair(b(PickOther, ScopePick, 4, []string{"l", "right"}, "l →", "compare with the next"), "h l", "compare with"),
		b(PickOtherBefore, ScopePick, 0, []string{"h", "left"}, "h ←", "compare with the previous"),
		b(PickDown, ScopePick, 5, []string{"pgdown", "ctrl+d", "space"}, "pgdn", "scroll down"),
		b(PickUp, ScopePick, 0, []string{"pgup", "ctrl+u"}, "pgup", "scroll up"),
		b(CommandRun, ScopeCommand, 1, []string{"enter"}, "enter", "run the command"),
		b(CommandComplete, ScopeCommand, 2, []string{"tab"}, "tab", "complete"),
		pair(b(CommandNext, ScopeCommand, 3, []string{"down", "ctrl+n"}, "↓", "next command"), "↓ ↑", "choose"),
		b(CommandPrev, ScopeCommand, 0, []string{"up", "ctrl+p", "shift+tab"}, "↑", "previous command"),
		b(CommandDrop, ScopeCommand, 4, []string{"esc"}, "esc", "leave"),
		c(OpenRun, "RUN", "open a run by its name"),
		chooses(c(Context, "NAME", "switch to another context (hub)"), "NAME"),
		chooses(c(Namespace, "NAME", "show the runs of one namespace, or of all"), "NAME"),
		chooses(c(Theme, "NAME", "change the colours of the screen"), "NAME"),
		chooses(c(View, "NAME", "show a saved view of the list, or none"), "NAME"),
		c(Write, "15m", "allow writes for a while; off ends it"),
		c(Runs, "", "the list of runs"),
		c(Exit, "", "quit from anywhere"),
	})
}

// New returns a Map of the entries. When a key is bound twice in a scope, the
// first entry has it; Collisions tells.
func New(entries []Entry) Map {
	for i := range entries {
		e := &entries[i]
		if n := names[e.Action]; e.Name == "" && len(n) > 0 {
			e.Name, e.Also = n[0], n[1:]
		}
	}
	m := Map{in: map[Scope][]Entry{}, index: map[Scope]map[string]Action{}}
	for _, s := range Scopes() {
		m.index[s] = map[string]Action{}
		for _, e := range entries {
			if e.In&s == 0 {
				continue
			}
			m.in[s] = append(m.in[s], e)
			for _, k := range e.Key.Keys() {
				if _, taken := m.index[s][k]; !taken {
					m.index[s][k] = e.Action
				}
			}
		}
	}
	return m
}

// Match returns what the pressed key does in the scope; None when nothing.
func (m Map) Match(s Scope, pressed fmt.Stringer) Action { return m.index[s][pressed.String()] }

// In returns the entries of one scope in their order. The slice belongs to the
// Map: every frame asks for it, and nobody changes it.
func (m Map) In(s Scope) []Entry { return m.in[s] }

// Collisions returns one line for every key that two entries claim in one
// scope.
func (m Map) Collisions() []string {
	var out []string
	for _, s := range Scopes() {
		owner := map[string]Entry{}
		for _, e := range m.In(s) {
			for _, k := range e.Key.Keys() {
				if o, taken := owner[k]; taken {
					out = append(out, fmt.Sprintf("%q means %q and %q in the %s", k, o.Key.Help().Desc, e.Key.Help().Desc, s))
					continue
				}
				owner[k] = e
			}
		}
	}
	return out
}
