package link

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	// resetShown is how long the screen says that the hub was reset.
	resetShown = 10 * time.Minute
	// suspectFor is how long a suspicion lasts.
	suspectFor = 10 * time.Second
)

// set is the freshness of one set of objects. An answered probe proves nothing about it:
// only an event or bookmark, a complete list, or a check of its watch does.
type set struct {
	key     world.CoverKey
	name    engine.Text
	moved   time.Time   // the last byte of a list, or proof; before the first proof, any answer
	proved  time.Time   // zero before the first complete list
	objects int         // of the last list, so far
	bytes   int64       // of lists and watches, decompressed
	from    int64       // what bytes was when the last list began
	came    time.Time   // the last object of a list
	first   bool        // it was opened before the first sets were complete
	absent  bool        // it may not be listed, or is not served: nothing of it is shown
	polled  engine.Text // why its watches fail, while lists keep it current; else empty
	// restart ends the request under way if it waits; with all, whatever it does. Timeouts after silent, if it is not
	// zero, do not count against the set.
	restart func(all bool, silent time.Time)
}

// Open begins to keep the freshness of a set, until end is called or another stream opens it.
func (l *Link) Open(s Source, key world.CoverKey, now time.Time, restart func(all bool, silent time.Time)) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := &set{key: key, name: engine.Clean(key.Kind.Plural()), moved: wall(now), first: !l.loaded, restart: restart}
	l.sets[s] = f
	return func() {
		l.mu.Lock()
		ours := l.sets[s] == f
		l.mu.Unlock()
		if ours {
			l.Gone(s)
		}
	}
}

// Begins reports that a list is requested.
func (l *Link) Begins(s Source) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.sets[s]; f != nil && l.loaded {
		f.objects, f.from = 0, f.bytes
	}
}

// Arrives reports that an object of a list came, and how many have.
func (l *Link) Arrives(s Source, objects int, now time.Time) {
	l.mu.Lock()
	if f := l.sets[s]; f != nil {
		f.objects, f.came = objects, wall(now)
	}
	notify := l.hear(now)
	if f, was := l.failing[s]; was && l.loaded && f.Kind == client.Unreachable && !f.over {
		f.over = true
		l.failing[s] = f
		notify = true
	}
	l.mu.Unlock()
	if notify {
		l.changed()
	}
}

// Received reports that so many bytes of a list or a watch came. While the first lists are on
// their way, they are progress.
func (l *Link) Received(s Source, bytes int, now time.Time) {
	l.mu.Lock()
	if f := l.sets[s]; f != nil {
		f.bytes += int64(bytes)
		if f.proved.IsZero() && bytes > 0 {
			if f.moved = wall(now); !l.loaded {
				l.arrived = f.moved
			}
		}
	}
	notify := !l.loaded && l.hear(now)
	l.mu.Unlock()
	if notify {
		l.changed()
	}
}

// loading says what came of all sets, with the lock held; again, what came of those that are listed
// again. It is empty for nothing.
func (l *Link) loading(now time.Time, again bool) engine.Text {
	objects, bytes := 0, int64(0)
	for _, f := range l.sets {
		switch {
		case !again:
			objects, bytes = objects+f.objects, bytes+f.bytes
		case f.came.After(f.proved) && now.Sub(f.came) < arrivingFor:
			objects, bytes = objects+f.objects, bytes+f.bytes-f.from
		}
	}
	if bytes == 0 {
		return engine.Text{}
	}
	return engine.Textf("%s, %s", engine.Count(objects, "object"), engine.Size(bytes))
}

// Set is one set of objects as it is received.
type Set struct {
	Key world.CoverKey
	// Bytes are those of lists and watches since the session began, decompressed.
	Bytes int64
	// Proved is when it was last proven to be current; zero before the first list.
	Proved time.Time
}

// Sets are all sets, ordered by their names.
func (l *Link) Sets() []Set {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Set, 0, len(l.sets))
	for _, f := range l.sets {
		out = append(out, Set{Key: f.key, Bytes: f.bytes, Proved: f.proved})
	}
	sort.Slice(out, func(i, j int) bool {
		return cmp.Or(cmp.Compare(out[i].Key.Kind, out[j].Key.Kind), strings.Compare(out[i].Key.Namespace, out[j].Key.Namespace), out[i].Key.Placement.Compare(out[j].Key.Placement)) < 0
	})
	return out
}

// Proves reports that what is shown of a set is what the API server had at a moment.
func (l *Link) Proves(s Source, at time.Time) {
	l.mu.Lock()
	if f := l.sets[s]; f != nil {
		at = wall(at)
		f.absent = false
		if at.After(f.proved) || f.proved.After(wall(time.Now()).Add(time.Second)) {
			f.proved = at
		}
		if at.After(f.moved) {
			f.moved = at
		}
	}
	notify := l.hear(time.Now())
	l.mu.Unlock()
	if notify {
		l.changed()
	}
}

// Missing reports that a set has no objects to show, and why is known.
func (l *Link) Missing(s Source) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.sets[s]; f != nil {
		f.absent, f.proved, f.polled = true, time.Time{}, engine.Text{}
	}
}

// ProvedAt is when a set was proved last.
func (l *Link) ProvedAt(s Source) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.sets[s]; f != nil {
		return f.proved
	}
	return time.Time{}
}

// isUnconfirmed reports, with the lock held, whether the first sets took so long to arrive that it is
// not known yet whether all of them are current.
func (l *Link) isUnconfirmed(now time.Time) bool {
	if l.confirmed || now.Sub(l.arrived) > StaleAfter {
		return false
	}
	for _, f := range l.sets {
		if f.first && !f.absent && now.Sub(f.proved) > StaleAfter {
			return true
		}
	}
	l.confirmed = true
	return false
}

