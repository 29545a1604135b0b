package ui

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// many returns a snapshot with n runs.
func many(n int) *engine.Snapshot {
	s := sample()
	base := s.Runs
	s.Runs = nil
	for i := range n {
		v := *base[i%len(base)]
		v.ID = id("ns", txt("%s-%d", v.ID.Name(), i).String())
		s.Runs = append(s.Runs, &v)
	}
	count(s)
	return s
}

// BenchmarkView draws a warm list of 1,000 runs at 120x40.
func BenchmarkView(b *testing.B) {
	m, _ := start(b, 120, 40, many(1000))
	m.View()
	for b.Loop() {
		m.View()
	}
}

// BenchmarkSnapshot takes in a snapshot in which no run changed, and draws it.
func BenchmarkSnapshot(b *testing.B) {
	s := many(1000)
	m, _ := start(b, 120, 40, s)
	for b.Loop() {
		next := *s
		m.Update(nextMsg{snap: &next})
		m.View()
	}
}

// BenchmarkRun draws an opened run with 1,000 clusters in a stage.
func BenchmarkRun(b *testing.B) {
	s := sample()
	v := *find(s, "cert-mgr-r9")
	v.Stages[2].Total, v.Stages[2].Done = 1000, 400
	s.Runs = []*engine.RunView{&v}
	s.Detail = detail(s, &v)
	m, _ := start(b, 120, 40, s)
	press(m, "enter")
	for b.Loop() {
		m.View()
	}
}

// BenchmarkDialog draws a dialog over the list.
func BenchmarkDialog(b *testing.B) {
	m, _ := start(b, 120, 40, sample())
	press(m, "S")
	for b.Loop() {
		m.View()
	}
}
