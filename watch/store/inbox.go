package store

import (
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page/timeline"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Inbox takes what streams and reads deliver, until the Feed fetches it: only the
// latest version of each object, so that a slow Feed costs no memory and blocks no
// stream.
type Inbox struct {
	wake chan struct{} // cap 1; a token means that there is something to fetch
	// diary notes the changes of every version, before one may be skipped.
	diary *diary

	mu    sync.Mutex
	sets  map[world.CoverKey]*delivery
	sinks map[world.CoverKey]*Sink // those that are open
	misc  bool                     // something beside the sets moved: focus, link, names
	names names
	focus engine.Focus
	// reports are what members returned since the feed looked last.
	reports []*world.MemberReport
}

// names is what is known of the hub and the person beside the objects.
type names struct {
	user       engine.Text
	namespaces engine.Text
	// oneNamespace is set by the fallback to one namespace.
	oneNamespace bool
	settings     *engine.Settings // nil: those at the start
	raised       time.Time        // local; until when what is held back is lifted
	access       engine.Access
	accessSeq    int                         // counts changes of access, which cannot be compared
	nearby       map[engine.ID]*world.Nearby // replaced, never changed
	nearbySeq    int                         // counts changes of nearby
}

// delivery is what happened in one set since the feed looked last.
type delivery struct {
	// replaced means that all is what the set holds now, puts came after it.
	replaced bool
	all      []*Object
	puts     map[objectKey]*Object // nil: deleted
	cover    *engine.Coverage
	printed  map[engine.ID]world.PrintedRun
	named    bool // printed has all runs of the set
	// reached, if not empty, is the resourceVersion up to which the set is known.
	reached string
	// dropped means that the set was not watched any more before all this: what
	// it held is forgotten.
	dropped bool
}

// NewInbox returns an Inbox without sets.
func NewInbox() *Inbox {
	return &Inbox{
		wake:  make(chan struct{}, 1),
		diary: newDiary(time.Now()),
		sets:  map[world.CoverKey]*delivery{},
		sinks: map[world.CoverKey]*Sink{},
	}
}

func (in *Inbox) ring() {
	select {
	case in.wake <- struct{}{}:
	default: // a token is there already
	}
}

// Touch wakes the feed for something that it looks up itself.
func (in *Inbox) Touch() {
	in.mu.Lock()
	in.misc = true
	in.mu.Unlock()
	in.ring()
}

func (in *Inbox) setNames(change func(*names)) {
	in.mu.Lock()
	change(&in.names)
	in.misc = true
	in.mu.Unlock()
	in.ring()
}

// SetUser notes who the person is.
func (in *Inbox) SetUser(name engine.Text) { in.setNames(func(n *names) { n.user = name }) }

// SetNamespaces notes where namespaced runs are listed. one says that it is one
// namespace because all are not permitted.
func (in *Inbox) SetNamespaces(where engine.Text, one bool) {
	in.setNames(func(n *names) { n.namespaces, n.oneNamespace = where, one })
}

// SetRaised notes until when what the configuration blocks is permitted, by the
// local clock; zero ends it.
func (in *Inbox) SetRaised(until time.Time) { in.setNames(func(n *names) { n.raised = until }) }

// SetSettings notes settings that became stricter.
func (in *Inbox) SetSettings(set engine.Settings) {
	in.setNames(func(n *names) { n.settings = &set })
}

// SetReport hands what a member returned to the feed.
func (in *Inbox) SetReport(r *world.MemberReport) {
	in.mu.Lock()
	in.reports = append(in.reports, r)
	in.misc = true
	in.mu.Unlock()
	in.ring()
}

// SetGrant notes what is known about a right.
func (in *Inbox) SetGrant(right engine.Right, grant engine.Grant) {
	in.setNames(func(n *names) {
		if was := n.access.Of(right); was != grant {
			n.access = n.access.With(right, grant)
			n.accessSeq++
		}
	})
}

// SetNearby leaves what was read, by placement, for the feed. It must not be
// changed afterwards.
func (in *Inbox) SetNearby(n map[engine.ID]*world.Nearby) {
	in.setNames(func(names *names) {
		names.nearby = n
		names.nearbySeq++
	})
}

// Changes returns what a run went through since the inbox was made, oldest first,
// and when that was.
func (in *Inbox) Changes(run engine.ID) (began time.Time, changes []timeline.SeenChange) {
	return in.diary.of(run)
}

// SetFocus notes what the screen looks at.
func (in *Inbox) SetFocus(f engine.Focus) {
	in.mu.Lock()
	in.focus = f
	in.misc = true
	in.mu.Unlock()
	in.ring()
}

// letters is what fetch takes out of an inbox.
type letters struct {
	sets  map[world.CoverKey]*delivery
	misc  bool
	names names
	focus engine.Focus
	// reports are in the order in which they came.
	reports []*world.MemberReport
}

// fetch takes everything out.
func (in *Inbox) fetch() letters {
	in.mu.Lock()
	defer in.mu.Unlock()
	l := letters{sets: in.sets, misc: in.misc, names: in.names, focus: in.focus, reports: in.reports}
	in.sets, in.misc, in.reports = map[world.CoverKey]*delivery{}, false, nil
	return l
}

// Open returns a sink for a set. One that is open for the set is closed first.
func (in *Inbox) Open(key world.CoverKey) *Sink {
	in.mu.Lock()
	if old := in.sinks[key]; old != nil {
		old.close()
	}
	s := &Sink{in: in, key: key}
	in.sinks[key] = s
	in.mu.Unlock()
	s.Cover(engine.Coverage{State: engine.CoverLoading})
	return s
}

// IsOpen reports whether a stream delivers a set, or may.
func (in *Inbox) IsOpen(key world.CoverKey) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.sinks[key] != nil
}

