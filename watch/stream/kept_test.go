package stream

import (
	"context"
	"crypto/x509"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/faults"
	"github.com/stagewatch/stagewatch/watch/internal/memory"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/link"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream/held"
	"github.com/stagewatch/stagewatch/watch/stream/incoming"
)

const runs = "clusterstagedupdateruns"

// kept is one stream of runs on a server in memory, in compressed time.
type kept struct {
	t      *testing.T
	server *faults.APIServer
	proxy  *faults.Proxy
	link   *link.Link
	stream *stream
	// certificate returns that of the server.
	certificate atomic.Pointer[func() *x509.Certificate]

	room   *memory.Room
	mu     sync.Mutex
	lists  []time.Time // when whole lists were requested
	checks []time.Time // when short watches were
}

func certificate(of string) func() *x509.Certificate {
	return func() *x509.Certificate { return &x509.Certificate{Raw: []byte(of)} }
}

func put(server *faults.APIServer, name string) string {
	return strconv.Itoa(server.Put(runs, map[string]any{"metadata": map[string]any{"name": name}}))
}

// keep runs a test with a stream that watches one run.
func keep(t *testing.T, test func(k *kept)) {
	t.Helper()
	keepFrom(t, func(*kept) {}, test)
}

// keepFrom is keep with something that is done before the stream begins.
func keepFrom(t *testing.T, begin, test func(k *kept)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := faults.NewAPIServer()
		put(server, "first")
		k := &kept{t: t, server: server, proxy: faults.NewProxy(server), room: memory.NewRoom(), link: link.New(time.Now(), true, func() {})}
		k.answersAs(certificate("a"))
		k.proxy.Observe(func(r *http.Request) {
			k.mu.Lock()
			defer k.mu.Unlock()
			switch limit := r.URL.Query().Get("limit"); {
			case faults.Checks(r):
				k.checks = append(k.checks, time.Now())
			case faults.Lists(r) && (limit == "" || !strings.Contains(r.Header.Get("Accept"), "as=")):
				k.lists = append(k.lists, time.Now())
			}
		})
		hub, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: "http://hub.example", Transport: &faults.Transport{Handler: k.proxy, Certificate: func() *x509.Certificate { return (*k.certificate.Load())() }}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var work task.Group
		defer work.Wait()
		defer cancel()
		key := world.CoverAll(engine.KindClusterStagedUpdateRun)
		k.stream = &stream{
			hub: hub, link: k.link, sink: store.NewInbox().Open(key), all: &work, key: key, pace: checkEvery, held: held.New(k.room), gates: newGates(),
			settled: func(outcome) {},
		}
		k.link.Load()
		begin(k)
		work.Go(func() { k.stream.run(ctx) })
		time.Sleep(10 * time.Second)
		test(k)
	})
}

// answersAs changes the certificate of the server.
func (k *kept) answersAs(certificate func() *x509.Certificate) { k.certificate.Store(&certificate) }

// since returns how many whole lists and checks were requested since a moment.
func (k *kept) since(at time.Time) (lists, checks int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	count := func(times []time.Time) (n int) {
		for _, t := range times {
			if t.After(at) {
				n++
			}
		}
		return n
	}
	return count(k.lists), count(k.checks)
}

// reaches checks that the stream has a version within some time.
func (k *kept) reaches(version string, within time.Duration) {
	k.t.Helper()
	for until := time.Now().Add(within); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if k.stream.at() == version {
			return
		}
	}
	k.t.Fatalf("after %v the stream is at version %s, want %s", within, k.stream.at(), version)
}

// TestFailingWatchIsListed checks that a set whose watches are rejected is listed: nothing
// else brings its changes.
func TestFailingWatchIsListed(t *testing.T) {
	keep(t, func(k *kept) {
		k.proxy.Set(faults.Rule{Kind: faults.Cut, Of: faults.Watches})
		k.proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusBadGateway, Of: faults.Watches})
		time.Sleep(time.Second)
		for range 3 {
			k.reaches(put(k.server, "second"), pollEvery+2*time.Second)
		}
	})
}

