// Package received compares the versions that a watch has brought with those of a check.
package received

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

// Versions are those that the watch of a set has brought since it was compared with
// a check, so that one is noticed which was lost on the way.
type Versions struct {
	mu       sync.Mutex
	from     string    // up to which the set is known whatever the watch brings
	since    time.Time // when that was so
	versions []string
	lists    int // counts the calls of Reset
}

// News is what a check finds.
type News uint8

// What a check can find.
const (
	Unknown News = iota // no answer
	Refused             // an answer without the watch
	None
	Some
	Lost    // a change that the watch has not brought, although it brought a later one
	Expired // the hub has forgotten where the watch stands
)

// Mark is a moment of Versions.
type Mark struct {
	// From is the version that a comparison begins at, to the one that it ends at.
	From, to string

	At    time.Time
	Lists int             // that came before it
	known map[string]bool // that the watch has brought
}

// Reset begins with a list.
func (r *Versions) Reset(version string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lists++
	r.from, r.since, r.versions = version, now, nil
}

// Add notes a version that the watch has brought. The latest one may have been compared before
// it is noted.
func (r *Versions) Add(version string) {
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

// Age is how long the watch was not compared; zero where it has brought nothing since.
func (r *Versions) Age(now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.versions) == 0 {
		return 0
	}
	return now.Sub(r.since)
}

// ComparedTo is the version up to which the watch has lost nothing.
func (r *Versions) ComparedTo() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.from
}

// Mark begins a comparison of what the watch has brought up to a version, its latest.
func (r *Versions) Mark(to string, now time.Time) *Mark {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.since) > receivedFor {
		r.from, r.since = to, now
		r.forget(to)
	}
	m := &Mark{From: r.from, to: to, At: now, known: map[string]bool{}, Lists: r.lists}
	for _, v := range r.versions {
		if !client.Older(to, v) {
			m.known[v] = true
		}
	}
	return m
}

// IsOld reports whether the set was listed since the mark, which says nothing about it any more.
func (r *Versions) IsOld(m *Mark) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return m.Lists != r.lists
}

// Compared forgets what was compared: a check had nothing up to the mark that the watch has
// not brought.
func (r *Versions) Compared(m *Mark) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Lists != r.lists {
		return
	}
	r.from, r.since = m.to, m.At
	r.forget(m.to)
}

// forget drops the versions up to one, with the lock held. The watch can have brought newer ones
// since that was its latest.
func (r *Versions) forget(to string) {
	r.versions = slices.DeleteFunc(r.versions, func(v string) bool { return !client.Older(to, v) })
}

// Compare reads the events of a check. It returns Lost for one that is not newer than
// the mark and that the watch has not brought, Some for one that is newer, and None
// with the error that ends the events. Where they lack one that the watch has brought, the
// API server that answers is behind: that is Refused.
func (m *Mark) Compare(events *client.JSONStream) (News, error) {
	for seen := 0; ; {
		raw, err := events.Value()
		switch {
		case err != nil && seen < len(m.known):
			return Refused, err
		case err != nil:
			return None, err
		}
		switch version := client.JSONText(raw, "object", "metadata", "resourceVersion"); {
		case version == "" || client.JSONText(raw, "type") == string(apiwatch.Error):
			return Refused, nil
		case m.known[version]:
			seen++
		case !client.Older(m.From, version), version == m.to:
			// Sent again, or on its way into the versions.
		case client.Older(version, m.to):
			return Lost, nil
		default:
			return Some, nil
		}
	}
}

// IsEmpty reports whether the watch has brought nothing since the last comparison.
func (m *Mark) IsEmpty() bool { return len(m.known) == 0 }
