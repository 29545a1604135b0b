package stream

import (
	"context"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/faults"
	"github.com/stagewatch/stagewatch/watch/internal/memory"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream/held"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

// compared is a set of runs that was listed over a slow line, and is not watched now.
type compared struct {
	*kept
	*stream
	api  *faults.APIServer
	in   *store.Inbox
	ctx  context.Context
	mu   sync.Mutex
	sent []string // what was requested
}

// compare runs a test with such a set, of first and second.
func compare(t *testing.T, test func(c *compared)) {
	t.Helper()
	compareOf(t, engine.KindStagedUpdateRun, "shop", test)
}

func compareOf(t *testing.T, kind engine.Kind, namespace string, test func(c *compared)) {
	t.Helper()
	keep(t, func(k *kept) {
		c := newCompared(k, kind, namespace)
		c.put("first", "")
		c.put("second", "")
		if err := c.list(c.ctx); err != nil {
			t.Fatal(err)
		}
		c.gates.slow.Store(true)
		c.took = 2 * comparedFrom
		c.proxy.Observe(func(r *http.Request) {
			what := "get " + path.Base(r.URL.Path)
			switch {
			case r.URL.Query().Has("watch"), !strings.HasSuffix(path.Dir(r.URL.Path), kind.Plural()) && path.Base(r.URL.Path) != kind.Plural():
				return
			case faults.Lists(r) && strings.Contains(r.Header.Get("Accept"), "as="):
				what = "versions"
			case faults.Lists(r):
				what = "list"
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.sent = append(c.sent, what)
		})
		test(c)
	})
}

func newCompared(k *kept, kind engine.Kind, namespace string) *compared {
	c := &compared{kept: k, api: k.server, in: store.NewInbox(), ctx: k.t.Context()}
	key := world.CoverKey{Kind: kind, Namespace: namespace}
	c.stream = &stream{
		hub: k.stream.hub, link: k.link, sink: c.in.Open(key), all: k.stream.all, key: key, pace: checkEvery, held: held.New(memory.NewRoom()), gates: newGates(),
		settled: func(outcome) {},
	}
	k.link.Open(c.source(), key, time.Now(), func(bool, time.Time) {})
	return c
}

// put writes a run, with some text, and returns its version.
func (c *compared) put(name, text string) string { return putText(c.api, c.key, name, text) }

func putText(server *faults.APIServer, key world.CoverKey, name, text string) string {
	meta := map[string]any{"name": name, "annotations": map[string]any{"text": text}}
	if key.Namespace != "" {
		meta["namespace"] = key.Namespace
	}
	return strconv.Itoa(server.Put(key.Kind.Plural(), map[string]any{"metadata": meta}))
}

// requests are those that were sent since the last call, sorted.
func (c *compared) requests() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent := slices.Sorted(slices.Values(c.sent))
	c.sent = nil
	return strings.Join(sent, ", ")
}

// shown returns the version of a run that is shown.
func (c *compared) shown(name string) string {
	ctx, cancel := context.WithCancel(c.ctx)
	w := world.NewWorld(engine.Settings{ClusterRuns: true, NamespacedRuns: true})
	live := func(time.Time, time.Duration) (engine.Link, time.Time) {
		return engine.Link{State: engine.LinkLive}, time.Time{}
	}
	feed := store.NewFeed(c.in, w, live, func() time.Duration { return 0 }, func(store.Publication) {}, func(time.Time) {})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		feed.Run(ctx)
	}()
	time.Sleep(time.Second)
	cancel()
	<-ended
	for id, run := range w.Runs {
		if id.RawName() == name {
			return run.ResourceVersion
		}
	}
	return "none"
}

// A set is compared if its list took long over a slow line and it was proved a moment ago.
func TestWhetherASetIsCompared(t *testing.T) {
	for _, tt := range []struct {
		what string
		set  func(c *compared)
		want bool
	}{
		{"a set that was listed over a slow line", func(*compared) {}, true},
		{"over a fast line", func(c *compared) { c.gates.slow.Store(false) }, false},
		{"its list took a moment", func(c *compared) { c.took = comparedFrom - 1 }, false},
		{"it was proved long ago", func(*compared) { time.Sleep(comparedWithin) }, false},
		{"its last list could not be read", func(c *compared) { c.odd = true }, false},
		{"its lists are read in pages", func(c *compared) { c.slow = time.Now() }, false},
		{"it is not complete", func(c *compared) { c.loaded = false }, false},
		{"its version was forgotten", func(c *compared) { c.version = "" }, false},
		{"it was listed by its rows", func(c *compared) { c.byRows, c.took = true, 0 }, true},
		{"a run of it could not be read", func(c *compared) { c.byRows = true; c.whole.Store(true) }, false},
	} {
		compare(t, func(c *compared) {
			if tt.set(c); c.isComparable() != tt.want {
				t.Errorf("%s: comparable %v", tt.what, !tt.want)
			}
		})
	}
}

