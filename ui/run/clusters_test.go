package run

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
)

// Where the reason of a cluster is longer than its column, the reason proper
// stands first; what the pods say comes before both.
func TestReasonOfAClusterInItsColumn(t *testing.T) {
	s := situation.Snapshot()
	p := opened(t, s, 160, 45)
	c := &s.Detail.Clusters[0][0]
	c.Why = situation.Text("Deployment test-namespace/nginx-deployment is not Available (ManifestNotAvailableYet)")
	if got := p.clusterWhy(c, 200).String(); got != c.Why.String() {
		t.Errorf("with room: %q", got)
	}
	if got := p.clusterWhy(c, 40).String(); got != "ManifestNotAvailableYet: Deployment test-namespace/nginx-deployment" {
		t.Errorf("without: %q", got)
	}
	c.Diagnosis.Read.Says = situation.Text("3 of 3 pods InvalidImageName")
	if got := p.clusterWhy(c, 40).String(); got != "3 of 3 pods InvalidImageName" {
		t.Errorf("with its pods: %q", got)
	}
}

// A pane beside the list has room for all conditions, and from the width that it has in a
// terminal of 200 columns, for the time in the state, too. No head is cut.
func TestANarrowPaneKeepsTheLastCondition(t *testing.T) {
	for w := 56; w <= 80; w++ {
		p := opened(t, situation.Snapshot(), w, 45)
		p.widest, p.widestOfAll = 12, 12
		head := ansi.Strip(p.clustersHead(p.fit()))
		if !strings.Contains(head, " AVAIL") || strings.Contains(head, "…") {
			t.Errorf("%d cells: %s", w, head)
		}
		if w >= 58 && !strings.Contains(head, "TIME") && !strings.Contains(head, "IN STATE") {
			t.Errorf("%d cells have room for the time: %s", w, head)
		}
	}
}

// TestALongNameLeavesTheTimeItsRoom checks that in the pane of a terminal of 200 columns clusters
// with names of 12 to 14 cells, which is as long as they get there, have the time in their state,
// unless a state needs all of its column.
func TestALongNameLeavesTheTimeItsRoom(t *testing.T) {
	for name := 12; name <= 20; name++ {
		s := situation.Snapshot()
		p := opened(t, s, 58, 45)
		p.widest, p.widestOfAll = name, name
		head := ansi.Strip(p.clustersHead(p.fit()))
		if !strings.Contains(head, " TIME ") || !strings.Contains(head, " AVAIL") {
			t.Errorf("names of %d cells: %s", name, head)
		}
		if row := ansi.Strip(p.clusterRow(p.rows[0], p.fit(), false)); strings.Contains(row, "…") {
			t.Errorf("names of %d cells: %s", name, row)
		}
	}
	s := situation.Snapshot()
	p := opened(t, s, 58, 45)
	s.Detail.Clusters[0][1].State = engine.ClusterPreempted
	p.listed = listed{}
	p.listClusters()
	p.widest, p.widestOfAll = 14, 14
	if row := ansi.Strip(p.clusterRow(&s.Detail.Clusters[0][1], p.fit(), false)); !strings.Contains(row, " PREEMPTED ") {
		t.Errorf("the state is cut: %s", row)
	}
}
