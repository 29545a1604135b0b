package run

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
)

// TestTheDividerDropsWholeParts checks that no part of the line above the conditions is cut: what
// is well known is dropped first, and what fails last.
func TestTheDividerDropsWholeParts(t *testing.T) {
	divider := func(w int, edit func(*engine.ClusterView)) string {
		s := situation.Snapshot()
		p := opened(t, s, w, 45)
		c := p.Cluster()
		c.Bound, c.Index, c.Drifted = true, p.view.Index, 2
		if edit != nil {
			edit(c)
		}
		return strings.TrimRight(ansi.Strip(p.cardDivider()), " ─")
	}
	full := divider(160, nil)
	parts := strings.Split(full, "  ")
	if len(parts) != 4 || parts[1] != "binding at snapshot 0" || !strings.HasSuffix(parts[2], "failing") || parts[3] != "2 drifted" {
		t.Fatalf("the whole line is %q", parts)
	}
	whole := map[string]bool{}
	for _, x := range parts {
		whole[x] = true
	}
	for w := 48; w < 160; w++ {
		got := divider(w, nil)
		for _, x := range strings.Split(got, "  ") {
			if !whole[x] {
				t.Errorf("%d cells: %q has a part of %q", w, got, full)
			}
		}
		if !strings.Contains(got, parts[2]) {
			t.Errorf("%d cells: %q does not say what fails", w, got)
		}
	}
	if got := divider(58, nil); strings.Contains(got, "binding") {
		t.Errorf("the snapshot of the run is shown before what drifted: %q", got)
	}
	other := func(c *engine.ClusterView) { c.Index = situation.Text("9") }
	if got := divider(90, other); !strings.Contains(got, "binding at snapshot 9 (this run: 0)") {
		t.Errorf("another snapshot than that of the run is not shown: %q", got)
	}
	taken := func(c *engine.ClusterView) { c.PreemptedBy = situation.RunID("", "nginx-r12") }
	if got := divider(60, taken); !strings.Contains(got, "preempted by ") || strings.Contains(got, "…") {
		t.Errorf("preempted: %q", got)
	}
}

// The divider shows the filter of the clusters, and that only problems are listed.
func TestTheDividerShowsWhatIsListed(t *testing.T) {
	p := opened(t, situation.Snapshot(), 120, 45)
	divider := func() string { return ansi.Strip(p.cardDivider()) }
	if got := divider(); strings.Contains(got, "filter") || strings.Contains(got, "only problems") {
		t.Errorf("all clusters are listed: %q", got)
	}
	p.SetFilter("member")
	if got := divider(); !strings.Contains(got, " filter member ") || strings.Contains(got, "only problems") {
		t.Errorf("a filter: %q", got)
	}
	p.SetFilter("")
	p.problems = true
	if got := divider(); strings.Contains(got, "filter") || !strings.Contains(got, " only problems ") {
		t.Errorf("only problems: %q", got)
	}
	p.SetFilter("nothing-of-that-name")
	if got := p.noClusters().String(); !strings.HasPrefix(got, "no matches among ") || !strings.HasSuffix(got, " clusters") {
		t.Errorf("no cluster matches: %q", got)
	}
}
