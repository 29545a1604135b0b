package rowonly

import (
	"sync"
	"time"
)

// Speed measures how fast objects come that are read one by one at the same time. Its methods may be called by several
// goroutines.
type Speed struct {
	mu          sync.Mutex
	objects     int
	first, last time.Time
	size        int64 // of those that came after the first one
}

// Add adds an object, and returns how many there are.
func (m *Speed) Add(size int, now time.Time) (objects int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last = now; m.objects == 0 { // it waited for the hub, too
		m.first, size = now, 0
	}
	m.size += int64(size)
	m.objects++
	return m.objects
}

// Rate returns in what time how many bytes came.
func (m *Speed) Rate() (took time.Duration, size int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last.Sub(m.first), m.size
}
