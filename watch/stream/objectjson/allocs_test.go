//go:build !race

package objectjson

import (
	"encoding/json"
	"runtime"
	"testing"
)

// TestDecodeAllocates holds the number of allocations for a run of 1,000 clusters within a
// tenth of what was measured.
func TestDecodeAllocates(t *testing.T) {
	const measured = 38
	raw, err := json.Marshal(bigRun("run", 1000))
	if err != nil {
		t.Fatal(err)
	}
	n := testing.AllocsPerRun(20, func() {
		if _, err := DecodeRun(raw); err != nil {
			t.Fatal(err)
		}
	})
	if n > measured*1.1 {
		t.Errorf("%v allocations, %d were measured", n, measured)
	}
}

// TestRowsAllocate holds the allocations for a binding within a tenth of what was measured.
func TestRowsAllocate(t *testing.T) {
	const measured = 7
	raw := bindingJSON(t)
	n := testing.AllocsPerRun(100, func() {
		if _, err := DecodeBinding(raw); err != nil {
			t.Fatal(err)
		}
	})
	if n > measured*1.1 {
		t.Errorf("%v allocations, %d were measured", n, measured)
	}
	// Of the memory nothing is for other conditions: there are thousands of bindings.
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		if _, err := DecodeBinding(raw); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if bytes := (after.TotalAlloc - before.TotalAlloc) / 100; bytes > 1500 {
		t.Errorf("%d bytes for a binding", bytes)
	}
}
