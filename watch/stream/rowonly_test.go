package stream

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

// printing is a hub that prints the rows of its runs, and notes what is read.
type printing struct {
	k     *kept
	takes time.Duration // for the rows
	// lists is how long whole lists take, meanwhile what happens before a run is answered for the first time.
	lists     time.Duration
	during    string // the name of that run
	meanwhile func()
	once      sync.Once // for meanwhile

	mu   sync.Mutex
	read []string
	// behind is the run of which an older version is answered.
	behind string
	// code, if it is not zero, is the answer to each request for one run, which asks for a pause of so many seconds.
	code, pause int
}

func (p *printing) answers(code, pause int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.code, p.pause = code, pause
}

func (p *printing) taken() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.read
	p.read = nil
	slices.Sort(out)
	return out
}

func (p *printing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, name, _ := strings.Cut(r.URL.Path, "/"+runs)
	name = strings.TrimPrefix(name, "/")
	note := func(what string) {
		p.mu.Lock()
		p.read = append(p.read, what)
		p.mu.Unlock()
	}
	switch {
	case strings.Contains(r.Header.Get("Accept"), "as=Table"):
		note("rows")
		p.rows(w, r)
		return
	case name != "":
		note(name)
		if name == p.during {
			p.once.Do(p.meanwhile)
		}
		p.mu.Lock()
		code, pause, behind := p.code, p.pause, p.behind == name
		p.mu.Unlock()
		if behind {
			newest := httptest.NewRecorder()
			p.k.server.ServeHTTP(newest, r)
			w.Header().Set("Content-Type", "application/json")
			w.Write(regexp.MustCompile(`"resourceVersion":"\d+"`).ReplaceAll(newest.Body.Bytes(), []byte(`"resourceVersion":"7"`)))
			return
		}
		if code > 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","code":%d,"details":{"retryAfterSeconds":%d}}`, code, pause)
			return
		}
	case faults.Lists(r) && r.URL.Query().Get("limit") == "":
		note("list")
		select {
		case <-time.After(p.lists):
		case <-r.Context().Done():
			return
		}
	}
	p.k.server.ServeHTTP(w, r)
}

