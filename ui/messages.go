package ui

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
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
		answer enginepage.Answer
	}
	// offeredMsg is what the hub has to make the clone of dialog number dialog
	// of; the answer carries what was asked.
	offeredMsg struct {
		dialog int
		answer enginepage.Answer
	}
	// choiceDueMsg tells that choice number seq of dialog number dialog has
	// stood for a while.
	choiceDueMsg struct{ dialog, seq int }
	// outcomeMsg is what became of the intent of dialog number dialog.
	outcomeMsg struct {
		dialog  int
		outcome act.Outcome
	}
	// answeredMsg is an answer; it carries its question.
	answeredMsg struct{ answer enginepage.Answer }
	// toldMsg is the answer to the asking number n of a page of sections.
	toldMsg struct {
		n      int
		answer enginepage.Answer
	}
	// dueMsg tells that the page of asking number n may be asked for anew.
	dueMsg struct{ n int }
)
