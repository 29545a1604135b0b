package keymap

// Group is what a key is for; the help page lists the keys in groups.
type Group uint8

// The groups, in the order of the help page.
const (
	GroupMove Group = iota // moves on what is open
	GroupLook              // changes what is listed, copies, notifies
	GroupGo                // opens something else
	GroupAct               // changes the hub
)

// Groups returns all groups in the order of the help page.
func Groups() []Group { return []Group{GroupMove, GroupLook, GroupGo, GroupAct} }

// String returns the heading of the group.
func (g Group) String() string {
	//exhaustive:enforce
	switch g {
	case GroupAct:
		return "act"
	case GroupGo:
		return "go to"
	case GroupLook:
		return "look"
	case GroupMove:
		return "move"
	}
	return "unknown"
}

// OfRun reports whether an action of the list of runs is about the run under the cursor.
func (a Action) OfRun() bool {
	switch a {
	case Open, Plan, Cluster, Owners, Placement, Timeline, Events, Diagnose, Member, Diff, Logs, Copy, YAML, Await, Mark:
		return true
	}
	return a >= Approve && a <= Delete
}

// Group returns the group of an action.
func (a Action) Group() Group {
	switch a {
	case Approve, Run, Stop, Clone, Delete, Mark:
		return GroupAct
	case Filter, Search, Sort, NthView, View, AllNamespaces, Theme, NextMatch, PrevMatch, OnlyProblems, Copy, Await, Forget, Mouse, Fold, LargerPane, SmallerPane, Suspend:
		return GroupLook
	case PrevStage, NextStage, NextProblem, NextPane, PrevPane:
		return GroupMove
	}
	if a.Move() {
		return GroupMove
	}
	return GroupGo
}
