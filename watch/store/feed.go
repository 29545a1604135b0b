package store

import (
	"context"
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// publishEvery is the interval between Snapshots while changes keep coming. After a changed run it
// is costs times what a Snapshot takes, the median of the last three, between publishSoonest and
// publishEvery. burst is how many
// are published at once after a pause when all is loaded: what a change makes the program read
// beside the streams is news, too, and delays no other change.
const (
	publishEvery   = 100 * time.Millisecond
	publishSoonest = 50 * time.Millisecond
	costs          = 50
	burst          = 3
)

// linkWait is how long rows wait for the link, which says that they are live right after the last
// set of runs or approval requests has come: they would be made twice.
const linkWait = 5 * time.Millisecond

// decodeWithin is how long before a Snapshot reads resume, so that what is received then is decoded
// in time.
const decodeWithin = 8 * time.Millisecond

// allWithin is within which time all runs are read again while sets are still loading.
const allWithin = 2 * time.Second

// HeardEvery is the change of the last answer's time that is published without any
// other change.
const HeardEvery = time.Second

// Feed owns the World: it alone reads and changes it, in Run.
type Feed struct {
	in    *Inbox
	link  linkView
	skew  func() time.Duration
	world *world.World
	fold  *folder
	mail  *mailbox
	// published is called after every publication, in the goroutine of Run.
	published func(Publication)
	// pause is called with the time at which reads may resume.
	pause func(until time.Time)

	prev  *engine.Snapshot
	again time.Time // local time at which the Snapshot changes without an event
	// waiting holds what was folded but not yet published.
	waiting  moves
	access   int              // the accessSeq that the World has
	nearby   int              // the nearbySeq that the World has
	settings *engine.Settings // as last taken from the Inbox
	raised   time.Time        // local; until when what is held back is lifted
	due      due
	pace     time.Duration    // interval to the next Snapshot
	took     [2]time.Duration // for the Snapshots with a changed run before the last one
	reached  milestone
	// awaits is until when rows wait for the link; zero if they have not waited.
	awaits time.Time
	// allBy is the local time by which all runs are read again; zero if that is not put off.
	allBy time.Time
}

// due is what the next Snapshot is made from.
type due uint8

const (
	dueNothing due = iota
	dueHeard       // only the hub's last answer is newer
	dueWorld
)

// Publication is a Snapshot with what it was made of.
type Publication struct {
	Snapshot *engine.Snapshot
	Focus    engine.Focus
	// Made is the local time before what the Snapshot shows was fetched.
	Made time.Time
	// Covered is the coverage of every set; it must not be kept.
	Covered map[world.CoverKey]engine.Coverage
}

// linkView returns the state of the connection at now, with times on the hub's
// clock, which is ahead by skew, and the local time at which it changes without
// a further event.
type linkView func(now time.Time, skew time.Duration) (engine.Link, time.Time)

// NewFeed returns a feed that owns the World from then on. After each publication, pause is called
// with the time at which reads may resume; while changes are slower than publications, it is past.
func NewFeed(
	in *Inbox, w *world.World, link linkView, skew func() time.Duration, published func(Publication), pause func(until time.Time),
) *Feed {
	return &Feed{in: in, link: link, skew: skew, world: w, fold: newFolder(w), mail: newMailbox(), published: published, pause: pause, pace: publishEvery}
}

// Snapshots has the latest Snapshot until a reader takes it.
func (f *Feed) Snapshots() <-chan *engine.Snapshot { return f.mail.c }

// Latest returns the latest Snapshot, nil before the first.
func (f *Feed) Latest() *engine.Snapshot { return f.mail.last.Load() }

// Run folds and publishes until ctx ends: ten to twenty times a second on average, the first
// three news after a pause at once, and so the first rows and the end of loading. An answer that
// changes nothing is no news: what comes right after it does not wait.
func (f *Feed) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	// The last publication, when the next news are due at an even pace, and before when nothing is
	// published if all is loaded.
	var last, nextDue, opens time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.in.wake:
		case <-timer.C:
		}
		now := time.Now()
		quiet := nextDue.Sub(now)
		if f.reached == loadedAll {
			if quiet = opens.Sub(now); quiet > 0 {
				// What waits in the inbox is overwritten there by what is newer, and wakes nobody.
				timer.Reset(quiet)
				select {
				case <-ctx.Done():
					return
				case <-timer.C:
				}
				now, quiet = time.Now(), 0
			}
		}
		switch f.look(now, quiet > 0) {
		case dueWorld:
			if last = now; f.reached != loadedAll {
				nextDue = now
			}
			nextDue = engine.Later(nextDue, now).Add(f.pace)
			opens = engine.Earlier(nextDue.Add(-(burst-1)*f.pace), now.Add(f.pace))
			f.pause(opens.Add(-decodeWithin))
		case dueHeard:
			last = now
		case dueNothing:
		}
		timer.Reset(f.lookAgain(last.Add(f.pace), now).Sub(now))
	}
}

