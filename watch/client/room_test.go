//go:build !race

package client

import (
	"runtime"
	"strings"
	"testing"
)

// Values that are given back are the room of those that follow, small ones as large ones. Under the
// race detector a sync.Pool forgets at random.
func TestRecycledRoom(t *testing.T) {
	for _, n := range []int{leastRecycled, 3500, leastLarge - 1, leastLarge, 400 << 10} {
		in := []byte(`"` + strings.Repeat("x", n-2) + `"`)
		const times = 100
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range times {
			v, err := CutJSON(in).Value()
			if err != nil {
				t.Fatal(err)
			}
			Recycle(v)
		}
		runtime.ReadMemStats(&after)
		allocated := int(after.TotalAlloc-before.TotalAlloc) / times
		if allocated > n/2 {
			t.Errorf("a value of %d bytes allocates %d", n, allocated)
		}
	}
}
