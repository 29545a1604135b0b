// Package intern keeps one copy of the strings that repeat a thousand times on a hub:
// names of clusters, reasons, messages. Package unique does not: it forgets a string at the
// next garbage collection unless somebody holds its handle.
package intern

import "sync"

const (
	// Longest is the length of the longest string of which one copy is kept.
	Longest = 4 << 10
	// generation is the memory of the strings after whose insertion the oldest are forgotten.
	generation = 2 << 20
	// overhead is what an entry takes beside its bytes.
	overhead = 64
)

// table has the strings of two generations: one that is in use moves to the young one.
type table struct {
	mu         sync.Mutex
	young, old map[string]string
	size       int // of the young ones
}

var strings = table{young: map[string]string{}}

// Bytes returns the one copy of a string that equals b.
func Bytes(b []byte) string {
	switch {
	case len(b) == 0:
		return ""
	case len(b) > Longest:
		return string(b)
	}
	strings.mu.Lock()
	s, ok := strings.young[string(b)]
	if !ok {
		if s, ok = strings.old[string(b)]; !ok {
			s = string(b)
		}
		strings.add(s)
	}
	strings.mu.Unlock()
	return s
}

// String returns the one copy of a string.
func String(s string) string {
	if s == "" || len(s) > Longest {
		return s
	}
	strings.mu.Lock()
	defer strings.mu.Unlock()
	if kept, ok := strings.young[s]; ok {
		return kept
	}
	if kept, ok := strings.old[s]; ok {
		s = kept
	}
	strings.add(s)
	return s
}

func (t *table) add(s string) {
	t.young[s] = s
	if t.size += len(s) + overhead; t.size > generation {
		t.young, t.old, t.size = map[string]string{}, t.young, 0
	}
}
