// Package stack is the navigation stack: what was opened over the list of runs, and the
// line that names the way to what is on top. Navigation follows what was opened, never
// where it stood.
package stack

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/page"
	"github.com/stagewatch/stagewatch/ui/run"
)

// Most is how many levels a stack holds; beyond that the lowest one is dropped.
const Most = 24

// Level is one entry of the navigation stack above the list of runs: an opened
// run or a page, with its own cursor and scroll. Exactly one of both is set.
type Level struct {
	Run   *run.Pane
	Sheet *page.Page
}

// About returns the object without which the level has nothing to show.
func (l *Level) About() engine.ID {
	if l.Run != nil {
		return l.Run.ID()
	}
	if l.Sheet.Subject().Run.IsZero() {
		return l.Sheet.Subject().Placement
	}
	return l.Sheet.Subject().Run
}

// Stack holds what was opened over the list, the top last. It is a value: a stack that
// was kept stays as it was.
type Stack []Level

// Push returns the stack with a level on top. It covers the page that was there, unless that
// is the one of the level.
func (s Stack) Push(l Level) Stack {
	if s.Sheet() != l.Sheet {
		s.Covered()
	}
	if len(s) == Most {
		s = s[1:]
	}
	return append(s[:len(s):len(s)], l)
}

// Covered returns the stack after something else took the place of its top.
func (s Stack) Covered() Stack {
	if p := s.Sheet(); p != nil {
		p.Cover()
	}
	return s
}

// Sheet returns the page on top, nil when there is none.
func (s Stack) Sheet() *page.Page {
	if n := len(s); n > 0 {
		return s[n-1].Sheet
	}
	return nil
}

// Run returns the opened run that is nearest to the top, nil when there is none.
func (s Stack) Run() *run.Pane {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].Run != nil {
			return s[i].Run
		}
	}
	return nil
}

// Sheets returns the pages above the run or list that they were opened from.
func (s Stack) Sheets() Stack {
	i := len(s)
	for i > 0 && s[i-1].Sheet != nil {
		i--
	}
	return s[i:]
}
