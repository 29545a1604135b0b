package ui

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// glyphs is a set of characters, one cell each, that tell without colour what
// colour tells too.
type glyphs struct {
	ellipsis, cursor, dot, crumb, live, arrow string

	// the thread of a run line and of the bar to the stuck mark
	threadDone, threadBusy, threadBad, threadRest, threadHalf, threadNone string
	mark                                                                  string

	// the bar in a stage's box: eighths of a cell, then the rest
	eighths                        []string
	barBusy, barBad, barRest       string
	gatePassed, gateOpen, gateSent string
	gateBad, waitRunning           string
	waitComing, waitPassed         string
	// the gate of an approval that is to come
	gateComing string

	rule                             string
	thin, thick                      box
	yes, no, unknown, absent, oldGen string

	mono bool // shapes have to tell what colours would

	words  [engine.WordUnreadable + 1]string
	stages [engine.StageFailed + 1]string
	states [engine.ClusterRemoved + 1]string
}

// box is the frame of a stage: corners, edges.
type box struct{ tl, tr, bl, br, h, v string }

// newGlyphs returns the set for a terminal. mono is for terminals without
// colours: the parts of a thread or a bar then differ in shape.
func newGlyphs(ascii, mono bool) glyphs {
	if ascii {
		return asciiGlyphs()
	}
	g := glyphs{
		ellipsis: "…", cursor: "▌", dot: "·", crumb: "›", live: "●", arrow: "▸",
		threadDone: "━", threadBusy: "━", threadBad: "━", threadRest: "─", threadHalf: "╾", threadNone: "╌", mark: "▌",
		eighths: []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
		barBusy: "█", barBad: "█", barRest: "░",
		gatePassed: "◆", gateOpen: "◇", gateComing: "◇", gateSent: "◈", gateBad: "◈", waitRunning: "◔", waitComing: "○", waitPassed: "●",
		rule: "─",
		thin: box{"╭", "╮", "╰", "╯", "─", "│"}, thick: box{"┏", "┓", "┗", "┛", "━", "┃"},
		yes: "✓", no: "✗", unknown: "…", absent: "·", oldGen: "◌",
		words: [...]string{
			engine.WordUnknown: "◌", engine.WordDeleting: "×", engine.WordInitFailed: "✗", engine.WordPreempted: "⇄",
			engine.WordFailed: "✗", engine.WordDone: "✓", engine.WordNotObserved: "◌", engine.WordPending: "◦",
			engine.WordNotAccepted: "◈", engine.WordStuck: "!", engine.WordStopping: "▪", engine.WordStopped: "■",
			engine.WordApproval: "?", engine.WordWaiting: "◔", engine.WordReady: "·", engine.WordRunning: "▸", engine.WordNoRun: "-", engine.WordUnreadable: "✗",
		},
		stages: [...]string{
			engine.StageComing: "", engine.StageUpdating: "▸", engine.StageGate: "◇", engine.StageStuck: "!",
			engine.StageStopping: "▪", engine.StageStopped: "■", engine.StageDone: "✓", engine.StageSkipped: "–", engine.StageFailed: "✗",
		},
		states: [...]string{
			engine.ClusterComing: "·", engine.ClusterUpdating: "▸", engine.ClusterSlow: "▸", engine.ClusterStuck: "!",
			engine.ClusterTaken: "⇄", engine.ClusterFailed: "✗", engine.ClusterDone: "✓", engine.ClusterRemoving: "▸", engine.ClusterRemoved: "✓",
		},
	}
	if g.mono = mono; mono {
		g.threadBusy, g.threadBad, g.barBusy, g.barBad = "╍", "×", "▒", "×"
	}
	return g
}

// keyName is a key as it is shown: arrows have names where they cannot be drawn.
func (t *theme) keyName(s string) string {
	if !t.ascii {
		return s
	}
	return arrowNames.Replace(s)
}

var arrowNames = strings.NewReplacer("←", "<-", "→", "->", "↑", "up", "↓", "down")

