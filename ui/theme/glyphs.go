package theme

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// Glyphs is a set of characters, one cell each, that carry the
// meaning of a colour without it.
type Glyphs struct {
	Ellipsis, Cursor, Dot, Crumb, Live, Arrow string
	Up, Down                                  string // the direction of an order

	// the stage line of a run and the bar to the stuck threshold
	LineDone, LineBusy, LineBad, LineRest, LineHalf, LineNone string
	Mark                                                      string

	// the bar in a stage's box: eighths of a cell, then the rest
	Eighths                        []string
	BarBusy, BarBad, BarRest       string
	GatePassed, GateOpen, gateSent string
	GateBad, WaitRunning           string
	WaitComing, waitPassed         string
	// the gate of an approval that is to come
	gateComing string

	Rule                             string
	Thin, Thick                      box
	Yes, No, Unknown, Absent, OldGen string

	Spinner []string // turns while something loads

	Mono bool // shapes carry what colours would

	Words  [engine.WordUnreadable + 1]string
	Stages [engine.StageFailed + 1]string
	States [engine.ClusterDeleted + 1]string
}

// box is the frame of a stage: corners, edges.
type box struct{ Tl, Tr, Bl, Br, H, V string }

// newGlyphs returns the set for a terminal. The parts of a stage line differ in shape,
// since not everybody tells their colours apart; mono is for terminals without colours,
// where those of a bar do, too.
func newGlyphs(ascii, mono bool) Glyphs {
	if ascii {
		return asciiGlyphs()
	}
	g := Glyphs{
		Ellipsis: "…", Cursor: "▌", Dot: "·", Crumb: "›", Live: "●", Arrow: "▸", Up: "▴", Down: "▾",
		LineDone: "━", LineBusy: "╍", LineBad: "×", LineRest: "─", LineHalf: "╾", LineNone: "╌", Mark: "▌",
		Eighths: []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
		BarBusy: "█", BarBad: "█", BarRest: "░",
		GatePassed: "◆", GateOpen: "◇", gateComing: "◇", gateSent: "◈", GateBad: "◈", WaitRunning: "◔", WaitComing: "○", waitPassed: "●",
		Rule: "─", Spinner: []string{"◐", "◓", "◑", "◒"},
		Thin: box{"╭", "╮", "╰", "╯", "─", "│"}, Thick: box{"┏", "┓", "┗", "┛", "━", "┃"},
		Yes: "✓", No: "✗", Unknown: "…", Absent: "·", OldGen: "◌",
		Words: [...]string{
			engine.WordUnknown: "◌", engine.WordDeleting: "×", engine.WordInitFailed: "✗", engine.WordPreempted: "⇄",
			engine.WordFailed: "✗", engine.WordDone: "✓", engine.WordNotObserved: "◌", engine.WordPending: "◦",
			engine.WordNotAccepted: "◈", engine.WordStuck: "!", engine.WordStopping: "▪", engine.WordStopped: "■",
			engine.WordApproval: "?", engine.WordWaiting: "◔", engine.WordReady: "·", engine.WordRunning: "▸", engine.WordNoRun: "-", engine.WordUnreadable: "✗",
		},
		Stages: [...]string{
			engine.StageComing: "", engine.StageUpdating: "▸", engine.StageGate: "◇", engine.StageStuck: "!",
			engine.StageStopping: "▪", engine.StageStopped: "■", engine.StageDone: "✓", engine.StageSkipped: "–", engine.StageFailed: "✗",
		},
		States: [...]string{
			engine.ClusterComing: "·", engine.ClusterUpdating: "▸", engine.ClusterSlow: "▸", engine.ClusterStuck: "!",
			engine.ClusterPreempted: "⇄", engine.ClusterFailed: "✗", engine.ClusterDone: "✓", engine.ClusterDeleting: "▸", engine.ClusterDeleted: "✓",
		},
	}
	if g.Mono = mono; mono {
		g.BarBusy, g.BarBad = "▒", "×"
	}
	return g
}

// KeyName is a key as it is shown: arrows have names where they cannot be drawn.
func (t *Theme) KeyName(s string) string {
	if !t.ASCII {
		return s
	}
	return arrowNames.Replace(s)
}

var arrowNames = strings.NewReplacer("←", "<-", "→", "->", "↑", "up", "↓", "down")

