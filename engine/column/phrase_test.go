package column

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// TestEveryStateHasAPhrase fails for a state that no sentence can have.
func TestEveryStateHasAPhrase(t *testing.T) {
	for w := engine.WordUnknown; w == engine.WordUnknown || w.String() != engine.WordUnknown.String(); w++ {
		if int(w) >= len(phrases) || phrases[w] == "" {
			t.Errorf("%s has no phrase", w)
		}
	}
}
