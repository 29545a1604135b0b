package stream

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/memory"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/jsonpath"
	"github.com/stagewatch/stagewatch/watch/link"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream/held"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
	"github.com/stagewatch/stagewatch/watch/stream/rowonly"
	"github.com/stagewatch/stagewatch/watch/stream/wanted"
)

// Config says which sets of a hub are kept in view.
type Config struct {
	Hub      *client.Client
	Link     *link.Link
	In       *store.Inbox
	Work     *task.Group // runs the streams
	Settings engine.Settings
	// namespace is the one that namespaced sets are limited to, empty for all;
	// fallback is tried when all are not permitted.
	Namespace, Fallback string
	// Reach is that of the session. With ReachTrouble a set of bindings is read
	// once, and not watched; with Brief every set.
	Reach wanted.Reach
	Brief bool
	// Rows is set for a session that says which runs it shows (engine.Focus.Rows): of others that have succeeded, the rows are
	// enough.
	Rows bool
	// Named, if not nil, selects the runs that a session is about: if it selects any, of the runs and
	// placements only those of their placements are read, and are not watched: once if Brief, else every
	// namedEvery.
	Named func(runs []engine.ID) []engine.ID
	// Placements is set, with Brief, if all placements are read if Named selects no run: one of these may be meant.
	Placements bool
	// CheckEvery, when not zero, replaces the constant.
	CheckEvery time.Duration
	// Started is called when the streams of the first sets start, Loaded when these are complete or
	// refused (for a screen, showFirst or confirmFirst later); each at most once, before Run returns.
	Started, Loaded func()
}

// showFirst is how long a screen may take to show the first sets. Their watches and other sets
// start after it: their CPU, here and on the hub, would delay the first live frame.
const showFirst = 15 * time.Millisecond

// confirmFirst is how long nothing else is requested after the first sets if one of them took longer
// than this to arrive over a slow line: their confirmation would be queued behind it.
const confirmFirst = 1500 * time.Millisecond

// Streams starts and ends streams. One goroutine, run, owns it.
type Streams struct {
	Config

	settledc chan outcome
	wantedc  chan wanted.Wants // cap 1, latest wins
	room     *memory.Room      // of all streams
	gates    *gates

	open map[world.CoverKey]*opened
	// rows are the requests for rows that went ahead of the streams.
	rows       map[world.CoverKey]*printed.Request
	connection printed.Connection
	// endRows ends the requests in rows, which nothing needs once the first sets have settled.
	endRows context.CancelFunc

	// names are the objects that are read of a set of which not all are needed.
	names map[world.CoverKey]*printed.Chosen
	// rowsOnly are all runs, as their rows, if Named selects none.
	rowsOnly map[world.CoverKey][]*store.Object
	state    map[world.CoverKey]client.Failure // of base sets that have settled
	last     wanted.Last                       // only Want uses it
	began    time.Time                         // when the first sets were started
	// loadedAt is when they were complete.
	loadedAt time.Time
	later    []world.CoverKey // started once the first sets have settled
	shown    <-chan time.Time // ticks when later is due; nil until the first sets have settled
	queue    []world.CoverKey // bindings that wait for their turn
	// slow says that the line is slow, longest how long a list took over it, waits since when sets of
	// bindings have been waiting for it.
	slow    bool
	longest time.Duration
	waits   time.Time
	want    wanted.Wants // the latest
	// renewed is set once sets were read anew: lists have the newest state from then on.
	renewed bool
	// since is that of the wanted sets; lags is set once an API server did not have that version.
	since map[engine.ID]string
	lags  atomic.Bool
	turn  *time.Timer // when a set that is not answered gives up its turn
}

// opened is a stream that is running, or a sink that waits for its turn.
type opened struct {
	sink   *store.Sink
	cancel context.CancelFunc
	ahead  func(engine.ID) // reads one object ahead of a first list of runs; nil for other sets
	rows   *rowonly.Set    // of a set of runs; nil for other sets
	began  time.Time       // when it was started
	// read is set when a set of bindings has been read, or rejected, for the first time.
	read bool
	// outdated is set when it has to be read again as soon as read is set.
	outdated bool
	// again counts how often it was read once more.
	again int
}

