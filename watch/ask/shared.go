package ask

import (
	"context"
	"sync"
)

// shared keeps what was read for one run and is the same for others: the members, the
// strategies and runs of a scope, the overrides, the kinds. Otherwise a list of a hundred
// runs in trouble would read a thousand members a hundred times. What it returns must not be
// changed.
type shared struct {
	mu sync.Mutex
	of map[string]func() (any, error)
}

// Sharing returns a Reader for one answer about many runs: it sends each read that does not
// depend on a run once, and keeps what it returned. Any goroutine may use it.
func (rd Reader) Sharing() Reader {
	return Reader{rd.hub, &shared{of: map[string]func() (any, error){}}}
}

// share reads once what key names.
func share[T any](rd Reader, key string, read func() (T, error)) (T, error) {
	if rd.shared == nil {
		return read()
	}
	rd.shared.mu.Lock()
	once := rd.shared.of[key]
	if once == nil {
		once = sync.OnceValues(func() (any, error) { return read() })
		rd.shared.of[key] = once
	}
	rd.shared.mu.Unlock()
	v, err := once()
	return v.(T), err // a key names one type
}

// readSet reads a set whole, of one namespace or of the hub.
func readSet[T any](ctx context.Context, rd Reader, resource, ns string) ([]*T, error) {
	return share(rd, resource+"/"+ns, func() ([]*T, error) { return readAll[T](ctx, rd.hub, resource, ns, nil) })
}

// readNamed is readMaybe of an object that other runs may name too.
func readNamed[T any](ctx context.Context, rd Reader, resource, ns, name string) (*T, error) {
	return share(rd, resource+"/"+ns+"/"+name, func() (*T, error) { return readMaybe[T](ctx, rd.hub, resource, ns, name) })
}
