package stream

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream/incoming"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
	"github.com/stagewatch/stagewatch/watch/stream/rowonly"
)

const (
	// mostDropped is how much of a list, decompressed, may have come when its rows take its place.
	mostDropped = 1 << 20
	// readAtOnce is how many runs are read at the same time beside a watch: more would delay its events on a slow line.
	readAtOnce = 6
	// mostSingly is how many runs are read one by one from a near hub. If more are wanted, and more than one of perListed, a list
	// is faster: it takes a third of the time per run. A list of more than mostListed runs may have no room.
	mostSingly, perListed, mostListed = 64, 3, 1000
	// nearHead is how long the head of a watch of a near hub may take.
	nearHead = 100 * time.Millisecond
	// mostFailures is how often in succession a run may fail to be read before the set is listed: that may work, and if
	// it does not, it says why.
	mostFailures = 4
)

// errRows ends a list because the rows take its place.
var errRows = errors.New("the rows came first")

// listUnlessRows lists the set. If its rows come before the list does, and are preferred, it takes those.
func (s *stream) listUnlessRows(ctx context.Context) error {
	limited, end := context.WithCancelCause(ctx)
	defer end(nil)
	if rows := s.rows; rows != nil && !s.whole.Load() {
		s.all.Go(func() {
			if came := rows.Wait(limited); came != nil && came.IsPreferred() && s.isBeginning() {
				end(errRows)
			}
		})
	}
	err := s.list(limited)
	if errors.Is(context.Cause(limited), errRows) && err != nil {
		if done, err := s.listRows(ctx); done || err != nil {
			return err
		}
		err = s.list(ctx)
	}
	if s.rows = nil; err == nil {
		s.byRows = false
		s.rowOnly.Reset(nil)
	}
	return err
}

// listRows makes the rows of runs that have succeeded the state of the set, with the other runs, which are read one by one. What
// was read whole before in the same version stays whole and is not read again, unless the hub has gone back to a backup,
// or may have since the set was proved: it may have given a run the version that it had. It reports false if the set has to be listed: too
// few runs have succeeded, the rows do not come first, or something cannot be read in this way.
func (s *stream) listRows(ctx context.Context) (done bool, err error) {
	keeps := s.at() != "" && s.provedWithin(comparedWithin)
	rows, sent, err := s.rowsNow(ctx)
	if err != nil {
		return false, s.failsNow(ctx, err)
	}
	if rows == nil || !rows.IsPreferred() {
		return false, ctx.Err()
	}
	succeeded, others := rows.Split()
	list := &incoming.List{ListMeta: metav1.ListMeta{ResourceVersion: rows.Version}, Server: rows.Server}
	early := s.readAhead()
	var left []engine.ID
	var unread []*printed.Run
	for i, run := range append(succeeded, others...) {
		o := early[run.ID]
		if o == nil || client.Older(o.Version, run.ResourceVersion) {
			o = &incoming.Object{ObjectMeta: &run.ObjectMeta, Object: store.Object{ID: run.ID, Version: run.ResourceVersion, Value: world.RowOnly(run.ObjectMeta, &run.Row), Replaces: !keeps}}
			switch {
			case keeps && s.held.Has(&o.Object) && !s.rowOnly.Has(run.ID):
			case i >= len(succeeded), run.Depends, keeps && s.held.HasOther(&o.Object): // the latter has succeeded meanwhile, for example
				unread = append(unread, run)
				continue
			default:
				left = append(left, run.ID)
			}
		} else if o.Server != list.Server {
			list.Server = ""
		}
		list.Items = append(list.Items, o)
	}
	objects, err := s.unfinished(ctx, unread)
	if err != nil {
		return false, s.failsNow(ctx, err)
	}
	left = s.addAhead(list, left)
	for i, o := range objects {
		switch {
		case o == nil: // was deleted meanwhile
			continue
		case o.Nameless, client.Older(o.Version, unread[i].ResourceVersion): // of a server that is behind
			return false, nil
		case o.Server != list.Server:
			list.Server = ""
		}
		list.Items = append(list.Items, o)
	}
	for _, o := range list.Items {
		weight := s.held.Weigh(&o.Object, o.Bytes)
		if !o.Replaces {
			weight = s.held.WeightOf(&o.Object, o.Bytes)
		}
		if !s.held.Take(weight) {
			s.held.Give(list.Weight)
			return false, nil
		}
		list.Weights, list.Weight = append(list.Weights, weight), list.Weight+weight
	}
	if err := s.take(ctx, list, sent); err != nil {
		return false, err
	}
	s.byRows = true
	s.rowOnly.Reset(left)
	return true, nil
}

