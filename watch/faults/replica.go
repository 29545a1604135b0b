package faults

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

const (
	// freshWait is how long a list waits for the version that it asks for.
	freshWait = 3 * time.Second
	// never is later than any test.
	never = 1000 * time.Hour
)

// Replica is one of several API servers in front of one store. As a real one, it answers
// watches, and lists of a resourceVersion, from a cache, which may lag behind the store; what
// has none is read from the store.
type Replica struct {
	s *APIServer
	// What follows is guarded by s.mu.
	lag      time.Duration
	restarts int
	// In the era hadIn, its cache has had the version had, and watches from before oldest
	// expire.
	hadIn, had, oldest int
}

// Replica returns another API server in front of the same store.
func (s *APIServer) Replica() *Replica { return &Replica{s: s} }

// ServeHTTP implements http.Handler.
func (b *Replica) ServeHTTP(w http.ResponseWriter, r *http.Request) { b.s.serve(w, r, b) }

// SetLag sets how old what the cache has is. It never forgets what it had.
func (b *Replica) SetLag(lag time.Duration) {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	version, _ := b.visible()
	if b.hadIn != b.s.era {
		b.hadIn, b.oldest = b.s.era, 0
	}
	b.had, b.lag = version, lag
	b.s.ring()
}

// expired reports whether its cache does not know what followed a version, with the lock held.
func (b *Replica) expired(version int) bool {
	return version < b.s.oldest || b.hadIn == b.s.era && version < b.oldest
}

// Restart ends the watches of this server; its cache begins anew.
func (b *Replica) Restart() {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	b.oldest, b.had, b.hadIn = b.s.version, b.s.version, b.s.era // a new cache is read from the store
	b.restarts++
	b.s.ring()
}

// visible returns the version up to which the cache is, with the lock held, and when the
// next one is in it.
func (b *Replica) visible() (version int, later time.Duration) {
	s := b.s
	if b.lag == 0 {
		return s.version, never
	}
	version, later = s.base.version, never
	if b.hadIn == s.era {
		version = max(version, b.had)
	}
	for i := len(s.history) - 1; i >= 0 && s.history[i].era == s.era; i-- {
		c := &s.history[i]
		if c.Version <= version {
			break
		}
		age := time.Since(c.At)
		if age >= b.lag {
			return c.Version, later
		}
		later = b.lag - age
	}
	return version, later
}

// state returns what the cache has, with the lock held.
func (b *Replica) state() (version int, objects map[key]object) {
	s := b.s
	version, _ = b.visible()
	if version == s.version {
		return version, s.objects
	}
	objects = map[key]object{}
	for k, o := range s.base.objects {
		objects[k] = o
	}
	for i := range s.history {
		c := &s.history[i]
		if c.era != s.era || c.Version > version {
			continue
		}
		k := key{c.Resource, c.Namespace, c.Name}
		if c.Type == "DELETED" {
			delete(objects, k)
			continue
		}
		var event struct{ Object object }
		if err := json.Unmarshal(c.raw, &event); err != nil {
			panic(err) // what was marshalled can be read
		}
		objects[k] = event.Object
	}
	return version, objects
}

// reaches waits until the cache has a version, and reports false if that takes too long.
func (b *Replica) reaches(ctx context.Context, wanted int) bool {
	for limit := time.After(freshWait); ; {
		b.s.mu.Lock()
		version, later := b.visible()
		changed, newest := b.s.changed, b.s.version
		b.s.mu.Unlock()
		if wanted <= version || wanted > newest {
			return wanted <= version
		}
		due := time.NewTimer(later)
		select {
		case <-due.C:
		case <-changed:
		case <-limit:
			return false
		case <-ctx.Done():
			return false
		}
		due.Stop()
	}
}
