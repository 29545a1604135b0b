package paging

import (
	"testing"
	"time"
)

// TestPaging checks how long the pages of a list may take.
func TestPaging(t *testing.T) {
	p := New(10 * time.Millisecond)
	for _, want := range []struct {
		size int64
		head time.Duration
	}{{2, time.Second}, {6, time.Second}, {18, 1080 * time.Millisecond}, {54, 3240 * time.Millisecond}, {100, 6 * time.Second}} {
		head := p.Limits().Head
		if p.size != want.size || head.Round(10*time.Millisecond) != want.head {
			t.Errorf("a page of %d objects may take %v, want %d and %v", p.size, head, want.size, want.head)
		}
		p.Grow(time.Duration(p.size) * 20 * time.Millisecond)
	}
	if p.Grow(time.Hour); p.size != 100 || p.Limits().Head != pageHeadMost {
		t.Errorf("a page of %d objects may take %v after one of an hour", p.size, p.Limits().Head)
	}
	if p.Shrink() {
		t.Error("a page is smaller than one of the same size that was answered")
	}
}
