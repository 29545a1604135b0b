package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage"
)

// ErrClosed is what Next returns after Close.
var ErrClosed = errors.New("the session is closed")

// Config says what to watch. REST is needed, everything else has a meaning when
// it is empty.
type Config struct {
	// REST is how to reach the hub; it is copied. Its Timeout, QPS and Burst
	// are not used.
	REST *rest.Config
	// Context and User are the kubeconfig's names; User is shown until the hub
	// has said who we are.
	Context, User string
	// Kubeconfig is the file when it is not the one that kubectl would take.
	Kubeconfig string
	// Flags are the other connection flags that were given, word by word, for
	// the kubectl commands that are shown; never a credential.
	Flags []string
	// Namespace limits namespaced runs to one namespace; empty for all.
	Namespace string
	// NamespacedOnly leaves cluster-scoped runs out.
	NamespacedOnly bool
	// ClusterOnly leaves namespaced runs out.
	ClusterOnly bool
	// FallbackNamespace is used when runs of all namespaces are not permitted;
	// empty for no fallback.
	FallbackNamespace string
	// Settings go into every Snapshot. ClusterRuns and NamespacedRuns in them
	// are set by Open.
	Settings engine.Settings
	// Members finds the contexts of members; nil: there are none.
	Members MemberContexts
	// QueryMembers permits reads of member clusters for automatic Questions.
	QueryMembers bool
	// Audit, when not nil, is given a Record before every write and one after;
	// a write whose first Record fails is not sent. Calls do not overlap.
	Audit func(Record) error
	// Renew, when not nil, reads the configuration again, for a login that was
	// renewed there; it is called while the hub does not accept the one there is.
	Renew func() (*rest.Config, error)
	// OnPanic is called with the value of a panic, in the goroutine that
	// panicked; it should end the process. If nil, the panic ends the process.
	OnPanic func(any)
}

// named is the hub as the command line named it: what a kubectl command needs.
func (c *Config) named() engine.Hub {
	return engine.Hub{Context: engine.Clean(c.Context), Kubeconfig: engine.Clean(c.Kubeconfig), Flags: engine.QuoteWords(c.Flags)}
}

// Session keeps one hub in view until it is closed. Its methods may be called
// from any goroutine.
type Session struct {
	cfg Config
	options
	hub    *client
	link   *link
	in     *inbox
	mail   *mailbox
	keeper *keeper
	feed   *feed

	ctx    context.Context
	cancel context.CancelFunc
	work   goroutines
	once   sync.Once
	user   atomic.Pointer[string]
	// reviewed is closed when the hub has said who we are, or that it will not.
	reviewed chan struct{}
	// writing is held by the one Do that is under way.
	writing sync.Mutex
	lifted  lifted
	// identities are the verdicts on contexts of members.
	identities identities
	// logins are the credentials of automatic member queries.
	logins memberLogins
}

// Open starts to watch. It sends nothing before it returns and does not fail
// because of the hub: an unreachable one shows in the Snapshots. The session
// ends when ctx ends or Close is called; the caller must call Close.
func Open(ctx context.Context, cfg Config) (*Session, error) {
	return open(ctx, cfg, options{})
}

// options are for this package alone.
type options struct {
	// whole is given every Snapshot to which nothing is missing.
	whole func(*engine.Snapshot)
	// brief sessions end before anybody could act: rights are not asked for.
	brief bool
	// reach says for which placements bindings are read.
	reach reach
	// probeEvery, probeDeadline and checkEvery, when not zero, replace the
	// constants.
	probeEvery, probeDeadline, checkEvery time.Duration
	// patience is that of writes; what is zero in it is usual.
	patience patience
}

