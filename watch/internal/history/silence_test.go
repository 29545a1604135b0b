package history

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// TestFirstListHangs checks that a first list that is not answered is named in time, with the
// kind of its objects, and read once lists are answered.
func TestFirstListHangs(t *testing.T) {
	lists := faults.Both(faults.Lists, faults.Resource(runs))
	for name, rule := range map[string]faults.Rule{
		"no head":        {Kind: faults.Hang, Of: lists},
		"silent":         {Kind: faults.Silence, Of: lists},
		"whole no head":  {Kind: faults.Hang, Of: faults.Both(faults.WholeLists, lists)},
		"frozen":         {Kind: faults.Freeze, Of: lists},
		"request frozen": {Kind: faults.FreezeUp, Of: lists},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t)
				s.server.Put(runs, aRun("first", "web"))
				s.proxy.Set(rule)
				s.open()
				named := s.within(mostAge, "the list that hangs", func(snap *engine.Snapshot) bool {
					return snap.Link.State == engine.LinkReconnecting && strings.Contains(snap.Link.Err.String(), runs)
				})
				t.Logf("named after %v", named)
				time.Sleep(time.Minute)
				s.drain()
				if s.last.Link.State == engine.LinkLive || s.last.Complete {
					t.Errorf("without a list: %s", describe(s.last))
				}
				if !s.last.Link.Answers || s.last.Link.Errors || !strings.Contains(s.last.Link.Hint.String(), "the hub answers other requests") {
					t.Errorf("the network is blamed: %s", describe(s.last))
				}
				s.proxy.Set()
				if took := s.within(time.Minute, "the run", has("first")); took > aim {
					t.Errorf("recovered after %v, at most %v are allowed", took, aim)
				}
				if s.proxy.MostLists() > 1 {
					t.Errorf("%d lists of one set at the same time", s.proxy.MostLists())
				}
			})
		})
	}
}

// TestRejectedAtTheStart checks that a session which the hub rejects while it starts is live soon
// after the hub accepts its login: nothing else is asked meanwhile that would show it.
func TestRejectedAtTheStart(t *testing.T) {
	for _, rejected := range []time.Duration{100 * time.Millisecond, 2 * time.Second, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			s := start(t)
			s.server.Put(runs, aRun("first", "web"))
			s.proxy.Set(faults.Rule{Kind: faults.Status, Code: 401})
			s.open()
			time.Sleep(rejected)
			s.drain()
			s.proxy.Set()
			took := s.within(time.Minute, "live", func(snap *engine.Snapshot) bool { return isLive(snap) && len(snap.Runs) == 1 })
			if s.t.Logf("rejected for %v: live %v later", rejected, took); took > mostAge {
				s.t.Errorf("rejected for %v: live %v later, at most %v are allowed", rejected, took, mostAge)
			}
		})
	}
}

// TestRunsAloneHang checks that a hub that answers everything except requests for runs is not
// called unreachable, nor the network blamed: the runs are named, the age is theirs, and the
// connections of the other sets are kept.
func TestRunsAloneHang(t *testing.T) {
	of := faults.Resource(runs)
	for name, kind := range map[string]faults.Kind{"no head": faults.Hang, "silent": faults.Silence, "frozen": faults.Freeze} {
		for _, http1 := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, http1 %v", name, http1), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := start(t)
					s.server.Put(runs, aRun("first", "web"))
					var dialled atomic.Int64
					if http1 {
						s.config = overHTTP1(t, s.proxy)
						dial := s.config.Dial
						s.config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
							dialled.Add(1)
							return dial(ctx, network, address)
						}
					}
					s.open()
					s.within(20*time.Second, "the run", has("first"))
					time.Sleep(time.Minute)
					var watches atomic.Int64 // of other sets
					s.proxy.Observe(func(r *http.Request) {
						if faults.LongWatches(r) && !of(r) {
							watches.Add(1)
						}
					})
					s.drain()
					proved := s.last.Link.Heard
					s.proxy.Set(faults.Rule{Kind: faults.Cut, Of: of})
					s.proxy.Set(faults.Rule{Kind: kind, Of: of})
					began := time.Now()
					for time.Since(began) < time.Minute {
						time.Sleep(500 * time.Millisecond)
						s.drain()
						l := s.last.Link
						switch age := time.Since(began); {
						case age > 5*time.Second && (!strings.Contains(l.Err.String(), "no answer in time: "+runs) || !l.Answers || !strings.Contains(l.Hint.String(), "the hub answers other requests")),
							age > mostAge && (l.State == engine.LinkLive || l.Heard.After(began) || l.Heard.Before(proved)):
							t.Fatalf("after %v: %s", age, describe(s.last))
						}
					}
					if watches.Load() > 15 { // one of each set ends by itself
						t.Errorf("%d watches of other sets in a minute", watches.Load())
					}
					t.Logf("%d connections, %d watches of other sets", dialled.Load(), watches.Load())
					s.server.Put(runs, aRun("second", "web"))
					s.proxy.Set()
					if took := s.within(time.Minute, "the change", has("second")); took > aim {
						t.Errorf("recovered after %v, at most %v are allowed", took, aim)
					}
				})
			})
		}
	}
}

