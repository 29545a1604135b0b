package stream

import (
	"slices"
	"sync"
	"time"

	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	// mostReceived is how many versions are kept. A set that changes faster than that
	// between two comparisons is compared in part.
	mostReceived = 10_000
	// receivedFor is how long versions are kept that cannot be compared: API servers keep
	// changes for longer than that.
	receivedFor = 30 * time.Second
)

// received has the versions that the watch of a set has brought since it was compared with
// a check, so that one is noticed which was lost on the way.
type received struct {
	mu       sync.Mutex
	from     string    // up to which the set is known whatever the watch brings
	since    time.Time // when that was so
	versions []string
	lists    int // counts the calls of reset
}

// mark is a moment of a received.
type mark struct {
	// from is the version that a comparison begins at, to the one that it ends at.
	from, to string

	at    time.Time
	known map[string]bool // that the watch has brought
	lists int
}

// reset begins with a list.
func (r *received) reset(version string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lists++
	r.from, r.since, r.versions = version, now, nil
}

// add notes a version that the watch has brought. The latest one may have been compared before
// it is noted.
func (r *received) add(version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if version == r.from {
		return
	}
	if len(r.versions) == mostReceived {
		r.from, r.versions = r.versions[0], r.versions[1:]
	}
	r.versions = append(r.versions, version)
}

// age is how long the watch was not compared; zero where it has brought nothing since.
func (r *received) age(now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.versions) == 0 {
		return 0
	}
	return now.Sub(r.since)
}

// comparedTo is the version up to which the watch has lost nothing.
func (r *received) comparedTo() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.from
}

// mark begins a comparison of what the watch has brought up to a version, its latest.
func (r *received) mark(to string, now time.Time) *mark {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.since) > receivedFor {
		r.from, r.since = to, now
		r.forget(to)
	}
	m := &mark{from: r.from, to: to, at: now, known: map[string]bool{}, lists: r.lists}
	for _, v := range r.versions {
		if !client.Older(to, v) {
			m.known[v] = true
		}
	}
	return m
}

// isOld reports whether the set was listed since the mark, which says nothing about it any more.
func (r *received) isOld(m *mark) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return m.lists != r.lists
}

// compared forgets what was compared: a check had nothing up to the mark that the watch has
// not brought.
func (r *received) compared(m *mark) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.lists != r.lists {
		return
	}
	r.from, r.since = m.to, m.at
	r.forget(m.to)
}

// forget drops the versions up to one, with the lock held. The watch can have brought newer ones
// since that was its latest.
func (r *received) forget(to string) {
	r.versions = slices.DeleteFunc(r.versions, func(v string) bool { return !client.Older(to, v) })
}

// compare reads the events of a check. It returns newsLost for one that is not newer than
// the mark and that the watch has not brought, newsSome for one that is newer, and newsNone
// with the error that ends the events. Where they lack one that the watch has brought, the
// API server that answers is behind: that is newsRefused.
func (m *mark) compare(events *client.JSONStream) (news, error) {
	for seen := 0; ; {
		raw, err := events.Value()
		switch {
		case err != nil && seen < len(m.known):
			return newsRefused, err
		case err != nil:
			return newsNone, err
		}
		switch version := client.JSONText(raw, "object", "metadata", "resourceVersion"); {
		case version == "" || client.JSONText(raw, "type") == string(apiwatch.Error):
			return newsRefused, nil
		case m.known[version]:
			seen++
		case !client.Older(m.from, version), version == m.to:
			// Sent again, or on its way into the versions.
		case client.Older(version, m.to):
			return newsLost, nil
		default:
			return newsSome, nil
		}
	}
}
