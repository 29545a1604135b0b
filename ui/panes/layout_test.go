package panes

import "testing"

// TestLayWide checks that a wider terminal gives its room to the list until its causes are whole, then
// to the panes beside it until they show all they have, and the rest to the list.
func TestLayWide(t *testing.T) {
	for _, tt := range []struct{ w, list, run, diagnosis int }{
		{190, 79, 57, 54}, {200, 84, 60, 56}, {250, 122, 68, 60}, {262, 134, 68, 60}, {290, 134, 90, 66}, {300, 144, 90, 66}, {400, 244, 90, 66},
	} {
		if l := lay(3, tt.w, 60, List, normal); l.w != [most]int{tt.list, tt.run, tt.diagnosis} {
			t.Errorf("%d columns: %v, want %d, %d and %d", tt.w, l.w, tt.list, tt.run, tt.diagnosis)
		}
	}
	last := [most]int{}
	for w := 250; w < 500; w++ {
		l := lay(3, w, 60, List, normal)
		if l.w[List]+l.w[Run]+l.w[Diagnosis] != w {
			t.Errorf("%d columns: %v", w, l.w)
		}
		for p := range most {
			if l.w[p] < last[p] {
				t.Errorf("%d columns: pane %d has %d, and %d on a narrower terminal", w, p, l.w[p], last[p])
			}
		}
		last = l.w
	}
}
