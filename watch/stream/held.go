package stream

import (
	"hash/maphash"
	"strconv"
)

// held has the resourceVersion of each object of a set, to find a hub that went back to an
// older state and has overtaken the version up to which the set was known since.
type held struct {
	seed     maphash.Seed
	versions map[uint64]uint64
}

func newHeld() held { return held{seed: maphash.MakeSeed(), versions: map[uint64]uint64{}} }

func (h *held) key(o *object) uint64 {
	ns, name, _ := o.ID.Raw()
	return maphash.String(h.seed, ns+"/"+name)
}

// put notes an object, remove forgets one.
func (h *held) put(o *object) {
	if version, err := strconv.ParseUint(o.Version, 10, 64); err == nil {
		h.versions[h.key(o)] = version
	}
}

func (h *held) remove(o *object) { delete(h.versions, h.key(o)) }

// replace makes a list the state of the set. It reports whether the list contradicts what
// was known up to a version: an object is older than it was, or was not there although it
// is not newer than that version.
func (h *held) replace(list *objectList, known string) (contradicts bool) {
	before := h.versions
	h.versions = make(map[uint64]uint64, len(list.Items))
	upTo, err := strconv.ParseUint(known, 10, 64)
	for _, o := range list.Items {
		h.put(o)
		key := h.key(o)
		now, numbered := h.versions[key]
		was, there := before[key]
		if err == nil && numbered && (there && now < was || !there && now <= upTo) {
			contradicts = true
		}
	}
	return contradicts
}
