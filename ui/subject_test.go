package ui

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
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
			v := *m.runs.Current()
			v.Index = txt("%s", tt.index)
			snap := *m.scene.Snap
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
					t.Fatalf("asks %v", m.sheet().Question())
				}
				shows(t, m, "Nothing to compare")
				return
			}
			told(m, cmd)
			want := enginepage.SnapshotsQuestion{Placement: v.Placement, From: tt.from, To: tt.to}
			if q := m.sheet().Question(); q != want {
				t.Errorf("asks %+v, want %+v", q, want)
			}
		})
	}
}

// d is about what holds the run up; only a cluster with trouble of its own has
// a diagnosis of its own, and a placement that no run names has one, too.
func TestWhomADiagnosisIsAbout(t *testing.T) {
	s := sample()
	m, f := start(t, 120, 40, s)
	f.reply = samplePage
	press(m, "enter")
	withDetail(m, s)
	clusters := m.scene.Snap.Detail.Clusters[0]
	for i := range clusters {
		clusters[i].Diagnosis = engine.Diagnosis{What: txt("Something.")}
	}
	clusters[1].State = engine.ClusterStuck
	for i, want := range []engine.ID{{}, clusters[1].Member, {}} {
		told(m, press(m, "d"))
		if q := m.sheet().Question(); q != (enginepage.DiagnosisQuestion{Run: id("", "example-run"), Member: want}) {
			t.Errorf("row %d: asks %+v, want member %v", i, q, want.Title())
		}
		press(m, "esc", "j")
	}

	m, f = start(t, 120, 40, sample())
	f.reply = samplePage
	m.runs.Pick(find(s, "billing").ID)
	m.arrange()
	press(m, "t")
	shows(t, m, "Placement billing has no run yet")
	press(m, "m")
	shows(t, m, "o and p list the clusters of the placement")
	told(m, press(m, "d"))
	if q := m.sheet().Question(); q != (enginepage.DiagnosisQuestion{Run: find(s, "billing").ID}) {
		t.Errorf("without a run d asks %+v", q)
	}
}

// No key is without an answer: not the key of the page that is open, nor enter
// on a row behind which there is nothing.
func TestKeysThatLeadNowhereSaySo(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	f.reply = samplePage
	told(m, press(m, "p"))
	press(m, "p")
	shows(t, m, "This page is already open")
	press(m, "j", "enter")
	if m.sheet() == nil {
		t.Fatal("enter left the page")
	}
	shows(t, m, "This row opens nothing")
}

// What a run that has ended did not come to is not to come.
func TestClustersThatARunNeverCameTo(t *testing.T) {
	s := sample()
	m, _ := start(t, 120, 40, s)
	m.runs.Pick(find(s, "nginx-r12").ID)
	m.arrange()
	press(m, "enter")
	withDetail(m, s)
	if !m.run.Run().Terminal {
		t.Fatal("the sample has changed")
	}
	shows(t, m, "not started")
	m.run.Run().Terminal = false
	shows(t, m, "pending")
}
