package watch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// restingCursor is how long a cursor rests before bindings are fetched for the
// row under it.
const restingCursor = 150 * time.Millisecond

// loadAtOnce is how many sets of bindings a list without a screen reads at the
// same time.
const loadAtOnce = 8

// keeperConfig says which sets of a hub are kept in view.
type keeperConfig struct {
	hub      *client
	link     *link
	in       *inbox
	work     *goroutines // runs the streams
	settings engine.Settings
	// namespace is the one that namespaced sets are limited to, empty for all;
	// fallback is tried when all are not permitted.
	namespace, fallback string
	// reach is that of the session. With reachTrouble a set of bindings is read
	// once, loadAtOnce of them at a time, and not watched.
	reach reach
	// checkEvery, when not zero, replaces the constant.
	checkEvery time.Duration
}

// keeper starts and ends streams. One goroutine, run, owns it.
type keeper struct {
	keeperConfig

	settledc chan settled
	wantedc  chan wanted // cap 1, latest wins

	open  map[engine.CoverKey]*opened
	state map[engine.CoverKey]failure // of base sets that have settled
	// asked are the placements that want has asked for; only want uses it.
	asked []engine.ID
	later []engine.CoverKey // started once the first sets have settled
	queue []engine.CoverKey // bindings that wait for their turn
}

type settled struct {
	key engine.CoverKey
	failure
}

// opened is a stream that is running, or a sink that waits for its turn.
type opened struct {
	sink   *sink
	cancel context.CancelFunc
	// read is set when a set that is not watched has settled.
	read bool
}

func newKeeper(c keeperConfig) *keeper {
	if c.namespace != "" {
		c.fallback = ""
	}
	return &keeper{
		keeperConfig: c, settledc: make(chan settled), wantedc: make(chan wanted, 1),
		open: map[engine.CoverKey]*opened{}, state: map[engine.CoverKey]failure{},
	}
}

// run finds out what the hub serves, then keeps streams until ctx ends.
func (k *keeper) run(ctx context.Context, ready func()) {
	k.reserve()
	if !k.discover(ctx) {
		return
	}
	ready()
	for _, key := range k.first() {
		k.start(ctx, key)
	}
	rest := time.NewTimer(time.Hour)
	rest.Stop()
	var want wanted
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-k.settledc:
			k.settle(ctx, s)
		case w := <-k.wantedc:
			if slices.Equal(w.placements, want.placements) && w.opened == want.opened {
				continue
			}
			want = w
			if k.reach != reachTrouble { // what was read once stays
				k.endUnwanted(want.placements)
			}
			if want.opened {
				k.startWanted(ctx, want.placements)
			} else {
				rest.Reset(restingCursor)
			}
		case <-rest.C:
			k.startWanted(ctx, want.placements)
		}
	}
}

// discover asks the hub for its versions until it answers. It reports false
// when ctx ended.
func (k *keeper) discover(ctx context.Context) bool {
	pause := retryFirst
	for {
		err := k.hub.discover(ctx)
		f := k.hub.failure(err)
		switch f.kind {
		case failNone, failForbidden: // forbidden: v1beta1 is the best guess
			k.link.ok(sourceHub, time.Now())
			clear(k.state) // what was not served before is asked for anew
			return true
		case failNotFound:
			for key, o := range k.open {
				o.sink.cover(engine.Coverage{State: engine.CoverNotServed, Why: f.err})
				k.state[key] = f
			}
			k.link.ok(sourceHub, time.Now())
			k.link.load()
			pause = probeEvery // it may be installed any time; and this is the probe meanwhile
		default:
			if ctx.Err() == nil {
				k.link.fail(sourceHub, f, time.Now())
			}
		}
		if !k.hub.pause(ctx, jitter(pause)) {
			return false
		}
		pause = min(2*pause, max(retryCap, pause))
		if f.kind == failUnauthenticated {
			pause = refusedFor(err)
		}
	}
}

// first lists the sets that the list of runs cannot do without.
func (k *keeper) first() []engine.CoverKey {
	return k.base(engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun,
		engine.KindClusterApprovalRequest, engine.KindApprovalRequest)
}

func (k *keeper) second() []engine.CoverKey {
	return k.base(engine.KindClusterResourcePlacement, engine.KindResourcePlacement)
}

// third lists what only tells why: no list waits for it.
func (k *keeper) third() []engine.CoverKey {
	return []engine.CoverKey{engine.CoverAll(engine.KindMemberCluster)}
}

// base lists the sets of those of the kinds that are asked for.
func (k *keeper) base(kinds ...engine.Kind) []engine.CoverKey {
	var keys []engine.CoverKey
	for _, kind := range kinds {
		switch {
		case kind.Namespaced() && k.settings.NamespacedRuns:
			keys = append(keys, engine.CoverKey{Kind: kind, Namespace: k.namespace})
		case !kind.Namespaced() && k.settings.ClusterRuns:
			keys = append(keys, engine.CoverAll(kind))
		}
	}
	return keys
}

// reserve opens the sinks of all base sets, so that nothing looks complete
// before each has come.
func (k *keeper) reserve() {
	for _, key := range slices.Concat(k.first(), k.second()) {
		if k.open[key] == nil {
			k.open[key] = &opened{sink: k.in.open(key)}
		}
	}
	k.later = append(k.second(), k.third()...)
}

