package history

import (
	"os"
	"testing"

	"github.com/stagewatch/stagewatch/watch"
)

func TestMain(m *testing.M) {
	watch.Quiet(nil)
	if hub := os.Getenv(floodedHub); hub != "" {
		os.Exit(watchFlood(hub))
	}
	os.Exit(m.Run())
}
