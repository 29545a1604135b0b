package keymap

// names are the actions' names on the command line: the first is shown, the
// others are understood. kubectl's short names lead to the pages that show what
// kubectl would list.
var names = [actions][]string{
	Up:           {"up"},
	Down:         {"down"},
	Top:          {"first", "top"},
	Bottom:       {"last", "bottom"},
	HalfUp:       {"half-page-up"},
	HalfDown:     {"half-page-down"},
	PageUp:       {"page-up"},
	PageDown:     {"page-down"},
	Open:         {"open-selected", "enter"},
	PrevStage:    {"previous-stage"},
	NextStage:    {"next-stage"},
	NextProblem:  {"next-problem"},
	OnlyProblems: {"problems", "only-problems"},
	Filter:       {"filter"},
	Search:       {"search"},
	Sort:         {"sort"},
	View:         {"view", "views"},
	Context:      {"ctx", "context", "contexts", "use-context"},
	Namespace:    {"ns", "namespace", "namespaces"},
	NextMatch:    {"next-match"},
	PrevMatch:    {"previous-match"},
	Taker:        {"follow", "taker"},
	Plan:         {"plan", "lint", "forecast"},
	Cluster:      {"cluster", "binding", "crb", "rb"},
	Owners:       {"owners"},
	AllOwners:    {"all-owners", "bindings"},
	Placement:    {"placement", "crp", "rp"},
	Inbox:        {"approvals", "inbox", "careq", "areq"},
	Timeline:     {"timeline"},
	Events:       {"events"},
	Diagnose:     {"diagnose", "why", "explain", "describe"},
	Member:       {"member", "pods"},
	Logs:         {"logs"},
	Diff:         {"diff", "changes"},
	Copy:         {"copy", "yank"},
	Left:         {"left"},
	Right:        {"right"},
	YAML:         {"yaml"},
	Help:         {"help"},
	Back:         {"back"},
	Suspend:      {"suspend"},
	Approve:      {"approve"},
	Run:          {"run", "resume"},
	Stop:         {"stop"},
	Clone:        {"clone", "retry", "rollback"},
	Delete:       {"delete", "rm"},
	Mark:         {"mark"},
	Exit:         {"quit", "q", "q!", "exit"},
	Runs:         {"runs", "csur", "sur", "home"},
	Theme:        {"theme", "skin", "colours", "colors"},
	Mouse:        {"mouse"},
	LogIn:        {"login", "log-in", "reconnect"},
	Write:        {"write"},
	Await:        {"wait", "notify"},
	Forget:       {"forget-context", "forget"},
	OpenRun:      {"open", "e"},
	NextPane:     {"next-pane"},
	PrevPane:     {"previous-pane"},
	LargerPane:   {"larger-pane"},
	SmallerPane:  {"smaller-pane"},
	Fold:         {"fold"},

	AllNamespaces: {"all-namespaces"},
}

// keyNames are the names of the actions that have a key and are no command, or another one.
var keyNames = [actions]string{
	Open: "open", Quit: "leave", Abort: "cancel", Command: "command", NthView: "saved-view",
	FilterKeep: "filter-keep", FilterDrop: "filter-cancel", FilterOlder: "filter-older", FilterNewer: "filter-newer",
	DialogCancel: "dialog-cancel", DialogYes: "dialog-confirm", DialogEnter: "dialog-press", DialogNext: "dialog-next-field",
	DialogPrev: "dialog-previous-field", DialogRetire: "dialog-delete-old-run", DialogTurn: "dialog-next-choice",
	DialogTurnBack: "dialog-previous-choice", DialogCopy: "dialog-copy", DialogDown: "dialog-down", DialogUp: "dialog-up",
	PickTake: "choose-use", PickBack: "choose-back", PickNext: "choose-next", PickPrev: "choose-previous", PickFirst: "choose-first",
	PickLast: "choose-last", PickOther: "compare-next", PickOtherBefore: "compare-previous", PickDown: "choose-down", PickUp: "choose-up",
	CommandRun: "command-run", CommandDrop: "command-leave", CommandComplete: "command-complete", CommandNext: "command-next",
	CommandPrev: "command-previous", CommandFirst: "command-first", CommandLast: "command-last", CommandDown: "command-down", CommandUp: "command-up",
}

// Name returns what the configuration and the texts call the action; empty for none.
func (a Action) Name() string {
	if name := keyNames[a]; name != "" {
		return name
	}
	if all := names[a]; len(all) > 0 {
		return all[0]
	}
	return ""
}

// Move reports whether an action only moves something on the screen: such
// commands come last when all are listed.
func (a Action) Move() bool { return a >= Up && a <= PageDown || a == Left || a == Right }

// Distance returns how many rows a movement key moves by, in a window of h rows of
// n in all; up is negative. It reports whether a moves up or down at all.
func (a Action) Distance(h, n int) (rows int, ok bool) {
	switch a {
	case Down:
		return 1, true
	case Up:
		return -1, true
	case Top:
		return -n, true
	case Bottom:
		return n, true
	case HalfDown:
		return max(1, h/2), true
	case HalfUp:
		return -max(1, h/2), true
	case PageDown:
		return max(1, h-1), true
	case PageUp:
		return -max(1, h-1), true
	}
	return 0, false
}
