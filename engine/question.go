package engine

// QuestionKind is what can be asked beside the streams.
type QuestionKind uint8

// The questions.
const (
	QuestionNone QuestionKind = iota
	// QuestionYAML asks for the object as the hub stores it, Secret data masked.
	QuestionYAML
	// QuestionRehearse asks whether the hub would take the Intent: the right to
	// do it, and a server dry run of the very request. Err says why not.
	QuestionRehearse
)

// Question is asked off the feed, with a deadline. It is comparable: the
// screen drops an Answer whose Question is not the one it shows.
type Question struct {
	Kind  QuestionKind
	About ID
	// Intent is what QuestionRehearse is about; it is never changed.
	Intent *Intent
}

// CheckState is how a check before a write came out.
type CheckState uint8

// The states of a check. Unknown stands in nobody's way: the hub decides.
const (
	CheckUnknown CheckState = iota
	CheckPassed
	CheckFailed
)

// Check is one thing that was looked at just before a write.
type Check struct {
	State CheckState
	What  Text
}

// Answer carries its Question. Lines or Checks or Err are set; an Err beside
// Checks says why the intent would be refused.
type Answer struct {
	Question Question
	Lines    []Text
	Checks   []Check
	Err      Text
	Hint     Text
}
