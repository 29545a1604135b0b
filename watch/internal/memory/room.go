package memory

import (
	"reflect"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/internal/intern"
)

const (
	// most bounds the memory of what all sets of a hub keep: 130,000 bindings of usual
	// size. With the list that replaces a set, and what the garbage collector leaves, the
	// program stays under 1 GiB (docs/promises.md#i15).
	most = 192 << 20
	// aroundRun, aroundBinding and aroundOther are what is kept of an object beside its
	// value: entries of maps, and views.
	aroundRun     = 6 << 10
	aroundBinding = 512
	aroundOther   = 2 << 10
)

// around is what is kept of an object of a kind beside its value.
func around(kind engine.Kind) int64 {
	switch kind {
	case engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun:
		return aroundRun
	case engine.KindClusterResourceBinding, engine.KindResourceBinding:
		return aroundBinding
	}
	return aroundOther
}

// Room is the memory that the sets of a hub share. Any goroutine may use it.
type Room struct {
	used, most atomic.Int64
}

// NewRoom returns a Room of which nothing is used.
func NewRoom() *Room {
	r := &Room{}
	r.most.Store(most)
	return r
}

// SetMost replaces the bound.
func (r *Room) SetMost(n int64) { r.most.Store(n) }

// Used is how many bytes are taken.
func (r *Room) Used() int64 { return r.used.Load() }

// Take takes n bytes, or none if there is no room for them. own is what will be given back
// for them.
func (r *Room) Take(n, own int64) bool {
	if r.used.Add(n)-own > r.most.Load() && n > 0 {
		r.used.Add(-n)
		return false
	}
	return true
}

// Give gives back n bytes.
func (r *Room) Give(n int64) { r.used.Add(-n) }

// Scale weighs objects. One goroutine uses it.
type Scale struct {
	// seen has the strings that came last, by address: the process has one copy of those
	// that repeat (package intern).
	seen [1024]uintptr
}

// Weigh returns how many bytes of memory an object takes. more is what is not in its value.
func (s *Scale) Weigh(id engine.ID, value any, more int64) int64 {
	_, name, _ := id.Raw()
	return around(id.Kind()) + int64(len(name)) + more + s.size(reflect.ValueOf(value))
}

var timeType = reflect.TypeFor[time.Time]()

// size is how much memory a value refers to.
func (s *Scale) size(v reflect.Value) int64 {
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); text != "" && s.isNew(text) {
			return int64(len(text))
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return int64(v.Elem().Type().Size()) + s.size(v.Elem())
		}
	case reflect.Struct:
		if v.Type() == timeType {
			return 0
		}
		var n int64
		for i := range v.NumField() {
			n += s.size(v.Field(i))
		}
		return n
	case reflect.Slice:
		n := int64(v.Len()) * int64(v.Type().Elem().Size())
		switch v.Type().Elem().Kind() {
		case reflect.Uint8, reflect.Int32:
			return n
		default: // may refer to more
		}
		for i := range v.Len() {
			n += s.size(v.Index(i))
		}
		return n
	case reflect.Map:
		n := 2 * int64(v.Len()) * int64(v.Type().Key().Size()+v.Type().Elem().Size())
		for entries := v.MapRange(); entries.Next(); {
			n += s.size(entries.Key()) + s.size(entries.Value())
		}
		return n
	default: // refers to nothing
	}
	return 0
}

// isNew reports whether a text is not among those that came last. A long one is: that another one
// was at its address before says that it is gone.
func (s *Scale) isNew(text string) bool {
	if len(text) > intern.Longest {
		return true
	}
	at := uintptr(unsafe.Pointer(unsafe.StringData(text)))
	slot := &s.seen[at>>3%uintptr(len(s.seen))]
	known := *slot == at
	*slot = at
	return !known
}
