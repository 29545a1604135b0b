package memory

import (
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/internal/intern"
)

// TestLongTextsCount checks that a text which is too long to be shared counts each time it comes:
// at its address may have been one that is gone.
func TestLongTextsCount(t *testing.T) {
	id := engine.NewID(engine.KindClusterStagedUpdateRun, "", "web", "u")
	for size, shared := range map[int]bool{intern.Longest: true, intern.Longest + 1: false} {
		var s Scale
		text := &struct{ Text string }{strings.Repeat("a", size)}
		first, second := s.Weigh(id, text, 0), s.Weigh(id, text, 0)
		if less := first - second; (less == int64(size)) != shared || less != 0 && !shared {
			t.Errorf("%d bytes weigh %d, and %d the second time", size, first, second)
		}
	}
}
