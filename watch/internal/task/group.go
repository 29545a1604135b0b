package task

import "sync"

// Group owns the goroutines of a session.
type Group struct {
	sync.WaitGroup
	// Panicked is told of a panic in the goroutine in which it happened; when
	// nil, the panic ends the process as any other.
	Panicked func(any)
}

// Go runs f in a goroutine that Wait waits for.
func (g *Group) Go(f func()) { g.WaitGroup.Go(func() { g.Guard(f) }) }

// Guard runs f, for a goroutine that ends by itself and that nobody waits for.
func (g *Group) Guard(f func()) {
	if g.Panicked != nil {
		defer func() {
			if v := recover(); v != nil {
				g.Panicked(v)
			}
		}()
	}
	f()
}
