// Package competing says what the other runs of a placement mean for a run: which of two
// unfinished runs continues, which run preempted another, and which run replaces one that
// has failed.
package competing
