//go:build race

package watch

// raceEnabled reports whether the race detector watches the tests.
const raceEnabled = true
