package stream

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

// doubt reports whether a rejection may be temporary: an API server that starts
// rejects requests until it has loaded its roles and CRDs.
func (s *stream) doubt(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.loaded && !s.hub.MayBeStarting() {
		return false
	}
	if s.doubted.IsZero() {
		s.doubted = now
	}
	return now.Sub(s.doubted) < doubtFor
}

func (s *stream) isDoubted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.doubted.IsZero()
}

// refuse records that the hub answers, but rejects requests for the set.
func (s *stream) refuse(c engine.Coverage, f client.Failure) {
	s.mu.Lock()
	s.loaded, s.counted, s.polled, s.doubted = false, 0, false, time.Time{}
	s.version, s.relist, s.aheads = "", true, nil
	s.mu.Unlock()
	s.held.Clear()
	s.rowOnly.Reset(nil)
	s.sink.Clear(c)
	s.link.Missing(s.source())
	s.link.OK(s.source(), time.Now())
	s.settle(f)
}
