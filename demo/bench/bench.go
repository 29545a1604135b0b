// Package bench measures the stagewatch program from outside: in a terminal of its own, on
// a hub in another process. Each figure stands beside its floor, the least that any program
// would need for the same, which is measured in the same run.
package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Size is what a measured hub has. Its runs that have not finished update their last
// cluster.
type Size struct {
	Runs     int `json:"runs"`
	Clusters int `json:"clusters"` // of each run
	// Bindings are those of runs that are stuck, which the program reads.
	Bindings int `json:"bindings"`
	Finished int `json:"finished"` // runs that have succeeded
}

// String is the size as in "400 x 1000, 380 finished".
func (s Size) String() string {
	name := fmt.Sprintf("%d x %d", s.Runs, s.Clusters)
	if s.Bindings > 0 {
		name += fmt.Sprintf(", %d bindings", s.Bindings)
	}
	if s.Finished > 0 {
		name += fmt.Sprintf(", %d finished", s.Finished)
	}
	return name
}

// Check returns why there is no hub of the size, nil if there is.
func (s Size) Check() error {
	switch {
	case s.Runs < 1 || s.Clusters < 3:
		return errors.New("--runs needs at least 1, --clusters at least 3")
	case s.Bindings < 0 || s.Finished < 0:
		return errors.New("--bindings and --finished need at least 0")
	case s.Finished >= s.Runs:
		return fmt.Errorf("--finished is part of --runs: one of the %d runs, at least, must not have finished", s.Runs)
	case s.stuck() > s.Runs-s.Finished:
		return errors.New("--bindings are more than the clusters of all runs that have not finished")
	}
	return nil
}

// stuck is how many runs are stuck: those whose clusters have bindings.
func (s Size) stuck() int { return (s.Bindings + s.Clusters - 1) / s.Clusters }

// Figure is one measured value: the median of several rounds, with the lowest and the
// highest.
type Figure struct {
	Size  string  `json:"size"`
	What  string  `json:"what"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	// Floor is the least that any program would need for the same; zero if there is none.
	Floor   float64 `json:"floor,omitempty"`
	FloorOf string  `json:"floorOf,omitempty"`
	Target  Target  `json:"target,omitzero"`
}

// Ratio is the figure in multiples of its floor, 0 if it has none.
func (f Figure) Ratio() float64 {
	if f.Floor == 0 {
		return 0
	}
	return f.Value / f.Floor
}

// Options say what is measured, and how.
type Options struct {
	// Program is the stagewatch program; Columns and Rows are its terminal.
	Program       string
	Columns, Rows int
	// Times is how many rounds each figure has.
	Times int
	// Window is how long a round of a figure about CPU takes.
	Window time.Duration
	// Hub is a command that calls ServeHub with the arguments that are added.
	Hub []string
}

// Run starts a hub for each size and measures the program there. It passes each figure to
// tell at once. Other work on the machine distorts the figures, ratios less so.
func Run(ctx context.Context, sizes []Size, o Options, tell func(Figure) error) error {
	for _, size := range sizes {
		if err := benchSize(ctx, size, o, tell); err != nil {
			return fmt.Errorf("measure %s: %w", size, err)
		}
	}
	return nil
}

func benchSize(ctx context.Context, size Size, o Options, tell func(Figure) error) (err error) {
	if err := size.Check(); err != nil {
		return err
	}
	if most := o.Rows / 2; size.stuck() > most {
		return fmt.Errorf("on %d rows, --bindings needs at most %d: the first of the stuck runs is the last of them in the list, and has to be on the screen", o.Rows, most*size.Clusters)
	}
	h, err := startHub(ctx, o.Hub, size)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.end()) }()
	b := &bench{Options: o, size: size, hub: h, tell: func(f Figure) error {
		f.Size, f.Target = size.String(), targetOf(size, f.What)
		return tell(f)
	}}
	if err := b.ready(ctx); err != nil {
		return err
	}
	if err := b.load(ctx); err != nil {
		return err
	}
	if err := b.steady(ctx); err != nil {
		return err
	}
	if err := b.slow(ctx); err != nil {
		return err
	}
	return b.owners(ctx)
}

// bench measures the program on one hub.
type bench struct {
	Options
	size Size
	hub  *hubProcess
	tell func(Figure) error
	// idleKeys are the times of keys while nothing changes.
	idleKeys samples
}

// samples are the values of one figure, one for each round.
type samples []float64

// figure is the median of the samples with its spread.
func (s samples) figure(what, unit string) Figure {
	return Figure{What: what, Unit: unit, Value: s.quantile(50), Low: s.quantile(0), High: s.quantile(100)}
}

// quantile is the value that so many percent of the samples do not exceed.
func (s samples) quantile(percent int) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[max(1, (len(sorted)*percent+99)/100)-1]
}

// over adds the floor, the median of samples of the same rounds.
func (f Figure) over(floor samples, of string) Figure {
	f.Floor, f.FloorOf = floor.quantile(50), of
	return f
}

const (
	unitTime   = "ms"
	unitMemory = "MiB"
	unitCPU    = "%"
)

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
