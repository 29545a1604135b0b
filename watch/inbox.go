package watch

import (
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// inbox is where streams leave what they heard for the feed: per object the
// latest version only, so that a slow feed costs no memory and holds up nobody.
type inbox struct {
	wake chan struct{} // cap 1; a token means that there is something to fetch
	// diary is told of every object before it may be skipped.
	diary *diary

	mu    sync.Mutex
	sets  map[engine.CoverKey]*delivery
	sinks map[engine.CoverKey]*sink // those that are open
	misc  bool                      // something beside the sets moved: focus, link, names
	names names
	focus engine.Focus
	// reports are what members returned since the feed looked last.
	reports []*engine.MemberReport
}

// names is what is known of the hub and the person beside the objects.
type names struct {
	user       engine.Text
	namespaces engine.Text
	// oneNamespace is set by the fallback to one namespace.
	oneNamespace bool
	raised       time.Time // local; until when what is held back is lifted
	access       engine.Access
	accessSeq    int                          // counts changes of access, which cannot be compared
	nearby       map[engine.ID]*engine.Nearby // replaced, never changed
	nearbySeq    int                          // counts changes of nearby
}

// delivery is what happened in one set since the feed looked last.
type delivery struct {
	// replaced means that all is what the set holds now, puts came after it.
	replaced bool
	all      []*object
	puts     map[objectKey]*object // nil: deleted
	cover    *engine.Coverage
	printed  map[engine.ID]engine.PrintedRun
	// dropped means that the set was not watched any more before all this: what
	// it held is forgotten.
	dropped bool
}

// objectKey names an object within its set, whatever its UID.
type objectKey struct{ namespace, name string }

func newInbox() *inbox {
	return &inbox{
		wake:  make(chan struct{}, 1),
		diary: newDiary(time.Now()),
		sets:  map[engine.CoverKey]*delivery{},
		sinks: map[engine.CoverKey]*sink{},
	}
}

func (in *inbox) ring() {
	select {
	case in.wake <- struct{}{}:
	default: // a token is there already
	}
}

// touch wakes the feed for something that it looks up itself.
func (in *inbox) touch() {
	in.mu.Lock()
	in.misc = true
	in.mu.Unlock()
	in.ring()
}

func (in *inbox) setNames(change func(*names)) {
	in.mu.Lock()
	change(&in.names)
	in.misc = true
	in.mu.Unlock()
	in.ring()
}

// setReport hands what a member returned to the feed.
func (in *inbox) setReport(r *engine.MemberReport) {
	in.mu.Lock()
	in.reports = append(in.reports, r)
	in.misc = true
	in.mu.Unlock()
	in.ring()
}

func (in *inbox) setFocus(f engine.Focus) {
	in.mu.Lock()
	in.focus = f
	in.misc = true
	in.mu.Unlock()
	in.ring()
}

// letters is what fetch takes out of an inbox.
type letters struct {
	sets  map[engine.CoverKey]*delivery
	misc  bool
	names names
	focus engine.Focus
	// reports are in the order in which they came.
	reports []*engine.MemberReport
}

// fetch takes everything out.
func (in *inbox) fetch() letters {
	in.mu.Lock()
	defer in.mu.Unlock()
	l := letters{sets: in.sets, misc: in.misc, names: in.names, focus: in.focus, reports: in.reports}
	in.sets, in.misc, in.reports = map[engine.CoverKey]*delivery{}, false, nil
	return l
}

// open returns a sink for a set. One that is open for the set is closed first.
func (in *inbox) open(key engine.CoverKey) *sink {
	in.mu.Lock()
	if old := in.sinks[key]; old != nil {
		old.close()
	}
	s := &sink{in: in, key: key}
	in.sinks[key] = s
	in.mu.Unlock()
	s.cover(engine.Coverage{State: engine.CoverLoading})
	return s
}

// drop ends a set: its sink takes nothing any more, the feed forgets what it
// held.
func (in *inbox) drop(s *sink) {
	in.mu.Lock()
	defer in.ring()
	defer in.mu.Unlock()
	s.close()
	if in.sinks[s.key] == s {
		delete(in.sinks, s.key)
		in.sets[s.key] = &delivery{dropped: true}
	}
}

// sink is the way of one stream into the inbox.
type sink struct {
	in     *inbox
	key    engine.CoverKey
	closed bool // guarded by in.mu
}

// close is called with in.mu held.
func (s *sink) close() { s.closed = true }

// deliver changes the set's delivery and wakes the feed.
func (s *sink) deliver(change func(*delivery)) {
	s.in.mu.Lock()
	if s.closed {
		s.in.mu.Unlock()
		return
	}
	d := s.in.sets[s.key]
	if d == nil {
		d = &delivery{}
		s.in.sets[s.key] = d
	}
	change(d)
	s.in.mu.Unlock()
	s.in.ring()
}

func (s *sink) put(o *object) {
	s.in.diary.note(o, time.Now())
	s.deliver(func(d *delivery) { d.put(keyOf(o), o) })
}

func (s *sink) remove(k objectKey) {
	s.deliver(func(d *delivery) { d.put(k, nil) })
}

// replace says that objs are what the set holds, and that this is all.
func (s *sink) replace(objs []*object) {
	now := time.Now()
	for _, o := range objs {
		s.in.diary.note(o, now)
	}
	s.deliver(func(d *delivery) {
		d.replaced, d.all, d.puts, d.printed = true, objs, nil, nil
		d.cover = &engine.Coverage{State: engine.CoverComplete, N: len(objs)}
	})
}

func (s *sink) cover(c engine.Coverage) {
	s.deliver(func(d *delivery) { d.cover = &c })
}

func (s *sink) print(rows map[engine.ID]engine.PrintedRun) {
	s.deliver(func(d *delivery) { d.printed = rows })
}

func (d *delivery) put(k objectKey, o *object) {
	if d.puts == nil {
		d.puts = map[objectKey]*object{}
	}
	d.puts[k] = o
}

func keyOf(o *object) objectKey { return objectKey{o.Namespace, o.Name} }
