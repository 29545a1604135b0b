package subject

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

func TestCountOf(t *testing.T) {
	for _, tt := range []struct {
		n, total int
		want     string
	}{
		{1, 3, "1 of 3 clusters is"},
		{2, 3, "2 of 3 clusters are"},
		{3, 3, "all 3 clusters are"},
		{2, 2, "both clusters are"},
		{1, 1, "the only cluster is"},
	} {
		if got := engine.Textf("%s %s", CountOf(tt.n, tt.total), Agree(tt.n, "is", "are")).String(); got != tt.want {
			t.Errorf("%d of %d: %q, want %q", tt.n, tt.total, got, tt.want)
		}
	}
}