// Drop ends a set: its sink takes nothing any more, the feed forgets what it
// held.
func (in *Inbox) Drop(s *Sink) {
	in.mu.Lock()
	defer in.ring()
	defer in.mu.Unlock()
	s.close()
	if in.sinks[s.key] == s {
		delete(in.sinks, s.key)
		in.sets[s.key] = &delivery{dropped: true}
	}
}

// Sink is the way of one stream into the inbox.
type Sink struct {
	in     *Inbox
	key    world.CoverKey
	closed bool // guarded by in.mu
}

// close is called with in.mu held.
func (s *Sink) close() { s.closed = true }

// deliver changes the set's delivery and wakes the feed.
func (s *Sink) deliver(change func(*delivery)) {
	if s.change(change) {
		s.in.ring()
	}
}

// change changes the set's delivery; it reports false if the sink is closed.
func (s *Sink) change(change func(*delivery)) bool {
	s.in.mu.Lock()
	defer s.in.mu.Unlock()
	if s.closed {
		return false
	}
	d := s.in.sets[s.key]
	if d == nil {
		d = &delivery{}
		s.in.sets[s.key] = d
	}
	change(d)
	return true
}

// Put delivers the latest version of an object.
func (s *Sink) Put(o *Object) {
	s.in.diary.note(o, time.Now())
	s.deliver(func(d *delivery) { d.put(o.key(), o) })
}

// Remove delivers that an object was deleted.
func (s *Sink) Remove(o *Object) {
	s.deliver(func(d *delivery) { d.put(o.key(), nil) })
}

// Replace says that objs are what the set holds, and that this is all.
func (s *Sink) Replace(objs []*Object) {
	s.replace(objs, engine.Coverage{State: engine.CoverComplete, N: len(objs)})
}

func (s *Sink) replace(objs []*Object, c engine.Coverage) {
	now := time.Now()
	for _, o := range objs {
		s.in.diary.note(o, now)
	}
	s.deliver(func(d *delivery) {
		d.keepWhole(objs)
		d.replaced, d.all, d.puts, d.printed = true, objs, nil, nil
		d.cover = &c
	})
}

// ReplaceSome says that objs are in the set, and that there are more, which were not read.
func (s *Sink) ReplaceSome(objs []*Object) {
	s.replace(objs, engine.Coverage{State: engine.CoverTruncated, N: len(objs)})
}

// Clear says that nothing of the set is shown, and why.
func (s *Sink) Clear(c engine.Coverage) { s.replace(nil, c) }

// Cover delivers the coverage of the set.
func (s *Sink) Cover(c engine.Coverage) {
	s.deliver(func(d *delivery) { d.cover = &c })
}

// Reach delivers the resourceVersion up to which the set is known. It wakes nobody: that nothing
// has changed is shown with the next change.
func (s *Sink) Reach(version string) {
	s.change(func(d *delivery) { d.reached = version })
}

// Print delivers printed rows, which are shown until the objects are there; all says that they are
// those of all runs of the set.
func (s *Sink) Print(rows map[engine.ID]world.PrintedRun, all bool) {
	s.deliver(func(d *delivery) { d.printed, d.named = rows, all })
}

// keepWhole replaces rows in objs by what the feed has not fetched yet of the same versions: a row that does not replace the whole
// run relies on it.
func (d *delivery) keepWhole(objs []*Object) {
	var before map[objectKey]*Object
	for i, o := range objs {
		if packed, _ := o.Value.(*world.PackedRun); !packed.IsRowOnly() || o.Replaces {
			continue
		}
		if before == nil {
			before = make(map[objectKey]*Object, len(d.all))
			for _, o := range d.all {
				before[o.key()] = o
			}
		}
		k := o.key()
		w, is := d.puts[k]
		if !is {
			w = before[k]
		}
		if w != nil && w.ID == o.ID && w.Version == o.Version {
			objs[i] = w
		}
	}
}

func (d *delivery) put(k objectKey, o *Object) {
	if d.puts == nil {
		d.puts = map[objectKey]*Object{}
	}
	d.puts[k] = o
}
