package printed

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// Rows that do not come hold nothing up for long, and those that come late are shown.
func TestShowWaitsAMoment(t *testing.T) {
	const head = 250 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var all task.Group
		r := &Request{work: &all, answered: make(chan struct{}), rows: &Rows{Runs: map[engine.ID]world.PrintedRun{{}: {}}}}
		shown, began := 0, time.Now()
		r.Show(ctx, head, func(rows map[engine.ID]world.PrintedRun, _ bool) { shown += len(rows) })
		if took := time.Since(began); took != head || shown != 0 {
			t.Errorf("waited %s, %d rows are shown", took, shown)
		}
		close(r.answered)
		synctest.Wait()
		if shown != 1 {
			t.Errorf("%d rows are shown when they are there", shown)
		}
		r.Show(ctx, head, func(map[engine.ID]world.PrintedRun, bool) { shown++ })
		if took := time.Since(began); took != head || shown != 2 {
			t.Errorf("rows that are there waited until %s, %d are shown", took, shown)
		}
		cancel()
		all.Wait()
	})
}

// Rows are waited for a moment, and longer once their answer has begun.
func TestRowsAreWaitedFor(t *testing.T) {
	const wait = 250 * time.Millisecond
	for name, tt := range map[string]struct {
		begins, answers time.Duration // after the request; zero for never
		err             error
		late            time.Duration // how long after the answer they are asked for
		took            time.Duration
		there           bool
	}{
		"there":                      {begins: time.Nanosecond, answers: time.Nanosecond, late: time.Second, there: true},
		"in time":                    {begins: wait / 2, answers: wait / 2, took: wait / 2, there: true},
		"arriving":                   {begins: wait / 2, answers: 2 * time.Second, took: 2 * time.Second, there: true},
		"arriving for too long":      {begins: wait / 2, took: wait + arrivingFor},
		"not in time":                {begins: 2 * wait, answers: 3 * wait, took: wait},
		"failed":                     {begins: wait / 2, answers: wait / 2, err: ErrWhole, took: wait / 2},
		"there, but not of this day": {begins: time.Nanosecond, answers: time.Nanosecond, late: freshFor + arrivingFor + time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &Request{answered: make(chan struct{}), begun: make(chan struct{}), asked: time.Now(), rows: &Rows{}, err: tt.err}
				if tt.begins > 0 {
					time.AfterFunc(tt.begins, func() { close(r.begun) })
				}
				if tt.answers > 0 {
					time.AfterFunc(tt.answers, func() { close(r.answered) })
				}
				time.Sleep(tt.late)
				began := time.Now()
				rows, asked := r.Rows(t.Context(), wait)
				if took := time.Since(began); took != tt.took || (rows != nil) != tt.there || tt.there != asked.Equal(r.asked) {
					t.Errorf("rows %v of %s after %s", rows, asked, took)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}
