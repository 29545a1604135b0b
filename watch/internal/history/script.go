package history

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/watch/faults"
)

// Step is one thing that happens: a change of the hub, a fault, or what a person looks at.
type Step struct {
	// After is how long after the previous step it happens.
	After time.Duration
	// Do names it: put, delete, fault, heal, restart, compact, backup, restore, replace, look;
	// of the two API servers: move, lag, "restart one"; split and join.
	Do string
	// On is the number of the run, of the fault of Faults, of the server, or of the lag of Lags.
	On int
}

// String returns the step as Go source, to keep a case that failed.
func (s Step) String() string {
	return fmt.Sprintf("{%d * time.Millisecond, %q, %d}", s.After.Milliseconds(), s.Do, s.On)
}

// Script is a history to play.
type Script []Step

// String returns the script as Go source.
func (s Script) String() string {
	var b strings.Builder
	for _, step := range s {
		fmt.Fprintf(&b, "\t%v,\n", step)
	}
	return b.String()
}

// Runs is how many runs a script changes. Every other one is namespaced, and has the name of
// a cluster-scoped one.
const Runs = 8

// runOf returns resource, namespace and name of a run by its number.
func runOf(on int) (resource, namespace, name string) {
	name = fmt.Sprint("run-", on/2)
	if on%2 == 0 {
		return "clusterstagedupdateruns", "", name
	}
	return "stagedupdateruns", "team", name
}

// Lags are by how much the second of two API servers lags behind their store.
func Lags() []time.Duration { return []time.Duration{0, 2 * time.Second, 6 * time.Second} }

// Faults are the faults of a script by number. Each is a set of rules.
func Faults() [][]faults.Rule {
	ofRuns := faults.Resource("clusterstagedupdateruns")
	watches, lists := faults.Both(faults.Watches, ofRuns), faults.Both(faults.Lists, ofRuns)
	cut := faults.Rule{Kind: faults.Cut, Of: faults.Watches}
	namespaced := faults.Resource("stagedupdateruns")
	return [][]faults.Rule{
		{{Kind: faults.Cut}},
		{{Kind: faults.Freeze}},
		{{Kind: faults.FreezeUp}},
		{{Kind: faults.Freeze, Of: faults.Watches}},
		{{Kind: faults.Freeze, Of: faults.Lists}},
		{{Kind: faults.Mute, Of: faults.Watches}},
		{{Kind: faults.Mute, Of: watches}},
		{{Kind: faults.Mute, Of: faults.LongWatches}},
		{{Kind: faults.Delay, For: 2 * time.Second}},
		{{Kind: faults.Delay, For: 400 * time.Millisecond}},
		{{Kind: faults.Hang}},
		{cut, {Kind: faults.Hang, Of: faults.Watches}},
		{cut, {Kind: faults.Silence, Of: faults.Watches}},
		{{Kind: faults.Silence, Of: lists}},
		{{Kind: faults.Status, Code: 401}},
		{{Kind: faults.Status, Code: 403, Of: watches}, {Kind: faults.Hang, Of: lists}},
		{{Kind: faults.Status, Code: 410, Of: watches}, {Kind: faults.Hang, Of: lists}},
		{{Kind: faults.Status, Code: 410, Of: faults.Watches}},
		{{Kind: faults.Status, Code: 429, RetryAfter: 1}},
		{{Kind: faults.Status, Code: 500}},
		{{Kind: faults.Status, Code: 500, Of: lists}},
		{{Kind: faults.Redirect, To: "http://elsewhere.example/"}},
		{{Kind: faults.Torn}},
		{{Kind: faults.Duplicate}},
		{{Kind: faults.Old}},
		{{Kind: faults.Lost, Of: faults.Lists}},
		{cut, {Kind: faults.Status, Code: 502, Of: watches}},
		{cut, {Kind: faults.Empty, Of: watches}},
		{cut, {Kind: faults.HTML, Of: watches}},
		{cut, {Kind: faults.Poison, Of: watches}},
		{{Kind: faults.Status, Code: 500, Of: faults.Checks}},
		{{Kind: faults.Skew, For: time.Hour}},
		{{Kind: faults.Drop, Of: faults.LongWatches}},
		{{Kind: faults.Drop, Of: faults.Both(faults.LongWatches, namespaced)}},
		{{Kind: faults.Mute, Of: faults.Both(faults.Watches, namespaced)}},
		{cut, {Kind: faults.Silence, Of: faults.Both(faults.Watches, namespaced)}},
		{{Kind: faults.Status, Code: 403, Of: faults.Both(faults.Watches, namespaced)}, {Kind: faults.Hang, Of: faults.Both(faults.Lists, namespaced)}},
		{{Kind: faults.Hang, Of: faults.LongLists}},
		{{Kind: faults.Status, Code: 410, Of: watches}, {Kind: faults.Hang, Of: faults.LongLists}},
	}
}

// settle is how long a script leaves alone at its end: after the last fault the screen
// must be right then.
const settle = 20 * time.Second

// Random returns a script of some steps.
func Random(r *rand.Rand, steps int) Script {
	var s Script
	faulty, split := false, false
	for range steps {
		step := Step{After: time.Duration(r.IntN(4000)) * time.Millisecond, On: r.IntN(Runs)}
		switch n := r.IntN(100); {
		case n < 42:
			step.Do = "put"
		case n < 51:
			step.Do = "delete"
		case n < 70 && !faulty:
			step.Do, step.On, faulty = "fault", r.IntN(len(Faults())), true
		case n < 70, n < 80 && faulty:
			step.Do, step.After, faulty = "heal", time.Duration(r.IntN(40000))*time.Millisecond, false
		case n < 82:
			step.Do = "restart"
		case n < 84:
			step.Do = "restart one"
		case n < 86:
			step.Do = "compact"
		case n < 88:
			step.Do = "backup"
		case n < 90:
			step.Do = "restore"
		case n < 91:
			step.Do = "replace"
		case n < 95:
			step.Do = "move"
		case n < 97:
			step.Do, step.On = "lag", r.IntN(len(Lags()))
		case n < 98 && !split:
			step.Do, split = "split", true
		case n < 98:
			step.Do, split = "join", false
		default:
			step.Do = "look"
		}
		s = append(s, step)
	}
	return append(s, Step{After: time.Second, Do: "heal"}, Step{Do: "join"}, Step{Do: "lag"}, Step{After: settle, Do: "put", On: 0}, Step{After: settle, Do: "look"})
}