// New returns Streams without a stream.
func New(c Config) *Streams {
	if c.Namespace != "" {
		c.Fallback = ""
	}
	return &Streams{
		Config: c, settledc: make(chan outcome), wantedc: make(chan wanted.Wants, 1), room: memory.NewRoom(), gates: newGates(),
		open: map[world.CoverKey]*opened{}, rows: map[world.CoverKey]*printed.Request{}, state: map[world.CoverKey]client.Failure{},
	}
}

// Run finds out what the hub serves, then keeps streams until ctx ends.
func (k *Streams) Run(ctx context.Context) {
	k.reserve()
	start := make(chan struct{})
	early, end := context.WithCancel(ctx)
	defer end()
	k.endRows = end
	k.askEarly(early, start)
	if !k.discover(ctx, sync.OnceFunc(func() { close(start) })) {
		return
	}
	if k.choose(ctx) || k.Reach == wanted.ReachHub {
		for key, o := range k.open {
			o.sink.Replace(k.rowsOnly[key])
		}
		k.Started()
		k.Link.Load()
		k.Loaded()
		<-ctx.Done()
		return
	}
	k.began = time.Now()
	for _, key := range k.first() {
		k.start(ctx, key)
	}
	k.Started()
	rest := time.NewTimer(time.Hour)
	rest.Stop()
	k.turn = time.NewTimer(time.Hour)
	k.turn.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-k.settledc:
			k.settle(ctx, s)
		case w := <-k.wantedc:
			k.since = w.Since
			k.readAhead(w.Ahead)
			k.wantRuns(w.Rows)
			k.readAgain(ctx, w.Again, w.Made)
			if slices.Equal(w.Placements, k.want.Placements) && w.Opened == k.want.Opened {
				continue
			}
			k.want = w
			if k.Reach != wanted.ReachTrouble { // what was read once stays
				k.endUnwanted(w.Placements)
			}
			if w.Opened {
				k.startWanted(ctx, w.Placements)
			} else {
				rest.Reset(restingCursor)
			}
		case <-rest.C:
			k.startWanted(ctx, k.want.Placements)
		case <-k.shown:
			k.startLater(ctx)
		case <-k.turn.C:
			k.startQueued(ctx)
		}
	}
}

// first returns the sets that the list of runs requires.
func (k *Streams) first() []world.CoverKey {
	return k.base(engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun,
		engine.KindClusterApprovalRequest, engine.KindApprovalRequest)
}

func (k *Streams) second() []world.CoverKey {
	return k.base(engine.KindClusterResourcePlacement, engine.KindResourcePlacement)
}

// third lists the sets that only diagnoses need: no row waits for them.
func (k *Streams) third() []world.CoverKey {
	return []world.CoverKey{world.CoverAll(engine.KindMemberCluster)}
}

// base lists the sets of those of the kinds that are asked for.
func (k *Streams) base(kinds ...engine.Kind) []world.CoverKey {
	var keys []world.CoverKey
	for _, kind := range kinds {
		switch {
		case kind.Namespaced() && k.Settings.NamespacedRuns:
			keys = append(keys, world.CoverKey{Kind: kind, Namespace: k.Namespace})
		case !kind.Namespaced() && k.Settings.ClusterRuns:
			keys = append(keys, world.CoverAll(kind))
		}
	}
	return keys
}

// reserve opens the sinks of all base sets, so that nothing looks complete
// before each has come.
func (k *Streams) reserve() {
	for _, key := range slices.Concat(k.first(), k.second()) {
		if k.open[key] == nil {
			k.open[key] = &opened{sink: k.In.Open(key)}
		}
	}
	k.later = append(k.second(), k.third()...)
}

