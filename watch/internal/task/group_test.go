package task

import "testing"

// A panic must reach the one who can put the terminal back.
func TestPanicsAreHandedOver(t *testing.T) {
	var got any
	g := Group{Panicked: func(v any) { got = v }}
	g.Go(func() { panic("trouble") })
	g.Wait()
	if got != "trouble" {
		t.Errorf("got %v", got)
	}
}
