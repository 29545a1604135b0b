package stream

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/stagewatch/stagewatch/watch/internal/gate"
)

const (
	// promptAtOnce is how many requests of a hub's streams wait for an answer at the same time.
	// Without a bound, the many sets that begin anew after a lost connection ask a busy hub for
	// more than it can answer until their deadlines, and so it goes on: it is busy with
	// answers that nobody waits for any more.
	promptAtOnce = 12
	// lateAtOnce is the same for sets whose last request was not answered in time. They have
	// places of their own, so that no other set waits for one that hangs.
	lateAtOnce = 4
)

// gates are those of all streams of a hub; slow says that the line to it is slow.
type gates struct {
	prompt, late gate.Gate
	slow         atomic.Bool
	// decoding is held while an object is decoded that was read by itself. If many are at the same time, the screen does not
	// get a thread for as long.
	decoding sync.Mutex
}

func newGates() *gates {
	return &gates{prompt: gate.New(promptAtOnce), late: gate.New(lateAtOnce)}
}

// enter waits until the stream may send a request, whose deadline begins then.
func (s *stream) enter(ctx context.Context) (leave func(), err error) {
	if s.late.Load() {
		return s.gates.late.Enter(ctx)
	}
	return s.gates.prompt.Enter(ctx)
}

// answers notes whether a request was answered in time. One that we ended says nothing.
func (s *stream) answers(err error) {
	if !errors.Is(err, context.Canceled) {
		s.late.Store(errors.Is(err, context.DeadlineExceeded))
	}
}
