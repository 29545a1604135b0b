//go:build !unix

package tty

import (
	"os"

	tea "charm.land/bubbletea/v2"
)

// screenSignals has none where no shell stops programs.
func screenSignals() []os.Signal { return nil }

func stops(os.Signal) bool     { return false }
func continues(os.Signal) bool { return false }
func resizes(os.Signal) bool   { return false }

func (p *Program) suspend() tea.Msg { return p.CannotSuspend }

func (p *Program) resume() tea.Msg { return nil }