func (p *printing) rows(w http.ResponseWriter, r *http.Request) {
	whole := httptest.NewRecorder()
	list := r.Clone(r.Context())
	list.URL.RawQuery = ""
	list.Header.Set("Accept", "application/json")
	p.k.server.ServeHTTP(whole, list)
	var all struct {
		Metadata map[string]any
		Items    []struct {
			Metadata map[string]any
			Spec     struct{ PlacementName string }
			Status   struct {
				Conditions []struct{ Type, Status string }
			}
		}
	}
	if err := json.Unmarshal(whole.Body.Bytes(), &all); err != nil {
		panic(err)
	}
	var rows []any
	for _, o := range all.Items {
		is := map[string]any{}
		for _, c := range o.Status.Conditions {
			is[c.Type] = c.Status
		}
		rows = append(rows, map[string]any{"cells": []any{o.Metadata["name"], o.Spec.PlacementName, is["Initialized"], is["Succeeded"], "s"}, "object": map[string]any{"metadata": o.Metadata}})
	}
	columns := []any{map[string]any{"name": "Name"}, map[string]any{"name": "Placement"}, map[string]any{"name": "Initialized"}, map[string]any{"name": "Succeeded"}, map[string]any{"name": "Strategy"}}
	select {
	case <-time.After(p.takes):
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": all.Metadata, "columnDefinitions": columns, "rows": rows})
}

// make puts a run; conditions are those that are True.
func (p *printing) make(name string, conditions ...string) {
	var all []any
	for _, c := range conditions {
		all = append(all, map[string]any{"type": c, "status": "True", "reason": "r", "message": "m", "observedGeneration": 1, "lastTransitionTime": "2026-11-20T10:00:00Z"})
	}
	p.k.server.Put(runs, map[string]any{"metadata": map[string]any{"name": name, "generation": 1}, "spec": map[string]any{"placementName": "web"}, "status": map[string]any{"conditions": all}})
}

// left is how many runs are unread.
func (p *printing) left() (n int) {
	for i := range 40 {
		if p.k.stream.rowOnly.Has(p.id(fmt.Sprintf("done-%02d", i))) {
			n++
		}
	}
	return n
}

// id is that of a run as it is on the server.
func (p *printing) id(name string) engine.ID {
	w := httptest.NewRecorder()
	p.k.server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/apis/placement.kubernetes-fleet.io/v1beta1/"+runs+"/"+name, nil))
	var o struct{ Metadata struct{ UID string } }
	if err := json.Unmarshal(w.Body.Bytes(), &o); err != nil {
		panic(err)
	}
	return p.k.stream.hub.Name().ID(engine.KindClusterStagedUpdateRun, "", name, o.Metadata.UID)
}

// keepRows runs a test with a stream of 30 runs that have succeeded and of some that have not, of which one is called
// first. The stream waits for the rows for wait.
func keepRows(t *testing.T, p *printing, unfinished int, wait time.Duration, test func(k *kept)) {
	t.Helper()
	keepFrom(t, func(k *kept) {
		p.k = k
		for n := range 30 {
			p.make(fmt.Sprintf("done-%02d", n), "Initialized", "Succeeded")
		}
		for n := range unfinished - 1 {
			p.make(fmt.Sprintf("runs-%02d", n), "Initialized")
		}
		k.proxy.SetServer(p)
		k.stream.rows, k.stream.rowsWait = printed.Ask(k.t.Context(), k.stream.all, k.stream.hub, k.stream.key, nil), wait
	}, test)
}

// TestWhenRowsTakeThePlaceOfAList checks which sets are known by their rows, and that all of them are live.
func TestWhenRowsTakeThePlaceOfAList(t *testing.T) {
	for _, tt := range []struct {
		what        string
		rows, lists time.Duration
		wait        time.Duration
		unfinished  int
		byRows      bool
		read        []string
	}{
		{"rows are waited for", 200 * time.Millisecond, 0, rowsFirst, 1, true, []string{"done-29", "first", "rows"}},
		{"rows come later than the list", 500 * time.Millisecond, 0, rowsFirst, 1, false, []string{"list", "rows"}},
		{"rows come before anything of the list", 500 * time.Millisecond, time.Second, rowsFirst, 1, true, []string{"done-29", "first", "list", "rows"}},
		{"nothing waits for rows", 30 * time.Millisecond, 10 * time.Millisecond, 0, 1, false, []string{"list", "rows"}},
		{"nothing waits for rows that come first", 30 * time.Millisecond, time.Second, 0, 1, true, []string{"done-29", "first", "list", "rows"}},
		{"the others are a third", 0, 0, rowsFirst, 15, true, nil},
		{"the others are more than a third", 0, 0, rowsFirst, 16, false, []string{"list", "rows"}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			p := &printing{takes: tt.rows, lists: tt.lists}
			keepRows(t, p, tt.unfinished, tt.wait, func(k *kept) {
				read := p.taken()
				if tt.read != nil && !slices.Equal(read, tt.read) {
					t.Errorf("read %v", read)
				}
				if want := map[bool]int{true: 29}[tt.byRows]; p.left() != want {
					t.Errorf("%d runs are unread, want %d", p.left(), want)
				}
				if got, _ := k.link.View(time.Now(), 0); got.State != engine.LinkLive {
					t.Errorf("link: %+v", got)
				}
			})
		})
	}
}

