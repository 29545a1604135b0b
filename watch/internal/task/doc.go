// Package task runs the goroutines of a session: Wait waits for them, and a panic in
// one reaches the function that can restore the terminal.
package task