// rowsNow returns all rows of the set, and when they were requested: those that were requested early, or new ones if it was
// listed by its rows before; nil if there are none in time.
func (s *stream) rowsNow(ctx context.Context) (rows *printed.Rows, sent time.Time, err error) {
	if early := s.rows; early != nil {
		if rows, sent = early.Rows(ctx, s.rowsWait); rows == nil {
			return nil, sent, nil
		}
		if s.rows = nil; rows.All || !rows.IsPreferred() {
			return rows, sent, nil
		}
	} else if !s.byRows || s.isPolled() {
		return nil, time.Time{}, nil
	}
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, sent, err
	}
	defer leave()
	s.waits(stuckFor)
	defer s.due.Store(0)
	if rows == nil {
		sent = time.Now()
		rows, err = printed.Runs(ctx, s.hub, s.key)
	}
	if err == nil {
		rows, err = rows.Whole(ctx, s.hub)
	}
	s.answers(err)
	return rows, sent, err
}

// addAhead puts the runs that were read ahead while others were read into a list in place of their rows, and returns the runs
// that are left.
func (s *stream) addAhead(list *incoming.List, left []engine.ID) []engine.ID {
	early := s.readAhead()
	read := map[engine.ID]bool{}
	for i, o := range list.Items {
		if now := early[o.ID]; now != nil && now != o && !client.Older(now.Version, o.Version) {
			list.Items[i], read[o.ID] = now, true
			if now.Server != list.Server {
				list.Server = ""
			}
		}
	}
	return slices.DeleteFunc(left, func(id engine.ID) bool { return read[id] })
}

// readAhead returns the runs that were read ahead of the first list; nil for one that is being read.
func (s *stream) readAhead() map[engine.ID]*incoming.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loaded {
		return nil
	}
	return maps.Clone(s.aheads)
}

// unfinished reads runs one by one; nil for those that were deleted meanwhile. How long their bytes took says how fast the line
// is.
func (s *stream) unfinished(ctx context.Context, runs []*printed.Run) ([]*incoming.Object, error) {
	names := make([]printed.Name, len(runs))
	for i, run := range runs {
		names[i] = printed.Name{Namespace: run.Namespace, Name: run.Name}
	}
	s.mu.Lock()
	s.counted = 0
	s.mu.Unlock()
	s.link.Begins(s.source())
	s.waits(stuckFor)
	defer s.due.Store(0)
	var line rowonly.Speed
	objects, err := s.each(ctx, names, func(o *incoming.Object, size int) {
		s.link.Arrives(s.source(), line.Add(size, time.Now()), time.Now())
		if !o.Nameless {
			s.arrived(o)
		}
	})
	s.body, s.size = line.Rate()
	return objects, err
}

// readRuns reads the runs that are wanted and of which only the rows were read, until ctx ends, and returns what brings
// them.
func (s *stream) readRuns(ctx context.Context) <-chan *incoming.Object {
	if !s.byRows {
		return nil
	}
	came := make(chan *incoming.Object)
	turns := make(chan struct{}, readAtOnce) // the list takes all of them: then no run is read by itself
	var listed atomic.Bool
	for range readAtOnce {
		s.all.Go(func() {
			for {
				client.Sleep(ctx, time.Until(time.Unix(0, s.resumes.Load())))
				id, ok := s.rowOnly.Next(ctx)
				if !ok {
					return
				}
				turns <- struct{}{}
				o, err := s.readRun(ctx, id)
				<-turns
				switch {
				case err != nil:
					s.readFailed(ctx, id, err)
				case o != nil && !s.brings(ctx, came, o):
					s.rowOnly.Release(id)
					return
				case !listed.Load() && s.listsSooner() && listed.CompareAndSwap(false, true):
					for range readAtOnce {
						turns <- struct{}{}
					}
					s.readFailed(ctx, engine.ID{}, s.readList(ctx, came)) // what it does not bring is read one by one
					for range readAtOnce {
						<-turns
					}
				}
			}
		})
	}
	return came
}

