package column

import "github.com/stagewatch/stagewatch/engine"

// phrases say what a run in a state does or needs, after its name.
var phrases = [...]string{
	engine.WordUnknown:     "is loading",
	engine.WordDeleting:    "is being deleted",
	engine.WordInitFailed:  "failed initialization",
	engine.WordPreempted:   "is preempted",
	engine.WordFailed:      "failed",
	engine.WordDone:        "is done",
	engine.WordNotObserved: "is not observed by the controller",
	engine.WordPending:     "is pending",
	engine.WordNotAccepted: "needs approval again",
	engine.WordStuck:       "is stuck",
	engine.WordStopping:    "is stopping",
	engine.WordStopped:     "is stopped",
	engine.WordApproval:    "needs approval",
	engine.WordWaiting:     "is waiting",
	engine.WordReady:       "is ready to start",
	engine.WordRunning:     "is running",
	engine.WordNoRun:       "has no run",
	engine.WordUnreadable:  "cannot be read",
}

// Phrase is what a run in a state does or needs, as a sentence has it after the name of the
// run. late says that the controller's next step is overdue.
func Phrase(w engine.Word, late bool) engine.Text {
	if int(w) >= len(phrases) {
		w = engine.WordUnknown
	}
	x := engine.Clean(phrases[w])
	switch {
	case late && w == engine.WordDeleting:
		return engine.Textf("%s, deletion overdue", x)
	case late:
		return engine.Textf("%s, next step overdue", x)
	}
	return x
}

// Because is the reason that goes behind a Phrase; empty where there is none. A run that waits for a person, and fails once
// it continues, may still be repaired.
func Because(v *engine.RunView) engine.Text {
	if v == nil || v.Why.What.IsZero() {
		return engine.Text{}
	}
	switch v.Word {
	case engine.WordApproval, engine.WordNotAccepted, engine.WordStopped, engine.WordReady:
	default:
		if v.Why.Fails && !v.Terminal {
			return engine.Textf(" and will fail: %s", v.Why.What)
		}
	}
	return engine.Textf(": %s", v.Why.What)
}
