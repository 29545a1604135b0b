package watch

import "sync"

// goroutines owns the goroutines of a session.
type goroutines struct {
	sync.WaitGroup
	// panicked is told of a panic in the goroutine in which it happened; when
	// nil, the panic ends the process as any other.
	panicked func(any)
}

// Go runs f in a goroutine that Wait waits for.
func (g *goroutines) Go(f func()) { g.WaitGroup.Go(func() { g.guard(f) }) }

// guard runs f, for a goroutine that ends by itself and that nobody waits for.
func (g *goroutines) guard(f func()) {
	if g.panicked != nil {
		defer func() {
			if v := recover(); v != nil {
				g.panicked(v)
			}
		}()
	}
	f()
}
