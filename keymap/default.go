package keymap

import (
	"strings"

	"charm.land/bubbles/v2/key"
)

// row is an Entry as data: a table of Entries compiles to 150 KB of code.
type row struct {
	action          Action
	in              Scope
	bar             int
	keys            string // separated by blanks; empty for a command without a key
	help            string
	brief           string
	pair            [2]Action
	takes           string
	chooses, writes bool
}

// entry is the row as an Entry.
func (r *row) entry() Entry {
	e := Entry{Action: r.action, In: r.in, Bar: r.bar, Brief: r.brief, Takes: r.takes, Chooses: r.chooses, Writes: r.writes, keys: strings.Fields(r.keys)}
	if r.pair != [2]Action{} {
		e.Pair = []Action{r.pair[0], r.pair[1]}
	}
	shown := ""
	if r.keys == "" {
		shown = strings.TrimSpace(":" + names[r.action][0] + " " + r.takes)
	}
	e.Key = key.NewBinding(key.WithHelp(shown, r.help))
	return e
}

// Default returns the bindings stagewatch comes with.
func Default() Map {
	const lists = ScopeRuns | ScopeRun
	const pages = lists | ScopeSheet
	const moves = pages | ScopePage
	rows := [...]row{
		{action: Open, in: pages, bar: 1, keys: "enter", help: "open"},
		{action: Down, in: moves, keys: "j down", help: "down"},
		{action: Up, in: moves, keys: "k up", help: "up"},
		{action: Top, in: moves, keys: "g home", help: "first"},
		{action: Bottom, in: moves, keys: "G end", help: "last"},
		{action: HalfDown, in: moves, keys: "ctrl+d", help: "half a page down"},
		{action: HalfUp, in: moves, keys: "ctrl+u", help: "half a page up"},
		{action: PageDown, in: moves &^ (ScopeRuns | ScopeSheet), keys: "pgdown ctrl+f space", help: "page down"},
		{action: PageDown, in: ScopeRuns | ScopeSheet, keys: "pgdown ctrl+f", help: "page down"},
		{action: PageUp, in: moves, keys: "pgup ctrl+b", help: "page up"},
		{action: PrevStage, in: ScopeRun, keys: "h left", help: "previous stage"},
		{action: NextStage, in: ScopeRun, bar: 2, keys: "l right", help: "next stage", brief: "stage", pair: [2]Action{PrevStage, NextStage}},
		{action: NextProblem, in: lists, bar: 4, keys: "!", help: "next problem", brief: "problem"},
		{action: OnlyProblems, in: lists, bar: 6, keys: "z", help: "only problems"},
		{action: Filter, in: lists, bar: 5, keys: "/", help: "filter", takes: "WORDS"},
		{action: Sort, in: ScopeRuns, bar: 8, keys: "s", help: "sort", takes: "COLUMN", chooses: true},
		{action: NthView, in: ScopeRuns, keys: "1 2 3 4 5 6 7 8 9", help: "saved view"},
		{action: AllNamespaces, in: ScopeRuns, keys: "0", help: "all namespaces"},
		{action: Search, in: ScopePage, bar: 1, keys: "/", help: "search", takes: "WORDS"},
		{action: Search, in: ScopeSheet, keys: "/", help: "search", takes: "WORDS"},
		{action: NextMatch, in: pages, keys: "n", help: "next match", brief: "next match", pair: [2]Action{NextMatch, PrevMatch}},
		{action: NextMatch, in: ScopePage, bar: 2, keys: "n", help: "next match", brief: "next match", pair: [2]Action{NextMatch, PrevMatch}},
		{action: Fold, in: ScopePage, bar: 6, keys: "z", help: "YAML: fold the status, too, then unfold all", brief: "fold"},
		{action: PrevMatch, in: moves, keys: "N", help: "previous match"},
		{action: Taker, in: lists, bar: 6, keys: "f", help: "open the preempting run", brief: "follow"},
		{action: Plan, in: pages, keys: "i", help: "plan: stages, forecast, failed checks", brief: "plan"},
		{action: Cluster, in: pages, bar: 7, keys: "c", help: "cluster: conditions, manifests, works, member", brief: "cluster"},
		{action: Owners, in: pages, bar: 7, keys: "o", help: "owners: run of each cluster", brief: "owners"},
		{action: AllOwners, in: pages, keys: "O", help: "owners of all bindings of the hub", brief: "all owners"},
		{action: Placement, in: pages, bar: 7, keys: "p", help: "placement: runs, snapshots, what waits", brief: "placement"},
		{action: Inbox, in: pages, bar: 7, keys: "a", help: "approvals of all runs, with evidence", brief: "approvals"},
		{action: Timeline, in: pages, bar: 8, keys: "t", help: "timeline: all transitions", brief: "timeline"},
		{action: Events, in: pages, bar: 8, keys: "e", help: "events"},
		// On 80 columns this is the key that must be seen.
		{action: Diagnose, in: ScopeRuns, bar: 2, keys: "d", help: "diagnosis", brief: "why"},
		{action: Diagnose, in: ScopeRun, bar: 3, keys: "d", help: "diagnosis", brief: "why"},
		{action: Diagnose, in: ScopeSheet, bar: 6, keys: "d", help: "diagnosis", brief: "why"},
		{action: Member, in: ScopeRun, bar: 4, keys: "m", help: "member: pods, events, logs", brief: "member"},
		{action: Member, in: ScopeRuns | ScopeSheet, bar: 7, keys: "m", help: "member: pods, events, logs", brief: "member"},
		{action: Diff, in: pages, keys: "=", help: "diff against the running snapshot", brief: "changes"},
		{action: Logs, in: pages &^ ScopeSheet, keys: "L", help: "controller log"},
		{action: Logs, in: ScopeSheet, bar: 8, keys: "L", help: "log of the pod, else of the controller", brief: "log"},
		{action: YAML, in: pages, bar: 8, keys: "Y", help: "YAML"},
		{action: Await, in: pages, keys: "w", help: "notify when the state changes", brief: "wait"},
		{action: Copy, in: lists, keys: "y", help: "copy"},
		{action: Copy, in: ScopeSheet | ScopePage, bar: 4, keys: "y", help: "copy"},
		{action: Forget, in: ScopeSheet, keys: "u", help: "member: forget its chosen context", brief: "forget context"},
		{action: Left, in: ScopePage, keys: "h left", help: "scroll left"},
		{action: Right, in: ScopePage, bar: 5, keys: "l right", help: "scroll right", brief: "scroll left, right", pair: [2]Action{Left, Right}},
		{action: NextPane, in: pages, bar: 2, keys: "tab", help: "next pane of a wide terminal", brief: "pane"},
		{action: PrevPane, in: pages, keys: "shift+tab", help: "previous pane"},
		{action: LargerPane, in: pages, keys: "+", help: "larger pane"},
		{action: SmallerPane, in: pages, keys: "_ -", help: "smaller pane"},
		{action: Help, in: moves, bar: 9, keys: "?", help: "help"},
		{action: Back, in: ScopeRuns, bar: 9, keys: "esc", help: "clear the marks, then the filter", brief: "clear"},
		{action: Back, in: moves &^ ScopeRuns, bar: 9, keys: "esc", help: "back"},
		{action: Quit, in: moves, keys: "q", help: "back; on the list, quit"},
		{action: Mouse, in: moves, keys: "%", help: "mouse on or off"},
		{action: Suspend, in: moves, keys: "ctrl+z", help: "suspend"},
		{action: Command, in: moves, bar: 9, keys: ": ctrl+p", help: "command"},
		{action: Abort, in: moves | ScopeFilter | ScopeDialog | ScopePick | ScopeCommand, keys: "ctrl+c", help: "cancel; press twice to quit"},
		{action: Approve, in: pages, bar: 1, keys: "A", help: "approve", writes: true},
		{action: Run, in: pages, bar: 1, keys: "R", help: "run", writes: true},
		{action: Stop, in: pages, bar: 1, keys: "S", help: "stop", writes: true},
		{action: Clone, in: pages, bar: 1, keys: "C", help: "clone", writes: true},
		{action: Delete, in: pages, bar: 1, keys: "X", help: "delete", writes: true},
		{action: Mark, in: ScopeRuns, keys: "space", help: "mark runs to act on them together"},
		{action: Mark, in: ScopeSheet, keys: "space", help: "mark an approval; elsewhere page down"},
		{action: FilterKeep, in: ScopeFilter, bar: 1, keys: "enter", help: "keep"},
		{action: FilterDrop, in: ScopeFilter, bar: 2, keys: "esc", help: "cancel"},
		{action: FilterOlder, in: ScopeFilter, bar: 3, keys: "up", help: "earlier"},
		{action: FilterNewer, in: ScopeFilter, bar: 4, keys: "down", help: "later"},
		{action: DialogEnter, in: ScopeDialog, keys: "enter", help: "press the focused button (Cancel by default)"},
		{action: DialogCancel, in: ScopeDialog, keys: "esc", help: "cancel"},
		{action: DialogYes, in: ScopeDialog, keys: "y", help: "confirm a reversible act"},
		{action: DialogNext, in: ScopeDialog, keys: "tab down", help: "next field"},
		{action: DialogPrev, in: ScopeDialog, keys: "shift+tab up", help: "previous field"},
		{action: DialogRetire, in: ScopeDialog, keys: "X", help: "after a clone: delete the old run"},
		{action: DialogTurn, in: ScopeDialog, keys: "space right", help: "clone: next choice"},
		{action: DialogTurnBack, in: ScopeDialog, keys: "left", help: "clone: previous choice"},
		{action: DialogDown, in: ScopeDialog, keys: "pgdown", help: "scroll down"},
		{action: DialogUp, in: ScopeDialog, keys: "pgup", help: "scroll up"},
		{action: DialogCopy, in: ScopeDialog, bar: 1, keys: "ctrl+y", help: "copy the kubectl command"},
		{action: PickTake, in: ScopePick, bar: 1, keys: "enter", help: "use"},
		{action: PickBack, in: ScopePick, bar: 2, keys: "esc", help: "back to the dialog"},
		{action: PickNext, in: ScopePick, bar: 3, keys: "j down tab ctrl+n", help: "next", brief: "choose", pair: [2]Action{PickNext, PickPrev}},
		{action: PickPrev, in: ScopePick, keys: "k up shift+tab ctrl+p", help: "previous"},
		{action: PickFirst, in: ScopePick, keys: "g home", help: "first"},
		{action: PickLast, in: ScopePick, keys: "G end", help: "last"},
		{action: PickOther, in: ScopePick, bar: 4, keys: "l right", help: "compare with the next", brief: "compare with", pair: [2]Action{PickOtherBefore, PickOther}},
		{action: PickOtherBefore, in: ScopePick, keys: "h left", help: "compare with the previous"},
		{action: PickDown, in: ScopePick, bar: 5, keys: "pgdown ctrl+d space", help: "scroll down"},
		{action: PickUp, in: ScopePick, keys: "pgup ctrl+u", help: "scroll up"},
		{action: CommandRun, in: ScopeCommand, bar: 1, keys: "enter", help: "run the command"},
		{action: CommandComplete, in: ScopeCommand, bar: 2, keys: "tab", help: "complete"},
		{action: CommandNext, in: ScopeCommand, bar: 3, keys: "down ctrl+n", help: "next command", brief: "choose", pair: [2]Action{CommandNext, CommandPrev}},
		{action: CommandPrev, in: ScopeCommand, keys: "up ctrl+p shift+tab", help: "previous command"},
		{action: CommandFirst, in: ScopeCommand, keys: "home", help: "first in the list"},
		{action: CommandLast, in: ScopeCommand, keys: "end", help: "last in the list"},
		{action: CommandDown, in: ScopeCommand, keys: "pgdown", help: "page down"},
		{action: CommandUp, in: ScopeCommand, keys: "pgup", help: "page up"},
		{action: CommandDrop, in: ScopeCommand, bar: 4, keys: "esc", help: "leave"},
		{action: OpenRun, in: ScopeCommand, help: "open a run by its name", takes: "RUN"},
		{action: Context, in: ScopeCommand, help: "switch to another context (hub)", takes: "NAME", chooses: true},
		{action: Namespace, in: ScopeCommand, help: "show the runs of one namespace, or of all", takes: "NAME", chooses: true},
		{action: Theme, in: ScopeCommand, help: "change the colours of the screen", takes: "NAME", chooses: true},
		{action: View, in: ScopeCommand, help: "show a saved view of the list, or none", takes: "NAME", chooses: true},
		{action: LogIn, in: ScopeCommand, help: "log in again now; the screen opens again"},
		{action: Write, in: ScopeCommand, help: "allow writes for a while; off ends it", takes: "15m"},
		{action: Runs, in: ScopeCommand, help: "the list of runs"},
		{action: Exit, in: ScopeCommand, help: "quit from anywhere"},
	}
	entries := make([]Entry, len(rows))
	for i := range rows {
		entries[i] = rows[i].entry()
	}
	return New(entries)
}
