// Package memory bounds the memory that the sets of a hub take together: Scale weighs the
// objects that are kept, Room counts their weights.
package memory
