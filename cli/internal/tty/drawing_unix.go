//go:build unix

package tty

import (
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"github.com/stagewatch/stagewatch/cli/internal/frames"
)

// drawing makes the drawer, and returns the options of a program that does not draw. It does
// not get the terminal itself, of which it would use the full size. What it would write is
// for the drawer, so that its clock ticks as seldom as it can.
func (p *Program) drawing() []tea.ProgramOption {
	size, _ := p.size().(tea.WindowSizeMsg)
	profile := colorprofile.Detect(p.Out, p.Env)
	p.drawer = frames.New(p.out, p.Env, size, profile)
	return []tea.ProgramOption{
		tea.WithoutRenderer(), tea.WithFPS(1), tea.WithOutput(p.out),
		tea.WithWindowSize(size.Width, size.Height), tea.WithColorProfile(profile),
	}
}

// beginDrawing takes the terminal and draws until end is called.
func (p *Program) beginDrawing() (end func(), err error) {
	if err := p.take(); err != nil {
		return nil, err
	}
	var drawing sync.WaitGroup
	stop := make(chan struct{})
	drawing.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				p.panicked(v)
			}
		}()
		p.drawer.Run(stop)
	})
	return func() {
		close(stop)
		drawing.Wait()
		p.leave()
	}, nil
}

// take takes the terminal for the screen.
func (p *Program) take() error {
	if _, err := term.MakeRaw(p.In.Fd()); err != nil {
		return err
	}
	p.drawer.Take()
	return nil
}

// leave gives the terminal back as it was before the screen.
func (p *Program) leave() {
	p.drawer.Release()
	//nolint:errcheck // a terminal that is gone needs no modes
	term.Restore(p.In.Fd(), p.guard.state)
}