func asciiGlyphs() Glyphs {
	return Glyphs{
		Mono: true, Ellipsis: "~", Cursor: ">", Dot: "-", Crumb: ">", Live: "*", Arrow: ">", Up: "^", Down: "v",
		LineDone: "=", LineBusy: ">", LineBad: "!", LineRest: "-", LineHalf: "-", LineNone: ".", Mark: "!",
		Eighths: []string{"", " ", " ", " ", " ", "#", "#", "#", "#"},
		BarBusy: ">", BarBad: "!", BarRest: ".",
		GatePassed: "#", GateOpen: "?", gateComing: "?", gateSent: "#", GateBad: "!", WaitRunning: "~", WaitComing: "~", waitPassed: "#",
		Rule: "-", Spinner: []string{"|", "/", "-", "\\"},
		Thin: box{"+", "+", "+", "+", "-", "|"}, Thick: box{"#", "#", "#", "#", "=", "#"},
		Yes: "+", No: "x", Unknown: "?", Absent: ".", OldGen: "o",
		Words: [...]string{
			engine.WordUnknown: ".", engine.WordDeleting: "x", engine.WordInitFailed: "x", engine.WordPreempted: "x",
			engine.WordFailed: "x", engine.WordDone: "+", engine.WordNotObserved: ".", engine.WordPending: ".",
			engine.WordNotAccepted: "!", engine.WordStuck: "!", engine.WordStopping: "=", engine.WordStopped: "=",
			engine.WordApproval: "?", engine.WordWaiting: "~", engine.WordReady: ".", engine.WordRunning: ">", engine.WordNoRun: "-", engine.WordUnreadable: "x",
		},
		Stages: [...]string{
			engine.StageComing: "", engine.StageUpdating: ">", engine.StageGate: "?", engine.StageStuck: "!",
			engine.StageStopping: "=", engine.StageStopped: "=", engine.StageDone: "+", engine.StageSkipped: "-", engine.StageFailed: "x",
		},
		States: [...]string{
			engine.ClusterComing: ".", engine.ClusterUpdating: ">", engine.ClusterSlow: ">", engine.ClusterStuck: "!",
			engine.ClusterPreempted: "x", engine.ClusterFailed: "x", engine.ClusterDone: "+", engine.ClusterDeleting: ">", engine.ClusterDeleted: "+",
		},
	}
}

// OfWord returns the style of a run's state.
func OfWord(w engine.Word) Style {
	switch w {
	case engine.WordStuck, engine.WordNotAccepted, engine.WordPreempted, engine.WordFailed, engine.WordInitFailed:
		return Bad
	case engine.WordApproval:
		return Ask
	case engine.WordWaiting, engine.WordNotObserved, engine.WordStopping, engine.WordUnreadable:
		return Wait
	case engine.WordRunning:
		return Busy
	case engine.WordDone:
		return Done
	}
	return Sub
}

// OfStage returns the style of a stage's state.
func OfStage(s engine.StageState) Style {
	switch s {
	case engine.StageUpdating:
		return Busy
	case engine.StageGate:
		return Ask
	case engine.StageStuck, engine.StageFailed:
		return Bad
	case engine.StageStopping:
		return Wait
	case engine.StageDone:
		return Done
	}
	return Faint
}

// OfCluster returns the style of a cluster's state.
func OfCluster(s engine.ClusterState) Style {
	switch s {
	case engine.ClusterUpdating, engine.ClusterDeleting:
		return Busy
	case engine.ClusterSlow:
		return Wait
	case engine.ClusterStuck, engine.ClusterPreempted, engine.ClusterFailed:
		return Bad
	case engine.ClusterDone, engine.ClusterDeleted:
		return Done
	}
	return Faint
}

// GateMark returns glyph and style of a gate.
func (g *Glyphs) GateMark(v engine.GateView) (string, Style) {
	switch v.State {
	case engine.GatePassed:
		if v.Timed {
			return g.waitPassed, Done
		}
		return g.GatePassed, Done
	case engine.GateOpen:
		if v.Timed {
			return g.WaitComing, Wait
		}
		return g.GateOpen, Ask | Bold
	case engine.GateNotAccepted:
		return g.GateBad, Bad | Bold
	case engine.GateSent:
		return g.gateSent, Busy
	case engine.GateRunning:
		return g.WaitRunning, Wait
	}
	if v.Timed {
		return g.WaitComing, Faint
	}
	return g.gateComing, Faint
}

// PageMark returns the glyph of a mark.
func (g *Glyphs) PageMark(k page.Mark) string {
	switch k {
	case page.MarkYes:
		return g.Yes
	case page.MarkNo:
		return g.No
	case page.MarkUnknown:
		return g.Unknown
	case page.MarkAbsent:
		return g.Absent
	case page.MarkOld:
		return g.OldGen
	case page.MarkMine:
		return g.Arrow
	case page.MarkAsk:
		return g.Words[engine.WordApproval]
	case page.MarkAdded:
		return "+"
	case page.MarkGone:
		return "-"
	}
	return " "
}

// OfRole is the style of a role.
func OfRole(r engine.Role) Style {
	switch r {
	case engine.RoleName:
		return Name
	case engine.RoleSub:
		return Sub
	case engine.RoleFaint:
		return Faint
	case engine.RoleGood:
		return Done
	case engine.RoleBusy:
		return Busy
	case engine.RoleBad:
		return Bad
	case engine.RoleAsk:
		return Ask
	case engine.RoleWait:
		return Wait
	}
	return Text
}
