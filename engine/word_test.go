package engine

import "testing"

func TestEveryWordHasARank(t *testing.T) {
	seen := map[int]Word{}
	for w := range Word(len(words)) {
		if w.String() == "" {
			t.Errorf("word %d has no name", w)
		}
		if other, ok := seen[w.Attention()]; ok {
			t.Errorf("%s and %s have the same rank", w, other)
		}
		seen[w.Attention()] = w
	}
	if got := Word(200); got.String() != "LOADING" || got.Attention() != len(attention) || got.NeedsPerson() {
		t.Errorf("a word of the future: %s %d", got, got.Attention())
	}
	if b, err := WordNotAccepted.MarshalText(); err != nil || string(b) != "not-accepted" {
		t.Errorf("JSON has %q, %v", b, err)
	}
}

// A run whose clusters are all done is complete once it is DONE: a gate or the controller may
// be left until then.
func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		word        Word
		done, total int
		want        int
	}{{WordWaiting, 2, 2, 99}, {WordDone, 2, 2, 100}, {WordRunning, 1, 3, 33}, {WordPending, 0, 0, 0}} {
		if got := (&RunView{Word: tt.word, Done: tt.done, Total: tt.total}).Percent(); got != tt.want {
			t.Errorf("%s %d/%d: %d %%, want %d", tt.word, tt.done, tt.total, got, tt.want)
		}
	}
}
