package ui

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
)

// CannotSuspendMsg says that ctrl-z did not suspend the program, because nothing could continue it.
type CannotSuspendMsg struct{}

// Every message the model gives itself, named for what happened. Replies
// carry what they answer, so that a late one is known and dropped.
type (
	// nextMsg is a new snapshot, or the end of the source.
	nextMsg struct {
		snap *engine.Snapshot
		err  error
	}
	// tickedMsg is the local time, once a second.
	tickedMsg struct{ now time.Time }
	// answeredMsg is the answer to text number n; it carries its question.
	answeredMsg struct {
		n      int
		answer enginepage.Answer
	}
	// textDueMsg says that text number n may be asked for again.
	textDueMsg struct{ n int }
	// pageMsg is the answer to question number n of a detail page.
	pageMsg struct {
		n      int
		answer enginepage.Answer
	}
	// dueMsg says that the answer of page number n may be asked for again.
	dueMsg struct{ n int }
)
