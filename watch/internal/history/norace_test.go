//go:build !race

package history

// raceEnabled reports whether the race detector watches the tests.
const raceEnabled = false
