package ui

import (
	"slices"
	"strings"
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

// BenchmarkLongList presses keys on a list of 5,000 runs, filters it and sorts it, each with
// the frame that follows.
func BenchmarkLongList(b *testing.B) {
	benchKeys(b, many(5000), "down and up:j k", "last and first:G g", "filter:/ w e b enter esc", "sort:s down enter", "only problems:z z")
}

// BenchmarkManyClusters does so on an opened run of 100,000 clusters.
func BenchmarkManyClusters(b *testing.B) {
	benchKeys(b, manyClusters(100_000), "down and up:j k", "last and first:G g", "filter:/ 9 9 enter esc", "only problems:z z")
}

// benchKeys measures the keys after the name of each case, from a fresh screen whose first run
// is opened if the snapshot has a detail. The figure is that of all its keys.
func benchKeys(b *testing.B, s *engine.Snapshot, cases ...string) {
	b.Helper()
	for _, c := range cases {
		name, keys, _ := strings.Cut(c, ":")
		b.Run(name, func(b *testing.B) {
			m, _ := start(b, 120, 40, s)
			if s.Detail != nil {
				press(m, "enter")
			}
			m.View()
			b.ReportAllocs()
			for b.Loop() {
				for _, k := range strings.Fields(keys) {
					press(m, k)
					m.View()
				}
			}
		})
	}
}

// manyClusters returns a snapshot with one run of n clusters, opened.
func manyClusters(n int) *engine.Snapshot {
	s := sample()
	v := *find(s, "cert-mgr-r9")
	s.Runs = []*engine.RunView{&v}
	s.Detail = detail(s, &v)
	stage := v.At
	one := s.Detail.Clusters[stage][0]
	list := make([]engine.ClusterView, n)
	for i := range list {
		list[i] = one
		list[i].Name = txt("member-%06d", i)
		list[i].Member = one.Member.Beside(engine.KindMemberCluster, "", list[i].Name.String(), "")
	}
	s.Detail.Clusters[stage] = list
	v.Stages = slices.Clone(v.Stages)
	v.Stages[stage].Total = n
	return s
}