// TestSilenceOverHTTP1 checks I1 and the recovery where the client and the server of net/http
// speak HTTP/1.1, over connections in memory: no ping of HTTP/2 finds a watch that the server
// accepts and then forgets, while it answers probes.
func TestSilenceOverHTTP1(t *testing.T) {
	for name, rule := range map[string]faults.Rule{
		"accepted, then silent": {Kind: faults.Silence, Of: faults.Watches},
		"no head":               {Kind: faults.Hang, Of: faults.Watches},
		"muted":                 {Kind: faults.Mute, Of: faults.Watches},
		"long watches muted":    {Kind: faults.Mute, Of: faults.LongWatches},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t)
				s.server.Put(runs, aRun("first", "web"))
				s.config = overHTTP1(t, s.proxy)
				s.open()
				s.within(20*time.Second, "the run", has("first"))
				time.Sleep(time.Minute)
				s.drain()
				if rule.Kind != faults.Mute { // which open watches meet, too
					s.proxy.Set(faults.Rule{Kind: faults.Cut, Of: faults.Watches})
				}
				s.proxy.Set(rule)
				time.Sleep(5 * time.Second)
				s.server.Put(runs, aRun("second", "web"))
				changed := time.Now()
				for time.Since(changed) < time.Minute {
					time.Sleep(100 * time.Millisecond)
					s.drain()
					if age := time.Since(changed); age > mostAge && isLive(s.last) && find(s.last, "second") == nil {
						t.Fatalf("live %v after a change that is not shown: %s", age, describe(s.last))
					}
				}
				s.proxy.Set()
				s.server.Put(runs, aRun("third", "web"))
				if took := s.within(time.Minute, "the change", has("third")); took > aim {
					t.Errorf("recovered after %v, at most %v are allowed", took, aim)
				}
			})
		})
	}
}

// pipes is a listener whose connections are in memory: compressed time passes while they are
// idle.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

// overHTTP1 serves a handler with HTTP/1.1 and returns the way to it.
func overHTTP1(t *testing.T, handler http.Handler) *rest.Config {
	l := &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Hour}
	done := make(chan error)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return &rest.Config{Host: "http://hub.example", Dial: l.dial}
}

func (l *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.accepted <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *pipes) Close() error {
	close(l.closed)
	return nil
}

// Addr implements net.Listener.
func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

// TestWatchBreaksDuringACheck checks that a watch which follows one that broke is confirmed by a
// check of its own: one that had begun before says nothing of it.
func TestWatchBreaksDuringACheck(t *testing.T) {
	ofRuns := faults.Both(faults.LongWatches, faults.Resource(runs))
	compressed(t, func(s *situation) {
		for round := range 60 {
			before, change := fmt.Sprint("before-", round), fmt.Sprint("change-", round)
			s.server.Put(runs, aRun(before, "web")) // brought by the watch, which is not in doubt then
			s.within(time.Second, "what comes before", has(before))
			time.Sleep(30*time.Second + time.Duration(round)*101*time.Millisecond) // at any time of a check
			s.proxy.Set(faults.Rule{Kind: faults.Cut, Of: ofRuns})
			s.proxy.Set(faults.Rule{Kind: faults.Silence, Of: ofRuns})
			time.Sleep(300 * time.Millisecond)
			s.proxy.Set()
			s.server.Put(runs, aRun(change, "web"))
			// None of its requests is lost: a check finds it.
			if took := s.within(10*time.Second, "the change", has(change)); took > aim+doubtWatch {
				t.Errorf("round %d: recovered %v after the fault, at most %v are allowed", round, took, aim+doubtWatch)
			}
		}
	})
}
