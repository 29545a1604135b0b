package task

import (
	"strings"
	"testing"
)

// A panic beside the goroutine that waits reaches it, with the place where it happened.
func TestReadsPanicWhereTheyAreWaitedFor(t *testing.T) {
	defer func() {
		if v, _ := recover().(string); !strings.HasPrefix(v, "boom\n") || !strings.Contains(v, "reads_test.go") {
			t.Errorf("got %.200q", v)
		}
	}()
	var r Reads
	done := false
	r.Go(func() { done = true })
	r.Go(func() { panic("boom") })
	r.Wait()
	t.Error("Wait returned", done)
}
