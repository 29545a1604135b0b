//go:build !race

package cli_test

// raceEnabled reports whether the race detector watches the tests.
const raceEnabled = false
