package task

import "sync"

// Group owns the goroutines of a session.
type Group struct {
	sync.WaitGroup
	// Panicked is called with the value of a panic, in the goroutine that panicked;
	// if it is nil, the panic ends the process.
	Panicked func(any)
}

// Go runs f in a goroutine that Wait waits for.
func (g *Group) Go(f func()) { g.WaitGroup.Go(func() { g.Guard(f) }) }

// Guard runs f for a goroutine that Wait does not wait for.
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
