package client

import (
	"net/http"
	"sync"
	"time"
)

// skewClock learns how far the hub's clock is from the local one, from the Date
// headers of its answers. A Date has whole seconds, so one answer says only
// that the offset lies within a second and a round trip; many narrow it down.
type skewClock struct {
	mu       sync.Mutex
	known    bool
	from, to time.Duration // the offset lies between these
}

// learn takes in one answer: its Date, when it was asked and when it came.
func (c *skewClock) learn(date string, asked, came time.Time) {
	at, err := http.ParseTime(date)
	if err != nil {
		return // no Date, or not one: other answers have it
	}
	// The header was written between asked and came, at or up to a second
	// after the moment it names.
	from, to := at.Sub(came), at.Add(time.Second).Sub(asked)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known && from <= c.to && to >= c.from {
		c.from, c.to = max(c.from, from), min(c.to, to)
		return
	}
	// The first answer, or one clock was set: start again from this one.
	c.known, c.from, c.to = true, from, to
}

// offset is the hub's clock minus the local one. It is zero when no
// difference is proven.
func (c *skewClock) offset() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.known, c.from <= 0 && c.to >= 0:
		return 0
	}
	return ((c.from + c.to) / 2).Round(10 * time.Millisecond)
}
