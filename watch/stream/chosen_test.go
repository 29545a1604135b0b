package stream

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/faults"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

// tables answers requests for the rows of runs.
type tables struct {
	takes atomic.Int64 // nanoseconds
	code  atomic.Int64 // of the answer, 200 if it is zero; cut breaks the connection instead
	pause atomic.Int64 // seconds that such an answer asks for
	runs  atomic.Int64 // how many there are, all of one placement
	gone  atomic.Bool  // the first of them was deleted
	lost  atomic.Int64 // how many requests are not answered at all
	asked atomic.Int64 // how many requests came
	last  atomic.Int64 // when the last one came, in nanoseconds
}

const cut = -1

// answerTables answers Tables of one run, at once.
func answerTables(k *kept) *tables {
	tb := &tables{}
	tb.runs.Store(1)
	k.proxy.SetServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept"), "as=Table") {
			k.server.ServeHTTP(w, r)
			return
		}
		tb.asked.Add(1)
		tb.last.Store(time.Now().UnixNano())
		if tb.lost.Add(-1) >= 0 {
			<-r.Context().Done()
			return
		}
		select {
		case <-time.After(time.Duration(tb.takes.Load())):
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch code := tb.code.Load(); code {
		case 0:
		case cut:
			panic(http.ErrAbortHandler)
		default:
			w.WriteHeader(int(code))
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","code":%d,"details":{"retryAfterSeconds":%d}}`, code, tb.pause.Load())
			return
		}
		var rows []string
		for n := range tb.runs.Load() {
			name := "first"
			switch {
			case n > 0:
				name = fmt.Sprintf("run-%d", n)
			case tb.gone.Load():
				continue
			}
			rows = append(rows, fmt.Sprintf(`{"cells":[%q,"web"],"object":{"metadata":{"name":%q}}}`, name, name))
		}
		fmt.Fprintf(w, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":[{"name":"Name"},{"name":"Placement"}],"rows":[%s]}`, strings.Join(rows, ","))
	}))
	return tb
}

// chosen chooses the run that is called first.
func chosen(k *kept) *printed.Chosen {
	key := k.stream.key
	names, _, err := printed.AroundRuns(k.t.Context(), k.stream.hub, []world.CoverKey{key}, nil, func(ids []engine.ID) []engine.ID {
		for _, id := range ids {
			if id.RawName() == "first" {
				return []engine.ID{id}
			}
		}
		return nil
	})
	if err != nil || names[key] == nil {
		k.t.Fatalf("chosen: %v, %v", names, err)
	}
	return names[key]
}

