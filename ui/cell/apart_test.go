package cell

import (
	"maps"
	"testing"

	"github.com/stagewatch/stagewatch/ui/theme"
)

// TestApart: cut names of a column differ, wherever the names do; the others are cut in the middle.
func TestApart(t *testing.T) {
	th := theme.New(true, false, false)
	for _, tt := range []struct {
		n    int
		want map[string]string
	}{
		{14, map[string]string{"approval-after-stage": "appr…ter-stage", "approval-before-stage": "appr…ore-stage", "competing-and-more-runs": "competi…e-runs"}},
		{8, map[string]string{"team-a-payments": "team…nts", "team-a-checkout": "team…out"}},
		{10, map[string]string{"weu-prod-1-in-the-west": "weu-p…west", "weu-test-1-in-the-west": "weu-t…west"}},
		{7, map[string]string{"cluster-10": "cl…r-10", "cluster-11": "cl…r-11"}},
		{9, map[string]string{"aaaaaaaa1bbbbbbbb": "aaaa…bbbb", "aaaaaaaa2bbbbbbbb": "aaaa…bbbb"}},
		{1, map[string]string{"ab": "…", "ac": "…"}},
		{0, map[string]string{"ab": "", "ac": ""}},
	} {
		var names []string
		for name := range tt.want {
			names = append(names, name, "short", name)
		}
		got := Apart(th, names, tt.n)
		delete(got, "short")
		if !maps.Equal(got, tt.want) {
			t.Errorf("%d cells: %q, want %q", tt.n, got, tt.want)
		}
		for _, cut := range got {
			if Width(cut) > tt.n {
				t.Errorf("%d cells: %q is wider", tt.n, cut)
			}
		}
	}
}
