package ui

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// The whole program under fake time: ten minutes of ticks and a snapshot a
// second, then q. Everything that was started has to end with it.
func TestProgramRunsAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f, dark := newFake(), true
		m := New(ctx, f, Options{Now: time.Now(), Dark: &dark})
		p := tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithWindowSize(100, 30), tea.WithoutSignalHandler(), tea.WithFPS(1))
		done := make(chan error, 1)
		go func() {
			_, err := p.Run()
			done <- err
		}()
		began := time.Now()
		for time.Since(began) < 10*time.Minute {
			f.snaps <- sample()
			time.Sleep(time.Second)
		}
		p.Send(keyMsg("enter"))
		p.Send(keyMsg("q"))
		p.Send(keyMsg("q"))
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if m.scene.Now.Sub(began) < 9*time.Minute {
			t.Errorf("the clock stands at %v after the start", m.scene.Now.Sub(began))
		}
		cancel()
	})
}

// inOneGoroutine skips a long test in the race step: it computes in one
// goroutine, where the detector can find nothing.
func inOneGoroutine(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip("computes in one goroutine")
	}
}