// Of a set that is compared, the objects that have changed are read, and it is known up to the version of the
// comparison. So are namespaced runs.
func TestASetIsComparedWithTheHub(t *testing.T) {
	for kind, namespace := range map[engine.Kind]string{engine.KindClusterStagedUpdateRun: "", engine.KindStagedUpdateRun: "shop"} {
		compareOf(t, kind, namespace, func(c *compared) {
			changed := c.put("first", "changed")
			c.late.Store(true)
			c.answersAs(certificate("b"))
			done, err := c.compare(c.ctx)
			if got := c.requests(); !done || err != nil || got != "get first, versions" {
				t.Errorf("%s: done %v, %v; requests %s", kind, done, err, got)
			}
			if c.shown("first") != changed || c.at() != changed || c.received.ComparedTo() != changed || c.late.Load() || c.stream.server != serverOf(c, "b") {
				t.Errorf("%s: at %s and compared to %s, want %s; server %q", kind, c.at(), c.received.ComparedTo(), changed, c.stream.server)
			}
		})
	}
}

// serverOf is what a server with a certificate is called.
func serverOf(c *compared, of string) string {
	c.t.Helper()
	c.answersAs(certificate(of))
	o, _, err := c.one(c.ctx, printed.Name{Namespace: c.key.Namespace, Name: "second"})
	if err != nil {
		c.t.Fatal(err)
	}
	return o.Server
}

// A set is listed if the comparison does not tell what has changed, or an object is not the one that was asked for: nothing
// of it is shown then.
func TestASetIsListedInstead(t *testing.T) {
	// otherwise answers requests for first as another server does.
	otherwise := func(c *compared, answer http.HandlerFunc) {
		c.proxy.SetServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/first") {
				answer(w, r)
				return
			}
			c.api.ServeHTTP(w, r)
		}))
	}
	for _, tt := range []struct {
		what   string
		happen func(c *compared)
		sent   string
	}{
		{"an object was deleted", func(c *compared) { c.api.Delete(c.key.Kind.Plural(), c.key.Namespace, "second") }, "versions"},
		{"the hub is older than the set", func(c *compared) { c.version = "100000" }, "versions"},
		{"many have changed", func(c *compared) {
			for i := range mostChanged {
				c.put("more-"+string(rune('a'+i)), "")
			}
		}, "versions"},
		{"the object cannot be read", func(c *compared) {
			otherwise(c, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Write([]byte(`{"kind":"x","metadata":{}}`))
			})
		}, "get first, versions"},
		{"the object does not fit its type", func(c *compared) {
			c.api.Put(c.key.Kind.Plural(), map[string]any{"metadata": map[string]any{"name": "first", "namespace": c.key.Namespace}, "spec": "rubbish"})
		}, "get first, versions"},
		{"the object is another one", func(c *compared) {
			otherwise(c, func(w http.ResponseWriter, r *http.Request) {
				r.URL.Path = strings.TrimSuffix(r.URL.Path, "first") + "second"
				c.api.ServeHTTP(w, r)
			})
		}, "get first, versions"},
		{"the object is from another server", func(c *compared) {
			other := c.api.Copy()
			putText(other, c.key, "first", "another past")
			otherwise(c, func(w http.ResponseWriter, r *http.Request) {
				c.answersAs(certificate("b"))
				other.ServeHTTP(w, r)
			})
		}, "get first, versions"},
		{"the object is older than it was said to be", func(c *compared) {
			old := c.api.Copy()
			c.put("first", "changed again")
			otherwise(c, old.ServeHTTP)
		}, "get first, versions"},
		{"the object was deleted meanwhile", func(c *compared) {
			otherwise(c, func(w http.ResponseWriter, r *http.Request) {
				c.api.Delete(c.key.Kind.Plural(), c.key.Namespace, "first")
				c.api.ServeHTTP(w, r)
			})
		}, "get first, versions"},
		{"the object was created again meanwhile", func(c *compared) {
			otherwise(c, func(w http.ResponseWriter, r *http.Request) {
				c.api.Delete(c.key.Kind.Plural(), c.key.Namespace, "first")
				c.put("first", "created again")
				c.api.ServeHTTP(w, r)
			})
		}, "get first, versions"},
		{"objects may not be read one by one", func(c *compared) {
			c.proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusForbidden, Of: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/first") }})
		}, "get first, versions"},
	} {
		compare(t, func(c *compared) {
			before := c.put("first", "changed")
			old := c.shown("first")
			tt.happen(c)
			done, err := c.compare(c.ctx)
			if got := c.requests(); done || err != nil || got != tt.sent {
				t.Errorf("%s: done %v, %v; requests %s, want %s", tt.what, done, err, got, tt.sent)
			}
			if got := c.shown("first"); old == before || got != "none" {
				t.Errorf("%s: the run was shown in version %s, and then in %s", tt.what, old, got)
			}
		})
	}
}