// TestFailingListsAreNotRepeatedAtOnce checks how often a set that cannot be watched is listed while
// its lists fail, too.
func TestFailingListsAreNotRepeatedAtOnce(t *testing.T) {
	keep(t, func(k *kept) {
		k.proxy.Set(faults.Rule{Kind: faults.Cut, Of: faults.Watches})
		k.proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusBadGateway, Of: faults.Watches})
		time.Sleep(10 * time.Second)
		for _, code := range []int{http.StatusInternalServerError, http.StatusForbidden} {
			began := time.Now()
			k.proxy.Set(faults.Rule{Kind: faults.Status, Code: code})
			time.Sleep(10 * time.Second)
			if lists, _ := k.since(began); lists < 3 || lists > 10 {
				k.t.Errorf("code %d: %d lists in 10 s", code, lists)
			}
			k.proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusBadGateway, Of: faults.Watches})
			time.Sleep(20 * time.Second)
		}
	})
}

// TestUnansweredChecks checks that a set whose watch brings changes, and whose checks are not answered,
// is not listed at once, but soon: a change may have been lost.
func TestUnansweredChecks(t *testing.T) {
	keep(t, func(k *kept) {
		k.proxy.Set(faults.Rule{Kind: faults.Cut, Of: faults.LongWatches}) // the next one is in doubt
		time.Sleep(50 * time.Millisecond)
		k.proxy.Set(faults.Rule{Kind: faults.Hang, Of: faults.Checks})
		time.Sleep(300 * time.Millisecond)
		began := time.Now()
		change := func(least, most int) {
			for end := time.Now().Add(5 * time.Second / 2); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
				put(k.server, "second")
			}
			if lists, checks := k.since(began); lists < least || lists > most || checks == 0 {
				k.t.Errorf("%v after the watch broke: %d lists, want %d to %d; %d checks", time.Since(began), lists, least, most, checks)
			}
		}
		change(0, 0)
		change(1, 2)
	})
}

// TestRejectedChecks checks that checks which are rejected with a Retry-After header are
// not repeated before, and do not become lists.
func TestRejectedChecks(t *testing.T) {
	keep(t, func(k *kept) {
		began := time.Now()
		k.proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusTooManyRequests, RetryAfter: 20, Of: faults.Checks})
		time.Sleep(100 * time.Second)
		if lists, checks := k.since(began); lists > 6 || checks > 6 {
			k.t.Errorf("%d lists and %d checks in 100 s, at most 6 of each", lists, checks)
		}
	})
}

// TestRetryAfterOutlastsRecovery checks that neither the recovery of the connection nor a
// reset ends the pause that the API server asked for.
func TestRetryAfterOutlastsRecovery(t *testing.T) {
	keep(t, func(k *kept) {
		k.proxy.Set(faults.Rule{Kind: faults.Cut})
		k.proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusServiceUnavailable, RetryAfter: 25})
		time.Sleep(3 * time.Second)
		asked := time.Now()
		for range 10 {
			k.stream.hub.Wake()
			k.link.Recovered(time.Time{}, time.Now())
			k.link.Older(time.Now(), time.Now())
			time.Sleep(2 * time.Second)
		}
		if lists, _ := k.since(asked); lists > 0 {
			k.t.Errorf("%d lists within the pause", lists)
		}
		k.proxy.Set()
		k.reaches(put(k.server, "second"), 20*time.Second)
	})
}

