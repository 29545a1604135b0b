package act

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestLiftedHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lifted
		start := time.Now()
		if l.holds(start) {
			t.Error("lifted from the start")
		}
		until := l.set(start, 15*time.Minute)
		if !until.Equal(start.Add(15*time.Minute)) || !l.holds(start) {
			t.Errorf("until %v", until)
		}
		<-time.After(15*time.Minute - 1)
		if !l.holds(time.Now()) {
			t.Error("dropped too early")
		}
		<-time.After(1)
		if l.holds(time.Now()) {
			t.Error("did not drop by itself")
		}
		l.set(time.Now(), time.Hour)
		l.set(time.Now(), 0)
		if l.holds(time.Now()) {
			t.Error("off did not drop it")
		}
	})
}

// A time that carries no reading of the steady clock is what a laptop sees that
// slept: the clock on the wall went on.
func TestLiftedDoesNotOutliveASleep(t *testing.T) {
	var l lifted
	now := time.Now()
	l.set(now, 15*time.Minute)
	if l.holds(now.Round(0).Add(16 * time.Minute)) {
		t.Error("lifted after the clock on the wall said that it is over")
	}
	if !l.holds(now.Round(0).Add(14 * time.Minute)) {
		t.Error("dropped too early")
	}
}
