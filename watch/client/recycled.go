package client

import "sync"

// recycled has room for values that was given back, apart for small ones (bindings) and large
// ones (runs): either would be useless for the other. Only values of these sizes are worth it.
var recycled [2]sync.Pool

const leastRecycled, leastLarge, mostRecycled = 1 << 10, 16 << 10, 2 << 20

// poolOf is the pool for values of n bytes.
func poolOf(n int) *sync.Pool {
	if n < leastLarge {
		return &recycled[0]
	}
	return &recycled[1]
}

// room returns n bytes.
func room(n int) []byte {
	if n < leastRecycled {
		return make([]byte, n)
	}
	if b, ok := poolOf(n).Get().(*[]byte); ok && cap(*b) >= n {
		return (*b)[:n]
	}
	if n < leastLarge { // the next may be a little longer
		return make([]byte, n, min(n|(leastRecycled-1), leastLarge-1))
	}
	return make([]byte, n)
}

// Recycle gives back the bytes of a value, to which nothing refers any more: they would be
// most of the garbage.
func Recycle(v []byte) {
	if n := cap(v); n >= leastRecycled && n <= mostRecycled {
		poolOf(n).Put(&v)
	}
}
