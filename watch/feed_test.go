package watch

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

var runsKey = engine.CoverAll(engine.KindClusterStagedUpdateRun)

// runObject is a run as a stream brings it.
func runObject(name, uid string, version int, place string) *object {
	run := &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID(uid), ResourceVersion: fmt.Sprint(version), Generation: int64(version),
	}}
	run.Spec.PlacementName = place
	return &object{ObjectMeta: &run.ObjectMeta, id: engine.NewID(engine.KindClusterStagedUpdateRun, "", name, uid), value: run}
}

// bench is a feed without a hub.
type bench struct {
	in   *inbox
	link *link
	sink *sink
	mail *mailbox
	want []wanted
}

// runFeed runs a feed until the test's bubble ends it.
func runFeed(ctx context.Context) *bench {
	b := &bench{in: newInbox(), mail: newMailbox()}
	b.link = newLink(time.Now(), b.in.touch)
	w := engine.NewWorld(engine.Settings{ClusterRuns: true})
	f := &feed{
		in: b.in, link: b.link, skew: func() time.Duration { return 0 }, world: w, fold: newFolder(w), mail: b.mail,
		want: func(w wanted) { b.want = append(b.want, w) }, looked: func(string) {}, beside: func([]beside) {},
	}
	b.sink = b.in.open(runsKey)
	go f.run(ctx)
	return b
}

// loaded brings a feed to where it has n runs and the link is live.
func (b *bench) loaded(n int) {
	var all []*object
	for i := range n {
		all = append(all, runObject(fmt.Sprint("run-", i), fmt.Sprint("u", i), 1, "p"))
	}
	b.sink.replace(all)
	b.link.ok(sourceHub, time.Now())
	b.link.load()
	synctest.Wait()
	time.Sleep(time.Second)
	synctest.Wait()
	b.take()
}

func (b *bench) take() *engine.Snapshot {
	select {
	case s := <-b.mail.c:
		return s
	default:
		return nil
	}
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
		b.sink.put(runObject("a", "u", 1, "p"))
		synctest.Wait()
		if s := b.take(); s == nil || len(s.Runs) != 1 || s.Complete {
			t.Errorf("first rows %v", s)
		}
		b.sink.replace([]*object{runObject("a", "u", 1, "p"), runObject("b", "v", 2, "p")})
		b.link.ok(sourceHub, time.Now())
		b.link.load()
		synctest.Wait()
		if s := b.take(); s == nil || len(s.Runs) != 2 || !s.Complete || s.Link.State != engine.LinkLive {
			t.Errorf("complete rows %v", s)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("it waited %v", took)
		}
	})
}

func TestFeedCoalesces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := runFeed(ctx)
		b.loaded(3)
		// The first change after a pause comes at once.
		began := time.Now()
		b.sink.put(runObject("run-0", "u0", 2, "p"))
		synctest.Wait()
		if s := b.take(); s == nil || time.Since(began) != 0 {
			t.Fatalf("leading edge: %v after %v", s, time.Since(began))
		}
		// A storm of a second: ten publications at most, and the last version.
		n, version := 0, 2
		var last *engine.Snapshot
		for range 1000 {
			time.Sleep(time.Millisecond)
			version++
			b.sink.put(runObject("run-0", "u0", version, "p"))
			synctest.Wait()
			if s := b.take(); s != nil {
				last = s
				n++
			}
		}
		if n < 9 || n > 10 {
			t.Errorf("%d publications in a second of storm", n)
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
		b.link.ok(sourceProbe, time.Now())
		time.Sleep(publishEvery)
		synctest.Wait()
		b.take()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if s := b.take(); s != nil {
			t.Errorf("published %v without news", describe(s))
		}
	})
}

func TestFeedShowsStaleWithoutAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := runFeed(ctx)
		b.loaded(1)
		heard := time.Now()
		b.link.ok(sourceProbe, heard)
		time.Sleep(staleAfter + 10*time.Millisecond)
		synctest.Wait()
		s := b.take()
		if s == nil || s.Link.State != engine.LinkStale || s.WritesOff.IsZero() {
			t.Fatalf("after %v of silence: %v", staleAfter, describe(s))
		}
		b.link.ok(sourceProbe, time.Now())
		time.Sleep(publishEvery)
		synctest.Wait()
		if s := b.take(); s == nil || s.Link.State != engine.LinkLive {
			t.Errorf("after an answer: %v", describe(s))
		}
	})
}

