package main

import (
	"runtime"
	"testing"
)

// The growth follows what each collection leaves, and is set only when it differs.
func TestTheHeapIsKeptSmallAfterTheStart(t *testing.T) {
	percents := make(chan int, 8)
	sizes := []uint64{32 << 20, 64 << 20, 4 << 20, 16 << 20}
	collectOften(func(string) string { return "" }, func(percent int) int { percents <- percent; return 0 }, func() uint64 {
		size := sizes[0]
		if len(sizes) > 1 {
			sizes = sizes[1:]
		}
		return size
	})
	for i, want := range []int{firstHeap, heapGrowth, 350, 80} {
		got := 0
		for got == 0 {
			select {
			case got = <-percents:
			default:
				runtime.GC()
			}
		}
		if got != want {
			t.Errorf("%d: the heap may grow by %d percent, want %d", i, got, want)
		}
	}
}

// What is allocated between two collections is at least 11.5 MiB, and for a small heap at most
// leastGrowth, as package runtime computes it.
func TestSmallHeapsMayGrow(t *testing.T) {
	for live := uint64(0); live < 128<<20; live += 100 << 10 {
		percent := uint64(growthOf(live))
		next := max(live+live*percent/100, goHeap*percent/100)
		if least := uint64(23 << 19); next-live < least {
			t.Fatalf("a heap of %d bytes is collected after %d more, want at least %d", live, next-live, least)
		}
		if most := max(leastGrowth, live*heapGrowth/100); next-live > most {
			t.Fatalf("a heap of %d bytes is collected after %d more, want at most %d", live, next-live, most)
		}
	}
	if got := growthOf(1 << 30); got != heapGrowth {
		t.Errorf("a large heap may grow by %d percent, want %d", got, heapGrowth)
	}
}

func TestTheLiveHeapIsRead(t *testing.T) {
	runtime.GC()
	if got := liveHeap(); got == 0 || got > 1<<30 {
		t.Errorf("%d bytes are in use", got)
	}
}

func TestGOGCDecides(t *testing.T) {
	collectOften(func(string) string { return "200" }, func(percent int) int {
		t.Errorf("the heap may grow by %d percent", percent)
		return 0
	}, liveHeap)
	runtime.GC()
}
