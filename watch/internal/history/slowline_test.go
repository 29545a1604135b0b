package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// slowLine delays what connections bring: all of them share one line, and what is in front of it
// waits in a buffer without end.
type slowLine struct {
	perSecond float64 // bytes
	delay     time.Duration

	mu      sync.Mutex
	free    time.Time // when all that was sent will have passed
	longest time.Duration
}

// passes returns when so many bytes arrive that are sent now.
func (l *slowLine) passes(bytes int) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(bytes) / l.perSecond * float64(time.Second)))
	l.longest = max(l.longest, time.Until(l.free))
	return l.free.Add(l.delay)
}

// queued returns the longest time that something has waited since the last call.
func (l *slowLine) queued() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	longest := l.longest
	l.longest = 0
	return longest
}

// through returns a dial whose connections are behind the line.
func (l *slowLine) through(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		far, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		read, write := io.Pipe()
		type packet struct {
			at    time.Time
			bytes []byte
		}
		packets, closed := make(chan packet, 1<<16), make(chan struct{})
		go func() {
			defer close(packets)
			for {
				b := make([]byte, 16<<10)
				n, err := far.Read(b)
				if err != nil {
					return
				}
				select {
				case packets <- packet{l.passes(n), b[:n]}:
				case <-closed:
					return
				}
			}
		}()
		go func() {
			defer write.Close()
			for p := range packets {
				select {
				case <-time.After(time.Until(p.at)):
				case <-closed:
					return
				}
				if _, err := write.Write(p.bytes); err != nil {
					return
				}
			}
		}()
		return &slowConn{Conn: far, near: read, closed: closed}, nil
	}
}

// slowConn reads what has passed the line.
type slowConn struct {
	net.Conn
	near   *io.PipeReader
	closed chan struct{}
	once   sync.Once
}

// Read implements net.Conn.
func (c *slowConn) Read(b []byte) (int, error) { return c.near.Read(b) }

// Close implements net.Conn.
func (c *slowConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return errors.Join(c.near.Close(), c.Conn.Close())
}

// TestLiveOnceAfterAnInterruption checks that the link stays live when it is live again after an
// interruption: over a slow line, checks wait behind the bindings that are read again.
func TestLiveOnceAfterAnInterruption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		for place := range 8 {
			name := fmt.Sprint("place-", place)
			s.server.Put(runs, anUpdatingRun(name+"-run", name, "member-0", time.Now().Add(-time.Hour))) // stuck: its bindings are read
			for n := range 60 {
				s.server.Put("clusterresourcebindings", map[string]any{
					"apiVersion": "placement.kubernetes-fleet.io/v1beta1", "kind": "ClusterResourceBinding",
					"metadata": map[string]any{"name": fmt.Sprint(name, "-", n), "labels": map[string]any{"kubernetes-fleet.io/parent-CRP": name}, "annotations": map[string]any{"long": strings.Repeat("x", 2<<10)}},
					"spec":     map[string]any{"targetCluster": fmt.Sprint("member-", n), "resourceSnapshotName": name + "-0-snapshot", "state": "Bound"},
				})
			}
		}
		line := &slowLine{perSecond: 250e3, delay: 150 * time.Millisecond}
		s.config = overHTTP1(t, s.proxy)
		s.config.Dial = line.through(s.config.Dial)
		s.open()
		s.within(time.Minute, "the runs", has("place-7-run"))
		time.Sleep(time.Minute)
		s.drain()
		late := time.Duration(0)
		for round := range 6 {
			s.proxy.Set(faults.Rule{Kind: faults.Cut}, faults.Rule{Kind: faults.Hang})
			time.Sleep(4*time.Second + time.Duration(round)*500*time.Millisecond)
			s.proxy.Set()
			s.within(time.Minute, "an end of being live", func(s *engine.Snapshot) bool { return !isLive(s) })
			s.within(time.Minute, "live", isLive)
			line.queued()
			again := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			for {
				snap, err := s.session.Next(ctx)
				if err != nil {
					break
				}
				if s.last = snap; !isLive(snap) {
					t.Errorf("round %d: %v after it was live again: %s", round, time.Since(again), describe(snap))
				}
			}
			cancel()
			late = max(late, line.queued())
			time.Sleep(time.Minute)
			s.drain()
		}
		if late < 200*time.Millisecond {
			t.Errorf("after the link was live again, answers waited for %v at most", late)
		}
	})
}
