package ui

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

func TestWhatTheRunChanges(t *testing.T) {
	for _, tt := range []struct {
		name     string
		index    string
		has      string // the snapshot of a cluster that the run has not come to
		from, to int
		nothing  bool
	}{
		{name: "against what a cluster has", index: "7", has: "4", from: 4, to: 7},
		{name: "against the one before", index: "7", from: 6, to: 7},
		{name: "clusters have it already", index: "7", has: "7", from: 6, to: 7},
		{name: "the first one", index: "0", nothing: true},
		{name: "none yet", index: "", nothing: true},
		{name: "no number", index: "seven", nothing: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, f := start(t, 120, 40, sample())
			f.reply = samplePage
			v := *m.runs.current()
			v.Index = txt("%s", tt.index)
			snap := *m.snap
			snap.Runs = []*engine.RunView{&v}
			snap.Detail = &engine.Detail{Run: &v, Clusters: [][]engine.ClusterView{{
				{Name: txt("done"), Bound: true, State: engine.ClusterDone, Index: txt("1")},
				{Name: txt("unbound"), State: engine.ClusterComing, Index: txt("2")},
				{Name: txt("next"), Bound: true, State: engine.ClusterComing, Index: txt("%s", tt.has)},
			}}}
			m.Update(nextMsg{snap: &snap})
			cmd := press(m, "g", "=")
			if tt.nothing {
				if m.sheet() != nil {
					t.Fatalf("asks %v", m.sheet().question)
				}
				shows(t, m, "Nothing to compare")
				return
			}
			told(m, cmd)
			q := m.sheet().question
			if q.Kind != engine.QuestionSnapshots || q.From != tt.from || q.To != tt.to || q.About != v.Placement {
				t.Errorf("asks %+v", q)
			}
		})
	}
}
