package main

import (
	"runtime"
	"testing"
)

func TestTheHeapIsKeptSmallAfterTheStart(t *testing.T) {
	percents := make(chan int, 2)
	collectOften(func(string) string { return "" }, func(percent int) int { percents <- percent; return 0 })
	if got := <-percents; got != firstHeap {
		t.Errorf("at the start the heap may grow by %d percent, want %d", got, firstHeap)
	}
	runtime.GC()
	if got := <-percents; got != heapGrowth {
		t.Errorf("after that it may grow by %d percent, want %d", got, heapGrowth)
	}
}

func TestGOGCDecides(t *testing.T) {
	collectOften(func(string) string { return "200" }, func(percent int) int {
		t.Errorf("the heap may grow by %d percent", percent)
		return 0
	})
	runtime.GC()
}