// brings hands over a run that was read; it reports false if ctx has ended.
func (s *stream) brings(ctx context.Context, came chan<- *incoming.Object, o *incoming.Object) bool {
	select {
	case came <- o:
		return true
	case <-ctx.Done():
		return false
	}
}

// readList reads all runs of the set beside the watch, in one list, and hands over those of which only the rows were read.
func (s *stream) readList(ctx context.Context, came chan<- *incoming.Object) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	body, err := s.hub.Stream(ctx, s.request(metav1.ListOptions{ResourceVersion: "0"}), client.Limits{Head: listHead, Progress: listHead})
	if err != nil {
		return err
	}
	defer body.Close() //nolint:errcheck // read to its end, or given up
	reader := &incoming.Reader{All: s.all, Hub: s.hub.Name(), Kind: s.key.Kind, Paths: s.paths, Most: maxObjects, Left: maxBytes, Held: s.held.Beside(), Each: func(*incoming.Object) {}}
	all, err := reader.Read(body)
	reader.End() // each takes its own room
	for i := 0; err == nil && i < len(all.Items); i++ {
		if o := all.Items[i]; s.rowOnly.Has(o.ID) && !s.brings(ctx, came, o) {
			return ctx.Err()
		}
	}
	return err
}

// listsSooner reports whether a list of the set takes less time than the runs that are wanted, one by one.
func (s *stream) listsSooner() bool {
	if s.gates.slow.Load() || time.Duration(s.latency.Load()) > nearHead {
		return false
	}
	of := s.rowOnly.Size()
	if of > mostListed { // many are wanted, which takes long to count
		return false
	}
	wanted := s.rowOnly.Left()
	return wanted > mostSingly && wanted*perListed > of
}

// errOther says that there is another run of the name: the watch brings it.
var errOther = errors.New("the run was created again")

// readRun reads one run; nil if it has been read.
func (s *stream) readRun(ctx context.Context, id engine.ID) (*incoming.Object, error) {
	if !s.rowOnly.Has(id) {
		return nil, nil //nolint:nilnil // see above
	}
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	ns, name, _ := id.Raw()
	o, _, err := s.one(ctx, printed.Name{Namespace: ns, Name: name})
	if err == nil && o.ID != id {
		return nil, errOther
	}
	return o, err
}

// readFailed schedules the next read of a run that could not be read. After Retry-After or a rejected login, no run is requested
// before the pause is over. id is zero for a list of them, and err nil if that has not failed.
func (s *stream) readFailed(ctx context.Context, id engine.ID, err error) {
	pause := client.RetryAfter(err)
	if client.KindOf(err) == client.Unauthenticated {
		pause = client.LoginPause(err)
	}
	switch {
	case ctx.Err() != nil:
		s.rowOnly.Release(id)
	case pause > 0:
		s.resumes.Store(time.Now().Add(pause).UnixNano())
		s.rowOnly.Release(id)
	case client.KindOf(err) == client.Unreachable:
		s.hub.Pause(ctx, client.Jitter(time.Second))
		s.rowOnly.Release(id)
	case s.rowOnly.Failed(id, time.Now()) >= mostFailures:
		s.listWhole()
	}
}

// listWhole lists the set, and not by its rows any more.
func (s *stream) listWhole() {
	if s.whole.CompareAndSwap(false, true) {
		s.listAgain()
	}
}

// takeBeside shows a run that was read beside the watch, unless the watch was faster. If there is no room for it, its row
// stays.
func (s *stream) takeBeside(o *incoming.Object) {
	if !s.rowOnly.Has(o.ID) {
		return
	}
	if s.held.IsOlder(&o.Object) || !s.held.Put(&o.Object, o.Bytes) {
		s.rowOnly.Failed(o.ID, time.Now())
		return
	}
	s.rowOnly.Read(o.ID)
	s.mu.Lock()
	s.isAhead(o, s.version)
	s.mu.Unlock()
	s.sink.Put(&o.Object)
}

// isAhead notes an object that is newer than a version of the set, with the lock held: the watch may bring older ones.
func (s *stream) isAhead(o *incoming.Object, version string) {
	if client.Older(version, o.Version) {
		if s.aheads == nil {
			s.aheads = map[engine.ID]*incoming.Object{}
		}
		s.aheads[o.ID] = o
	}
}

// isBeginning reports whether little of the list has come that is being read.
func (s *stream) isBeginning() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counted == 0 && s.listing.Load() <= mostDropped
}