// TestAnotherServerIsListed checks that a set is listed when a server with another certificate
// answers, and only then; a bounded number of times where each request meets another server.
func TestAnotherServerIsListed(t *testing.T) {
	keep(t, func(k *kept) {
		reconnect := func(want int, what string) {
			k.t.Helper()
			for time.Since(k.link.ProvedAt(k.stream.source())) > time.Second { // the gap is short
				time.Sleep(100 * time.Millisecond)
			}
			began := time.Now()
			time.Sleep(time.Millisecond)
			k.server.Restart() // ends the watch without an error
			time.Sleep(2 * time.Second)
			if lists, _ := k.since(began); lists != want {
				k.t.Errorf("%s: %d lists, want %d", what, lists, want)
			}
			if v, _ := k.link.View(time.Now(), 0); v.State != engine.LinkLive || !v.Reset.IsZero() {
				k.t.Errorf("%s: the link is %+v", what, v)
			}
		}
		reconnect(0, "the same server")
		k.answersAs(certificate("b"))
		reconnect(1, "another server")
		reconnect(0, "that server again")
		var n atomic.Int64
		k.answersAs(func() *x509.Certificate { return certificate(strconv.FormatInt(n.Add(1), 10))() })
		reconnect(mostMoved, "another one for each request")
	})
}

// TestAnotherServerIsListedWhilePolled checks the same for a set whose watches were rejected
// before, and are not by the other server: its store can have the same versions of a past of
// its own.
func TestAnotherServerIsListedWhilePolled(t *testing.T) {
	keep(t, func(k *kept) {
		other := k.server.Copy()
		put(k.server, "second")
		put(other, "third")
		put(other, "fourth")
		k.proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusForbidden, Of: faults.Watches})
		k.server.Restart()
		time.Sleep(20 * time.Second)
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			if lists, _ := k.since(began); lists > 0 {
				break // the next one is due in pollEvery
			}
			if time.Since(began) > time.Minute {
				k.t.Fatal("it is not listed")
			}
		}
		began := time.Now()
		k.answersAs(certificate("b"))
		k.proxy.SetServer(other)
		k.proxy.Set()
		time.Sleep(pollEvery / 2)
		if lists, _ := k.since(began); lists == 0 {
			k.t.Error("it is watched from a version of another store")
		}
	})
}

// TestRestoredWhilePolled checks that a set whose watches were rejected is not watched from a
// version of the future when they are answered again.
func TestRestoredWhilePolled(t *testing.T) {
	keep(t, func(k *kept) {
		backup := k.server.Backup()
		k.proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusForbidden, Of: faults.Watches})
		k.server.Restart()
		time.Sleep(20 * time.Second)
		k.reaches(put(k.server, "second"), pollEvery+time.Second)
		k.server.Restore(backup, "")
		k.proxy.Set()
		k.reaches("101", link.StaleAfter)
		if v, _ := k.link.View(time.Now(), 0); v.Reset.IsZero() {
			k.t.Errorf("the link is %+v", v)
		}
	})
}

// TestRestoredBetweenListAndWatch checks that no set is watched from a version that the hub had
// when the set was listed, and has not any more when the watch begins.
func TestRestoredBetweenListAndWatch(t *testing.T) {
	keep(t, func(k *kept) {
		backup := k.server.Backup()
		k.reaches(put(k.server, "second"), time.Second)
		var once sync.Once
		k.proxy.Observe(func(r *http.Request) {
			if faults.LongWatches(r) {
				once.Do(func() { k.server.Restore(backup, "") })
			}
		})
		k.stream.listAgain()
		k.reaches("101", link.StaleAfter)
	})
}

// TestOlderListIsFollowedByAnother checks that a set is listed after an answer that was older,
// although the hub has overtaken its version by then: a set that was watched, and one whose
// watches were rejected.
func TestOlderListIsFollowedByAnother(t *testing.T) {
	for _, rules := range [][]faults.Rule{nil, {{Kind: faults.Status, Code: http.StatusForbidden, Of: faults.Watches}}} {
		keep(t, func(k *kept) {
			backup := k.server.Backup()
			k.proxy.Set(rules...)
			k.server.Restart()
			time.Sleep(20 * time.Second)
			k.reaches(put(k.server, "second"), pollEvery+time.Second)
			k.server.Restore(backup, "")
			older := func() bool {
				k.stream.mu.Lock()
				defer k.stream.mu.Unlock()
				return k.stream.older > 0
			}
			for until := time.Now().Add(time.Minute); !older(); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(until) {
					k.t.Fatalf("%v: no answer was older", rules)
				}
			}
			put(k.server, "third") // has the version of the second
			k.proxy.Set()
			began := time.Now()
			time.Sleep(pollEvery / 2)
			if lists, _ := k.since(began); lists == 0 {
				k.t.Errorf("%v: it is watched from a version that the hub has overtaken", rules)
			}
		})
	}
}

