package store

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

var runsKey = world.CoverAll(engine.KindClusterStagedUpdateRun)

// runObject is a run as a stream brings it.
func runObject(name, uid string, version int, place string) *Object {
	run := &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID(uid), ResourceVersion: fmt.Sprint(version), Generation: int64(version),
	}}
	run.Spec.PlacementName = place
	return &Object{Version: run.ResourceVersion, ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", name, uid), Value: run}
}

// bench is a feed without a hub.
type bench struct {
	cost  atomic.Int64 // of a publication, in nanoseconds
	until atomic.Int64 // when reads go on, in nanoseconds
	in    *Inbox
	feed  *Feed
	sink  *Sink

	// meanwhile, if set, is called once: for what a stream does while the link is read.
	meanwhile func()

	mu     sync.Mutex
	loaded bool
	heard  time.Time
	reset  time.Time
}

// aged is the age of the last answer from which the link of a bench is stale.
const aged = 10 * time.Second

// link is live while the hub was heard less than aged ago.
func (b *bench) link(now time.Time, _ time.Duration) (engine.Link, time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.meanwhile != nil {
		defer b.meanwhile()
		b.meanwhile = nil
	}
	l := engine.Link{State: engine.LinkLive, Heard: b.heard, Reset: b.reset}
	switch {
	case !b.loaded:
		return engine.Link{State: engine.LinkLoading}, time.Time{}
	case now.Sub(b.heard) > aged:
		l.State = engine.LinkStale
		return l, time.Time{}
	}
	return l, b.heard.Add(aged + time.Millisecond)
}

// hear is an answer of the hub.
func (b *bench) hear() {
	b.mu.Lock()
	b.loaded, b.heard = true, time.Now()
	b.mu.Unlock()
	b.in.Touch()
}

// runFeed runs a feed until the test's bubble ends it.
func runFeed(ctx context.Context) *bench {
	b := &bench{in: NewInbox()}
	w := world.NewWorld(engine.Settings{ClusterRuns: true})
	b.feed = NewFeed(b.in, w, b.link, func() time.Duration { return 0 }, func(Publication) { time.Sleep(time.Duration(b.cost.Load())) }, func(until time.Time) { b.until.Store(until.UnixNano()) })
	b.sink = b.in.Open(runsKey)
	go b.feed.Run(ctx)
	return b
}

// load brings a feed to where it has n runs and the link is live.
func (b *bench) load(n int) {
	var all []*Object
	for i := range n {
		all = append(all, runObject(fmt.Sprint("run-", i), fmt.Sprint("u", i), 1, "p"))
	}
	b.sink.Replace(all)
	b.hear()
	synctest.Wait()
	time.Sleep(time.Second)
	synctest.Wait()
	b.take()
}

// paused is until when the feed last let reads pause.
func (b *bench) paused() time.Time { return time.Unix(0, b.until.Load()) }

func (b *bench) take() *engine.Snapshot {
	select {
	case s := <-b.feed.Snapshots():
		return s
	default:
		return nil
	}
}

// A hub on which nothing changes costs as much with a thousand runs as with none: an answer
// of the hub changes the age of the data, not the rows.
func TestAnAnswerAloneMakesNoRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := runFeed(ctx)
		b.load(3)
		before := b.feed.Latest()
		time.Sleep(2 * time.Second)
		b.hear()
		synctest.Wait()
		s := b.take()
		if s == nil || !s.Link.Heard.After(before.Link.Heard) || s.Seq <= before.Seq || !s.At.After(before.At) || len(s.Runs) != 3 {
			t.Fatalf("after an answer: %+v", s)
		}
		if &s.Runs[0] != &before.Runs[0] {
			t.Error("the rows were made again")
		}
		// What comes right after an answer does not wait: an answer is no news.
		for version := range burst {
			b.sink.Put(runObject("run-8", "u8", version+2, "p"))
			synctest.Wait()
			if s := b.take(); s == nil || len(s.Runs) != 4 {
				t.Errorf("change %d right after an answer: %+v", version, s)
			}
		}
		// What comes with the next answer is not left out.
		time.Sleep(2 * time.Second)
		b.sink.Put(runObject("run-9", "u9", 2, "p"))
		b.hear()
		synctest.Wait()
		if s := b.take(); s == nil || len(s.Runs) != 5 {
			t.Errorf("after an answer and a run: %+v", s)
		}
	})
}

func TestFeedPublishesFirstRowsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := runFeed(ctx)
		began := time.Now()
		synctest.Wait()
		if s := b.take(); s == nil || s.Link.State != engine.LinkLoading || s.Complete {
			t.Fatalf("first snapshot %v", s)
		}
		b.sink.Put(runObject("a", "u", 1, "p"))
		synctest.Wait()
		if s := b.take(); s == nil || len(s.Runs) != 1 || s.Complete {
			t.Errorf("first rows %v", s)
		}
		b.sink.Replace([]*Object{runObject("a", "u", 1, "p"), runObject("b", "v", 2, "p")})
		b.hear()
		synctest.Wait()
		if s := b.take(); s == nil || len(s.Runs) != 2 || !s.Complete || s.Link.State != engine.LinkLive {
			t.Errorf("complete rows %v", s)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("it waited %v", took)
		}
	})
}