// A reader that does not read costs nothing and misses nothing that is current.
func TestFeedWithASlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b := runFeed(ctx)
		b.loaded(1)
		for v := range 600 {
			time.Sleep(100 * time.Millisecond)
			b.link.ok(sourceProbe, time.Now())
			b.sink.put(runObject(fmt.Sprint("run-", v%5), fmt.Sprint("u", v%5), 10+v, "p"))
			synctest.Wait()
		}
		s := b.take()
		if s == nil || len(s.Runs) != 5 || s.Link.State != engine.LinkLive || s.At.Before(time.Now().Add(-publishEvery)) {
			t.Errorf("after a minute the reader gets %v", describe(s))
		}
		if b.take() != nil {
			t.Error("there was a second snapshot in a mailbox of one")
		}
	})
}

func TestFold(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	id := func(name, uid string) engine.ID {
		return engine.NewID(engine.KindClusterStagedUpdateRun, "", name, uid)
	}
	w := engine.NewWorld(engine.Settings{})
	f := newFolder(w)
	in := newInbox()
	s := in.open(runsKey)
	fold := func(now time.Time) moves { return f.fold(in.fetch().sets, now) }

	s.print(map[engine.ID]engine.PrintedRun{id("a", "1"): {}, id("b", "2"): {}})
	if m := fold(at); !m.Runs[id("a", "1")] || len(w.Printed) != 2 || w.Covered[runsKey].State != engine.CoverLoading {
		t.Fatalf("printed %v, covered %v, moved %v", w.Printed, w.Covered, m.Runs)
	}
	s.put(runObject("a", "1", 1, "p"))
	fold(at)
	if len(w.Printed) != 1 || w.Runs[id("a", "1")] == nil || w.FirstSeen[id("a", "1")].At != at {
		t.Errorf("after the first object: printed %v, first seen %v", w.Printed, w.FirstSeen)
	}
	kept := w.Runs[id("a", "1")]
	s.replace([]*object{runObject("a", "1", 1, "p"), runObject("c", "3", 2, "q")})
	m := fold(at.Add(time.Minute))
	if len(w.Printed) != 0 || len(w.Runs) != 2 || w.Covered[runsKey].State != engine.CoverComplete || !m.All {
		t.Errorf("after the list: printed %v, runs %v, covered %v", w.Printed, w.Runs, w.Covered)
	}
	if w.Runs[id("a", "1")] != kept || w.FirstSeen[id("a", "1")].At != at {
		t.Error("a list of what was there replaced it")
	}
	s.print(map[engine.ID]engine.PrintedRun{id("z", "9"): {}}) // comes late
	if fold(at); len(w.Printed) != 0 {
		t.Error("printed rows were taken after the list")
	}
	// Deleted and made again between two events.
	s.put(runObject("a", "4", 5, "p"))
	if m := fold(at); w.Runs[id("a", "1")] != nil || w.Runs[id("a", "4")] == nil || !m.Runs[id("a", "1")] || m.All {
		t.Errorf("made again: %v, moved %v", w.Runs, m.Runs)
	}
	s.remove(objectKey{"", "c"})
	s.remove(objectKey{"", "never there"})
	if fold(at); len(w.Runs) != 1 || len(w.FirstSeen) != 1 {
		t.Errorf("after deletions: %v, first seen %v", w.Runs, w.FirstSeen)
	}
	// Broken, then whole again.
	s.put(&object{ObjectMeta: &metav1.ObjectMeta{Name: "a", UID: "4", ResourceVersion: "6"}, id: id("a", "4"), broken: "torn"})
	if fold(at); w.Runs[id("a", "4")] != nil || w.Broken[id("a", "4")] != "torn" {
		t.Errorf("broken: %v, %v", w.Runs, w.Broken)
	}
	s.put(runObject("a", "4", 7, "p"))
	if fold(at); w.Runs[id("a", "4")] == nil || len(w.Broken) != 0 {
		t.Errorf("whole again: %v, %v", w.Runs, w.Broken)
	}
	// A set that is dropped leaves nothing, and its stream is not heard any more.
	in.drop(s)
	s.put(runObject("late", "8", 9, "p"))
	if fold(at); len(w.Runs)+len(w.Covered)+len(w.FirstSeen) != 0 {
		t.Errorf("dropped: %v, %v", w.Runs, w.Covered)
	}
}