// TestRunsAreReadWhenTheyAreWanted checks how runs are read of which only the rows were read, and what becomes of them
// when the set is listed again.
func TestRunsAreReadWhenTheyAreWanted(t *testing.T) {
	p := &printing{during: "done-05"}
	p.meanwhile = func() { p.k.server.Delete(runs, "", p.during) }
	keepRows(t, p, 1, rowsFirst, func(k *kept) {
		reads := func(what string, left int, want ...string) {
			t.Helper()
			time.Sleep(3 * time.Second)
			if got := p.taken(); !slices.Equal(got, want) || p.left() != left {
				t.Errorf("%s: read %v, want %v; %d are unread, want %d", what, got, want, p.left(), left)
			}
		}
		want := func(names ...string) {
			var ids []engine.ID
			for _, name := range names {
				ids = append(ids, p.id(name))
			}
			k.stream.rowOnly.Want(ids)
		}
		p.taken()
		want("done-01", "done-02", "first", "done-01")
		reads("wanted", 27, "done-01", "done-02")
		want("done-01", "done-02")
		reads("wanted once more", 27)
		p.make("done-03", "Initialized", "Succeeded")
		reads("changed", 26)
		k.server.Delete(runs, "", "done-04")
		reads("deleted", 25)

		want("done-05")
		reads("deleted meanwhile", 24, "done-05")

		k.proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusInternalServerError})
		want("done-06")
		time.Sleep(2500 * time.Millisecond)
		k.proxy.Set()
		time.Sleep(10 * time.Second)
		if p.left() != 23 {
			t.Errorf("a run that could not be read was not read again: %d are unread", p.left())
		}
		p.taken()

		k.stream.listAgain()
		reads("listed again", 23, "rows")
		k.proxy.Set(faults.Rule{Kind: faults.Hang, Of: faults.Watches})
		k.stream.listAgain()
		time.Sleep(time.Second)
		p.taken()
		p.make("first", "Initialized", "Progressing") // no watch brings it
		k.stream.listAgain()
		time.Sleep(time.Second)
		if got := p.taken(); !slices.Equal(got, []string{"first", "rows"}) {
			t.Errorf("listed again after a change: read %v", got)
		}
		k.proxy.Set()
		time.Sleep(10 * time.Second)
		p.taken()
		k.stream.whole.Store(true)
		k.stream.listAgain()
		reads("listed whole", 0, "list")
	})
}

// TestARunThatIsNewerThanTheRowsStays checks that a watch, which begins at the version of the rows, does not take back a run that
// was read after them.
func TestARunThatIsNewerThanTheRowsStays(t *testing.T) {
	p := &printing{during: "first"}
	var ahead, at string
	p.meanwhile = func() {
		p.make("first", "Initialized")
		p.make("first", "Initialized", "Progressing")
		p.k.proxy.Set(faults.Rule{Kind: faults.Hang, Of: faults.Watches})
		id := p.id("first")
		time.AfterFunc(time.Second, func() {
			p.k.stream.mu.Lock()
			defer p.k.stream.mu.Unlock()
			if o := p.k.stream.aheads[id]; o != nil {
				ahead = o.Version
			}
			at = p.k.stream.version
		})
	}
	keepRows(t, p, 1, rowsFirst, func(k *kept) {
		if ahead != "133" || at != "131" {
			t.Errorf("the set is at %s, and ahead of it is %q", at, ahead)
		}
		k.proxy.Set()
		time.Sleep(30 * time.Second)
		k.stream.mu.Lock()
		defer k.stream.mu.Unlock()
		if len(k.stream.aheads) > 0 || k.stream.version != "133" {
			t.Errorf("the watch is at %s, and %d runs are ahead of it", k.stream.version, len(k.stream.aheads))
		}
	})
}

// TestRunsThatAreNotAnswered checks how often a run is requested that a hub does not give, and when the set is listed
// instead.
func TestRunsThatAreNotAnswered(t *testing.T) {
	for _, tt := range []struct {
		what        string
		code, pause int
		lasts       time.Duration
		most        int // requests for runs meanwhile
		lists       bool
	}{
		{"busy, with a pause", http.StatusTooManyRequests, 20, 30 * time.Second, 12, false},
		{"a short failure", http.StatusInternalServerError, 0, 2 * time.Second, 4, false},
		{"a failure", http.StatusInternalServerError, 0, 30 * time.Second, 9, true},
		{"not permitted", http.StatusForbidden, 0, 30 * time.Second, 9, true},
		{"not permitted for a moment", http.StatusForbidden, 0, 2 * time.Second, 4, false},
		{"a login that is rejected", http.StatusUnauthorized, 0, 20 * time.Second, 12, false},
	} {
		t.Run(tt.what, func(t *testing.T) {
			p := &printing{}
			keepRows(t, p, 1, rowsFirst, func(k *kept) {
				p.taken()
				p.answers(tt.code, tt.pause)
				k.stream.rowOnly.Want([]engine.ID{p.id("done-01"), p.id("done-02")})
				time.Sleep(tt.lasts)
				read := p.taken()
				lists := slices.Contains(read, "list")
				if len(read) < 2 || len(read) > tt.most || lists != tt.lists {
					t.Errorf("read %v", read)
				}
				p.answers(0, 0)
				time.Sleep(time.Minute)
				if left := p.left(); lists != (left == 0) || !lists && left != 27 {
					t.Errorf("%d are left", left)
				}
			})
		})
	}
}

