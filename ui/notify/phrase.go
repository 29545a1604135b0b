package notify

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

// phrase is the state as a sentence has it after the name of the run.
func (s state) phrase() engine.Text {
	if int(s.word) >= len(phrases) {
		return engine.Lit("is loading")
	}
	x := engine.Clean(phrases[s.word])
	switch {
	case s.late && s.word == engine.WordDeleting:
		return engine.Textf("%s, deletion overdue", x)
	case s.late:
		return engine.Textf("%s, next step overdue", x)
	}
	return x
}
