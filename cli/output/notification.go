package output

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
)

// notificationDocument is what the hook of notifications gets; its keys are stable.
type notificationDocument struct {
	At      time.Time   `json:"at"`
	Context engine.Text `json:"context"`
	Text    engine.Text `json:"text"`
	identity
	// Was is the state word before.
	Was     string       `json:"was,omitempty"`
	Deleted bool         `json:"deleted,omitempty"`
	Run     *runDocument `json:"run,omitempty"`
}

// NotificationOf returns the document of a notification about a run of the Snapshot, nil when
// it was deleted; was is its state before, empty for none.
func NotificationOf(s *engine.Snapshot, id engine.ID, run *engine.RunView, at time.Time, was, text engine.Text) any {
	d := notificationDocument{At: at.UTC(), Context: s.Of(id).Hub.Context, Text: text, identity: identityOf(id), Was: column.Script(was.String()), Deleted: run == nil}
	if run != nil {
		v := runDocumentOf(s, run)
		d.Run = &v
	}
	return d
}
