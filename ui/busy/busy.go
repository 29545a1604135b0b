// Package busy is the spinner of Bubbles, which turns while something loads for longer
// than a moment.
package busy

import (
	"time"

	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"
)

// rest is the time between two frames.
const rest = 250 * time.Millisecond

// Spinner turns while something loads. The zero Spinner stands still.
type Spinner struct {
	spinner spinner.Model
	n       int // grows while nothing loads: it tells one load from the next
	ticked  int // n at the last tick of the clock at which something loaded
	frame   string
}

// Frame is what is drawn; empty while it stands still.
func (s *Spinner) Frame() string { return s.frame }

// Note takes note after each message whether something loads.
func (s *Spinner) Note(loading bool) {
	if !loading {
		s.n++
	}
}

// Tick starts the spinner at a tick of the clock when the same load lasts since the
// tick before: what loads within a moment does not flicker.
func (s *Spinner) Tick(loading bool, frames []string) tea.Cmd {
	if !loading || s.frame != "" {
		return nil
	}
	if before := s.ticked; before != s.n {
		s.ticked = s.n
		return nil
	}
	s.spinner = spinner.New(spinner.WithSpinner(spinner.Spinner{Frames: frames, FPS: rest}))
	s.frame = s.spinner.View()
	return s.spinner.Tick
}

// Turn shows the next frame while something loads, and ends after.
func (s *Spinner) Turn(msg spinner.TickMsg, loading bool) tea.Cmd {
	if !loading {
		s.frame = ""
		return nil
	}
	var cmd tea.Cmd
	s.spinner, cmd = s.spinner.Update(msg)
	s.frame = s.spinner.View()
	return cmd
}
