package main

import (
	"runtime/debug"
	"testing"
)

func TestTheHeapIsKeptSmallUnlessGOGCDecides(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	for gogc, want := range map[string]int{"": heapGrowth, "200": 70} {
		debug.SetGCPercent(70)
		collectOften(func(string) string { return gogc })
		if got := debug.SetGCPercent(100); got != want {
			t.Errorf("GOGC=%q: the heap may grow by %d percent, want %d", gogc, got, want)
		}
	}
}
