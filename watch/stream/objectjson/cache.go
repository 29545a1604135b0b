package objectjson

import (
	"sync"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// cache has the values that were decoded last, by their JSON: many objects have the same. They are
// shared and must not be modified.
type cache[T any] struct {
	mu     sync.Mutex
	values map[string]*T
}

// maxCached is how many values a cache keeps, and maxCachedBytes how long their JSON may be.
const maxCached, maxCachedBytes = 256, 4 << 10

var (
	applyStrategies  cache[placement.ApplyStrategy]
	updateStrategies cache[placement.UpdateStrategySpec]
)

// read takes a value or null.
func (c *cache[T]) read(r *runReader) *T {
	raw := r.raw()
	if r.err != nil || string(raw) == "null" {
		return nil
	}
	if v := c.find(raw); v != nil {
		return v
	}
	v := new(T)
	if r.err = unmarshal(raw, v); r.err == nil && len(raw) <= maxCachedBytes {
		c.keep(raw, v)
	}
	return v
}

func (c *cache[T]) find(raw []byte) *T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values[string(raw)]
}

func (c *cache[T]) keep(raw []byte, v *T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil || len(c.values) == maxCached {
		c.values = map[string]*T{}
	}
	c.values[string(raw)] = v
}