// TestRowsAfterAnInterruption checks what of a set is still whole after the hub was not reached for some time: after a minute
// nothing that a row could not tell from what was there.
func TestRowsAfterAnInterruption(t *testing.T) {
	for _, tt := range []struct {
		lasts time.Duration
		left  int
		read  []string
	}{
		{5 * time.Second, 28, []string{"rows"}},
		{2 * time.Minute, 29, []string{"done-29", "first", "rows"}},
	} {
		t.Run(tt.lasts.String(), func(t *testing.T) {
			p := &printing{}
			keepRows(t, p, 1, rowsFirst, func(k *kept) {
				k.stream.rowOnly.Want([]engine.ID{p.id("done-01")})
				time.Sleep(time.Second)
				k.stream.rowOnly.Want(nil)
				k.proxy.Set(faults.Rule{Kind: faults.Cut})
				k.proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusBadGateway})
				time.Sleep(tt.lasts)
				p.taken()
				k.proxy.Set()
				k.stream.listAgain()
				time.Sleep(5 * time.Second)
				if read := slices.Compact(p.taken()); !slices.Equal(read, tt.read) || p.left() != tt.left {
					t.Errorf("read %v, %d are left", read, p.left())
				}
			})
		})
	}
}

// TestARunThatWasReadAheadIsReadOnce checks that an unfinished run, which was opened before the rows came, is not read again with
// them, unless it has changed.
func TestARunThatWasReadAheadIsReadOnce(t *testing.T) {
	for _, changes := range []bool{false, true} {
		p := &printing{}
		keepFrom(t, func(k *kept) {
			p.k = k
			for n := range 30 {
				p.make(fmt.Sprintf("done-%02d", n), "Initialized", "Succeeded")
			}
			k.proxy.SetServer(p)
			k.stream.ahead(k.t.Context(), p.id("first"))
			time.Sleep(time.Second)
			if changes {
				p.make("first", "Initialized")
			}
			k.stream.rows, k.stream.rowsWait = printed.Ask(k.t.Context(), k.stream.all, k.stream.hub, k.stream.key, nil), rowsFirst
		}, func(*kept) {
			want := []string{"done-29", "first", "rows"}
			if changes {
				want = []string{"done-29", "first", "first", "rows"}
			}
			if got := p.taken(); !slices.Equal(got, want) || p.left() != 29 {
				t.Errorf("changes %v: read %v, want %v; %d are unread", changes, got, want, p.left())
			}
		})
	}
}

// TestAFinishedRunThatWasReadAheadStaysWhole checks that a run, which was opened while the unfinished runs were read, is not
// replaced by its row.
func TestAFinishedRunThatWasReadAheadStaysWhole(t *testing.T) {
	p := &printing{during: "first"}
	keepFrom(t, func(k *kept) {
		p.k = k
		for n := range 30 {
			p.make(fmt.Sprintf("done-%02d", n), "Initialized", "Succeeded")
		}
		k.proxy.SetServer(p)
		p.meanwhile = func() {
			k.stream.ahead(k.t.Context(), p.id("done-05"))
			time.Sleep(time.Second)
		}
		k.stream.rows, k.stream.rowsWait = printed.Ask(k.t.Context(), k.stream.all, k.stream.hub, k.stream.key, nil), rowsFirst
	}, func(k *kept) {
		if got, want := p.taken(), []string{"done-05", "done-29", "first", "rows"}; !slices.Equal(got, want) || p.left() != 28 || k.stream.rowOnly.Has(p.id("done-05")) {
			t.Errorf("read %v, want %v; %d are unread", got, want, p.left())
		}
	})
}

// TestAResetReadsUnfinishedRunsAgain checks that after a hub went back to a backup nothing that was read before is kept: it may
// give other objects the versions that it gave before.
func TestAResetReadsUnfinishedRunsAgain(t *testing.T) {
	p := &printing{}
	keepRows(t, p, 1, rowsFirst, func(k *kept) {
		k.stream.rowOnly.Want([]engine.ID{p.id("done-01")})
		time.Sleep(time.Second)
		k.stream.rowOnly.Want(nil)
		p.taken()
		k.stream.restart(true, time.Time{})
		time.Sleep(5 * time.Second)
		if got, want := p.taken(), []string{"done-29", "first", "rows"}; !slices.Equal(got, want) || p.left() != 29 {
			t.Errorf("read %v, want %v; %d are unread", got, want, p.left())
		}
	})
}

