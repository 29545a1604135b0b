package printed

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// metadataAccept asks for the metadata of an object.
const metadataAccept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"

// mostNamed is how many runs of a kind are read one by one.
const mostNamed = 16

// Name names an object of a set.
type Name struct{ Namespace, Name string }

// ErrWhole says that a set has to be read whole: its rows do not say which of its objects are needed, or too many are.
var ErrWhole = errors.New("its rows do not say enough")

// AroundRuns says what a read of some runs needs of sets of runs and of placements: the runs of their
// placements, and these placements if all of them exist. choose selects the runs from all of the hub. If it selects none,
// chosen is nil, and all are the rows that it selected from, in the order of runs; nil for a kind that is not served. The
// error is ErrWhole if the placements have so many runs that they are better listed. After another error the rows could
// not be read.
func AroundRuns(ctx context.Context, h *client.Client, runs, placements []world.CoverKey, choose func([]engine.ID) []engine.ID) (chosen map[world.CoverKey]*Chosen, all []*Rows, err error) {
	asked := time.Now()
	var of origins
	names, all, err := around(ctx, h, runs, placements, choose, &of)
	if names == nil {
		return nil, all, err
	}
	out := map[world.CoverKey]*Chosen{}
	for key, all := range names {
		out[key] = &Chosen{Names: all}
		if engine.IsRun(key.Kind) && len(all) > 0 {
			out[key].at = asked
			last := of
			out[key].again = func(ctx context.Context) ([]Name, error) {
				names, _, err := around(ctx, h, runs, nil, choose, &last)
				return names[key], err
			}
		}
	}
	return out, nil, nil
}

// Chosen are the objects that are read of a set of which not all are needed. One goroutine uses it.
type Chosen struct {
	Names []Name
	// again chooses once more, since a run of the placement may have been created, and at is when that was requested
	// last; nil and zero for a set of which the same objects are needed.
	again func(context.Context) ([]Name, error)
	at    time.Time
	// failing is since when reads have failed, zero if the last one did not.
	failing time.Time
}

// FailsFor notes how a read of the objects ended that began at a moment, and returns for how long all have failed.
func (c *Chosen) FailsFor(began time.Time, err error) time.Duration {
	switch {
	case err == nil:
		c.failing = time.Time{}
		return 0
	case c.failing.IsZero():
		c.failing = began
	}
	return time.Since(c.failing)
}

// chooseEvery is how often the objects are chosen. A choice that is not answered within chooseWithin is requested once
// more: a short fault may have swallowed it.
const chooseEvery, chooseWithin = 3 * time.Second, 2 * time.Second

// Update chooses once more if that is due. After an error, Names are those of before. Of a run that was deleted, the other
// runs of its placement are chosen.
func (c *Chosen) Update(ctx context.Context, h *client.Client) error {
	if c.again == nil || time.Since(c.at) < chooseEvery {
		return nil
	}
	err := c.update(ctx, h)
	if errors.Is(err, context.DeadlineExceeded) {
		err = c.update(ctx, h)
	}
	return err
}

func (c *Chosen) update(ctx context.Context, h *client.Client) error {
	asked := time.Now()
	ctx, cancel := h.Within(ctx, chooseWithin)
	defer cancel()
	names, err := c.again(ctx)
	if err == nil {
		c.Names, c.at = names, asked
	}
	return err
}

// AsOf returns of which moment a read is that began at one: of that of the choice, if it is older.
func (c *Chosen) AsOf(read time.Time) time.Time {
	if c.at.IsZero() || read.Before(c.at) {
		return read
	}
	return c.at
}

// origins are the placements of the runs that were chosen last. They are immutable.
type origins map[origin]bool

// origin is the placement of a run of a kind.
type origin struct {
	run engine.Kind
	Name
}

// kind is that of the placement.
func (o origin) kind() engine.Kind {
	return o.run.InScope(engine.KindClusterResourcePlacement, engine.KindResourcePlacement)
}

func originOf(run engine.ID, placement string) origin {
	ns, _, _ := run.Raw()
	return origin{run.Kind(), Name{ns, placement}}
}

// around returns the names of AroundRuns, and sets of. If choose selects none, it returns those of the placements of the last
// ones, or all rows if there are none.
func around(ctx context.Context, h *client.Client, runs, placements []world.CoverKey, choose func([]engine.ID) []engine.ID, of *origins) (out map[world.CoverKey][]Name, all []*Rows, err error) {
	rows, errs := make([]*Rows, len(runs)), make([]error, len(runs))
	var reads task.Reads
	for i, key := range runs {
		reads.Go(func() { rows[i], errs[i] = AllRuns(ctx, h, key) })
	}
	reads.Wait()
	var ids []engine.ID
	placed := map[engine.ID]string{}
	for i := range runs {
		if errs[i] != nil && (client.KindOf(errs[i]) != client.NotServed || h.MayBeStarting()) {
			return nil, nil, errs[i]
		}
		if errs[i] != nil {
			continue
		}
		for id, row := range rows[i].Runs {
			ids, placed[id] = append(ids, id), row.Placement
		}
	}
	if chosen := choose(ids); len(chosen) > 0 {
		now := origins{}
		for _, run := range chosen {
			if placed[run] == "" {
				return nil, nil, ErrWhole
			}
			now[originOf(run, placed[run])] = true
		}
		*of = now
	}
	if len(*of) == 0 {
		return nil, rows, nil
	}
	out = map[world.CoverKey][]Name{}
	for i, key := range runs {
		if errs[i] != nil {
			continue // its list says so
		}
		out[key] = []Name{}
		for id, placement := range placed {
			if id.Kind() == key.Kind && (*of)[originOf(id, placement)] {
				ns, name, _ := id.Raw()
				out[key] = append(out[key], Name{ns, name})
			}
		}
		if len(out[key]) > mostNamed {
			return nil, nil, ErrWhole
		}
	}
	if len(placements) == 0 || !of.exist(ctx, h) {
		return out, nil, nil // a hint names the placements that exist instead
	}
	for _, key := range placements {
		out[key] = []Name{}
		for o := range *of {
			if o.kind() == key.Kind {
				out[key] = append(out[key], o.Name)
			}
		}
	}
	return out, nil, nil
}

// exist reports whether all of the placements can be read.
func (o *origins) exist(ctx context.Context, h *client.Client) bool {
	ctx, cancel := h.Within(ctx, client.Deadline)
	defer cancel()
	var failed atomic.Bool
	var reads task.Reads
	for p := range *o {
		reads.Go(func() {
			if _, err := h.Do(ctx, h.At(http.MethodGet, p.kind(), p.Namespace, p.Name.Name).SetHeader("Accept", metadataAccept)); err != nil {
				failed.Store(true)
			}
		})
	}
	reads.Wait()
	return !failed.Load()
}
