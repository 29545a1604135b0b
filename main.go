// Command stagewatch watches KubeFleet staged update runs on a hub, live.
package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/stagewatch/stagewatch/cli"
)

func main() {
	collectOften(os.Getenv, debug.SetGCPercent)
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// firstHeap is the size of the heap, as a percentage of the 4 MiB that Go begins with, at which
// garbage is collected for the first time: the start of a screen stays below it.
const firstHeap = 400

// heapGrowth is by how many percent the heap may grow before garbage is collected again: half
// of Go's default. It saves a quarter of the memory and costs no CPU that could be measured
// (docs/performance.md#memory).
const heapGrowth = 50

// collectOften keeps the heap small after the start, unless the person decides with GOGC. set
// is debug.SetGCPercent.
func collectOften(getenv func(string) string, set func(percent int) int) {
	if getenv("GOGC") != "" {
		return
	}
	set(firstHeap)
	// The first collection finds an object that nothing uses.
	runtime.AddCleanup(new([32]byte), func(percent int) { set(percent) }, heapGrowth)
}