// A hub that asks for a pause gets no list at once, and one that cannot be reached none in vain.
func TestAComparisonThatFails(t *testing.T) {
	for _, rule := range []faults.Rule{
		{Kind: faults.Status, Code: http.StatusTooManyRequests, RetryAfter: 7, Of: faults.Lists},
		{Kind: faults.Cut, Of: faults.Lists},
		{Kind: faults.Status, Code: http.StatusTooManyRequests, Of: faults.Lists},
		{Kind: faults.Status, Code: http.StatusInternalServerError, Of: faults.Lists},
		{Kind: faults.Status, Code: http.StatusUnauthorized, Of: faults.Lists},
	} {
		compare(t, func(c *compared) {
			c.put("first", "changed")
			c.kept.link.Proves(c.source(), time.Now())
			c.proxy.Set(rule)
			err := c.listOrNamed(c.ctx)
			if got := c.requests(); err == nil || got != "versions" || client.RetryAfter(err) != time.Duration(rule.RetryAfter)*time.Second {
				t.Errorf("%v: %v; requests %s", rule.Kind, err, got)
			}
		})
	}
}

// The versions are read no further than they can be of the set.
func TestVersionsWithoutAnEnd(t *testing.T) {
	compare(t, func(c *compared) {
		version := c.put("second", "changed")
		if err := c.list(c.ctx); err != nil {
			t.Fatal(err)
		}
		var sent atomic.Int64
		c.proxy.SetServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/shop/"+c.key.Kind.Plural()) {
				c.api.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(`{"metadata":{"resourceVersion":"500"},"items":[`))
			for sent.Add(1) < 1_000_000 {
				if _, err := w.Write([]byte(`{"metadata":{"name":"second","namespace":"shop","resourceVersion":"` + version + `"}},`)); err != nil {
					return
				}
			}
		}))
		if done, err := c.compare(c.ctx); done || err != nil || sent.Load() > 10_000 {
			t.Errorf("done %v, %v, after %d objects", done, err, sent.Load())
		}
	})
}

// A read of a comparison that hangs fails when the hub answers others.
func TestAComparisonThatHangs(t *testing.T) {
	for hangs, stuck := range map[string]time.Duration{"first": stuckWithin, "stagedupdateruns": stuckFor} {
		compare(t, func(c *compared) {
			c.put("first", "changed")
			c.proxy.Set(faults.Rule{Kind: faults.Hang, Of: func(r *http.Request) bool { return path.Base(r.URL.Path) == hangs }})
			ctx, end := context.WithCancel(c.ctx)
			c.end = end
			began := time.Now()
			c.all.Go(func() {
				time.Sleep(stuck + 100*time.Millisecond)
				c.restart(false, time.Time{})
			})
			if done, err := c.compare(ctx); done || err == nil || time.Since(began) > stuck+100*time.Millisecond {
				t.Errorf("%s hangs: done %v, %v after %v", hangs, done, err, time.Since(began))
			}
		})
	}
}

// A read of a comparison that makes progress does not fail.
func TestAComparisonThatGoesOn(t *testing.T) {
	compare(t, func(c *compared) {
		first, second := c.put("first", "changed"), c.put("second", "changed")
		slowly := func(name string, takes time.Duration) faults.Rule {
			return faults.Rule{Kind: faults.Delay, For: takes, Of: func(r *http.Request) bool { return path.Base(r.URL.Path) == name }}
		}
		c.proxy.Set(slowly("first", 900*time.Millisecond), slowly("second", 1800*time.Millisecond))
		ctx, end := context.WithCancel(c.ctx)
		c.end = end
		c.all.Go(func() {
			time.Sleep(1500 * time.Millisecond)
			c.restart(false, time.Time{})
		})
		if done, err := c.compare(ctx); !done || err != nil || c.at() != second || c.shown("first") != first {
			t.Errorf("done %v, %v, at version %s", done, err, c.at())
		}
	})
}

// What is held is shown: a list that is not used, and a comparison that has no room for all objects, hide no change
// from the next comparison.
func TestWhatIsHeldIsShown(t *testing.T) {
	compare(t, func(c *compared) {
		changed := c.put("first", "changed")
		list, err := c.pages(c.ctx, metav1.ListOptions{}, wholeList(listHead))
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(c.ctx)
		c.end = end
		c.listAgain()
		if err := c.take(ctx, list, time.Now()); err == nil {
			t.Fatal("a list that was cancelled is taken")
		}
		c.requests()
		if done, err := c.compare(c.ctx); !done || err != nil || c.requests() != "get first, versions" || c.shown("first") != changed {
			t.Errorf("after a list that was not used: done %v, %v", done, err)
		}
	})
	compare(t, func(c *compared) {
		room := memory.NewRoom()
		c.held = held.New(room)
		if err := c.list(c.ctx); err != nil {
			t.Fatal(err)
		}
		first := c.put("first", "changed")
		c.put("second", strings.Repeat("large ", 20_000))
		room.SetMost(room.Used() + 1000)
		if done, err := c.compare(c.ctx); done || err != nil || !c.exact {
			t.Errorf("without room: done %v, %v; the next list is exact: %v", done, err, c.exact)
		}
		room.SetMost(1 << 30)
		if done, err := c.compare(c.ctx); !done || err != nil {
			t.Errorf("with room again: done %v, %v", done, err)
		}
		if got := c.shown("first"); got != first {
			t.Errorf("first is shown in version %s, want %s", got, first)
		}
	})
}
