package bench

import (
	"context"
	"errors"
	"time"
)

const (
	// keysARound and changesARound are how many of them one round has.
	keysARound, changesARound = 20, 20
	// apart keeps changes apart, so that none waits for what follows the one before.
	apart = 150 * time.Millisecond
)

// ready waits until the hub has all objects in its cache, whose lists are answered with
// 429 meanwhile.
func (b *bench) ready(ctx context.Context) error {
	for deadline := time.Now().Add(patience); ; {
		_, _, err := read(ctx, b.hub.config, runs)
		if !errors.Is(err, errBusy) || time.Now().After(deadline) {
			return err
		}
		if err := pause(ctx, apart); err != nil {
			return err
		}
	}
}

// load measures the program from its start, beside a plain GET of the runs, in turn.
func (b *bench) load(ctx context.Context) error {
	got := map[string]samples{}
	note := func(what string, v float64) { got[what] = append(got[what], v) }
	var wall, cpu, loading samples
	var length int64
	for range b.Times {
		floor, n, err := read(ctx, b.hub.config, runs)
		if err != nil {
			return err
		}
		wall, cpu, length = append(wall, milliseconds(floor.wall)), append(cpu, milliseconds(floor.cpu)), n
		if err := b.start(ctx, note); err != nil {
			return err
		}
		keys, err := b.pressWhileLoading(ctx)
		if err != nil {
			return err
		}
		loading = append(loading, keys...)
	}
	const of = "GET of the runs"
	figures := []Figure{
		got[firstFrame].figure(firstFrame, unitTime),
		got[firstRows].figure(firstRows, unitTime).over(wall, of),
		got[live].figure(live, unitTime).over(wall, of),
		got[liveCPU].figure(liveCPU, unitTime).over(cpu, of),
		got[memory].figure(memory, unitMemory).over(samples{float64(length) / (1 << 20)}, "the runs as JSON"),
		got[memoryPeak].figure(memoryPeak, unitMemory),
		got[requests].figure(requests, ""),
		got[terminal].figure(terminal, "B"),
	}
	if len(loading) > 0 {
		key := loading.figure(loadKey, unitTime)
		key.Value = loading.quantile(99)
		figures = append(figures, key)
	}
	return b.report(figures...)
}

func (b *bench) report(figures ...Figure) error {
	for _, f := range figures {
		if err := b.tell(f); err != nil {
			return err
		}
	}
	return nil
}

// start starts the program, and ends it when it has settled.
func (b *bench) start(ctx context.Context, note func(string, float64)) (err error) {
	asked, err := b.hub.requests()
	if err != nil {
		return err
	}
	s, err := startScreen(ctx, b.Options, b.hub)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	for _, stage := range []struct {
		what string
		when func(context.Context) (time.Time, error)
	}{{firstFrame, s.expect(isDrawn)}, {firstRows, s.expect(contains("bench-"))}, {live, s.expect(isLive)}} {
		at, err := stage.when(ctx)
		if err != nil {
			return err
		}
		note(stage.what, milliseconds(at.Sub(s.began)))
	}
	cpu, err := processCPU(s.cmd.Process.Pid)
	if err != nil {
		return err
	}
	note(liveCPU, milliseconds(cpu))
	note(terminal, s.written())
	sent, err := b.hub.requests()
	if err != nil {
		return err
	}
	note(requests, float64(sent-asked))
	if err := s.settle(ctx); err != nil {
		return err
	}
	now, peak, err := processMemory(s.cmd.Process.Pid)
	note(memory, now)
	note(memoryPeak, peak)
	return err
}

// pressWhileLoading returns the times of the keys that were pressed before the program
// was live; none if it is faster than that.
func (b *bench) pressWhileLoading(ctx context.Context) (_ samples, err error) {
	s, err := startScreen(ctx, b.Options, b.hub)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	drawn, all := s.expect(isDrawn), make(chan struct{})
	s.expect(func(lines []string) bool {
		if isLive(lines) {
			close(all)
			return true
		}
		return false
	})
	if _, err := drawn(ctx); err != nil {
		return nil, err
	}
	keys, err := s.presses(ctx, 1000, func() bool {
		select {
		case <-all:
			return true
		default:
			return false
		}
	})
	if err != nil {
		return nil, err
	}
	if len(keys)%2 == 1 { // leave the help page
		_, err = s.press(ctx, "?", isLive)
	}
	return keys, err
}

