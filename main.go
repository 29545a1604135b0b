// Command stagewatch watches KubeFleet staged update runs on a hub, live.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/stagewatch/stagewatch/cli"
)

func main() {
	collectOften(os.Getenv, debug.SetGCPercent, liveHeap)
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// firstHeap is the size of the heap, as a percentage of the 4 MiB that Go begins with, at which
// garbage is collected for the first time: the start of a screen stays below it.
const firstHeap = 400

// heapGrowth is by how many percent the heap may grow before garbage is collected again: half
// of Go's default. It saves a quarter of the memory and costs no CPU that could be measured
// (docs/performance.md#memory). A small heap may grow by leastGrowth: collecting each megabyte
// of a heap of two is a third of the CPU of a command.
const (
	heapGrowth  = 50
	leastGrowth = 14 << 20
	goHeap      = 4 << 20 // the least heap of Go at 100 percent
)

// collectOften keeps the heap small after the start, unless the person decides with GOGC. set
// is debug.SetGCPercent, and live returns the size of what the last collection left.
func collectOften(getenv func(string) string, set func(percent int) int, live func() uint64) {
	if getenv("GOGC") != "" {
		return
	}
	set(firstHeap)
	afterCollection(set, live, firstHeap)
}

// afterCollection sets the growth after each collection, which finds an object that nothing
// uses. now is the growth until then.
func afterCollection(set func(percent int) int, live func() uint64, now int) {
	runtime.AddCleanup(new([32]byte), func(now int) {
		if next := growthOf(live()); next != now {
			set(next)
			now = next
		}
		afterCollection(set, live, now)
	}, now)
}

// growthOf is the growth of a heap of which so many bytes are in use, in percent.
func growthOf(live uint64) int {
	const step = 10 // a heap that has hardly changed keeps its growth
	percent := min(leastGrowth*100/max(live, 1), (live+leastGrowth)*100/goHeap)
	return max(heapGrowth, int(percent)/step*step)
}

// liveHeap is the size of what the last collection left.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
