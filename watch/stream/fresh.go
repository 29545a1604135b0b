package stream

import (
	"slices"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

const (
	// resetShown is how long the screen says that the hub was reset.
	resetShown = 10 * time.Minute
	// stuckFor is how long a request may have waited when the API server answers others
	// again: then it is sent again.
	stuckFor = 200 * time.Millisecond
)

// set is the freshness of one set of objects. An answered probe proves nothing about it:
// only an event or bookmark, a complete list, or a check of its watch does.
type set struct {
	name   engine.Text
	moved  time.Time // the last byte of a list, or proof
	proved time.Time // zero before the first complete list
	absent bool      // it may not be listed, or is not served: nothing of it is shown
	// restart ends the request under way if it waits; with all, whatever it does.
	restart func(all bool)
}

// open begins to keep the freshness of a set.
func (l *Link) open(s source, name engine.Text, now time.Time, restart func(all bool)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sets[s] = &set{name: name, moved: wall(now), restart: restart}
}

// arrives reports that objects of a first list come.
func (l *Link) arrives(s source, now time.Time) {
	l.mu.Lock()
	if f := l.sets[s]; f != nil {
		f.moved = wall(now)
	}
	notify := l.hear(now)
	l.mu.Unlock()
	if notify {
		l.changed()
	}
}

// proves reports that what is shown of a set is what the API server had at a moment.
func (l *Link) proves(s source, at time.Time) {
	l.mu.Lock()
	if f := l.sets[s]; f != nil {
		at = wall(at)
		f.absent = false
		if at.After(f.proved) {
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

// missing reports that a set has no objects to show, and why is known.
func (l *Link) missing(s source) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.sets[s]; f != nil {
		f.absent, f.proved = true, time.Time{}
	}
}

// provedAt is when a set was proved last.
func (l *Link) provedAt(s source) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.sets[s]; f != nil {
		return f.proved
	}
	return time.Time{}
}

// oldest is the last proof of the set whose proof is the oldest, with the lock held; the
// last answer while no set is complete.
func (l *Link) oldest() time.Time {
	oldest := time.Time{}
	for _, f := range l.sets {
		if !f.absent && !f.proved.IsZero() && (oldest.IsZero() || f.proved.Before(oldest)) {
			oldest = f.proved
		}
	}
	if oldest.IsZero() {
		return l.heard
	}
	return oldest
}

// turnsStale is when the first set turns stale without a further proof, with the lock
// held.
func (l *Link) turnsStale() time.Time {
	first := l.heard
	for _, f := range l.sets {
		if !f.absent && f.since().Before(first) {
			first = f.since()
		}
	}
	return first.Add(staleAfter + time.Millisecond)
}

// since is from when the age of a set counts.
func (f *set) since() time.Time {
	if f.proved.IsZero() {
		return f.moved
	}
	return f.proved
}

// stale returns the names of the sets without a proof in the last staleAfter, the one
// with the oldest first, with the lock held.
func (l *Link) stale(now time.Time) []engine.Text {
	var late []*set
	for _, f := range l.sets {
		if !f.absent && now.Sub(f.since()) > staleAfter {
			late = append(late, f)
		}
	}
	slices.SortFunc(late, func(a, b *set) int {
		if c := a.since().Compare(b.since()); c != 0 {
			return c
		}
		return strings.Compare(a.name.String(), b.name.String())
	})
	var names []engine.Text
	for _, f := range late {
		if !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

// staleText says which sets are stale.
func staleText(names []engine.Text) engine.Text {
	if more := len(names) - 2; more > 0 {
		return engine.Textf("no confirmation of %s and %d more kinds", engine.Join(names[:2], ", "), more)
	}
	return engine.Textf("no confirmation of %s", engine.Join(names, ", "))
}

// recovered reports that the API server answers again after it did not: what still waits
// for an earlier answer is sent again.
func (l *Link) recovered() {
	for _, restart := range l.restarts() {
		restart(false)
	}
}

// older reports that the API server has older data than it had: it was restored from a
// backup, or another one answers at its address. Every set is listed again.
func (l *Link) older(now time.Time) {
	l.mu.Lock()
	if now := wall(now); l.reset.IsZero() || now.Sub(l.reset) > time.Second {
		l.reset = now
	}
	for _, f := range l.sets {
		if !f.proved.IsZero() {
			f.proved = wall(now).Add(-staleAfter - time.Second)
		}
	}
	l.mu.Unlock()
	l.changed()
	for _, restart := range l.restarts() {
		restart(true)
	}
}

func (l *Link) restarts() []func(bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]func(bool), 0, len(l.sets))
	for _, f := range l.sets {
		out = append(out, f.restart)
	}
	return out
}
