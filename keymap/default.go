package keymap

import "charm.land/bubbles/v2/key"

// Default returns the bindings stagewatch comes with.
func Default() Map {
	const lists = ScopeRuns | ScopeRun
	const pages = lists | ScopeSheet
	const moves = pages | ScopePage
	b := func(a Action, in Scope, bar int, keys []string, help string) Entry {
		return Entry{Action: a, In: in, Bar: bar, keys: keys, Key: key.NewBinding(key.WithHelp("", help))}
	}
	brief := func(e Entry, help string, pair ...Action) Entry {
		e.Brief, e.Pair = help, pair
		return e
	}
	w := func(a Action, k, help string) Entry {
		e := b(a, pages, 1, []string{k}, help)
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
		b(Open, pages, 1, []string{"enter"}, "open"),
		b(Down, moves, 0, []string{"j", "down"}, "down"),
		b(Up, moves, 0, []string{"k", "up"}, "up"),
		b(Top, moves, 0, []string{"g", "home"}, "first"),
		b(Bottom, moves, 0, []string{"G", "end"}, "last"),
		b(HalfDown, moves, 0, []string{"ctrl+d"}, "half a page down"),
		b(HalfUp, moves, 0, []string{"ctrl+u"}, "half a page up"),
		b(PageDown, moves&^(ScopeRuns|ScopeSheet), 0, []string{"pgdown", "space"}, "page down"),
		b(PageDown, ScopeRuns|ScopeSheet, 0, []string{"pgdown"}, "page down"),
		b(PageUp, moves, 0, []string{"pgup"}, "page up"),
		b(PrevStage, ScopeRun, 0, []string{"h", "left"}, "previous stage"),
		brief(b(NextStage, ScopeRun, 2, []string{"l", "right"}, "next stage"), "stage", PrevStage, NextStage),
		brief(b(NextProblem, lists, 4, []string{"!"}, "next problem"), "problem"),
		b(OnlyProblems, lists, 6, []string{"z"}, "only problems"),
		takes(b(Filter, lists, 5, []string{"/"}, "filter"), "WORDS"),
		chooses(b(Sort, ScopeRuns, 8, []string{"s"}, "sort"), "COLUMN"),
		b(NthView, ScopeRuns, 0, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, "saved view"),
		b(AllNamespaces, ScopeRuns, 0, []string{"0"}, "all namespaces"),
		takes(b(Search, ScopePage, 1, []string{"/"}, "search"), "WORDS"),
		takes(b(Search, ScopeSheet, 0, []string{"/"}, "search"), "WORDS"),
		brief(b(NextMatch, pages, 0, []string{"n"}, "next match"), "next match", NextMatch, PrevMatch),
		brief(b(NextMatch, ScopePage, 2, []string{"n"}, "next match"), "next match", NextMatch, PrevMatch),
		brief(b(Fold, ScopePage, 6, []string{"z"}, "YAML: fold the status, too, then unfold all"), "fold"),
		b(PrevMatch, moves, 0, []string{"N"}, "previous match"),
		brief(b(Taker, lists, 6, []string{"f"}, "open the preempting run"), "follow"),
		brief(b(Plan, pages, 0, []string{"i"}, "plan: stages, forecast, failed checks"), "plan"),
		brief(b(Cluster, pages, 7, []string{"c"}, "cluster: conditions, manifests, works, member"), "cluster"),
		brief(b(Owners, pages, 7, []string{"o"}, "owners: run of each cluster"), "owners"),
		brief(b(AllOwners, pages, 0, []string{"O"}, "owners of all bindings of the hub"), "all owners"),
		brief(b(Placement, pages, 7, []string{"p"}, "placement: runs, snapshots, what waits"), "placement"),
		brief(b(Inbox, pages, 7, []string{"a"}, "approvals of all runs, with evidence"), "approvals"),
		brief(b(Timeline, pages, 8, []string{"t"}, "timeline: all transitions"), "timeline"),
		b(Events, pages, 8, []string{"e"}, "events"),
		// On 80 columns this is the key that must be seen.
		brief(b(Diagnose, ScopeRuns, 2, []string{"d"}, "diagnosis"), "why"),
		brief(b(Diagnose, ScopeRun, 3, []string{"d"}, "diagnosis"), "why"),
		brief(b(Diagnose, ScopeSheet, 6, []string{"d"}, "diagnosis"), "why"),
		brief(b(Member, ScopeRun, 4, []string{"m"}, "member: pods, events, logs"), "member"),
		brief(b(Member, ScopeRuns|ScopeSheet, 7, []string{"m"}, "member: pods, events, logs"), "member"),
		brief(b(Diff, pages, 0, []string{"="}, "diff against the running snapshot"), "changes"),
		b(Logs, pages&^ScopeSheet, 0, []string{"L"}, "controller log"),
		brief(b(Logs, ScopeSheet, 8, []string{"L"}, "log of the pod, else of the controller"), "log"),
		b(YAML, pages, 8, []string{"Y"}, "YAML"),
		brief(b(Await, pages, 0, []string{"w"}, "notify when the state changes"), "wait"),
		b(Copy, lists, 0, []string{"y"}, "copy"),
		b(Copy, ScopeSheet|ScopePage, 4, []string{"y"}, "copy"),
		brief(b(Forget, ScopeSheet, 0, []string{"u"}, "member: forget its chosen context"), "forget context"),
		b(Left, ScopePage, 0, []string{"h", "left"}, "scroll left"),
		brief(b(Right, ScopePage, 5, []string{"l", "right"}, "scroll right"), "scroll left, right", Left, Right),
		brief(b(NextPane, pages, 2, []string{"tab"}, "next pane of a wide terminal"), "pane"),
		b(PrevPane, pages, 0, []string{"shift+tab"}, "previous pane"),
		b(LargerPane, pages, 0, []string{"+"}, "larger pane"),
		b(SmallerPane, pages, 0, []string{"_", "-"}, "smaller pane"),
		b(Help, moves, 9, []string{"?"}, "help"),
		brief(b(Back, ScopeRuns, 9, []string{"esc"}, "clear the marks, then the filter"), "clear"),
		b(Back, moves&^ScopeRuns, 9, []string{"esc"}, "back"),
		b(Quit, moves, 0, []string{"q"}, "back; on the list, quit"),
		b(Mouse, moves, 0, []string{"%"}, "mouse on or off"),
		b(Suspend, moves, 0, []string{"ctrl+z"}, "suspend"),
		b(Command, moves, 9, []string{":", "ctrl+p"}, "command"),
		b(Abort, moves|ScopeFilter|ScopeDialog|ScopePick|ScopeCommand, 0, []string{"ctrl+c"}, "cancel; press twice to quit"),
		w(Approve, "A", "approve"),
		w(Run, "R", "run"),
		w(Stop, "S", "stop"),
		w(Clone, "C", "clone"),
		w(Delete, "X", "delete"),
		b(Mark, ScopeRuns, 0, []string{"space"}, "mark runs to act on them together"),
		b(Mark, ScopeSheet, 0, []string{"space"}, "mark an approval; elsewhere page down"),
		b(FilterKeep, ScopeFilter, 1, []string{"enter"}, "keep"),
		b(FilterDrop, ScopeFilter, 2, []string{"esc"}, "cancel"),
		b(FilterOlder, ScopeFilter, 3, []string{"up"}, "earlier"),
		b(FilterNewer, ScopeFilter, 4, []string{"down"}, "later"),
		b(DialogEnter, ScopeDialog, 0, []string{"enter"}, "press the focused button (Cancel by default)"),
		b(DialogCancel, ScopeDialog, 0, []string{"esc"}, "cancel"),
		b(DialogYes, ScopeDialog, 0, []string{"y"}, "confirm a reversible act"),
		b(DialogNext, ScopeDialog, 0, []string{"tab", "down"}, "next field"),
		b(DialogPrev, ScopeDialog, 0, []string{"shift+tab", "up"}, "previous field"),
		b(DialogRetire, ScopeDialog, 0, []string{"X"}, "after a clone: delete the old run"),
		b(DialogTurn, ScopeDialog, 0, []string{"space", "right"}, "clone: next choice"),
		b(DialogTurnBack, ScopeDialog, 0, []string{"left"}, "clone: previous choice"),
		b(DialogDown, ScopeDialog, 0, []string{"pgdown"}, "scroll down"),
		b(DialogUp, ScopeDialog, 0, []string{"pgup"}, "scroll up"),
		b(DialogCopy, ScopeDialog, 1, []string{"ctrl+y"}, "copy the kubectl command"),
		b(PickTake, ScopePick, 1, []string{"enter"}, "use"),
		b(PickBack, ScopePick, 2, []string{"esc"}, "back to the dialog"),
		brief(b(PickNext, ScopePick, 3, []string{"j", "down", "tab", "ctrl+n"}, "next"), "choose", PickNext, PickPrev),
		b(PickPrev, ScopePick, 0, []string{"k", "up", "shift+tab", "ctrl+p"}, "previous"),
		b(PickFirst, ScopePick, 0, []string{"g", "home"}, "first"),
		b(PickLast, ScopePick, 0, []string{"G", "end"}, "last"),
		brief(b(PickOther, ScopePick, 4, []string{"l", "right"}, "compare with the next"), "compare with", PickOtherBefore, PickOther),
		b(PickOtherBefore, ScopePick, 0, []string{"h", "left"}, "compare with the previous"),
		b(PickDown, ScopePick, 5, []string{"pgdown", "ctrl+d", "space"}, "scroll down"),
		b(PickUp, ScopePick, 0, []string{"pgup", "ctrl+u"}, "scroll up"),
		b(CommandRun, ScopeCommand, 1, []string{"enter"}, "run the command"),
		b(CommandComplete, ScopeCommand, 2, []string{"tab"}, "complete"),
		brief(b(CommandNext, ScopeCommand, 3, []string{"down", "ctrl+n"}, "next command"), "choose", CommandNext, CommandPrev),
		b(CommandPrev, ScopeCommand, 0, []string{"up", "ctrl+p", "shift+tab"}, "previous command"),
		b(CommandFirst, ScopeCommand, 0, []string{"home"}, "first in the list"),
		b(CommandLast, ScopeCommand, 0, []string{"end"}, "last in the list"),
		b(CommandDown, ScopeCommand, 0, []string{"pgdown"}, "page down"),
		b(CommandUp, ScopeCommand, 0, []string{"pgup"}, "page up"),
		b(CommandDrop, ScopeCommand, 4, []string{"esc"}, "leave"),
		c(OpenRun, "RUN", "open a run by its name"),
		chooses(c(Context, "NAME", "switch to another context (hub)"), "NAME"),
		chooses(c(Namespace, "NAME", "show the runs of one namespace, or of all"), "NAME"),
		chooses(c(Theme, "NAME", "change the colours of the screen"), "NAME"),
		chooses(c(View, "NAME", "show a saved view of the list, or none"), "NAME"),
		c(LogIn, "", "log in again now; the screen opens again"),
		c(Write, "15m", "allow writes for a while; off ends it"),
		c(Runs, "", "the list of runs"),
		c(Exit, "", "quit from anywhere"),
	})
}
