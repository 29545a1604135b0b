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

// ErrWhole says that a set has to be read whole: its rows do not say which of its objects are needed, or too many are.
var ErrWhole = errors.New("its rows do not say enough")

// AroundRun says what a read of one run needs of sets of runs and of placements: the runs of its
// placement, and that placement if it exists. choose selects the run from all of the hub. It reports false if it
// selects none, if the rows cannot be read, or if the placement has so many runs that they are better
// listed: then the sets are read whole.
func AroundRun(ctx context.Context, h *client.Client, runs, placements []world.CoverKey, choose func([]engine.ID) (engine.ID, bool)) (map[world.CoverKey]*Chosen, bool) {
	asked := time.Now()
	var of origin
	names, err := around(ctx, h, runs, placements, choose, &of)
	out := map[world.CoverKey]*Chosen{}
	for key, all := range names {
		out[key] = &Chosen{Names: all}
		if engine.IsRun(key.Kind) && len(all) > 0 {
			out[key].at = asked
			out[key].again = func(ctx context.Context) ([]Name, error) {
				names, err := around(ctx, h, runs, nil, choose, &of)
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

// origin is the placement of the run that was chosen last.
type origin struct {
	run             engine.Kind
	namespace, name string
}

// around returns the names of AroundRun, and sets of. If choose selects none, it returns those of the placement of the last one.
func around(ctx context.Context, h *client.Client, runs, placements []world.CoverKey, choose func([]engine.ID) (engine.ID, bool), of *origin) (map[world.CoverKey][]Name, error) {
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
	if run, ok := choose(ids); ok {
		ns, _, _ := run.Raw()
		*of = origin{run.Kind(), ns, placed[run]}
	}
	if of.name == "" {
		return nil, ErrWhole
	}
	out := map[world.CoverKey][]Name{}
	for i, key := range runs {
		if errs[i] != nil {
			continue // its list says so
		}
		out[key] = []Name{}
		for id := range placed {
			ns, name, _ := id.Raw()
			if id.Kind() == key.Kind && id.Kind() == of.run && ns == of.namespace && placed[id] == of.name {
				out[key] = append(out[key], Name{ns, name})
			}
		}
		if len(out[key]) > mostNamed {
			return nil, ErrWhole
		}
	}
	if len(placements) == 0 {
		return out, nil
	}
	own := of.run.InScope(engine.KindClusterResourcePlacement, engine.KindResourcePlacement)
	limited, cancel := h.Within(ctx, client.Deadline)
	defer cancel()
	if _, err := h.Do(limited, h.At(http.MethodGet, own, of.namespace, of.name).SetHeader("Accept", metadataAccept)); err != nil {
		return out, nil // a hint names those that exist instead
	}
	for _, key := range placements {
		out[key] = []Name{}
		if key.Kind == own {
			out[key] = append(out[key], Name{of.namespace, of.name})
		}
	}
	return out, nil
}
