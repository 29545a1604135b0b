package engine

import "testing"

// What is unknown stands in parentheses in places: it has none of its own.
func TestOrUnknown(t *testing.T) {
	if got := Textf("run r2 (state %s)", OrUnknown(Text{})).String(); got != "run r2 (state unknown)" {
		t.Errorf("%q", got)
	}
}
