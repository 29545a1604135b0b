package printed

import (
	"context"
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

// AroundRun says what a read of one run needs of sets of runs and of placements: the runs of its
// placement, and that placement if it exists. choose selects the run from all of the hub. It reports false if it
// selects none, if the rows cannot be read, or if the placement has so many runs that they are better
// listed: then the sets are read whole.
func AroundRun(ctx context.Context, h *client.Client, runs, placements []world.CoverKey, choose func([]engine.ID) (engine.ID, bool)) (map[world.CoverKey]*Chosen, bool) {
	asked := time.Now()
	names, ok := around(ctx, h, runs, placements, choose)
	out := map[world.CoverKey]*Chosen{}
	for key, of := range names {
		out[key] = &Chosen{Names: of}
		if engine.IsRun(key.Kind) && len(of) > 0 {
			out[key].at = asked
			out[key].again = func(ctx context.Context) ([]Name, bool) {
				names, ok := around(ctx, h, runs, nil, choose)
				return names[key], ok
			}
		}
	}
	return out, ok
}

// Chosen are the objects that are read of a set of which not all are needed. One goroutine uses it.
type Chosen struct {
	Names []Name
	// again chooses once more, since a run of the placement may have been created, and at is when that was requested
	// last; nil and zero for a set of which the same objects are needed.
	again func(context.Context) ([]Name, bool)
	at    time.Time
}

// chooseEvery is how often the objects are chosen, and chooseWithin how long that may take.
const chooseEvery, chooseWithin = 4 * time.Second, 3 * time.Second

// Update chooses once more if that is due. It reports false if the set has to be read whole. A choice that is not
// answered in time is repeated: AsOf says how old it is.
func (c *Chosen) Update(ctx context.Context, h *client.Client) bool {
	asked := time.Now()
	if c.again == nil || asked.Sub(c.at) < chooseEvery {
		return true
	}
	limited, cancel := h.Within(ctx, chooseWithin)
	defer cancel()
	names, ok := c.again(limited)
	switch {
	case ok:
		c.Names, c.at = names, asked
	case limited.Err() == nil:
		return false
	}
	return true
}

// AsOf returns of which moment a read is that began at one: of that of the choice, if it is older.
func (c *Chosen) AsOf(read time.Time) time.Time {
	if c.at.IsZero() || read.Before(c.at) {
		return read
	}
	return c.at
}

// around returns the names of AroundRun.
func around(ctx context.Context, h *client.Client, runs, placements []world.CoverKey, choose func([]engine.ID) (engine.ID, bool)) (map[world.CoverKey][]Name, bool) {
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
			return nil, false
		}
		for id, row := range rows[i] {
			ids, placed[id] = append(ids, id), row.Placement
		}
	}
	run, ok := choose(ids)
	place := placed[run]
	if !ok || place == "" {
		return nil, false
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
			return nil, false
		}
	}
	if len(placements) == 0 {
		return out, true
	}
	own := run.Kind().InScope(engine.KindClusterResourcePlacement, engine.KindResourcePlacement)
	limited, cancel := h.Within(ctx, client.Deadline)
	defer cancel()
	if _, err := h.Do(limited, h.At(http.MethodGet, own, ns, place).SetHeader("Accept", metadataAccept)); err != nil {
		return out, true // a hint names those that exist instead
	}
	for _, key := range placements {
		out[key] = []Name{}
		if key.Kind == own {
			out[key] = append(out[key], Name{ns, place})
		}
	}
	return out, true
}
