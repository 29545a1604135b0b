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