func asciiGlyphs() glyphs {
	return glyphs{
		mono: true, ellipsis: "~", cursor: ">", dot: "-", crumb: ">", live: "*", arrow: ">",
		threadDone: "=", threadBusy: ">", threadBad: "!", threadRest: "-", threadHalf: "-", threadNone: ".", mark: "!",
		eighths: []string{"", " ", " ", " ", " ", "#", "#", "#", "#"},
		barBusy: ">", barBad: "!", barRest: ".",
		gatePassed: "#", gateOpen: "?", gateComing: "?", gateSent: "#", gateBad: "!", waitRunning: "~", waitComing: "~", waitPassed: "#",
		rule: "-",
		thin: box{"+", "+", "+", "+", "-", "|"}, thick: box{"#", "#", "#", "#", "=", "#"},
		yes: "+", no: "x", unknown: "?", absent: ".", oldGen: "o",
		words: [...]string{
			engine.WordUnknown: ".", engine.WordDeleting: "x", engine.WordInitFailed: "x", engine.WordPreempted: "x",
			engine.WordFailed: "x", engine.WordDone: "+", engine.WordNotObserved: ".", engine.WordPending: ".",
			engine.WordNotAccepted: "!", engine.WordStuck: "!", engine.WordStopping: "=", engine.WordStopped: "=",
			engine.WordApproval: "?", engine.WordWaiting: "~", engine.WordReady: ".", engine.WordRunning: ">", engine.WordNoRun: "-", engine.WordUnreadable: "x",
		},
		stages: [...]string{
			engine.StageComing: "", engine.StageUpdating: ">", engine.StageGate: "?", engine.StageStuck: "!",
			engine.StageStopping: "=", engine.StageStopped: "=", engine.StageDone: "+", engine.StageSkipped: "-", engine.StageFailed: "x",
		},
		states: [...]string{
			engine.ClusterComing: ".", engine.ClusterUpdating: ">", engine.ClusterSlow: ">", engine.ClusterStuck: "!",
			engine.ClusterTaken: "x", engine.ClusterFailed: "x", engine.ClusterDone: "+", engine.ClusterRemoving: ">", engine.ClusterRemoved: "+",
		},
	}
}

// wordInk returns the ink of a run's word.
func wordInk(w engine.Word) ink {
	switch w {
	case engine.WordStuck, engine.WordNotAccepted, engine.WordPreempted, engine.WordFailed, engine.WordInitFailed:
		return inkBad
	case engine.WordApproval:
		return inkAsk
	case engine.WordWaiting, engine.WordNotObserved, engine.WordStopping, engine.WordUnreadable:
		return inkWait
	case engine.WordRunning:
		return inkBusy
	case engine.WordDone:
		return inkDone
	}
	return inkSub
}

// stageInk returns the ink of a stage's state.
func stageInk(s engine.StageState) ink {
	switch s {
	case engine.StageUpdating:
		return inkBusy
	case engine.StageGate:
		return inkAsk
	case engine.StageStuck, engine.StageFailed:
		return inkBad
	case engine.StageStopping:
		return inkWait
	case engine.StageDone:
		return inkDone
	}
	return inkFaint
}

// clusterInk returns the ink of a cluster's state.
func clusterInk(s engine.ClusterState) ink {
	switch s {
	case engine.ClusterUpdating, engine.ClusterRemoving:
		return inkBusy
	case engine.ClusterSlow:
		return inkWait
	case engine.ClusterStuck, engine.ClusterTaken, engine.ClusterFailed:
		return inkBad
	case engine.ClusterDone, engine.ClusterRemoved:
		return inkDone
	}
	return inkFaint
}

// gateMark returns glyph and ink of a gate.
func (g *glyphs) gateMark(v engine.GateView) (string, ink) {
	switch v.State {
	case engine.GatePassed:
		if v.Timed {
			return g.waitPassed, inkDone
		}
		return g.gatePassed, inkDone
	case engine.GateOpen:
		if v.Timed {
			return g.waitComing, inkWait
		}
		return g.gateOpen, inkAsk | bold
	case engine.GateNotAccepted:
		return g.gateBad, inkBad | bold
	case engine.GateSent:
		return g.gateSent, inkBusy
	case engine.GateRunning:
		return g.waitRunning, inkWait
	}
	if v.Timed {
		return g.waitComing, inkFaint
	}
	return g.gateComing, inkFaint
}
