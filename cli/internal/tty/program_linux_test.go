package tty

import (
	"os"
	"testing"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// TestALateSizeIsNotTheTerminals checks that a size that comes after a newer one, as the first
// of Bubble Tea's may, does not take its place.
func TestALateSizeIsNotTheTerminals(t *testing.T) {
	_, terminal := pseudoterminal(t)
	p := &Program{Out: terminal}
	for _, c := range []struct{ columns, rows, width, height int }{
		{columns: 100, rows: 30, width: 100, height: 30},
		{columns: 65535, rows: 65535, width: mostColumns, height: mostRows},
	} {
		size := &unix.Winsize{Col: uint16(c.columns), Row: uint16(c.rows)}
		if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, size); err != nil {
			t.Fatal(err)
		}
		want := tea.WindowSizeMsg{Width: c.width, Height: c.height}
		if got := p.filter(nil, tea.WindowSizeMsg{Width: 120, Height: 40}); got != want {
			t.Errorf("with %d columns and %d rows: %v, want %v", c.columns, c.rows, got, want)
		}
	}
}

// TestASizeThatCannotBeRead checks that a screen on something that has no size, such as
// a file, takes the one it is told.
func TestASizeThatCannotBeRead(t *testing.T) {
	nowhere, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer nowhere.Close()
	p := &Program{Out: nowhere}
	if got, want := p.filter(nil, tea.WindowSizeMsg{Width: 5000, Height: 40}), (tea.WindowSizeMsg{Width: mostColumns, Height: 40}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