// TestManyRunsAreListed checks that the runs of a near hub are listed, and not read one by one, if many of them are wanted; that
// the watch goes on meanwhile; and that what the list does not bring is read one by one.
func TestManyRunsAreListed(t *testing.T) {
	for _, tt := range []struct {
		what         string
		runs, wanted int
		twice        bool
		far, slow    bool
		fails        bool // the list is not answered
		lists        bool
	}{
		{"many", 100, 90, false, false, false, false, true},
		{"many, and the list fails", 100, 90, false, false, false, true, true},
		{"few", 100, mostSingly, false, false, false, false, false},
		{"few, each of them twice", 100, mostSingly, true, false, false, false, false},
		{"few of all", 300, 90, false, false, false, false, false},
		{"more than have room", mostListed + 10, 500, false, false, false, false, false},
		{"of a hub that is far", 100, 90, false, true, false, false, false},
		{"over a slow line", 100, 90, false, false, true, false, false},
	} {
		t.Run(tt.what, func(t *testing.T) {
			p := &printing{}
			keepRows(t, p, 1, rowsFirst, func(k *kept) {
				for n := range tt.runs {
					p.make(fmt.Sprintf("later-%04d", n), "Initialized", "Succeeded")
				}
				k.stream.restart(true, time.Time{}) // they are rows, too
				time.Sleep(5 * time.Second)
				var ids []engine.ID
				for n := range tt.wanted {
					ids = append(ids, p.id(fmt.Sprintf("later-%04d", n)))
				}
				if tt.twice {
					ids = append(ids, ids...)
				}
				if tt.far {
					k.stream.latency.Store(int64(nearHead) + 1)
				}
				k.stream.gates.slow.Store(tt.slow)
				if tt.fails {
					p.lists = time.Hour
				}
				p.taken()
				watching := k.stream.watching.Load()
				if tt.lists && !tt.fails {
					p.lists = 2 * time.Second
				}
				k.stream.rowOnly.Want(ids)
				if tt.lists {
					time.Sleep(time.Second)
					p.make("later-0000", "Initialized", "Succeeded") // the watch brings it before the list is there
					time.Sleep(500 * time.Millisecond)
					if left := k.stream.rowOnly.Left(); k.stream.rowOnly.Has(p.id("later-0000")) || left < mostSingly {
						t.Errorf("a run that has changed is not there while the runs are listed; %d are left", left)
					}
				}
				time.Sleep(10 * time.Second)
				read := p.taken()
				if now := k.stream.watching.Load(); now != watching {
					t.Errorf("%d watches ended and began", now-watching)
				}
				if most := readAtOnce + mostSingly; tt.lists && len(read) > most != tt.fails {
					t.Errorf("%d requests, want %d at most unless the list fails", len(read), most)
				}
				if left := k.stream.rowOnly.Left(); slices.Contains(read, "list") != tt.lists || left > 0 || !tt.lists && len(read) != tt.wanted {
					t.Errorf("listed %v, want %v; %d requests, %d are left", slices.Contains(read, "list"), tt.lists, len(read), left)
				}
			})
		})
	}
}

// TestAServerThatIsBehindIsNotBelieved checks that a run that is older than its row does not take the place of it.
func TestAServerThatIsBehindIsNotBelieved(t *testing.T) {
	p := &printing{}
	keepRows(t, p, 1, rowsFirst, func(k *kept) {
		p.mu.Lock()
		p.behind = "done-01"
		p.mu.Unlock()
		k.stream.rowOnly.Want([]engine.ID{p.id("done-01"), p.id("done-02")})
		time.Sleep(2 * time.Second)
		if p.left() != 28 || !k.stream.rowOnly.Has(p.id("done-01")) {
			t.Errorf("%d runs are left", p.left())
		}
		p.mu.Lock()
		p.behind = ""
		p.mu.Unlock()
		time.Sleep(10 * time.Second)
		if p.left() != 27 {
			t.Errorf("%d runs are left after the server has caught up", p.left())
		}
	})
}
