package store

import (
	"sync/atomic"

	"github.com/stagewatch/stagewatch/engine"
)

// mailbox holds the latest Snapshot until a reader takes it. One goroutine puts.
type mailbox struct {
	c chan *engine.Snapshot
	// last is the latest that was put, for questions.
	last atomic.Pointer[engine.Snapshot]
}

func newMailbox() *mailbox { return &mailbox{c: make(chan *engine.Snapshot, 1)} }

func (m *mailbox) put(s *engine.Snapshot) {
	m.last.Store(s)
	select {
	case <-m.c: // the previous one was not taken
	default:
	}
	m.c <- s // there is room: only this goroutine puts
}
