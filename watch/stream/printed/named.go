package printed

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// metadataAccept asks for the metadata of an object.
const metadataAccept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"

// mostNamed is how many runs a placement may have that are read one by one.
const mostNamed = 16

// Name names an object of a set.
type Name struct{ Namespace, Name string }

var (
	// ErrWhole says that a set has to be read whole: its rows do not say which of its objects are needed, or too many are.
	ErrWhole = errors.New("its rows do not say enough")
	// errNotThere says that choose selects none of the runs that were read.
	errNotThere = errors.New("the run is not there")
)

// AroundRun says what a read of one run needs of sets of runs and of placements: the runs of its
// placement, and that placement if it exists. choose selects the run from all of the hub. It reports false if it
// selects none, if the rows cannot be read, or if the placement has so many runs that they are better
// listed: then the sets are read whole.
func AroundRun(ctx context.Context, h *client.Client, runs, placements []world.CoverKey, choose func([]engine.ID) (engine.ID, bool)) (map[world.CoverKey]*Chosen, bool) {
	asked := time.Now()
	names, err := around(ctx, h, runs, placements, choose)
	out := map[world.CoverKey]*Chosen{}
	for key, of := range names {
		out[key] = &Chosen{Names: of}
		if engine.IsRun(key.Kind) && len(of) > 0 {
			out[key].at = asked
			out[key].again = func(ctx context.Context) ([]Name, error) {
				names, err := around(ctx, h, runs, nil, choose)
				return names[key], err
			}
		}
	}
	return out, err == nil
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

// Update chooses once more if that is due. After an error, Names are those of before. A run that was deleted keeps the
// names: no run of its placement matters more than before.
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
	switch names, err := c.again(ctx); {
	case err == nil:
		c.Names = names
	case !errors.Is(err, errNotThere):
		return err
	}
	c.at = asked
	return nil
}

// AsOf returns of which moment a read is that began at one: of that of the choice, if it is older.
func (c *Chosen) AsOf(read time.Time) time.Time {
	if c.at.IsZero() || read.Before(c.at) {
		return read
	}
	return c.at
}

// around returns the names of AroundRun.
func around(ctx context.Context, h *client.Client, runs, placements []world.CoverKey, choose func([]engine.ID) (engine.ID, bool)) (map[world.CoverKey][]Name, error) {
	rows, errs := make([]map[engine.ID]world.PrintedRun, len(runs)), make([]error, len(runs))
	var reads task.Reads
	for i, key := range runs {
		reads.Go(func() { rows[i], errs[i] = AllRuns(ctx, h, key) })
	}
	reads.Wait()
	var ids []engine.ID
	placed := map[engine.ID]string{}
	for i := range runs {
		if errs[i] != nil && (client.KindOf(errs[i]) != client.NotServed || h.MayBeStarting()) {
			return nil, errs[i]
		}
		for id, row := range rows[i] {
			ids, placed[id] = append(ids, id), row.Placement
		}
	}
	run, ok := choose(ids)
	place := placed[run]
	switch {
	case !ok:
		return nil, errNotThere
	case place == "":
		return nil, ErrWhole
	}
	ns, _, _ := run.Raw()
	out := map[world.CoverKey][]Name{}
	for i, key := range runs {
		if errs[i] != nil {
			continue // its list says so
		}
		out[key] = []Name{}
		for id := range placed {
			of, name, _ := id.Raw()
			if id.Kind() == key.Kind && id.Kind() == run.Kind() && of == ns && placed[id] == place {
				out[key] = append(out[key], Name{of, name})
			}
		}
		if len(out[key]) > mostNamed {
			return nil, ErrWhole
		}
	}
	if len(placements) == 0 {
		return out, nil
	}
	own := run.Kind().InScope(engine.KindClusterResourcePlacement, engine.KindResourcePlacement)
	limited, cancel := h.Within(ctx, client.Deadline)
	defer cancel()
	if _, err := h.Do(limited, h.At(http.MethodGet, own, ns, place).SetHeader("Accept", metadataAccept)); err != nil {
		return out, nil // a hint names those that exist instead
	}
	for _, key := range placements {
		out[key] = []Name{}
		if key.Kind == own {
			out[key] = append(out[key], Name{ns, place})
		}
	}
	return out, nil
}
