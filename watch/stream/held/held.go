// Package held keeps the resourceVersion and the weight of each object of a set.
package held

import (
	"hash/maphash"
	"iter"
	"strconv"

	"github.com/stagewatch/stagewatch/watch/internal/memory"
	"github.com/stagewatch/stagewatch/watch/store"
)

// Set has the resourceVersion and the weight of each object of a set that is shown; the version may be older than the one
// that is shown. It is used to find a hub that went back to an older state and has overtaken the version up to which the set was known
// since, to find what has changed while the set was not watched, and to bound its memory.
type Set struct {
	seed    maphash.Seed
	objects map[uint64]object
	room    *memory.Room
	scale   memory.Scale
	weight  int64 // of all objects
}

type object struct {
	version uint64 // zero if it is no number
	weight  int64
}

// New returns an empty Set, whose objects share a room with others.
func New(r *memory.Room) *Set {
	return &Set{seed: maphash.MakeSeed(), objects: map[uint64]object{}, room: r}
}

// Beside returns an empty Set whose objects share the room of h, for a list that does not replace h: another goroutine may
// use it.
func (h *Set) Beside() *Set { return New(h.room) }

func (h *Set) key(o *store.Object) uint64 {
	ns, name, _ := o.ID.Raw()
	return h.keyOf(ns, name)
}

func (h *Set) keyOf(namespace, name string) uint64 {
	return maphash.String(h.seed, namespace+"/"+name)
}

// number is a version as a number, zero if it is none.
func number(version string) uint64 {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Objects is how many there are.
func (h *Set) Objects() int { return len(h.objects) }

// Weight is how many bytes all objects take.
func (h *Set) Weight() int64 { return h.weight }

// StringHeader is the memory of a string without its text.
const StringHeader = 16

// Weigh returns how many bytes of memory an object takes. One that cannot be decoded counts
// with its JSON, json bytes: a list of many of them is cut off.
func (h *Set) Weigh(o *store.Object, json int64) int64 {
	more := int64(len(o.Broken)) + json
	for _, s := range o.Paths {
		more += StringHeader + int64(len(s))
	}
	return h.scale.Weigh(o.ID, o.Value, more)
}

// Has reports whether the set has an object in its version.
func (h *Set) Has(o *store.Object) bool {
	is := number(o.Version)
	return is > 0 && h.objects[h.key(o)].version == is
}

// IsOlder reports whether the set has a newer version of an object.
func (h *Set) IsOlder(o *store.Object) bool {
	is := number(o.Version)
	return is > 0 && is < h.objects[h.key(o)].version
}

// HasOther reports whether the set has an object in another version.
func (h *Set) HasOther(o *store.Object) bool {
	has := h.objects[h.key(o)].version
	return has > 0 && has != number(o.Version)
}

// WeightOf returns Weigh, in bytes, or the weight of the object that the set has in the same version, if that is more: a row does
// not replace a whole run.
func (h *Set) WeightOf(o *store.Object, json int64) int64 {
	if h.Has(o) {
		return max(h.Weigh(o, json), h.objects[h.key(o)].weight)
	}
	return h.Weigh(o, json)
}

// Take takes room for an object of a list that will replace the set. It reports false if there is none.
func (h *Set) Take(weight int64) bool { return h.room.Take(weight, h.weight) }

// Give gives back the room of objects of such a list.
func (h *Set) Give(weight int64) { h.room.Give(weight) }

// Put notes an object. It reports false, and notes nothing, if there is no room for it.
func (h *Set) Put(o *store.Object, json int64) bool {
	key, weight := h.key(o), h.Weigh(o, json)
	more := weight - h.objects[key].weight
	if !h.room.Take(more, 0) {
		return false
	}
	h.weight += more
	h.objects[key] = object{number(o.Version), weight}
	return true
}

// Remove forgets an object.
func (h *Set) Remove(o *store.Object) {
	key := h.key(o)
	h.weight -= h.objects[key].weight
	h.room.Give(h.objects[key].weight)
	delete(h.objects, key)
}

// Clear forgets all objects.
func (h *Set) Clear() {
	h.room.Give(h.weight)
	h.weight = 0
	clear(h.objects)
}

// Replace makes the objects of a list, with their weights, the state of the set. The list has room
// for weight already. It reports whether the list contradicts what was known up to a version: an
// object is older than it was, or was not there although it is not newer than that version.
func (h *Set) Replace(list iter.Seq2[*store.Object, int64], weight int64, known string) (contradicts bool) {
	before := h.objects
	h.room.Give(h.weight)
	h.weight = weight
	h.objects = make(map[uint64]object, len(before))
	upTo, err := strconv.ParseUint(known, 10, 64)
	for o, weight := range list {
		key, now := h.key(o), object{number(o.Version), weight}
		h.weight -= h.objects[key].weight // of one with the same name
		h.room.Give(h.objects[key].weight)
		h.objects[key] = now
		was, there := before[key]
		there = there && was.version > 0
		if err == nil && now.version > 0 && (there && now.version < was.version || !there && now.version <= upTo) {
			contradicts = true
		}
	}
	return contradicts
}