// lookAgain is when to look again without being woken, at the earliest.
func (f *Feed) lookAgain(earliest, now time.Time) time.Time {
	if f.due != dueNothing {
		if f.awaits.After(now) {
			return f.awaits
		}
		return earliest
	}
	next := now.Add(time.Minute)
	for _, t := range []time.Time{f.again, f.linkNext(now)} {
		if !t.IsZero() && t.Before(next) {
			next = t
		}
	}
	if next.Before(earliest) {
		return earliest
	}
	return next
}

// milestone is how far a session has come in loading.
type milestone uint8

const (
	loadedNothing milestone = iota
	loadedRows
	loadedRuns // and approval requests, or they are refused
	loadedAll
)

// milestone returns the progress of loading; it never decreases.
func (f *Feed) milestone(l engine.Link) milestone {
	w := f.world
	if l.State != engine.LinkLoading {
		loading := len(w.Covered) == 0
		for key, c := range w.Covered {
			loading = loading || key.Placement.IsZero() && c.State == engine.CoverLoading
		}
		if !loading {
			return loadedAll
		}
		if l.State == engine.LinkLive || l.State == engine.LinkRefused {
			return max(f.reached, loadedRuns)
		}
	}
	if len(w.Runs)+len(w.Printed) > 0 {
		return max(f.reached, loadedRows)
	}
	return f.reached
}

func (f *Feed) linkNext(now time.Time) time.Time {
	_, next := f.link(now, 0)
	return next
}

// look folds what came and publishes if anything did; when it is early, only if
// loading has come a step further. It returns what was published.
func (f *Feed) look(now time.Time, early bool) due {
	skew := f.skew()
	// Objects are delivered before the link is live because of them, so the link is read
	// first; a reset is noted before its objects are delivered, so it is read after them.
	view, _ := f.link(now, skew)
	letters := f.in.fetch()
	after, _ := f.link(now, skew)
	view.Reset = after.Reset
	m := f.fold.fold(letters.sets, now.Add(skew))
	f.waiting.merge(m)

	w := f.world
	switch moved := letters.misc && f.misc(letters); {
	case f.prev == nil, m.any, moved:
		f.due = dueWorld
	case view.State != w.Link.State, view.Loading != w.Link.Loading, view.Err != w.Link.Err, !slices.Equal(view.Stale, w.Link.Stale), view.Polled != w.Link.Polled:
		f.due = dueWorld
	case skew != w.Skew, !f.again.IsZero() && !now.Before(f.again):
		f.due = dueWorld
	case view.Heard.Sub(w.Link.Heard) >= HeardEvery:
		f.due = max(f.due, dueHeard)
	}
	reached := f.milestone(view)
	if f.due == dueNothing || early && reached == f.reached || f.awaitsLink(now, view.State) {
		return dueNothing
	}
	f.reached = reached
	runs := f.waiting.runs
	w.Link, w.Skew, w.Raised = view, skew, time.Time{}
	if !f.raised.IsZero() {
		w.Raised = f.raised.Add(skew)
	}
	if f.due == dueHeard {
		f.prev = observe.Heard(f.prev, w, now.Add(skew))
	} else {
		f.observe(now, skew)
	}
	published := f.due
	f.pace = publishEvery
	f.due, f.awaits = dueNothing, time.Time{}
	f.mail.put(f.prev)
	f.published(Publication{Snapshot: f.prev, Focus: w.Focus, Made: now, Covered: w.Covered})
	if runs {
		a, b, c := f.took[0], f.took[1], time.Since(now)
		median := max(min(a, b), min(max(a, b), c))
		f.pace = min(max(costs*median, publishSoonest), publishEvery)
		f.took = [2]time.Duration{b, c}
	}
	return published
}

