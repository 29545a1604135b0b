package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/client"
)

// A hub that restarts while it is read is waited for, longer than one that has never answered: by
// the list of all runs, by the read of one, and by a page.
func TestReadsOutliveAnOutage(t *testing.T) {
	t.Parallel()
	h := ownHub(t)
	p := somebody(t, h)
	const run = "outage-r1"
	p.make(aBinding(t, "", "outage", "outage-a", run))
	p.cached(p.make(aRun(t, "", run, "outage", "Run", "UpdateRunStuck")))

	// The first request for what each of them waits for is not answered.
	waits := map[string]string{"list": "/clusterstagedupdateruns", "one": "/clusterresourcebindings", "page": "/clusterresourcebindings"}
	var asked sync.WaitGroup
	once := map[string]*sync.Once{"list": {}, "one": {}, "page": {}}
	asked.Add(len(waits))
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			suffix := waits[r.UserAgent()]
			if suffix == "" || !strings.HasSuffix(r.URL.Path, suffix) || r.Header.Get("Accept") != "application/json" {
				next.ServeHTTP(w, r)
				return
			}
			first := false
			once[r.UserAgent()].Do(func() { first = true })
			if !first {
				next.ServeHTTP(w, r)
				return
			}
			asked.Done()
			<-r.Context().Done()
		})
	})
	type said struct {
		mu  sync.Mutex
		all []string
	}
	say := map[string]*said{"list": {}, "one": {}, "page": {}}
	config := func(agent string) Config {
		cfg := Config{REST: h.AdminConfig(), Progress: func(what engine.Text) {
			s := say[agent]
			s.mu.Lock()
			defer s.mu.Unlock()
			s.all = append(s.all, what.String())
		}}
		cfg.REST.UserAgent = agent
		return cfg
	}
	// As --request-timeout: a busy machine may need longer than retryWait to start an API server.
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var reads sync.WaitGroup
	reads.Go(func() {
		s, err := Once(ctx, config("list"), Reading{})
		if err != nil {
			t.Errorf("list: %v", err)
			return
		}
		if v := named(s, engine.KindClusterStagedUpdateRun, "", run); !s.Complete || v == nil || len(s.Missing) > 0 {
			t.Errorf("list: complete %v, run %v, missing %v", s.Complete, v, s.Missing)
		}
	})
	reads.Go(func() {
		s, v, err := OnceRun(ctx, config("one"), func(s *engine.Snapshot) (*engine.RunView, error) {
			return named(s, engine.KindClusterStagedUpdateRun, "", run), nil
		})
		if err != nil {
			t.Errorf("one: %v", err)
			return
		}
		if s.Detail == nil || s.Detail.Bindings.State != engine.CoverComplete || v.ID.Name() != engine.Lit(run) {
			t.Errorf("one: %v, %+v", v.ID.Title(), s.Detail)
		}
	})
	reads.Go(func() {
		_, a, err := Page(ctx, config("page"), Reading{NoRuns: true}, nil, func(*engine.RunView, *engine.Detail) (page.Question, error) {
			return page.AllOwnersQuestion{}, nil
		})
		if err != nil || !a.Err.IsZero() || !strings.Contains(fmt.Sprint(a.Sections), "1 binding of 1 placement") {
			t.Errorf("page: %v, %v, %v", err, a.Err, a.Sections)
		}
	})
	asked.Wait()
	if err := h.StopAPI(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(onceWait + absentWait) // the hub's time: connections are refused for so long
	if err := h.StartAPI(t.Context()); err != nil {
		t.Fatal(err)
	}
	reads.Wait()
	for agent, s := range say {
		// A hub that stops may say another reason before its connections are refused.
		if all := strings.Join(s.all, "\n"); !strings.Contains(all, "waiting for the hub: ") {
			t.Errorf("%s: does not say what it waits for:\n%s", agent, all)
		}
	}
}

