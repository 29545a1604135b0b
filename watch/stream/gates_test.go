package stream

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestLateSets checks that a set which was not answered in time keeps no other one waiting, until
// it is answered.
func TestLateSets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates()
		hangs, other := &stream{gates: g}, &stream{gates: g}
		passes := func(s *stream) bool {
			ctx, end := context.WithTimeout(t.Context(), time.Millisecond)
			defer end()
			leave, err := s.enter(ctx)
			if err == nil {
				leave()
			}
			return err == nil
		}
		hangs.answers(context.DeadlineExceeded)
		for range lateAtOnce {
			if _, err := hangs.enter(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if passes(hangs) || !passes(other) {
			t.Error("a set that hangs must wait for its own kind, and no other set for it")
		}
		if hangs.answers(context.Canceled); passes(hangs) {
			t.Error("a request that we ended is no answer")
		}
		if hangs.answers(errors.New("500")); !passes(hangs) {
			t.Error("a set that is answered must not wait for those that hang")
		}
	})
}
