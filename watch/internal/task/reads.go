package task

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Reads are goroutines that read side by side for the one that waits for them. A panic in one
// is raised again in Wait, where the session's Group, or a page that is asked, catches it. The
// zero Reads are ready to use.
type Reads struct {
	all      sync.WaitGroup
	mu       sync.Mutex
	panicked any // the first one, with its stack
}

// Go runs f in a goroutine.
func (r *Reads) Go(f func()) {
	r.all.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				r.mu.Lock()
				defer r.mu.Unlock()
				if r.panicked == nil {
					r.panicked = fmt.Sprintf("%v\n%s", v, debug.Stack())
				}
			}
		}()
		f()
	})
}

// Wait waits for all of them.
func (r *Reads) Wait() {
	r.all.Wait()
	if r.panicked != nil {
		panic(r.panicked)
	}
}