// start starts the stream of a set.
func (k *keeper) start(ctx context.Context, key engine.CoverKey) {
	o := k.open[key]
	if o == nil {
		o = &opened{sink: k.in.open(key)}
		k.open[key] = o
	}
	if o.cancel != nil {
		return
	}
	ctx, o.cancel = context.WithCancel(ctx)
	s := &stream{hub: k.hub, link: k.link, sink: o.sink, all: k.work, key: key, pace: k.pace(key), settled: func(key engine.CoverKey, f failure) {
		select {
		case k.settledc <- settled{key, f}:
		case <-ctx.Done():
		}
	}}
	o.sink.cover(engine.Coverage{State: engine.CoverLoading})
	k.work.Go(func() {
		if key.Kind == engine.KindClusterStagedUpdateRun || key.Kind == engine.KindStagedUpdateRun {
			s.printFirst(ctx, k.work)
		}
		s.run(ctx)
	})
}

// pace is how often the watch of a set is checked.
func (k *keeper) pace(key engine.CoverKey) time.Duration {
	switch {
	case slices.Contains(k.first(), key):
		return cmp.Or(k.checkEvery, checkEvery)
	case !key.Placement.IsZero():
		return cmp.Or(k.checkEvery, 2*checkEvery)
	}
	return checkRarely
}

// printFirst asks for the printed rows and waits for them for a moment: a large
// list behind them would hold them up.
func (s *stream) printFirst(ctx context.Context, all *goroutines) {
	done := make(chan struct{})
	all.Go(func() {
		defer close(done)
		rows, err := printedRuns(ctx, s.hub, s.key)
		if err != nil {
			return // the list that follows tells what is wrong
		}
		s.sink.print(rows)
	})
	select {
	case <-done:
	case <-time.After(tableHead):
	case <-ctx.Done():
	}
}

// end ends the stream of a set and forgets what it brought.
func (k *keeper) end(key engine.CoverKey) {
	o := k.open[key]
	if o == nil {
		return
	}
	if o.cancel != nil {
		o.cancel()
	}
	k.in.drop(o.sink)
	delete(k.open, key)
	delete(k.state, key)
}

// settle takes note of a set that is complete or refused.
func (k *keeper) settle(ctx context.Context, s settled) {
	if k.open[s.key] == nil {
		return // was ended meanwhile
	}
	if s.kind == failForbidden && s.key == engine.CoverAll(engine.KindStagedUpdateRun) && k.fallback != "" {
		k.fallBack(ctx)
		return
	}
	if !s.key.Placement.IsZero() {
		if o := k.open[s.key]; k.reach == reachTrouble && !o.read {
			o.read = true
			o.cancel()
			k.startQueued(ctx)
		}
		return
	}
	k.state[s.key] = s.failure
	k.judgeRuns()
	for _, key := range k.first() {
		if _, ok := k.state[key]; !ok {
			return
		}
	}
	k.link.load()
	for _, key := range k.later {
		k.start(ctx, key)
	}
	k.later = nil
}

// judgeRuns refuses the whole link when no set of runs may be read.
func (k *keeper) judgeRuns() {
	var refused failure
	for _, key := range k.base(engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun) {
		f, ok := k.state[key]
		if !ok || f.kind != failForbidden {
			k.link.gone(sourceRuns)
			return
		}
		if refused.kind != failNone {
			// The hub's message about cluster runs comes first; that namespaced runs
			// are forbidden as well is added to it.
			f.err = engine.Textf("%s; %s %s, too", refused.err, key.Kind.Plural(), where(key))
		}
		refused = f
	}
	if refused.kind != failNone {
		k.link.fail(sourceRuns, refused, time.Now())
	}
}

// where says in which scope a set was asked for.
func where(key engine.CoverKey) engine.Text {
	if key.Namespace == "" {
		return engine.Lit("in all namespaces")
	}
	return engine.Textf("in namespace %q", key.Namespace)
}

// fallBack limits the namespaced sets to one namespace.
func (k *keeper) fallBack(ctx context.Context) {
	for key := range k.open {
		if key.Kind.Namespaced() && key.Placement.IsZero() {
			k.end(key)
		}
	}
	started := len(k.later) == 0
	k.namespace, k.fallback = k.fallback, ""
	k.reserve()
	k.in.setNamespaces(engine.Textf("namespace %s (all namespaces: not permitted)", engine.Clean(k.namespace)), true)
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

func (k *keeper) endUnwanted(want []engine.ID) {
	for key := range k.open {
		if !key.Placement.IsZero() && !slices.Contains(want, key.Placement) {
			k.end(key)
		}
	}
}

func (k *keeper) startWanted(ctx context.Context, want []engine.ID) {
	if k.reach == reachTrouble {
		for _, p := range want {
			if key := engine.CoverBindings(p); k.open[key] == nil {
				k.open[key] = &opened{sink: k.in.open(key)}
				k.queue = append(k.queue, key)
			}
		}
		k.startQueued(ctx)
		return
	}
	for _, p := range want {
		k.start(ctx, engine.CoverBindings(p))
	}
}

// startQueued starts as many of the queued sets as may load at the same time.
func (k *keeper) startQueued(ctx context.Context) {
	loading := 0
	for key, o := range k.open {
		if !key.Placement.IsZero() && o.cancel != nil && !o.read {
			loading++
		}
	}
	for ; loading < loadAtOnce && len(k.queue) > 0; k.queue = k.queue[1:] {
		if k.open[k.queue[0]] != nil { // else it is not wanted any more
			k.start(ctx, k.queue[0])
			loading++
		}
	}
}

// want starts and ends streams of bindings for what a Snapshot shows. It returns
// the placements whose bindings are needed, and never blocks. One goroutine calls
// it.
func (k *keeper) want(s *engine.Snapshot, focus engine.Focus) []engine.ID {
	k.asked = wantedPlacements(s, focus, k.asked, k.reach)
	select {
	case <-k.wantedc:
	default:
	}
	k.wantedc <- wanted{placements: k.asked, opened: k.reach != reachScreen || !focus.Run.IsZero()}
	return k.asked
}