// TestASecondResetIsNoted checks that a hub that goes back again is noted as reset again, if the
// set was listed before the first reset was noted and has changed since.
func TestASecondResetIsNoted(t *testing.T) {
	keep(t, func(k *kept) {
		backup := k.server.Backup()
		first := time.Now().Round(0)
		k.link.WasReset(first, first) // another set has found it
		time.Sleep(time.Minute)
		k.reaches(put(k.server, "second"), time.Second)
		k.server.Restore(backup, "")
		time.Sleep(20 * time.Second)
		if v, _ := k.link.View(time.Now(), 0); !v.Reset.After(first.Add(time.Minute)) {
			k.t.Errorf("the reset after %v is that of %v before", first.Add(time.Minute), v.Reset)
		}
	})
}

// TestClockIsSetBack checks that a proof of the future, which a clock leaves behind that
// was set back, neither stops the checks nor passes for a recent one.
func TestClockIsSetBack(t *testing.T) {
	t.Run("checks", func(t *testing.T) {
		keep(t, func(k *kept) {
			k.link.Proves(k.stream.source(), time.Now().Add(time.Hour))
			k.proxy.Set(faults.Rule{Kind: faults.Mute, Of: faults.LongWatches})
			k.reaches(put(k.server, "second"), link.StaleAfter)
		})
	})
	t.Run("gap", func(t *testing.T) {
		keep(t, func(k *kept) {
			k.link.Proves(k.stream.source(), time.Now().Add(time.Hour))
			cut := time.Now().Add(-time.Nanosecond)
			k.server.Restart() // ends the watch
			time.Sleep(2 * time.Second)
			if lists, _ := k.since(cut); lists == 0 {
				k.t.Error("the set is watched from its version again, and nothing says how long the gap was")
			}
		})
	})
}

// TestRestartForgets checks that what was on its way when a stream was restarted does not
// bring the forgotten version back.
func TestRestartForgets(t *testing.T) {
	keep(t, func(k *kept) {
		ended, end := context.WithCancel(k.t.Context())
		end()
		s := k.stream
		k.proxy.Set(faults.Rule{Kind: faults.Hang})
		s.restart(true, time.Time{})
		if s.advance(ended, "999") || s.at() != "" {
			k.t.Errorf("an event made the version %q", s.at())
		}
		if err := s.take(ended, &incoming.List{ListMeta: metav1.ListMeta{ResourceVersion: "999"}}, time.Now()); err == nil || s.at() != "" {
			k.t.Errorf("a list made the version %q: %v", s.at(), err)
		}
	})
}

// TestGatewayTimeout checks that a 504 of a proxy, unlike that of an API server that does
// not know a resourceVersion yet, is not followed by another list at once.
func TestGatewayTimeout(t *testing.T) {
	keep(t, func(k *kept) {
		began := time.Now()
		k.proxy.Set(faults.Rule{Kind: faults.Cut, Of: faults.Watches})
		k.proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusGatewayTimeout})
		time.Sleep(20 * time.Second)
		k.mu.Lock()
		defer k.mu.Unlock()
		var last time.Time
		for _, list := range k.lists {
			if list.Sub(last) < client.FirstPause/2 {
				k.t.Fatalf("two lists within %v, %v after the fault", list.Sub(last), list.Sub(began))
			}
			last = list
		}
	})
}
