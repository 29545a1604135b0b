package rowonly

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

func run(name string) engine.ID {
	return engine.NewID(engine.KindClusterStagedUpdateRun, "", name, "u")
}

// TestEachWantedRunIsReadOnce checks which runs are read, in which order, and when those wait that read them.
func TestEachWantedRunIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Set
		var mu sync.Mutex // for came
		var came []string
		ctx, end := context.WithCancel(t.Context())
		var done atomic.Bool
		go func() {
			for id, ok := s.Next(ctx); ok; id, ok = s.Next(ctx) {
				mu.Lock()
				came = append(came, id.RawName())
				mu.Unlock()
			}
			done.Store(true)
		}()
		comes := func(what string, want ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if len(came) != len(want) {
				t.Fatalf("%s: %v, want %v", what, came, want)
			}
			for i := range want {
				if came[i] != want[i] {
					t.Errorf("%s: %v, want %v", what, came, want)
				}
			}
			came = nil
		}
		s.Want([]engine.ID{run("a"), run("b")})
		comes("nothing is unread")
		s.Reset([]engine.ID{run("a"), run("b"), run("c"), run("d")})
		comes("it was wanted before", "a", "b")
		s.Want([]engine.ID{run("b"), run("c"), run("x")})
		comes("one is being read", "c")
		if n := s.Failed(run("b"), time.Now()); n != 1 {
			t.Errorf("failed %d times", n)
		}
		comes("not at once")
		time.Sleep(againFirst)
		comes("a second later", "b")
		if n := s.Failed(run("b"), time.Now()); n != 2 {
			t.Errorf("failed %d times", n)
		}
		time.Sleep(2*againFirst - time.Nanosecond)
		comes("not after the same time")
		time.Sleep(time.Nanosecond)
		comes("after twice the time", "b")
		s.Release(run("b"))
		comes("it was no fault of the run", "b")
		if !s.Read(run("b")) || s.Read(run("b")) || s.Has(run("b")) || !s.Has(run("c")) {
			t.Error("b was read once, and c not yet")
		}
		if n := s.Failed(run("b"), time.Now()); n != 0 {
			t.Errorf("failed %d times", n)
		}
		comes("it was read by another one")
		s.Reset([]engine.ID{run("c"), run("d")})
		comes("c is read again", "c")
		s.Want([]engine.ID{run("d"), run("c")})
		comes("c is being read", "d")
		s.Reset(nil)
		s.Failed(run("d"), time.Now())
		s.Want([]engine.ID{run("c"), run("d")})
		comes("nothing is left")
		end()
		if synctest.Wait(); !done.Load() {
			t.Error("it waits after its end")
		}
	})
}
