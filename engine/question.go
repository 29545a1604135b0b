package engine

// QuestionKind is what can be asked beside the streams.
type QuestionKind uint8

// The questions.
const (
	QuestionNone QuestionKind = iota
	// QuestionYAML asks for the object as the hub stores it, Secret data masked.
	QuestionYAML
)

// Question is asked off the feed, with a deadline. It is comparable: the
// screen drops an Answer whose Question is not the one it shows.
type Question struct {
	Kind  QuestionKind
	About ID
}

// Answer carries its Question. Either Lines or Err is set.
type Answer struct {
	Question Question
	Lines    []Text
	Err      Text
	Hint     Text
}