// asleep is a hub that nothing is requested from.
func asleep(t *testing.T) *client.Client {
	t.Helper()
	h, err := client.New(engine.NewHubName("asleep", ""), &rest.Config{Host: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestPatience says after how long a read gives up, by what the hub did last.
func TestPatience(t *testing.T) {
	link := func(state engine.LinkState, change func(*engine.Link)) engine.Link {
		l := engine.Link{State: state}
		if change != nil {
			change(&l)
		}
		return l
	}
	heard := func(l *engine.Link) { l.Heard = time.Now() }
	for _, tt := range []struct {
		name     string
		timeout  time.Duration // of the command; zero for none
		link     func() engine.Link
		complete bool
		want     time.Duration
		flows    int64 // bytes that come in a second
	}{
		{"silent from the start", 0, nil, false, onceWait, 0},
		{"refuses connections from the start", time.Minute, func() engine.Link {
			return link(engine.LinkReconnecting, func(l *engine.Link) { l.Absent = true })
		}, false, absentWait, 0},
		{"silent after an answer", 0, func() engine.Link { return link(engine.LinkLoading, heard) }, false, retryWait, 0},
		{"interrupted", 0, func() engine.Link { return link(engine.LinkReconnecting, heard) }, false, retryWait, 0},
		{"interrupted when the runs were there", 0, func() engine.Link { return link(engine.LinkReconnecting, heard) }, true, retryWait, 0},
		{"interrupted, with a longer timeout", time.Minute, func() engine.Link { return link(engine.LinkReconnecting, heard) }, true, time.Minute, 0},
		{"live, but nothing of the rest comes", 0, func() engine.Link { return link(engine.LinkLive, heard) }, true, onceWait, 0},
		{"answers, but nothing of the rest comes", 0, func() engine.Link {
			return link(engine.LinkReconnecting, func(l *engine.Link) { heard(l); l.Answers = true })
		}, true, onceWait, 0},
		{"answers, and a list comes that was given up", 0, func() engine.Link {
			return link(engine.LinkReconnecting, func(l *engine.Link) { heard(l); l.Answers = true })
		}, false, retryWait, 50_000},
		{"answers, and only probes are answered", 0, func() engine.Link {
			return link(engine.LinkReconnecting, func(l *engine.Link) { heard(l); l.Answers = true })
		}, false, 2 * onceWait, 1000},
		{"not a hub, and bytes come", 0, nil, false, onceWait, 50_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hub := asleep(t) // its connections are none of the bubble's
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.timeout > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.timeout)
					defer cancel()
				}
				began := time.Now()
				p := newPatience(ctx, hub)
				p.received = func() int64 { return int64(time.Since(began).Seconds() * float64(tt.flows)) }
				var last *engine.Snapshot
				if tt.link != nil {
					last = &engine.Snapshot{Complete: tt.complete, Link: tt.link()}
					p.sees(last)
				}
				for goes := true; goes; goes = p.goesOn(last) {
					time.Sleep(time.Until(p.ends))
				}
				if took := time.Since(began); took < tt.want || took > tt.want+retryEvery {
					t.Errorf("gives up after %s, want %s", took, tt.want)
				}
			})
		})
	}
}

// TestPatienceAfterAnInterruption checks that the rest has as long as from the beginning when the
// connection is there again: it is only then requested. A connection that is interrupted again and again
// is not waited for without end once all runs are there.
func TestPatienceAfterAnInterruption(t *testing.T) {
	for _, tt := range []struct {
		name   string
		isAway func(after time.Duration) bool
		want   time.Duration
	}{
		{"long", func(after time.Duration) bool { return after < 12300*time.Millisecond }, 12300*time.Millisecond + onceWait},
		{"short", func(after time.Duration) bool { return after > time.Second && after < 4900*time.Millisecond }, 4900*time.Millisecond + onceWait},
		{"again and again", func(after time.Duration) bool { return after%(10*time.Second) < 7*time.Second }, retryWait},
		{"every other second", func(after time.Duration) bool { return after%(2*time.Second) < time.Second }, retryWait},
	} {
		hub := asleep(t)
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			p := newPatience(t.Context(), hub)
			p.received = func() int64 { return 0 }
			see := func() *engine.Snapshot {
				l := engine.Link{State: engine.LinkLive, Heard: time.Now()}
				if tt.isAway(time.Since(began)) {
					l.State = engine.LinkReconnecting
				}
				s := &engine.Snapshot{Complete: true, Link: l}
				p.sees(s)
				return s
			}
			last := see()
			for time.Since(began) < time.Hour && (time.Now().Before(p.ends) || p.goesOn(last)) {
				time.Sleep(100 * time.Millisecond)
				if tt.isAway(time.Since(began)) != (last.Link.State == engine.LinkReconnecting) {
					last = see()
				}
			}
			if took := time.Since(began); took < tt.want || took > tt.want+onceWait {
				t.Errorf("an interruption that is %s: gives up after %s, want %s", tt.name, took, tt.want)
			}
		})
	}
}

// trickle answers with a body that brings a byte every two seconds until it ends.
type trickle struct{ ends time.Time }

// RoundTrip implements http.RoundTripper.
func (d trickle) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: r, Body: io.NopCloser(d)}, nil
}

// CloseIdleConnections implements what client-go closes a transport with.
func (d trickle) CloseIdleConnections() {}

// Read implements io.Reader.
func (d trickle) Read(p []byte) (int, error) {
	if !time.Now().Before(d.ends) {
		return 0, io.EOF
	}
	time.Sleep(2 * time.Second)
	return copy(p, " "), nil
}

// A read goes on for as long as a list, or another large answer, is being received.
func TestPatienceWhileAnAnswerComes(t *testing.T) {
	const takes = 40 * time.Second
	for name, read := range map[string]func(ctx context.Context, h *client.Client) error{
		"list": func(ctx context.Context, h *client.Client) error {
			list, err := h.Stream(ctx, h.Request(http.MethodGet).AbsPath("/list"), client.Limits{Progress: 10 * time.Second})
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, list)
			return errors.Join(err, list.Close())
		},
		"answer": func(ctx context.Context, h *client.Client) error {
			_, err := h.Do(ctx, h.Request(http.MethodGet).AbsPath("/answer"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				h, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: "http://hub.invalid", Transport: trickle{began.Add(takes)}})
				if err != nil {
					t.Fatal(err)
				}
				defer h.Close()
				done := make(chan error)
				go func() { done <- read(t.Context(), h) }()
				p := newPatience(t.Context(), h)
				for goes := true; goes; goes = p.goesOn(nil) {
					time.Sleep(time.Until(p.ends))
				}
				if took := time.Since(began); took < takes || took > takes+2*onceWait {
					t.Errorf("gives up after %s, while bytes came for %s", took, takes)
				}
				if err := <-done; err != nil && name == "list" {
					t.Error(err)
				}
			})
		})
	}
}