// TestObjectsAreChosenAgain checks what becomes of a set whose objects are read one by one when they are chosen again: a
// hub that is busy or restarts is asked again, one that is too slow, or cannot say which objects are needed, is listed and
// watched. The set is live meanwhile, unless the hub does not answer.
func TestObjectsAreChosenAgain(t *testing.T) {
	const short = 5 * time.Second
	for _, tt := range []struct {
		what        string
		table, get  time.Duration
		does        func(*tables)
		lasts       time.Duration // how long it does so, every two minutes
		named, live bool
	}{
		{"all is answered", 500 * time.Millisecond, 500 * time.Millisecond, func(*tables) {}, 0, true, true},
		{"objects are slow", 0, 3500 * time.Millisecond, func(*tables) {}, 0, true, true},
		{"objects are too slow", 0, 4500 * time.Millisecond, func(*tables) {}, 0, false, true},
		{"rows and objects together are too slow", 1500 * time.Millisecond, 2600 * time.Millisecond, func(*tables) {}, 0, false, true},
		{"rows are too slow", 2500 * time.Millisecond, 100 * time.Millisecond, func(*tables) {}, 0, false, true},
		{"rows are much too slow", 20 * time.Second, 100 * time.Millisecond, func(*tables) {}, 0, false, true},
		{"one request is lost", 0, 0, func(tb *tables) { tb.lost.Store(1) }, 0, true, true},
		{"the hub is busy", 0, 0, func(tb *tables) { tb.code.Store(http.StatusTooManyRequests) }, short, true, false},
		{"the hub is busy for long and asks for pauses", 0, 0, func(tb *tables) { tb.code.Store(http.StatusTooManyRequests); tb.pause.Store(8) }, time.Minute, true, false},
		{"the hub restarts", 0, 0, func(tb *tables) { tb.code.Store(http.StatusServiceUnavailable) }, short, true, false},
		{"the login expired", 0, 0, func(tb *tables) { tb.code.Store(http.StatusUnauthorized) }, short, true, false},
		{"the hub fails", 0, 0, func(tb *tables) { tb.code.Store(http.StatusInternalServerError) }, time.Hour, false, false},
		{"the login has expired for long", 0, 0, func(tb *tables) { tb.code.Store(http.StatusUnauthorized) }, time.Minute, true, false},
		{"connections break for long", 0, 0, func(tb *tables) { tb.code.Store(cut) }, time.Minute, true, false},
		{"rows are forbidden", 0, 0, func(tb *tables) { tb.code.Store(http.StatusForbidden) }, short, false, true},
		{"rows are not served", 0, 0, func(tb *tables) { tb.code.Store(http.StatusNotAcceptable) }, short, false, true},
		{"the run was deleted", 0, 0, func(tb *tables) { tb.runs.Store(0) }, time.Hour, true, true},
		{"the run was deleted and another one created", 0, 0, func(tb *tables) { tb.gone.Store(true); tb.runs.Store(2) }, time.Hour, true, true},
		{"too many runs were created", 0, 0, func(tb *tables) { tb.runs.Store(20) }, time.Hour, false, true},
	} {
		keep(t, func(k *kept) {
			tb := answerTables(k)
			settle()
			k.stream.names = chosen(k)
			k.proxy.Set(faults.Rule{Kind: faults.Delay, For: tt.get, Of: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/first") }})
			k.stream.listAgain()
			time.Sleep(time.Millisecond)
			at := time.Now()
			tb.takes.Store(int64(tt.table))
			stale, before := time.Duration(0), int64(0)
			for now := time.Now(); now.Sub(at) < 4*time.Minute; now = time.Now() {
				switch passed := now.Sub(at) % (2 * time.Minute); {
				case passed == 0:
					tt.does(tb)
				case passed > tt.lasts:
					tb.code.Store(0)
				}
				if now.Sub(at) <= 220*time.Second {
					before = tb.asked.Load()
				}
				proved := k.link.ProvedAt(k.stream.source())
				if now.Sub(proved) > engine.StaleAfter {
					stale += 100 * time.Millisecond
				}
				if tt.named && tt.lasts == 0 && now.Sub(at) > 20*time.Second && proved.UnixNano() > tb.last.Load() {
					t.Fatalf("%s: after %s the proof is %s newer than the choice", tt.what, now.Sub(at), proved.Sub(time.Unix(0, tb.last.Load())))
				}
				time.Sleep(100 * time.Millisecond)
			}
			if lists, _ := k.since(at); (k.stream.names != nil) != tt.named || (lists == 0) != tt.named {
				t.Errorf("%s: %d lists, named %v, want %v", tt.what, lists, k.stream.names != nil, tt.named)
			}
			if tb.gone.Load() && !slices.Equal(k.stream.names.Names, []printed.Name{{Name: "run-1"}}) {
				t.Errorf("%s: reads %v", tt.what, k.stream.names.Names)
			}
			if stale > 0 && tt.live {
				t.Errorf("%s: stale for %s", tt.what, stale)
			}
			if n := tb.asked.Load() - before; tt.named && n < 3 || !tt.named && n > 0 {
				t.Errorf("%s: rows were read %d times in the last 20 s", tt.what, n)
			}
		})
	}
}

// TestAFirstReadIsNotChosenTwice checks that objects which have just been chosen are read at once, however long that took.
func TestAFirstReadIsNotChosenTwice(t *testing.T) {
	for _, once := range []bool{false, true} {
		keep(t, func(k *kept) {
			tb := answerTables(k)
			tb.takes.Store(int64(4500 * time.Millisecond))
			settle()
			c := newCompared(k, k.stream.key.Kind, "")
			c.once, c.names = once, chosen(k)
			began := time.Now()
			if err := c.listOrNamed(c.ctx); err != nil || time.Since(began) > 0 || tb.asked.Load() != 1 || c.names == nil {
				t.Errorf("once %v: the first read took %s (%v); rows were read %d times", once, time.Since(began), err, tb.asked.Load())
			}
			tb.takes.Store(0)
			c = newCompared(k, k.stream.key.Kind, "")
			c.once, c.names = once, chosen(k)
			time.Sleep(8 * time.Second)
			if err := c.listOrNamed(c.ctx); err != nil || tb.asked.Load() != 3 || time.Since(k.link.ProvedAt(c.source())) > 0 {
				t.Errorf("once %v: with an old choice, rows were read %d times (%v), and the proof is %s old", once, tb.asked.Load(), err, time.Since(k.link.ProvedAt(c.source())))
			}
		})
	}
}
