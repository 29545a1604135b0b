package stream

import (
	"hash/maphash"
	"strconv"

	"github.com/stagewatch/stagewatch/watch/internal/memory"
)

// held has the resourceVersion and the weight of each object of a set: to find a hub that
// went back to an older state and has overtaken the version up to which the set was known
// since, and to bound the memory of the set.
type held struct {
	seed    maphash.Seed
	objects map[uint64]heldObject
	room    *memory.Room
	scale   memory.Scale
	weight  int64 // of all objects
}

type heldObject struct {
	version uint64 // zero if it is no number
	weight  int64
}

func newHeld(r *memory.Room) *held {
	return &held{seed: maphash.MakeSeed(), objects: map[uint64]heldObject{}, room: r}
}

func (h *held) key(o *object) uint64 {
	ns, name, _ := o.ID.Raw()
	return maphash.String(h.seed, ns+"/"+name)
}

func versionOf(o *object) uint64 {
	version, err := strconv.ParseUint(o.Version, 10, 64)
	if err != nil {
		return 0
	}
	return version
}

// stringHeader is the memory of a string without its text.
const stringHeader = 16

// weigh returns how many bytes of memory an object takes. One that cannot be decoded counts
// with its JSON: a list of many of them is cut off.
func (h *held) weigh(o *object) int64 {
	more := int64(len(o.Broken)) + o.bytes
	for _, s := range o.Paths {
		more += stringHeader + int64(len(s))
	}
	return h.scale.Weigh(o.ID, o.Value, more)
}

// put notes an object. It reports false, and notes nothing, if there is no room for it.
func (h *held) put(o *object) bool {
	key, weight := h.key(o), h.weigh(o)
	more := weight - h.objects[key].weight
	if !h.room.Take(more, 0) {
		return false
	}
	h.weight += more
	h.objects[key] = heldObject{versionOf(o), weight}
	return true
}

// remove forgets an object.
func (h *held) remove(o *object) {
	key := h.key(o)
	h.weight -= h.objects[key].weight
	h.room.Give(h.objects[key].weight)
	delete(h.objects, key)
}

// clear forgets all objects.
func (h *held) clear() {
	h.room.Give(h.weight)
	h.weight = 0
	clear(h.objects)
}

// replace makes a list, which has its room already, the state of the set. It reports
// whether the list contradicts what was known up to a version: an object is older than it
// was, or was not there although it is not newer than that version.
func (h *held) replace(list *objectList, known string) (contradicts bool) {
	before := h.objects
	h.room.Give(h.weight)
	h.weight = list.weight
	h.objects = make(map[uint64]heldObject, len(list.Items))
	upTo, err := strconv.ParseUint(known, 10, 64)
	for i, o := range list.Items {
		key, now := h.key(o), heldObject{versionOf(o), list.weights[i]}
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
