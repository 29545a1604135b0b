package act

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// TestNoAnswer says once that no answer came.
func TestNoAnswer(t *testing.T) {
	for why, want := range map[string]string{
		"no answer in time":         "no answer in time",
		"the connection was closed": "no answer (the connection was closed)",
	} {
		if got := noAnswer(engine.Clean(why)); got.String() != want {
			t.Errorf("%s: %s, want %s", why, got, want)
		}
	}
}