// That the runs are live does not wait for the placements, which come after them.
func TestFeedPublishesAtOnceThatRunsAreLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := runFeed(ctx)
		places := b.in.Open(world.CoverAll(engine.KindClusterResourcePlacement))
		began := time.Now()
		b.sink.Put(runObject("a", "u", 1, "p"))
		synctest.Wait()
		if s := b.take(); s == nil || s.Link.State == engine.LinkLive || len(s.Runs) != 1 {
			t.Fatalf("first rows: %v", s)
		}
		b.sink.Replace([]*Object{runObject("a", "u", 1, "p")})
		b.hear()
		synctest.Wait()
		if s := b.take(); s == nil || s.Link.State != engine.LinkLive || len(s.Runs) != 1 || s.Complete {
			t.Errorf("runs without placements: %v", s)
		}
		places.Replace(nil)
		synctest.Wait()
		if s := b.take(); s == nil || !s.Complete {
			t.Errorf("complete: %v", s)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("it waited %v", took)
		}
	})
}

// TestFeedCoalesces publishes twenty times in a second of storm, or less often if a publication takes
// long, and then the last version.
func TestFeedCoalesces(t *testing.T) {
	for cost, want := range map[time.Duration]int{0: 20, 800 * time.Microsecond: 20, 1400 * time.Microsecond: 14, 2 * time.Millisecond: 10, 5 * time.Millisecond: 10} {
		t.Run(cost.String(), func(t *testing.T) { testFeedCoalesces(t, cost, want) })
	}
}

func testFeedCoalesces(t *testing.T, cost time.Duration, want int) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := runFeed(ctx)
		b.load(3)
		// The first changes after a pause come at once, the next one waits.
		version := 1
		for i := range burst + 1 {
			version++
			b.sink.Put(runObject("run-0", "u0", version, "p"))
			synctest.Wait()
			if s := b.take(); (s != nil) != (i < burst) {
				t.Fatalf("change %d at once: %v", i+1, s)
			}
		}
		b.cost.Store(int64(cost))
		for range 2 { // the change that waits and another one: the pace follows the second slow Snapshot
			time.Sleep(publishEvery)
			version++
			b.sink.Put(runObject("run-0", "u0", version, "p"))
			synctest.Wait()
			b.take()
		}
		n := 0
		var last *engine.Snapshot
		for range 1000 {
			time.Sleep(time.Millisecond)
			version++
			b.sink.Put(runObject("run-0", "u0", version, "p"))
			synctest.Wait()
			if s := b.take(); s != nil {
				last = s
				n++
			}
		}
		if n < want-1 || n > want+1 {
			t.Errorf("%d publications in a second of storm, want %d", n, want)
		}
		time.Sleep(publishEvery)
		synctest.Wait()
		if s := b.take(); s != nil {
			last = s
		}
		if v := last.Find(engine.NewID(engine.KindClusterStagedUpdateRun, "", "run-0", "u0")); v.Generation != int64(version) {
			t.Errorf("the last publication has version %d, want %d", v.Generation, version)
		}
		// Nothing happens: nothing is published.
		b.hear()
		time.Sleep(publishEvery)
		synctest.Wait()
		b.take()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if s := b.take(); s != nil {
			t.Errorf("published %v without news", s)
		}
	})
}

// TestOneSlowSnapshotDoesNotSlowTheNext: the pace changes when two of three Snapshots take long.
func TestOneSlowSnapshotDoesNotSlowTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := runFeed(ctx)
		b.load(3)
		n, longest, last := 0, time.Duration(0), time.Now()
		for version := range 2000 {
			time.Sleep(time.Millisecond)
			b.sink.Put(runObject("run-0", "u0", version+2, "p"))
			b.cost.Store(int64(200 * time.Microsecond))
			if n%7 == 6 {
				b.cost.Store(int64(10 * time.Millisecond))
			}
			synctest.Wait()
			if b.take() != nil {
				n, longest, last = n+1, max(longest, time.Since(last)), time.Now()
			}
		}
		if most := publishSoonest + 12*time.Millisecond; longest > most {
			t.Errorf("%v between two Snapshots, want at most %v", longest, most)
		}
	})
}

