package engine

import (
	"strings"
	"time"
)

// Word is the state of a run. List, detail, headless output and documents use the same one.
type Word uint8

// The words in the order in which Observe tries them: the first match wins.
// The order of attention on the screen is another one, see Attention.
const (
	WordUnknown Word = iota // nothing derived yet: only the printed row is known
	WordDeleting
	WordInitFailed
	WordPreempted
	WordFailed
	WordDone
	WordNotObserved
	WordPending
	WordNotAccepted
	WordStuck
	WordStopping
	WordStopped
	WordApproval
	WordWaiting
	WordReady
	WordRunning
	WordNoRun
	WordUnreadable // the object could not be decoded: its row says why
)

var words = [...]string{
	WordUnknown:     "LOADING",
	WordDeleting:    "DELETING",
	WordInitFailed:  "INIT FAILED",
	WordPreempted:   "PREEMPTED",
	WordFailed:      "FAILED",
	WordDone:        "DONE",
	WordNotObserved: "NOT OBSERVED",
	WordPending:     "PENDING",
	WordNotAccepted: "NOT ACCEPTED",
	WordStuck:       "STUCK",
	WordStopping:    "STOPPING",
	WordStopped:     "STOPPED",
	WordApproval:    "APPROVAL",
	WordWaiting:     "WAITING",
	WordReady:       "READY",
	WordRunning:     "RUNNING",
	WordNoRun:       "NO RUN",
	WordUnreadable:  "UNREADABLE",
}

// String returns the word as the screen shows it.
func (w Word) String() string {
	if int(w) >= len(words) {
		return words[WordUnknown]
	}
	return words[w]
}

// MarshalText writes the word as JSON has it: lower case with "-".
func (w Word) MarshalText() ([]byte, error) {
	return []byte(strings.ReplaceAll(strings.ToLower(w.String()), " ", "-")), nil
}

// attention lists the words from the one that needs a person most to the one
// that can wait longest. Ties are broken by age, then by name.
var attention = [...]Word{
	WordStuck, WordNotAccepted, WordPreempted, WordFailed, WordInitFailed, WordApproval, WordNotObserved,
	WordUnreadable, WordStopping, WordWaiting, WordRunning, WordPending, WordReady, WordStopped, WordNoRun, WordDeleting, WordUnknown, WordDone,
}

// ranks holds the place of each word in attention.
var ranks = func() (r [len(words)]int) {
	for i, w := range attention {
		r[w] = i
	}
	return r
}()

// Attention returns the rank of the word in a list sorted attention first; 0 comes first.
func (w Word) Attention() int {
	if int(w) >= len(ranks) {
		return len(attention)
	}
	return ranks[w]
}

// NeedsPerson reports whether every run in this state stays in it until a person
// acts. See RunView.NeedsAttention for what is counted.
func (w Word) NeedsPerson() bool {
	switch w {
	case WordStuck, WordNotAccepted, WordPreempted, WordFailed, WordInitFailed, WordApproval, WordNotObserved, WordUnreadable:
		return true
	default:
		return w.Parked()
	}
}

// Parked reports whether a person chose this state with spec.state: the run does
// nothing until a person runs it.
func (w Word) Parked() bool { return w == WordStopped || w == WordReady }

// Thresholds of the words.
const (
	// StuckDefault is the stuck threshold of the controller (docs/kubefleet.md#constants).
	StuckDefault = 5 * time.Minute
	// NotObservedAfter is how long the controller may take to notice a change; a
	// healthy one takes about 20 ms.
	NotObservedAfter = 10 * time.Second
)
