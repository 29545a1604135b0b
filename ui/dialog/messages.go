package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
)

// Msg is a message that a dialog gave itself and that the root model has to bring
// back. Each carries the number of its dialog, so that a late one is dropped.
type Msg interface{ ofDialog() }

type (
	// KeyMsg is a key and what it means in the dialog's scope.
	KeyMsg struct {
		Press  tea.KeyPressMsg
		Action keymap.Action
	}
	// QuietMsg says that no key came for a part of quietFor after a key, and how many
	// parts are left.
	QuietMsg struct{ Dialog, Key, Left int }
	// CheckedMsg is what the server dry run of an intent returned; the answer
	// carries which intent that was.
	CheckedMsg struct {
		Dialog int
		Answer page.Answer
	}
	// OfferedMsg lists what a clone can be made of, or compares two snapshots.
	OfferedMsg struct {
		Dialog int
		Answer page.Answer
	}
	// ChoiceDueMsg says that a choice was not changed for a while.
	ChoiceDueMsg struct{ Dialog, Choice int }
	// OutcomeMsg is the outcome of an intent that was sent.
	OutcomeMsg struct {
		Dialog  int
		Outcome act.Outcome
	}
)

func (QuietMsg) ofDialog()     {}
func (CheckedMsg) ofDialog()   {}
func (OfferedMsg) ofDialog()   {}
func (ChoiceDueMsg) ofDialog() {}
func (OutcomeMsg) ofDialog()   {}

// NoDialog is the number in the outcome of an intent that was sent without a dialog.
const NoDialog = -1
