//go:build !race

package ui

// raceEnabled reports whether the race detector watches the tests.
const raceEnabled = false
