package engine

import (
	"slices"
	"testing"
)

// TestCountNeeds checks how runs that need attention are counted, and that the number of those that will fail is said to be the
// least one while a run that goes on is not known as well.
func TestCountNeeds(t *testing.T) {
	run := func(word Word, fails, near bool) *RunView {
		v := &RunView{Word: word, Near: near, Stages: make([]StageView, 1)}
		v.Why.Fails = fails
		return v
	}
	fails := func(word Word, count int, least bool) Need {
		return Need{Word: word, Fails: true, Count: count, Least: least}
	}
	for _, tt := range []struct {
		name string
		rows []*RunView
		want []Need
	}{
		{"nothing", []*RunView{run(WordRunning, false, false), run(WordDone, false, false)}, nil},
		{"two of a word", []*RunView{run(WordStuck, false, true), run(WordStuck, true, true)}, []Need{{Word: WordStuck, Count: 2}}},
		{"all that go on are known", []*RunView{run(WordRunning, true, true), run(WordRunning, false, true)}, []Need{fails(WordRunning, 1, false)}},
		{"one that goes on is not", []*RunView{run(WordRunning, true, true), run(WordRunning, false, false)}, []Need{fails(WordRunning, 1, true)}},
		{"one of another word is not", []*RunView{run(WordStopping, true, true), run(WordRunning, false, false)}, []Need{fails(WordStopping, 1, false)}},
	} {
		if got := CountNeeds(tt.rows); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
