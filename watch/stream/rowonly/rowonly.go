// Package rowonly keeps the runs of a set of which only the rows were read, and which of them are wanted, to be read by
// themselves; and it measures how fast such runs come.
package rowonly

import (
	"context"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// A run that could not be read is read again after againFirst, twice as long after each failure, againMost at most.
const againFirst, againMost = time.Second, time.Minute

// Set has the runs of which only the rows were read. Any goroutine may use it. The zero Set is empty.
type Set struct {
	mu      sync.Mutex
	runs    map[engine.ID]*state
	size    int           // of runs after Reset
	wanted  []engine.ID   // in the order in which they are read
	changed chan struct{} // closed when there may be more to read; nil if nobody waits for that
}

// state is what happens to a run.
type state struct {
	reading  bool
	failures int       // in succession
	again    time.Time // when it may be read again
}

// Reset makes runs those of which only the rows were read.
func (s *Set) Reset(runs []engine.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs, s.size = make(map[engine.ID]*state, len(runs)), len(runs)
	for _, id := range runs {
		s.runs[id] = &state{}
	}
	s.wake()
}

// Want says which runs are wanted now, in this order. Others than those of the set are left out; those that were wanted
// before, and are not now, are not read.
func (s *Set) Want(runs []engine.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted = runs
	for _, id := range runs {
		if is := s.runs[id]; is != nil && !is.reading {
			s.wake()
			return
		}
	}
}

// wake wakes the callers of Next, with the lock held.
func (s *Set) wake() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// Next waits for a run that is wanted and that nobody reads. It reports false when ctx has ended. The caller reads the run,
// and then calls Read, Failed or Release.
func (s *Set) Next(ctx context.Context) (engine.ID, bool) {
	for ctx.Err() == nil {
		id, due, changed := s.next(time.Now())
		if !id.IsZero() {
			return id, true
		}
		var tick <-chan time.Time
		if !due.IsZero() {
			tick = time.After(time.Until(due))
		}
		select {
		case <-changed:
		case <-tick:
		case <-ctx.Done():
		}
	}
	return engine.ID{}, false
}

// next returns a run to read, or else when one is due, and what is closed if that changes.
func (s *Set) next(now time.Time) (id engine.ID, due time.Time, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.wanted {
		switch is := s.runs[id]; {
		case is == nil || is.reading:
		case now.Before(is.again):
			due = engine.Earlier(due, is.again)
		default:
			is.reading = true
			return id, due, nil
		}
	}
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return id, due, s.changed
}

// Size is how many runs the set had after Reset.
func (s *Set) Size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// Left is how many runs of the set are wanted and not read.
func (s *Set) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := map[*state]bool{}
	for _, id := range s.wanted {
		if is := s.runs[id]; is != nil {
			left[is] = true
		}
	}
	return len(left)
}

// Failed says that a run could not be read, and returns how often in succession. It is read again later.
func (s *Set) Failed(run engine.ID, now time.Time) (failures int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := s.runs[run]
	if is == nil || !is.reading {
		return 0
	}
	is.again = now.Add(min(againFirst<<is.failures, againMost))
	is.failures = min(is.failures+1, 6)
	is.reading = false
	s.wake()
	return is.failures
}

// Release says that a run was not read, for a reason that is not about the run, such as the connection.
func (s *Set) Release(run engine.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if is := s.runs[run]; is != nil && is.reading {
		is.reading = false
		s.wake()
	}
}

// Read says that a run was read whole, or was deleted. It reports false if the run is not in the set: it was read or deleted
// before.
func (s *Set) Read(run engine.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, is := s.runs[run]
	delete(s.runs, run)
	return is
}

// Has reports whether only the row of a run was read.
func (s *Set) Has(run engine.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[run] != nil
}
