package stream

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// settle lets a second pass, and waits until the stream has done what it has to do: only
// then may a test read what the stream writes.
func settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

// TestWatchHasRoom checks that events beyond the memory of the hub are not kept, neither
// are older versions of their objects, and that deleted objects make room.
func TestWatchHasRoom(t *testing.T) {
	keep(t, func(k *kept) {
		large := func(name string, size int) int {
			return k.server.Put(runs, map[string]any{"metadata": map[string]any{"name": name, "annotations": map[string]any{"a": strings.Repeat("a", size)}}})
		}
		h := k.stream.held
		k.room.SetMost(500_000)
		for n := range 8 {
			large(fmt.Sprint("run-", n), 100_000)
		}
		settle()
		if used := k.room.Used(); used > 500_000 || used != h.Weight() || h.Objects() != 5 { // the first, and four
			k.t.Errorf("%d bytes for %d objects", used, h.Objects())
		}
		large("run-0", 300_000) // is known, and does not fit
		settle()
		if h.Objects() != 4 {
			k.t.Errorf("%d objects after one has grown", h.Objects())
		}
		for n := range 8 {
			k.server.Delete(runs, "", fmt.Sprint("run-", n))
		}
		large("last", 100_000)
		settle()
		if used := k.room.Used(); h.Objects() != 2 || used != h.Weight() || used > 130_000 {
			k.t.Errorf("%d bytes for %d objects after all others were deleted", used, h.Objects())
		}
	})
}
