package fleet

import (
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// All hubs are asked at the same time: the joined answer is of the time of the first, by the clock
// of the hub that is looked at. The clocks of others say nothing.
func TestAJoinedAnswerIsOfTheTimeOfTheFirst(t *testing.T) {
	at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	hubs := []engine.Hub{{}, {}}
	for _, ahead := range []time.Duration{-2 * time.Minute, 2 * time.Minute} {
		if got := Join(page.ApprovalsQuestion{}, hubs, []page.Answer{{At: at}, {At: at.Add(ahead)}}).At; !got.Equal(at) {
			t.Errorf("a hub whose clock differs by %s: %s", ahead, got)
		}
	}
	if got := Join(page.ApprovalsQuestion{}, hubs, []page.Answer{{Err: engine.Lit("no answer")}, {At: at}}).At; !got.Equal(at) {
		t.Errorf("only the second has answered: %s", got)
	}
}
