package history

import (
	"os"
	"testing"

	"github.com/stagewatch/stagewatch/watch"
)

func TestMain(m *testing.M) {
	watch.Quiet(nil)
	os.Exit(m.Run())
}
