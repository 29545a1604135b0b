package faults

import "os"

// Descriptors counts the open file descriptors of the process: lost connections must leave none
// behind.
func Descriptors() int {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		panic(err) // every Linux has it
	}
	return len(files)
}