// observe makes the Snapshot of the World.
func (f *Feed) observe(now time.Time, skew time.Duration) {
	changed := f.changed(now)
	snapshot, again := observe.Observe(f.prev, f.world, changed, now.Add(skew))
	f.prev, f.waiting = snapshot, moves{}
	f.waiting.All = !f.allBy.IsZero()
	f.again = f.allBy
	if !again.IsZero() {
		f.again = engine.Earlier(f.again, again.Add(-skew))
	}
}

// changed is what moved since the last Snapshot. That all runs are to be read again, because
// one more set is known, is put off while others are loading: they would be read again with
// each set.
func (f *Feed) changed(now time.Time) world.Changed {
	c := f.waiting.Changed
	switch {
	case !c.All, f.prev == nil, f.reached == loadedAll, len(f.world.Runs) == 0, f.world.Complete():
		f.allBy = time.Time{}
		return c
	case f.allBy.IsZero():
		f.allBy = now.Add(allWithin)
	case !now.Before(f.allBy):
		f.allBy = time.Time{}
		return c
	}
	c.All = false
	return c
}

// awaitsLink reports whether all runs and approval requests have come, and the link is about to
// say so.
func (f *Feed) awaitsLink(now time.Time, state engine.LinkState) bool {
	if f.reached >= loadedRuns || state != engine.LinkLoading || len(f.world.Runs) == 0 {
		return false
	}
	for key, c := range f.world.Covered {
		switch key.Kind {
		case engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun, engine.KindClusterApprovalRequest, engine.KindApprovalRequest:
			if c.State == engine.CoverLoading {
				return false
			}
		default:
		}
	}
	if f.awaits.IsZero() {
		f.awaits = now.Add(linkWait)
	}
	return now.Before(f.awaits)
}

// misc takes in what came beside the sets; it reports whether that shows.
func (f *Feed) misc(l letters) bool {
	w := f.world
	moved := !w.Focus.Equal(l.focus) || w.Hub.User != l.names.user || w.Namespaces != l.names.namespaces || f.access != l.names.accessSeq || !f.raised.Equal(l.names.raised)
	if w.Focus.Run != l.focus.Run {
		// The opened run is read anew: its detail comes from that.
		f.waiting.run(l.focus.Run)
	}
	for _, r := range l.reports {
		for _, run := range w.Report(r) {
			f.waiting.run(run)
			moved = true
		}
	}
	w.Focus, w.Hub.User, w.Namespaces = l.focus, l.names.user, l.names.namespaces
	w.OneNamespace = l.names.oneNamespace
	w.Access, f.access = l.names.access, l.names.accessSeq
	if f.nearby != l.names.nearbySeq {
		was := w.Nearby
		w.Nearby, f.nearby, moved = l.names.nearby, l.names.nearbySeq, true
		if f.prev != nil {
			// Their runs are read anew: what was repaired moved none of their objects.
			for _, v := range f.prev.Runs {
				if p := v.Placement.Key(); was[p] != w.Nearby[p] {
					f.waiting.run(v.ID)
				}
			}
		}
	}
	if set := l.names.settings; set != nil && f.settings != set {
		w.Settings, f.settings, moved = *set, set, true
	}
	f.raised = l.names.raised
	return moved
}

// merge adds what another fold has moved.
func (m *moves) merge(o moves) {
	m.All = m.All || o.All
	for id := range o.Runs {
		m.run(id)
	}
	m.any, m.runs, m.Requests = m.any || o.any, m.runs || o.runs, m.Requests || o.Requests
}
