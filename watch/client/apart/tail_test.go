package apart

import (
	"fmt"
	"strings"
	"testing"
)

// TestTail keeps the last line, and no more memory for a program that does not stop writing.
func TestTail(t *testing.T) {
	for written, want := range map[string]string{
		"":                        "",
		"  \n\n":                  "",
		"first\nlast":             "last",
		"first\r\n  last  \r\n\n": "last",
		strings.Repeat("x", 2*mostTail) + "\nlast\n": "last",
		strings.Repeat("x", 2*mostTail):              strings.Repeat("x", mostTail),
	} {
		var tail Tail
		for chunk := range strings.SplitAfterSeq(written, "\n") {
			if n, err := fmt.Fprint(&tail, chunk); n != len(chunk) || err != nil {
				t.Errorf("wrote %d of %d bytes, %v", n, len(chunk), err)
			}
		}
		if got := tail.Last(); got != want || len(tail.text) > mostTail {
			t.Errorf("of %.20q it keeps %d bytes, last %.20q, want %.20q", written, len(tail.text), got, want)
		}
	}
}
