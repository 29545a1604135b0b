package list

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/keymap"
)

// The selection follows its key when rows are sorted anew, and falls to the row at
// its place when the key is gone.
func TestTheSelectionFollowsItsKey(t *testing.T) {
	l := &List[string]{}
	l.Set(strings.Split("abcdef", ""))
	l.Resize(3)
	l.Move(keymap.Down)
	l.Move(keymap.Down)
	l.Set(strings.Split("fedcba", ""))
	if l.Sel != "c" || l.Idx != 3 {
		t.Errorf("selected %s at %d, want c at 3", l.Sel, l.Idx)
	}
	l.Set(strings.Split("fedba", ""))
	if l.Sel != "b" {
		t.Errorf("selected %s, want b at the place of c", l.Sel)
	}
	if from, to := l.Window(); l.Idx < from || l.Idx >= to || to-from != 3 {
		t.Errorf("row %d is not in the window %d to %d", l.Idx, from, to)
	}
	if !l.Seek(-1, func(k string) bool { return k == "a" }) || l.Sel != "a" {
		t.Errorf("sought backwards around the end to %s, want a", l.Sel)
	}
	l.Move(keymap.Top)
	if l.Sel != "f" || slices.Contains(l.Keys, "c") {
		t.Errorf("the first row is %s", l.Sel)
	}
}

// A list without rows has no row above its first one.
func TestMovingInAnEmptyList(t *testing.T) {
	l := &List[string]{}
	l.Set(nil)
	l.By(-3)
	if l.Idx != 0 {
		t.Errorf("row %d", l.Idx)
	}
}