// steady measures the program while it shows the hub.
func (b *bench) steady(ctx context.Context) (err error) {
	s, err := startScreen(ctx, b.Options, b.hub)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	if _, err := s.expect(isLive)(ctx); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	if err := b.idle(ctx, s); err != nil {
		return err
	}
	if err := b.keys(ctx, s); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	heard, err := arrivals(ctx, b.hub.config)
	if err != nil {
		return err
	}
	if err := b.changes(ctx, s, heard); err != nil {
		return err
	}
	if err := b.storms(ctx, s); err != nil {
		return err
	}
	if err := b.changesInStorm(ctx, s, heard); err != nil {
		return err
	}
	return b.heavy(ctx, s)
}

// idle measures what the program costs while nothing changes.
func (b *bench) idle(ctx context.Context, s *screen) error {
	var cpu, sent, written samples
	for range b.Times {
		asked, err := b.hub.requests()
		if err != nil {
			return err
		}
		bytes := s.written()
		percent, err := b.share(s, func() error { return pause(ctx, b.Window) })
		if err != nil {
			return err
		}
		now, err := b.hub.requests()
		if err != nil {
			return err
		}
		cpu = append(cpu, percent)
		sent = append(sent, float64(now-asked)/b.Window.Seconds())
		written = append(written, (s.written()-bytes)/b.Window.Seconds())
	}
	return b.report(cpu.figure(idleCPU, unitCPU), sent.figure(idleReads, ""), written.figure(idleBytes, "B"))
}

// share is the share of one core that the program uses while something is done.
func (b *bench) share(s *screen, do func() error) (float64, error) {
	began := time.Now()
	before, err := processCPU(s.cmd.Process.Pid)
	if err != nil {
		return 0, err
	}
	if err := do(); err != nil {
		return 0, err
	}
	after, err := processCPU(s.cmd.Process.Pid)
	return 100 * float64(after-before) / float64(time.Since(began)), err
}

// keys measures keys while nothing changes, and while the hub answers nothing.
func (b *bench) keys(ctx context.Context, s *screen) error {
	for _, what := range []string{idleKey, hungKey} {
		var all, rounds samples
		if what == hungKey {
			if err := freeze(b.hub.cmd.Process); err != nil {
				return err
			}
		}
		for range b.Times {
			keys, err := s.presses(ctx, keysARound, func() bool { return false })
			if err != nil {
				return errors.Join(err, thaw(b.hub.cmd.Process))
			}
			all, rounds = append(all, keys...), append(rounds, keys.quantile(99))
		}
		if err := thaw(b.hub.cmd.Process); err != nil {
			return err
		}
		f := rounds.figure(what, unitTime)
		f.Value = all.quantile(99)
		if what == idleKey {
			b.idleKeys = all
		}
		if err := b.report(f); err != nil {
			return err
		}
	}
	_, err := s.expect(isLive)(ctx)
	return err
}

// storms measures many changes at a time.
func (b *bench) storms(ctx context.Context, s *screen) error {
	for _, o := range []struct {
		what string
		storm
	}{
		{stormRuns, storm{Rate: 100}},
		{stormBind, storm{Bindings: true, Rate: 100}},
		{stormThick, storm{Bindings: true, Rate: 1000}},
	} {
		if o.Bindings && b.size.Bindings == 0 || !o.Bindings && b.size.Clusters > usual.Clusters {
			continue // 100 large runs a second are more than any hub can write
		}
		o.For = b.Window
		var cpu samples
		for range b.Times {
			percent, err := b.share(s, func() error {
				_, err := b.hub.do(order{Storm: &o.storm})
				return err
			})
			if err != nil {
				return err
			}
			cpu = append(cpu, percent)
		}
		if err := b.report(cpu.figure(o.what, unitCPU)); err != nil {
			return err
		}
	}
	return nil
}
