package bench

import (
	"context"
	"errors"
	"fmt"
)

// Growth is how the cost of the program grows with one thing that hubs have more of.
type Growth struct {
	Of    string    // in the plural
	Sizes [3]Size   // with 1, 10 and 100 times as much of it
	Many  [3]int    // of it
	Costs [3]Figure // CPU to live
	Kept  [3]Figure // memory when settled
}

// growing are the hubs that are compared.
func growing() []Growth {
	return []Growth{
		{Of: "runs of 50 clusters", Many: [3]int{10, 100, 1000}, Sizes: [3]Size{{Runs: 10, Clusters: 50}, {Runs: 100, Clusters: 50}, {Runs: 1000, Clusters: 50}}},
		{Of: "bindings of stuck runs", Many: [3]int{100, 1000, 10_000}, Sizes: [3]Size{
			{Runs: 100, Clusters: 1000, Bindings: 100}, {Runs: 100, Clusters: 1000, Bindings: 1000}, {Runs: 100, Clusters: 1000, Bindings: 10_000},
		}},
		{Of: "finished runs of 100 clusters", Many: [3]int{10, 100, 1000}, Sizes: [3]Size{
			{Runs: 30, Clusters: 100, Finished: 10}, {Runs: 120, Clusters: 100, Finished: 100}, {Runs: 1020, Clusters: 100, Finished: 1000},
		}},
	}
}

// Grow measures what the program needs to be live, and what it keeps, on hubs that have 1, 10
// and 100 times as much of one thing. It passes each figure to tell at once.
func Grow(ctx context.Context, o Options, tell func(Figure) error) ([]Growth, error) {
	all := growing()
	for i := range all {
		g := &all[i]
		for j, size := range g.Sizes {
			cost, kept, err := growOn(ctx, size, o)
			if err != nil {
				return nil, fmt.Errorf("measure %s: %w", size, err)
			}
			g.Costs[j], g.Kept[j] = cost, kept
			if err := errors.Join(tell(cost), tell(kept)); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func growOn(ctx context.Context, size Size, o Options) (cost, kept Figure, err error) {
	h, err := startHub(ctx, o.Hub, size)
	if err != nil {
		return cost, kept, err
	}
	defer func() { err = errors.Join(err, h.end()) }()
	b := &bench{Options: o, size: size, hub: h}
	if err := b.ready(ctx); err != nil {
		return cost, kept, err
	}
	got := map[string]samples{}
	for range b.Times {
		if err := b.start(ctx, func(what string, v float64) { got[what] = append(got[what], v) }); err != nil {
			return cost, kept, err
		}
	}
	cost, kept = got[liveCPU].figure(liveCPU, unitTime), got[memory].figure(memory, unitMemory)
	cost.Size, kept.Size = size.String(), size.String()
	return cost, kept, nil
}
