package ui

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

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
	// quietMsg tells that no key came for a while after key number seq of
	// dialog number dialog.
	quietMsg struct{ dialog, seq int }
	// rehearsedMsg is what the hub says to the intent of dialog number dialog;
	// the answer carries which one that was.
	rehearsedMsg struct {
		dialog int
		answer engine.Answer
	}
	// offeredMsg is what the hub has to make the clone of dialog number dialog
	// of; the answer carries what was asked.
	offeredMsg struct {
		dialog int
		answer engine.Answer
	}
	// choiceDueMsg tells that choice number seq of dialog number dialog has
	// stood for a while.
	choiceDueMsg struct{ dialog, seq int }
	// outcomeMsg is what became of the intent of dialog number dialog.
	outcomeMsg struct {
		dialog  int
		outcome engine.Outcome
	}
	// answeredMsg is an answer; it carries its question.
	answeredMsg struct{ answer engine.Answer }
	// toldMsg is the answer to the asking number n of a page of sections.
	toldMsg struct {
		n      int
		answer engine.Answer
	}
	// dueMsg tells that the page of asking number n may be asked for anew.
	dueMsg struct{ n int }
)
