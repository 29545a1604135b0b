package objectjson

import (
	"bytes"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// recentLists is how many different lists of conditions are compared with the next one.
// The controller writes the conditions of the clusters that it starts or checks together
// with one time: of a thousand lists most are one of a few.
const recentLists = 8

// conditionList is a list as it stands in the JSON, and what it was read to.
type conditionList struct {
	raw  []byte
	list []metav1.Condition
	// times are where in raw the time of each condition stands, if alike says so: a list that is
	// the same but for its times needs no more than these read.
	times [mostAlike]int
	alike bool
}

// mostAlike is how many conditions a list has at most that is compared but for its times, and
// timeLength how long these are.
const mostAlike, timeLength = 4, len("2026-03-02T10:00:00Z")

// note takes note of where the time of a condition stands; of several, the last one counts.
func (l *conditionList) note(condition, at, length int) {
	if l.alike = l.alike && condition < mostAlike && length == timeLength; l.alike {
		l.times[condition] = at
	}
}

// hasTimes reports whether each of the conditions has its time, in their order.
func (l *conditionList) hasTimes() bool {
	return l.alike && len(l.list) <= mostAlike && !slices.Contains(l.times[:len(l.list)], 0)
}

// isLike reports whether b begins with the list but for its times.
func (l *conditionList) isLike(b []byte) bool {
	if !l.alike || len(b) < len(l.raw) {
		return false
	}
	from := 0
	for _, at := range l.times[:len(l.list)] {
		if !bytes.Equal(b[from:at], l.raw[from:at]) {
			return false
		}
		from = at + timeLength
	}
	return bytes.Equal(b[from:len(l.raw)], l.raw[from:])
}

// conditions reads a list of conditions. Lists that are the same, byte by byte, share
// their memory.
func (r *runReader) conditions() []metav1.Condition {
	r.peek()
	rest := r.b[r.i:]
	for i := range r.recent {
		if known := &r.recent[i]; len(known.raw) > 0 && bytes.HasPrefix(rest, known.raw) {
			r.i += len(known.raw)
			return known.list
		}
	}
	var read conditionList
	for i := range r.recent {
		if r.recent[i].isLike(rest) && r.readTimes(&read, &r.recent[i], rest) {
			break
		}
	}
	if read.list == nil {
		r.newConditions(&read)
	}
	if r.err == nil && len(read.list) > 0 {
		r.recent[r.oldest] = read
		r.oldest = (r.oldest + 1) % recentLists
	}
	return read.list
}

// readTimes reads a list that is another one but for its times. It reports false if one of them
// is none.
func (r *runReader) readTimes(l, like *conditionList, rest []byte) bool {
	var times [mostAlike]metav1.Time
	for i, at := range like.times[:len(like.list)] {
		var err error
		if times[i], err = r.timeOf(rest[at : at+timeLength]); err != nil {
			return false
		}
	}
	*l = *like
	l.raw, l.list = rest[:len(like.raw)], r.inSlab(like.list)
	for i := range l.list {
		l.list[i].LastTransitionTime = times[i]
	}
	r.i += len(l.raw)
	return true
}

// conditionRooms have room for the conditions of a list, whose number is known at its end.
var conditionRooms = sync.Pool{New: func() any { return &[]metav1.Condition{} }}

// newConditions reads a list of conditions into memory shared with others.
func (r *runReader) newConditions(l *conditionList) {
	from := r.i
	l.alike = true
	room, _ := conditionRooms.Get().(*[]metav1.Condition)
	all := (*room)[:0]
	defer func() {
		clear(all)
		*room = all
		conditionRooms.Put(room)
	}()
	member := func(name string) {
		c := &all[len(all)-1]
		switch name {
		case "type":
			c.Type = r.text()
		case "status":
			c.Status = metav1.ConditionStatus(r.text())
		case "observedGeneration":
			c.ObservedGeneration = r.integer()
		case "lastTransitionTime":
			r.peek()
			at := r.i + 1
			c.LastTransitionTime = r.time()
			l.note(len(all)-1, at-from, r.i-1-at)
		case "reason":
			c.Reason = r.text()
		case "message":
			c.Message = r.text()
		default:
			r.raw()
		}
	}
	if !r.elements(func() { all = append(all, metav1.Condition{}); r.members(member) }) {
		return
	}
	l.raw, l.list = r.b[from:r.i], r.inSlab(all)
	l.alike = l.hasTimes()
}

// inSlab returns a copy of a list in memory shared with others.
func (r *runReader) inSlab(all []metav1.Condition) []metav1.Condition {
	n := len(all)
	if n == 0 {
		return []metav1.Condition{}
	}
	if n > len(r.slab) {
		r.slab = r.newSlab(n)
	}
	list := r.slab[:n:n]
	r.slab = r.slab[n:]
	copy(list, all)
	return list
}

// slabSize is for how many conditions memory is made together.
const slabSize = 128

// newSlab returns memory for at least n conditions.
func (r *runReader) newSlab(n int) []metav1.Condition {
	m := r.room
	if m != nil && m.used < len(m.slabs) && len(m.slabs[m.used]) >= n {
		m.used++
		return m.slabs[m.used-1]
	}
	size := max(n, slabSize)
	if r.exact {
		size = n
	}
	slab := make([]metav1.Condition, size)
	if m != nil && m.used == len(m.slabs) && size == slabSize {
		m.slabs = append(m.slabs, slab)
		m.used++
	}
	return slab
}