func open(ctx context.Context, cfg Config, o options) (*Session, error) {
	if cfg.REST == nil {
		return nil, errors.New("open session: no connection given")
	}
	h, err := newClient(cfg.REST)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	cfg.Settings.ClusterRuns, cfg.Settings.NamespacedRuns = !cfg.NamespacedOnly, !cfg.ClusterOnly
	s := &Session{cfg: cfg, options: o, hub: h, in: newInbox(), mail: newMailbox(), reviewed: make(chan struct{})}
	s.work.panicked = cfg.OnPanic
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.link = newLink(time.Now(), s.in.touch)
	s.link.retries = o.reach == reachScreen
	s.in.setNames(func(n *names) {
		n.user = engine.Clean(cfg.User)
		n.namespaces = engine.Lit("all namespaces")
		switch {
		case cfg.ClusterOnly:
			n.namespaces = engine.Lit("the cluster scope")
		case cfg.Namespace != "":
			n.namespaces = engine.Textf("namespace %s", engine.Clean(cfg.Namespace))
		}
	})
	s.keeper = &keeper{
		hub: h, link: s.link, in: s.in, settings: cfg.Settings, streams: &s.work, checkEvery: o.checkEvery, reach: o.reach,
		namespace: cfg.Namespace, fallback: cfg.FallbackNamespace,
		settledc: make(chan settled), wantedc: make(chan wanted, 1),
		open: map[engine.CoverKey]*opened{}, state: map[engine.CoverKey]failure{},
	}
	if cfg.Namespace != "" {
		s.keeper.fallback = ""
	}
	w := engine.NewWorld(cfg.Settings)
	w.Triage = triage.Catalogue{}
	w.Hub = cfg.named()
	w.Hub.Server = engine.Clean(h.server)
	near := &neighbor{hub: h, in: s.in, wantc: make(chan []beside, 1), work: &s.work}
	access := &reviewer{hub: h, in: s.in, settings: cfg.Settings, namespace: cfg.Namespace, wantc: make(chan string, 1)}
	s.feed = &feed{
		in: s.in, link: s.link, skew: h.skew.offset, world: w, fold: newFolder(w),
		mail: s.mail, want: s.keeper.wants, looked: access.wants, beside: near.wants, whole: o.whole, reach: o.reach,
	}
	s.work.Go(func() { s.feed.run(s.ctx) })
	s.work.Go(func() {
		if o.reach == reachTrouble {
			near.readEach(s.ctx)
			return
		}
		near.run(s.ctx)
	})
	if cfg.Renew != nil && !o.brief {
		s.work.Go(func() { s.renew(s.ctx) })
	}
	s.work.Go(func() {
		s.keeper.run(s.ctx, func() {
			s.work.Go(func() { s.probe(s.ctx) })
			s.work.Go(func() { s.review(s.ctx) })
			if (cfg.Settings.ReadOnly.IsZero() || cfg.Settings.Raisable) && !o.brief {
				s.work.Go(func() { access.run(s.ctx) })
			}
		})
	})
	return s, nil
}

// Close ends the session and waits until all its goroutines have ended.
func (s *Session) Close() {
	s.once.Do(func() {
		s.cancel()
		s.hub.close() // what hangs on a dead connection ends with it
	})
	s.work.Wait()
}

// Next returns the latest Snapshot that was not returned before and waits for
// one when there is none. Snapshots in between are skipped. It fails when ctx
// or the session ends, never because of the hub.
func (s *Session) Next(ctx context.Context) (*engine.Snapshot, error) {
	select {
	case snapshot := <-s.mail.c:
		return snapshot, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.ctx.Done():
		return nil, ErrClosed
	}
}

// Want says what the screen looks at now; streams for it start and others end.
// It does not wait for them.
func (s *Session) Want(f engine.Focus) { s.in.setFocus(f) }

// probe sends a small read at an interval, since a silent stream does not prove
// that the API server answers (docs/promises.md#i17).
func (s *Session) probe(ctx context.Context) {
	misses := 0
	every := cmp.Or(s.probeEvery, probeEvery)
	wait := every
	for s.hub.pause(ctx, wait) {
		err := s.hub.probe(ctx, cmp.Or(s.probeDeadline, probeDeadline))
		f := sortError(err, s.hub.server)
		switch f.kind {
		case failNone, failForbidden, failNotFound, failExpired, failRefused: // an answer
			s.link.ok(sourceProbe, time.Now())
			misses, wait = 0, every
			continue
		case failUnauthenticated:
			if wait = time.Second; misses > 0 { // the answer may have renewed the login
				wait = refusedFor(err)
			}
		default:
			wait = min(every, time.Second)
		}
		if ctx.Err() != nil {
			return
		}
		s.link.fail(sourceProbe, f, time.Now())
		if misses++; f.kind == failUnreachable && misses%2 == 0 {
			// The peer may be gone for good without a word: what hangs on the
			// old connections shall fail and begin anew.
			s.hub.conns.cut()
		}
	}
}

// review finds out who the hub says we are.
func (s *Session) review(ctx context.Context) {
	defer close(s.reviewed)
	for {
		name, err := s.hub.selfReview(ctx)
		if err == nil {
			if name != "" {
				s.user.Store(&name)
				s.in.setNames(func(n *names) { n.user = engine.Clean(name) })
			}
			return
		}
		switch kindOf(err) {
		case failForbidden, failNotFound, failRefused:
			return // older hub, or not permitted: the kubeconfig's name stays
		}
		if !s.hub.pause(ctx, jitter(refusedFor(err))) {
			return
		}
	}
}
