//go:build unix

package tty

import (
	"os"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
)

// TestAScreenThatIsNotDrawnIsTakenAgain checks that a screen which the drawing library does
// not draw after it was continued takes the terminal once more, and one that it draws does
// not.
func TestAScreenThatIsNotDrawnIsTakenAgain(t *testing.T) {
	for name, draws := range map[string]bool{"drawn": true, "not drawn": false} {
		t.Run(name, func(t *testing.T) {
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer null.Close()
			synctest.Test(t, func(t *testing.T) {
				p := &Program{out: &output{file: null}}
				cmds := p.redrawn()
				if draws {
					if _, err := p.out.Write([]byte("frame")); err != nil {
						t.Fatal(err)
					}
				}
				var again []tea.Msg
				for _, cmd := range cmds[1:] { // the first reads the size of a terminal
					if msg, ok := cmd().(continuedMsg); ok {
						again = append(again, msg)
					}
				}
				if (len(again) == 1) == draws {
					t.Errorf("taken again %d times", len(again))
				}
			})
		})
	}
}
