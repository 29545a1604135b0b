package bench

import (
	"fmt"
	"strings"
)

// Target is what a figure must not exceed; parts that are zero do not count.
type Target struct {
	Most  float64 `json:"most,omitempty"`  // in the unit of the figure
	Ratio float64 `json:"ratio,omitempty"` // in multiples of the floor
	Over  float64 `json:"over,omitempty"`  // above the floor, in the unit of the figure
}

// String is the target in words; empty if there is none.
func (t Target) String(unit string) string {
	var parts []string
	if t.Most > 0 {
		parts = append(parts, "at most "+quantity(t.Most, unit))
	}
	if t.Ratio > 0 {
		parts = append(parts, fmt.Sprintf("at most %gx", t.Ratio))
	}
	if t.Over > 0 {
		parts = append(parts, "at most "+quantity(t.Over, unit)+" over")
	}
	return strings.Join(parts, ", ")
}

// quantity is a value with its unit.
func quantity(v float64, unit string) string {
	return strings.TrimSpace(fmt.Sprintf("%.*f %s", decimals(v), v, unit))
}

// decimals leaves three digits of what is small.
func decimals(v float64) int {
	switch {
	case v < 10:
		return 2
	case v < 100:
		return 1
	}
	return 0
}

// Met reports whether a figure meets its target.
func (f Figure) Met() bool {
	t := f.Target
	return (t.Most == 0 || f.Value <= t.Most) && (t.Ratio == 0 || f.Ratio() <= t.Ratio) && (t.Over == 0 || f.Value-f.Floor <= t.Over)
}

// The names of the figures.
const (
	firstFrame = "first frame"
	firstRows  = "first rows"
	live       = "live"
	liveCPU    = "CPU to live"
	memory     = "memory when settled"
	memoryPeak = "highest memory"
	requests   = "requests to live"
	terminal   = "bytes to the terminal to live"
	loadKey    = "key to frame while loading, p99"
	idleKey    = "key to frame, idle, p99"
	hungKey    = "key to frame, hub hangs, p99"
	idleCPU    = "CPU idle"
	idleReads  = "requests a second, idle"
	idleBytes  = "bytes to the terminal a second, idle"
	change50   = "change to frame, p50"
	change99   = "change to frame, p99"
	storm99    = "change to frame at 100 changes of runs a second, p99"
	stormRuns  = "CPU at 100 changes of runs a second"
	stormBind  = "CPU at 100 changes of bindings a second"
	stormThick = "CPU at 1000 changes of bindings a second"
	slowRows   = "first rows, slow line"
	slowLive   = "live, slow line"
	allWall    = "owners --all"
	allCPU     = "CPU of owners --all"
	allMemory  = "highest memory of owners --all"
)

// The sizes that have targets of their own.
var (
	usual    = Size{Runs: 20, Clusters: 50}
	large    = Size{Runs: 100, Clusters: 1000}
	bindings = Size{Runs: 100, Clusters: 1000, Bindings: 10000}
	history  = Size{Runs: 400, Clusters: 1000, Finished: 380}
	longer   = Size{Runs: 1000, Clusters: 1000, Finished: 980}
)

// Standard are the sizes that are measured unless one is chosen.
func Standard() []Size { return []Size{usual, large, bindings, history} }

// everywhere are the targets that do not depend on the size.
var everywhere = map[string]Target{
	slowRows: {Most: 1200}, loadKey: {Most: 40}, idleKey: {Most: 40}, hungKey: {Most: 40},
	idleCPU: {Most: 0.3}, stormBind: {Most: 4}, stormRuns: {Most: 6}, stormThick: {Most: 20},
	allCPU: {Ratio: 8}, allMemory: {Most: 120},
	heavyKeyOf("letters"): {Most: 50}, heavyKeyOf("newlines"): {Most: 50},
	heavyKeyOf("control characters"): {Most: 50}, heavyKeyOf("quoted JSON"): {Most: 50},
}

// ofSize are those that do.
var ofSize = map[Size]map[string]Target{
	usual:    {live: {Ratio: 3}, change50: {Most: 12}, change99: {Most: 30}, storm99: {Over: 60}, slowLive: {Ratio: 1.2}},
	large:    {live: {Ratio: 1.5}, liveCPU: {Ratio: 5}, change50: {Over: 12}},
	bindings: {memory: {Most: 64}},
	history:  {memory: {Most: 80}, liveCPU: {Most: 800}, slowLive: {Ratio: 0.5}},
	longer:   {memory: {Most: 120}, liveCPU: {Most: 1500}},
}

func targetOf(size Size, what string) Target {
	if t, ok := ofSize[size][what]; ok {
		return t
	}
	return everywhere[what]
}
