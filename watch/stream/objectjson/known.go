package objectjson

import (
	"sync"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// known has the values that were read last, by their JSON: many objects have the same. Nobody
// changes them.
type known[T any] struct {
	mu     sync.Mutex
	values map[string]*T
}

// mostKnown is how many values are kept, and longKnown how long their JSON may be.
const mostKnown, longKnown = 256, 2 << 10

var (
	applyStrategies  known[placement.ApplyStrategy]
	updateStrategies known[placement.UpdateStrategySpec]
)

// read takes a value or null.
func (k *known[T]) read(r *runReader) *T {
	raw := r.raw()
	if r.err != nil || string(raw) == "null" {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if v := k.values[string(raw)]; v != nil {
		return v
	}
	v := new(T)
	if r.err = unmarshal(raw, v); r.err != nil || len(raw) > longKnown {
		return v
	}
	if k.values == nil || len(k.values) == mostKnown {
		k.values = map[string]*T{}
	}
	k.values[string(raw)] = v
	return v
}