// start starts the stream of a set.
func (k *Streams) start(ctx context.Context, key world.CoverKey) {
	o := k.open[key]
	if o == nil {
		o = &opened{sink: k.In.Open(key)}
		k.open[key] = o
	}
	if o.cancel != nil {
		return
	}
	ctx, o.cancel = context.WithCancel(ctx)
	s := &stream{hub: k.Hub, link: k.Link, sink: o.sink, all: k.Work, key: key, pace: k.pace(key), held: held.New(k.room), gates: k.gates, broken: make(chan struct{}, 1), settled: func(how outcome) {
		select {
		case k.settledc <- how:
		case <-ctx.Done():
		}
	}}
	if k.Reach == wanted.ReachScreen && slices.Contains(k.first(), key) {
		s.rest = showFirst
	}
	s.since, s.lags = k.since[key.Placement], &k.lags
	bindings := !key.Placement.IsZero()
	s.once, s.names, s.rowsOnly = k.isOnce(key), k.names[key], k.rowsOnly[key]
	s.exact = o.again > 0 || k.renewed || k.Brief && !bindings // these are not confirmed by a watch
	s.queues = !s.once && bindings
	o.sink.Cover(engine.Coverage{State: engine.CoverLoading})
	o.began = time.Now() // a Snapshot that is made after this shows that it is loading
	runs := key.Kind == engine.KindClusterStagedUpdateRun || key.Kind == engine.KindStagedUpdateRun
	if !runs {
		k.Work.Go(func() { s.run(ctx) })
		return
	}
	s.paths = jsonpath.NewReader(k.Settings.Fields)
	if s.names != nil || s.rowsOnly != nil {
		k.Work.Go(func() { s.run(ctx) })
		return
	}
	o.ahead, o.rows = func(id engine.ID) { s.ahead(ctx, id) }, &s.rowOnly
	rows, wait := k.rowsOf(ctx, key), rowsFirst
	if k.connection.IsNear() {
		wait = 0
	}
	if k.Rows {
		s.rows, s.rowsWait, wait = rows, wait, 0
	}
	k.Work.Go(func() {
		rows.Show(ctx, wait, o.sink.Print)
		s.run(ctx)
	})
}

// isOnce reports whether a set is read once, and not watched.
func (k *Streams) isOnce(key world.CoverKey) bool {
	return k.Brief || k.Reach == wanted.ReachTrouble && !key.Placement.IsZero()
}

// pace is how often the watch of a set is checked.
func (k *Streams) pace(key world.CoverKey) time.Duration {
	if key.Kind == engine.KindMemberCluster {
		return checkRarely
	}
	return cmp.Or(k.CheckEvery, checkEvery)
}

// end ends the stream of a set and forgets what it brought.
func (k *Streams) end(key world.CoverKey) {
	o := k.open[key]
	if o == nil {
		return
	}
	if o.cancel != nil {
		o.cancel()
	}
	k.In.Drop(o.sink)
	delete(k.open, key)
	delete(k.state, key)
}

// fallBack limits the namespaced sets to one namespace.
func (k *Streams) fallBack(ctx context.Context) {
	for key := range k.open {
		if key.Kind.Namespaced() && key.Placement.IsZero() {
			k.end(key)
		}
	}
	started := len(k.later) == 0
	k.shown = nil
	k.Namespace, k.Fallback = k.Fallback, ""
	k.reserve()
	k.In.SetNamespaces(engine.Textf("namespace %s (all namespaces: not permitted)", engine.Clean(k.Namespace)), true)
	for _, key := range k.first() {
		k.start(ctx, key)
	}
	if started {
		for _, key := range k.later {
			k.start(ctx, key)
		}
		k.later = nil
	}
}

func (k *Streams) endUnwanted(want []engine.ID) {
	for key := range k.open {
		if !key.Placement.IsZero() && !slices.Contains(want, key.Placement) {
			k.end(key)
		}
	}
}

// Want starts and ends streams of bindings for what a Snapshot shows. It returns
// the placements whose bindings are needed, and never blocks. One goroutine calls
// it.
func (k *Streams) Want(p store.Publication) []engine.ID {
	w := k.last.Of(p, k.Reach)
	select {
	case <-k.wantedc:
	default:
	}
	k.wantedc <- w
	return w.Placements
}
