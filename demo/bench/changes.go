package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// change changes the first run and returns when the program shows it, and when a plain
// watch receives it, after the write began.
func (b *bench) change(ctx context.Context, s *screen, heard <-chan time.Time) (shown, plain float64, err error) {
	drain(heard)
	o := order{Done: b.otherThan(s)}
	when := s.expect(b.shows(o.Done))
	r, err := b.hub.do(o)
	if err != nil {
		return 0, 0, err
	}
	at, err := when(ctx)
	if err != nil {
		return 0, 0, err
	}
	select {
	case first := <-heard:
		return milliseconds(at.Sub(r.At)), milliseconds(first.Sub(r.At)), nil
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	case <-time.After(patience):
		return 0, 0, errors.New("plain watch: no event")
	}
}

// shows matches a screen whose first run has done succeeded clusters.
func (b *bench) shows(done int) func(lines []string) bool {
	ratio := fmt.Sprintf(" %d/%d ", done, b.size.Clusters)
	return func(lines []string) bool {
		return slices.ContainsFunc(lines, func(line string) bool {
			return strings.Contains(line, " "+runName(0)+" ") && strings.Contains(line, ratio)
		})
	}
}

// otherThan returns a number of done clusters that the screen does not show.
func (b *bench) otherThan(s *screen) int {
	if few := b.size.Clusters - 2; !b.shows(few)(s.shown()) {
		return few
	}
	return b.size.Clusters - 1
}

// changes measures single changes.
func (b *bench) changes(ctx context.Context, s *screen, heard <-chan time.Time) error {
	var all, floor, mid, high samples
	for range b.Times {
		var round samples
		for range changesARound {
			if err := pause(ctx, apart); err != nil {
				return err
			}
			shown, plain, err := b.change(ctx, s, heard)
			if err != nil {
				return err
			}
			round, floor = append(round, shown), append(floor, plain)
		}
		all, mid, high = append(all, round...), append(mid, round.quantile(50)), append(high, round.quantile(99))
	}
	const of = "plain watch"
	p50, p99 := mid.figure(change50, unitTime), high.figure(change99, unitTime)
	p50.Value, p99.Value = all.quantile(50), all.quantile(99)
	return b.report(p50.over(floor, of), p99.over(samples{floor.quantile(99)}, of))
}

// changesInStorm measures changes of the first run among a hundred changes of others a second.
func (b *bench) changesInStorm(ctx context.Context, s *screen, heard <-chan time.Time) error {
	if b.size.Clusters > usual.Clusters || b.size.Runs-b.size.Finished < 2 {
		return nil // 100 large runs a second are more than any hub can write
	}
	var all, floor, high samples
	for range b.Times {
		drain(heard)
		o := storm{Rate: 100, For: 2 * b.Window, Turns: int(b.Window / apart), First: b.otherThan(s)}
		type done struct {
			reply
			err error
		}
		ended := make(chan done, 1)
		go func() {
			r, err := b.hub.do(order{Storm: &o})
			ended <- done{r, err}
		}()
		var shown []time.Time
		for turn := range o.Turns {
			at, err := s.expect(b.shows(o.turn(turn, b.size.Clusters)))(ctx)
			if err != nil {
				return err
			}
			shown = append(shown, at)
		}
		r := <-ended
		if r.err != nil {
			return r.err
		}
		var round samples
		for i, at := range r.Turns {
			select {
			case first := <-heard:
				floor = append(floor, milliseconds(first.Sub(at)))
			case <-time.After(patience):
				return errors.New("plain watch: no event")
			}
			round = append(round, milliseconds(shown[i].Sub(at)))
		}
		all, high = append(all, round...), append(high, round.quantile(99))
	}
	f := high.figure(storm99, unitTime)
	f.Value = all.quantile(99)
	return b.report(f.over(samples{floor.quantile(99)}, "plain watch"))
}
