package gate

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestGate checks that no more requests pass at the same time than there are places, in the order
// in which they come, that one which is cancelled takes no place, and that one without an answer
// keeps others waiting for PlaceFor at most.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(2)
		var mu sync.Mutex
		var passed []int
		var leaves [7]func()
		ask := func(ctx context.Context, n int) {
			go func() {
				leave, err := g.Enter(ctx)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					passed = append(passed, n)
					leaves[n] = leave
				}
			}()
			synctest.Wait()
		}
		leave := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			leaves[n]()
		}
		want := func(order ...int) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(passed, order) {
				t.Errorf("passed: %v, want %v", passed, order)
			}
		}
		ending, end := context.WithCancel(t.Context())
		ask(t.Context(), 0)
		ask(t.Context(), 1)
		ask(ending, 2)
		ask(t.Context(), 3)
		ask(t.Context(), 4)
		want(0, 1)
		end()
		leave(1)
		leave(1) // does no harm
		want(0, 1, 3)
		time.Sleep(PlaceFor / 2)
		leave(3)
		want(0, 1, 3, 4)
		ask(t.Context(), 5)
		time.Sleep(PlaceFor/2 - time.Millisecond)
		want(0, 1, 3, 4)
		time.Sleep(time.Millisecond) // 0 is not answered
		want(0, 1, 3, 4, 5)
		leave(0)
		ask(t.Context(), 6)
		want(0, 1, 3, 4, 5)
		leave(4)
		leave(5)
		want(0, 1, 3, 4, 5, 6)
		if leave(6); len(g) > 0 {
			t.Errorf("%d places are not given back", len(g))
		}
	})
}

// One that does not get in returns why its context has ended: a request whose time is over is not one that was cancelled.
func TestTheGateReturnsTheCause(t *testing.T) {
	g := New(1)
	if _, err := g.Enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	why := errors.New("no answer in time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := g.Enter(ctx); !errors.Is(err, why) {
		t.Errorf("the gate returns %v, want %v", err, why)
	}
}
