//go:build !unix

package tty

import tea "charm.land/bubbletea/v2"

// framesPerSecond is enough for eyes and halves what a screen costs.
const framesPerSecond = 30

// drawing returns the options of a program that draws itself: it knows the consoles of this
// system.
func (p *Program) drawing() []tea.ProgramOption {
	return []tea.ProgramOption{tea.WithOutput(p.Out), tea.WithFPS(framesPerSecond)}
}

func (p *Program) beginDrawing() (end func(), err error) { return func() {}, nil }