// When runs of all namespaces are not permitted any more, those of one namespace
// take their place; both can come in one fold.
func TestFoldForgetsBeforeItTakesIn(t *testing.T) {
	all := engine.CoverAll(engine.KindStagedUpdateRun)
	one := engine.CoverKey{Kind: engine.KindStagedUpdateRun, Namespace: "shop"}
	id := engine.NewID(engine.KindStagedUpdateRun, "shop", "a", "1")
	run := runObject("a", "1", 1, "p")
	run.Namespace, run.id = "shop", id
	for range 50 { // what waits in the inbox has no order
		w := engine.NewWorld(engine.Settings{})
		f := newFolder(w)
		in := newInbox()
		wide := in.open(all)
		wide.replace([]*object{run})
		f.fold(in.fetch().sets, time.Time{})
		in.drop(wide)
		in.open(one).replace([]*object{run})
		if f.fold(in.fetch().sets, time.Time{}); w.Runs[id] == nil {
			t.Fatal("the run of the namespace is gone with the set of all")
		}
	}
}

// What happens to an approval, a placement or a binding moves the runs that it
// is about, and no others.
func TestFoldMovesTheRightRuns(t *testing.T) {
	w := engine.NewWorld(engine.Settings{})
	f := newFolder(w)
	in := newInbox()
	runs := in.open(runsKey)
	approvals := in.open(engine.CoverAll(engine.KindClusterApprovalRequest))
	places := in.open(engine.CoverAll(engine.KindClusterResourcePlacement))
	p := engine.NewID(engine.KindClusterResourcePlacement, "", "p", "")
	bindings := in.open(engine.CoverBindings(p))
	a, b := runObject("a", "1", 1, "p"), runObject("b", "2", 1, "q")
	runs.replace([]*object{a, b})
	approvals.replace(nil)
	places.replace(nil)
	bindings.replace(nil)
	f.fold(in.fetch().sets, time.Time{})
	if w.Bindings[p] == nil {
		t.Error("an empty set of bindings is not known as one")
	}
	request := &placement.ApprovalRequest{ObjectMeta: metav1.ObjectMeta{Name: "a-before-s", ResourceVersion: "3"}}
	request.Spec.ParentStageRollout = "a"
	tests := []struct {
		name string
		do   func()
	}{
		{"approval", func() {
			approvals.put(&object{ObjectMeta: &request.ObjectMeta, id: engine.NewID(engine.KindClusterApprovalRequest, "", "a-before-s", "9"), value: request})
		}},
		{"placement", func() {
			id := engine.NewID(engine.KindClusterResourcePlacement, "", "p", "7")
			places.put(&object{ObjectMeta: &metav1.ObjectMeta{Name: "p"}, id: id, value: &engine.Placement{ID: id}})
		}},
		{"binding", func() {
			id := engine.NewID(engine.KindClusterResourceBinding, "", "p-a", "8")
			bindings.put(&object{ObjectMeta: &metav1.ObjectMeta{Name: "p-a"}, id: id, value: &engine.Binding{ID: id}})
		}},
		{"binding gone", func() { bindings.remove(objectKey{"", "p-a"}) }},
		{"approval gone", func() { approvals.remove(objectKey{"", "a-before-s"}) }},
		{"bindings may not be read", func() { bindings.cover(engine.Coverage{State: engine.CoverForbidden}) }},
		{"bindings are not watched any more", func() { in.drop(bindings) }},
		{"bindings are asked for", func() { in.open(engine.CoverBindings(p)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.do()
			m := f.fold(in.fetch().sets, time.Time{})
			if !m.any || m.All || len(m.Runs) != 1 || !m.Runs[a.id] {
				t.Errorf("moved all %v, runs %v", m.All, m.Runs)
			}
		})
	}
}
