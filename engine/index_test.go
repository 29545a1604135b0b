package engine

import "testing"

func TestIndexHint(t *testing.T) {
	const asText = `The index is compared with the snapshot's label as text: "01" matches only the label "01".`
	for _, tt := range []struct {
		asked  string
		labels []string
		want   string
	}{
		{"01", []string{"0", "1"}, asText + " Snapshot 1 exists: use index 1."},
		{"+1", []string{"1"}, `The index is compared with the snapshot's label as text: "+1" matches only the label "+1". Snapshot 1 exists: use index 1.`},
		{"01", []string{"2", "10"}, asText + " Existing snapshots: 10, 2."},
		{"7", []string{"0", "1"}, "Existing snapshots: 1, 0."},
		{"newest", []string{"0"}, "The only snapshot has index 0."},
		{"-1", []string{"1"}, "The only snapshot has index 1."},
		{"7", nil, "The placement has no snapshot yet: leave the index out."},
		{"40", []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}, "Existing snapshots: 10, 9, 8, 7, 6, 5, 4, 3 and 2 older."},
		{"7", []string{"1\x1b[2J"}, `The only snapshot has index 1\x1b[2J.`},
	} {
		if got := IndexHint(tt.asked, tt.labels).String(); got != tt.want {
			t.Errorf("%q of %q:\n got %s\nwant %s", tt.asked, tt.labels, got, tt.want)
		}
	}
}
