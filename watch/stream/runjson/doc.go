// Package runjson decodes update runs from JSON: their clusters and conditions by hand,
// because they are nearly all of the bytes of a run, everything else with its Go type.
package runjson