// TestReadsPauseBetweenSnapshots: while changes come faster than they are shown, they need not be
// received before they can be; a change that is shown at once is received at once.
func TestReadsPauseBetweenSnapshots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := runFeed(ctx)
		b.load(3)
		version := 1
		change := func() (shown bool) {
			version++
			b.sink.Put(runObject("run-0", "u0", version, "p"))
			synctest.Wait()
			return b.take() != nil
		}
		for range 5 {
			time.Sleep(time.Second)
			if !change() {
				t.Fatal("a single change was not shown at once")
			}
			if until := b.paused(); until.After(time.Now()) {
				t.Errorf("after a single change, reads pause for %v", time.Until(until))
			}
		}
		pauses := 0
		for range 100 {
			time.Sleep(10 * time.Millisecond)
			if !change() {
				continue
			}
			until := b.paused()
			if !until.After(time.Now()) { // one of the first after a pause
				continue
			}
			pauses++
			time.Sleep(time.Until(until))
			if change() {
				t.Error("a Snapshot was made while reads paused")
			}
			time.Sleep(decodeWithin - time.Nanosecond)
			if change() {
				t.Error("a Snapshot was made before what came after the pause could be decoded")
			}
			time.Sleep(2 * time.Nanosecond)
			synctest.Wait()
			if b.take() == nil {
				t.Error("what came after the pause was not shown when it was due")
			}
		}
		if pauses < 15 {
			t.Errorf("%d pauses in more than a second of changes", pauses)
		}
	})
}

// TestOtherChangesKeepThePace publishes ten times in a second in which only approval requests change.
func TestOtherChangesKeepThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := runFeed(ctx)
		approvals := b.in.Open(world.CoverAll(engine.KindClusterApprovalRequest))
		b.load(3)
		n := 0
		for version := range 1000 {
			time.Sleep(time.Millisecond)
			request := &placement.ApprovalRequest{ObjectMeta: metav1.ObjectMeta{Name: "run-0-before-s", ResourceVersion: fmt.Sprint(version)}}
			request.Spec.ParentStageRollout = "run-0"
			approvals.Put(&Object{Version: request.ResourceVersion, ID: engine.NewID(engine.KindClusterApprovalRequest, "", request.Name, "9"), Value: request})
			synctest.Wait()
			if b.take() != nil {
				n++
			}
		}
		if n < 10 || n > 10+burst {
			t.Errorf("%d publications in a second, want %d to %d", n, 10, 10+burst)
		}
	})
}

func TestFeedShowsStaleWithoutAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := runFeed(ctx)
		b.load(1)
		b.hear()
		time.Sleep(aged + 10*time.Millisecond)
		synctest.Wait()
		s := b.take()
		if s == nil || s.Link.State != engine.LinkStale || s.WritesOff.IsZero() {
			t.Fatalf("after %v of silence: %v", aged, s)
		}
		b.hear()
		time.Sleep(publishEvery)
		synctest.Wait()
		if s := b.take(); s == nil || s.Link.State != engine.LinkLive {
			t.Errorf("after an answer: %v", s)
		}
	})
}

// A reader that does not read costs nothing and misses nothing that is current.
// TestFeedReadsTheLinkWithTheRows checks that a link that has become live because of
// objects is published with them, and objects of an older hub with its reset, at whatever
// moment of the feed they came (docs/promises.md#i1, #i3).
func TestFeedReadsTheLinkWithTheRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := runFeed(ctx)
		b.load(1)
		time.Sleep(aged)
		synctest.Wait()
		if s := b.take(); s == nil || s.Link.State != engine.LinkStale {
			t.Fatalf("not stale: %v", s)
		}
		at := time.Now()
		// In the middle of a look, a list comes, which makes the link live.
		b.mu.Lock()
		b.heard = at
		b.meanwhile = func() { b.sink.Replace([]*Object{runObject("run-0", "u0", 7, "p")}) }
		b.mu.Unlock()
		b.in.Touch()
		synctest.Wait()
		if s := b.take(); s == nil || s.Link.State != engine.LinkLive || s.Runs[0].ResourceVersion.Value() != "7" {
			t.Errorf("live with an object from before: %+v", s.Runs[0].ResourceVersion)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		b.take()
		b.mu.Lock()
		b.meanwhile = func() {
			b.reset = at.Add(time.Second)
			b.sink.Replace([]*Object{runObject("run-0", "u0", 3, "p")})
		}
		b.mu.Unlock()
		b.in.Touch()
		synctest.Wait()
		if s := b.take(); s == nil || s.Runs[0].ResourceVersion.Value() != "3" || s.Link.Reset.IsZero() {
			t.Errorf("an older object without a reset: %+v, reset %v", s.Runs[0].ResourceVersion, s.Link.Reset)
		}
	})
}

func TestFeedWithASlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := runFeed(ctx)
		b.load(1)
		for v := range 600 {
			time.Sleep(100 * time.Millisecond)
			b.hear()
			b.sink.Put(runObject(fmt.Sprint("run-", v%5), fmt.Sprint("u", v%5), 10+v, "p"))
			synctest.Wait()
		}
		s := b.take()
		if s == nil || len(s.Runs) != 5 || s.Link.State != engine.LinkLive || s.At.Before(time.Now().Add(-publishEvery)) {
			t.Errorf("after a minute the reader gets %v", s)
		}
		if b.take() != nil {
			t.Error("there was a second snapshot in a mailbox of one")
		}
	})
}