// oldest is the last proof of the set whose proof is the oldest, with the lock held; the
// last answer while no set is complete.
func (l *Link) oldest() time.Time {
	oldest := time.Time{}
	for _, f := range l.sets {
		if !f.absent && f.key.Kind != engine.KindMemberCluster && !f.proved.IsZero() && (oldest.IsZero() || f.proved.Before(oldest)) {
			oldest = f.proved
		}
	}
	if oldest.IsZero() {
		return l.heard
	}
	return oldest
}

// turnsStale is when the next set, or the connection, turns stale without a further
// proof, with the lock held; zero if all are.
func (l *Link) turnsStale(now time.Time) time.Time {
	var next time.Time
	note := func(since time.Time, most time.Duration) {
		if at := since.Add(most + time.Millisecond); at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	note(l.heard, StaleAfter)
	if !l.loaded {
		note(l.arrived, arrivingFor)
	}
	if !l.confirmed {
		note(l.arrived, StaleAfter)
	}
	for _, f := range l.sets {
		if !f.absent {
			note(f.since(), f.most())
		}
	}
	return next
}

// most is the age from which a set is stale. No state word depends on member clusters.
func (f *set) most() time.Duration {
	if f.key.Kind == engine.KindMemberCluster {
		return staleRarely
	}
	return StaleAfter
}

// since is from when the age of a set counts.
func (f *set) since() time.Time {
	if f.proved.IsZero() {
		return f.moved
	}
	return f.proved
}

// stale returns the sets without a proof in the last StaleAfter, or since they were interrupted, the
// one with the oldest first, with the lock held.
func (l *Link) stale(now time.Time) []*set {
	var late []*set
	for s, f := range l.sets {
		failure, fails := l.failing[s]
		if age := now.Sub(f.since()); !f.absent && (age > f.most() || age < -time.Second || fails && l.isOver(&failure)) {
			late = append(late, f)
		}
	}
	slices.SortFunc(late, func(a, b *set) int {
		return cmp.Or(a.since().Compare(b.since()), byName(a, b))
	})
	return late
}

// staleSets returns the identity of sets, in an order that does not change with time.
func staleSets(late []*set) []engine.StaleSet {
	out := make([]engine.StaleSet, 0, len(late))
	for _, f := range late {
		out = append(out, engine.StaleSet{Kind: f.key.Kind, Namespace: engine.NewRaw(f.key.Namespace), Placement: f.key.Placement})
	}
	sort.Slice(out, func(i, j int) bool {
		return cmp.Or(cmp.Compare(out[i].Kind, out[j].Kind), strings.Compare(out[i].Namespace.Value(), out[j].Namespace.Value()), out[i].Placement.Compare(out[j].Placement)) < 0
	})
	return out
}

// Breaks reports that the watch of a set ended before its time.
func (l *Link) Breaks(now time.Time) {
	l.mu.Lock()
	l.broke = wall(now)
	l.mu.Unlock()
}

// brokeSince reports whether a watch ended before its time since a moment.
func (l *Link) brokeSince(at time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.broke.Before(wall(at))
}

// Suspect reports that the connection loses answers: the watches of all sets are checked
// at once, and again each second for a while.
func (l *Link) Suspect() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.suspected = wall(time.Now())
	l.wakeChecks()
}

// Gather reports that a set is checked: the sets whose check is due soon are checked with it,
// so that an idle program wakes up once for all of them.
func (l *Link) Gather() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wakeChecks()
}

// wakeChecks ends the pauses of all checks, with the lock held.
func (l *Link) wakeChecks() {
	close(l.alarm)
	l.alarm = make(chan struct{})
}

// IsSuspected reports whether the connection was suspected a moment ago.
func (l *Link) IsSuspected() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	age := wall(time.Now()).Sub(l.suspected)
	return age >= 0 && age < suspectFor
}

// PauseCheck waits before the next check. A suspicion or the check of another set ends the pause and
// reports woken, a message on broken ends it without. It reports false when ctx has ended.
func (l *Link) PauseCheck(ctx context.Context, d time.Duration, broken <-chan struct{}) (woken, ok bool) {
	l.mu.Lock()
	alarm := l.alarm
	l.mu.Unlock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-broken:
	case <-alarm:
		return true, true
	case <-ctx.Done():
		return false, false
	}
	return false, true
}

// Older reports that the API server has older data than it had: it was restored from a
// backup, or another one answers at its address. known is when the newer data was read: from
// before the last report, it is that reset which is reported again. Else every set is listed
// again.
func (l *Link) Older(now, known time.Time) {
	l.mu.Lock()
	again := wall(known).Before(l.restarted)
	if !again {
		l.restarted = wall(now)
	}
	l.mu.Unlock()
	if again {
		return
	}
	l.WasReset(now, known)
	l.mu.Lock()
	for _, f := range l.sets {
		if old := wall(now).Add(-StaleAfter - time.Second); f.proved.After(old) {
			f.proved = old
		}
	}
	l.mu.Unlock()
	l.changed()
	for _, f := range l.all() {
		f.restart(true, time.Time{})
	}
}

// WasReset notes that the API server has older data than it had, where a set has been listed
// since. Each of the others finds out. known is when the newer data was read.
func (l *Link) WasReset(now, known time.Time) {
	l.mu.Lock()
	if !wall(known).Before(l.reset) { // else it was noted
		l.reset = wall(now)
	}
	l.mu.Unlock()
	l.changed()
}

// all returns the sets.
func (l *Link) all() []*set {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]*set, 0, len(l.sets))
	for _, f := range l.sets {
		out = append(out, f)
	}
	return out
}
