package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/shell"
	"github.com/stagewatch/stagewatch/engine/triage"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/act"
	"github.com/stagewatch/stagewatch/watch/ask"
	"github.com/stagewatch/stagewatch/watch/ask/member"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/client/plugin"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/link"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream"
	"github.com/stagewatch/stagewatch/watch/stream/wanted"
)

// ErrClosed is what Next returns after Close.
var ErrClosed = errors.New("the session is closed")

// What callers give and get of the packages below.
type (
	// Record is one line of the audit log.
	Record = act.Record
	// RecordObject names an object in a Record.
	RecordObject = act.RecordObject
	// MemberContexts finds the kubeconfig contexts of member clusters.
	MemberContexts = member.Contexts
	// Credential is what a credential plugin returned.
	Credential = plugin.Credential
	// MemberContext is the kubeconfig context chosen for a member cluster.
	MemberContext = member.Context
	// Set is one set of objects as it is received.
	Set = link.Set
)

// Config says what to watch. REST is needed, everything else has a meaning when
// it is empty.
type Config struct {
	// REST is how to reach the hub; it is copied. Its Timeout, QPS and Burst
	// are not used.
	REST *rest.Config
	// Known is what LogIn returned; nil for none.
	Known *Credential
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
	// QueryMembers permits reads of member clusters for automatic queries.
	QueryMembers bool
	// Audit, when not nil, is given a Record before every write and one after;
	// a write whose first Record fails is not sent. Calls do not overlap.
	Audit func(Record) error
	// Renew, when not nil, reads the configuration again, for a login that was
	// renewed there; it is called while the hub does not accept the one there is.
	Renew func() (*rest.Config, error)
	// Named, when not nil, selects the run that a read of one run is about from all runs of the hub: it returns
	// that run alone, or none. After none, the Snapshot has nothing but the rows of all runs: enough to say why
	// there is none. If the rows cannot be read, all runs are read whole.
	Named func(runs []engine.ID) []engine.ID
	// Missing, when not nil, returns an error if what a session is opened for is not on the hub. It is called with each
	// Snapshot until there is a whole one; its error ends the opening.
	Missing func(*engine.Snapshot) error
	// Progress, when not nil, gets what a function of this package that reads once is reading, and
	// how much of it has come.
	Progress func(engine.Text)
	// OnPanic is called with the value of a panic, in the goroutine that
	// panicked; it should end the process. If nil, the panic ends the process.
	OnPanic func(any)
}

// hub is the name of the hub.
func (c *Config) hub() engine.HubName { return engine.NewHubName(c.Context, c.Settings.Alias) }

// named is the hub as the command line named it: what a kubectl command needs.
func (c *Config) named() engine.Hub {
	return engine.Hub{Context: engine.Clean(c.Context), Kubeconfig: engine.Clean(c.Kubeconfig), Flags: shell.QuoteWords(c.Flags)}
}

// Session keeps one hub in view until it is closed. Its methods may be called
// from any goroutine.
type Session struct {
	cfg Config
	options
	hub    *client.Client
	link   *link.Link
	in     *store.Inbox
	keeper *stream.Streams
	feed   *store.Feed
	near   *ask.Nearby
	rights *act.Rights

	ctx    context.Context
	cancel context.CancelFunc
	work   task.Group
	once   sync.Once
	user   atomic.Pointer[string]
	names  atomic.Pointer[[]engine.Text] // of namespaces; naming is set while they are read
	naming atomic.Bool
	// reviewed is closed when the hub has said who we are, or that it will not.
	reviewed chan struct{}
	writes   *act.Executor
	asks     *ask.Asker
	// restricting is held by Restrict.
	restricting sync.Mutex
}

// LogIn runs the credential plugin of a configuration for at most five minutes if it may
// ask a person, for Config.Known. It returns nil if there is nothing to ask.
func LogIn(ctx context.Context, cfg *rest.Config, in io.Reader, errs io.Writer) (*Credential, error) {
	return client.LogInFirst(ctx, cfg, plugin.Terminal{In: in, Err: errs})
}

// Open starts to watch. It sends nothing before it returns and does not fail
// because of the hub: an unreachable one shows in the Snapshots. The session
// ends when ctx ends or Close is called; the caller must call Close.
func Open(ctx context.Context, cfg Config) (*Session, error) {
	s, err := open(ctx, cfg, options{rows: true})
	if err == nil && cfg.Namespace != "" {
		s.Namespaces()
	}
	return s, err
}

// Namespaces returns the namespaces of the hub that were read last, and reads them again: the
// runs of one namespace name no other.
func (s *Session) Namespaces() []engine.Text {
	if s.naming.CompareAndSwap(false, true) {
		s.work.Go(func() {
			defer s.naming.Store(false)
			if names, err := namespacesOf(s.ctx, s.hub); err == nil {
				s.names.Store(&names)
			}
		})
	}
	if names := s.names.Load(); names != nil {
		return *names
	}
	return nil
}

// options are for this package alone.
type options struct {
	// whole is given every Snapshot to which nothing is missing.
	whole func(*engine.Snapshot)
	// brief sessions end before an act is possible: every set is read once, and permissions are
	// not reviewed.
	brief bool
	// rows is set if Want says which runs are shown: of others that have succeeded, only the rows are read.
	rows bool
	// named is Config.Named, or Reading.Named, for a session about some runs; nil for others.
	named func([]engine.ID) []engine.ID
	// placements is set if named may mean a placement: these are read if it selects no run.
	placements bool
	// reach says for which placements bindings are read.
	reach wanted.Reach
	// probing and checkEvery, where not zero, replace the constants.
	probing    link.ProbeConfig
	checkEvery time.Duration
	// patience is that of writes; what is zero in it is usual.
	patience act.Deadlines
}

func open(ctx context.Context, cfg Config, o options) (*Session, error) {
	if cfg.REST == nil {
		return nil, errors.New("open session: no connection given")
	}
	h, err := client.NewKnown(cfg.hub(), cfg.REST, cfg.Known)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	if o.brief {
		h.BePatient(retryWait, func(err error) { progress(&cfg, waitingFor(engine.Message(client.Message(err)))) })
	}
	cfg.Settings.ClusterRuns, cfg.Settings.NamespacedRuns = !cfg.NamespacedOnly, !cfg.ClusterOnly
	s := &Session{cfg: cfg, options: o, hub: h, in: store.NewInbox(), reviewed: make(chan struct{})}
	s.work.Panicked = cfg.OnPanic
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.link = link.New(time.Now(), o.reach <= wanted.ReachList, s.in.Touch)
	s.in.SetUser(engine.Clean(cfg.User))
	switch {
	case cfg.ClusterOnly:
		s.in.SetNamespaces(engine.Lit("the cluster scope"), false)
	case cfg.Namespace != "":
		s.in.SetNamespaces(engine.Textf("namespace %s", engine.Clean(cfg.Namespace)), false)
	default:
		s.in.SetNamespaces(engine.Lit("all namespaces"), false)
	}
	s.keeper = stream.New(stream.Config{
		Hub: h, Link: s.link, In: s.in, Work: &s.work, Settings: cfg.Settings,
		Namespace: cfg.Namespace, Fallback: cfg.FallbackNamespace, Reach: o.reach, Brief: o.brief, Rows: o.rows, Named: o.named, Placements: o.placements, CheckEvery: o.checkEvery,
		Started: func() {
			s.work.Go(func() { s.link.Probe(s.ctx, h, s.probing) })
			s.work.Go(func() { s.review(s.ctx) })
		},
		Loaded: func() { // before that, nothing is written
			if (cfg.Settings.ReadOnly.IsZero() || cfg.Settings.Raisable) && !o.brief {
				s.work.Go(func() { s.rights.Run(s.ctx) })
			}
		},
	})
	w := world.NewWorld(cfg.Settings)
	w.Triage = triage.Catalogue{}
	w.Hub, w.ReadOnce, w.ReadAgain = s.Named(), o.reach == wanted.ReachTrouble, o.reach.ReadsAgain()
	s.feed = store.NewFeed(s.in, w, s.link.View, h.Offset, s.published, h.PauseReads)
	s.writes = act.NewExecutor(act.Config{
		Hub: h, Context: cfg.Context, Named: cfg.named(), Configured: cfg.Settings, User: s.who, Audit: cfg.Audit,
		Learned: s.in.SetGrant, Raised: s.in.SetRaised, Deadlines: o.patience,
		Plan: func(ctx context.Context, run *placement.StagedUpdateRun) plan.Plan {
			p := ask.NewReader(h).Plan(ctx, run, ask.Assumptions{Approvals: true, StuckAfter: cfg.Settings.StuckAfter})
			p.Diagnose(s.feed.Latest().Find(p.Run))
			return p
		},
	})
	s.asks = ask.New(ask.Config{
		Hub: h, Named: cfg.named(), Seen: s.feed.Latest, Changes: s.in.Changes,
		Members: cfg.Members, QueryMembers: cfg.QueryMembers, Report: s.in.SetReport, StuckAfter: cfg.Settings.StuckAfter,
		ClusterRuns: cfg.Settings.ClusterRuns, NamespacedRuns: cfg.Settings.NamespacedRuns, Namespace: cfg.Namespace, Fallback: cfg.FallbackNamespace,
	})
	s.near = ask.NewNearby(ask.NewReader(h), &s.work, o.reach == wanted.ReachList || o.reach == wanted.ReachTrouble, s.in.SetNearby)
	s.rights = act.NewRights(h, cfg.Settings, cfg.Namespace, s.in.SetGrant)
	s.work.Go(func() { s.keeper.Run(s.ctx) }) // first: it connects
	s.work.Go(func() { s.feed.Run(s.ctx) })
	s.work.Go(func() { s.near.Run(s.ctx) })
	if cfg.Renew != nil && !o.brief {
		s.work.Go(func() { s.renew(s.ctx) })
	}
	return s, nil
}

// Named is how the command line named the hub, with the name in its IDs.
func (s *Session) Named() engine.Hub {
	h := s.cfg.named()
	h.Name, h.Server = s.hub.Name(), engine.Clean(s.hub.Server())
	return h
}

// Sets are the sets of objects that the session reads now.
func (s *Session) Sets() []Set { return s.link.Sets() }

// Leave waits for the act under way, at most for a while, before the process ends. If its
// outcome is not known then, it is recorded as unknown, and the Text says so. Close comes
// after it.
func (s *Session) Leave(wait time.Duration) engine.Text { return s.writes.Leave(wait) }

// Close ends the session and waits until all its goroutines have ended.
func (s *Session) Close() {
	s.once.Do(func() {
		s.cancel()
		s.hub.Close() // what hangs on a dead connection ends with it
	})
	s.work.Wait()
}

// Next returns the latest Snapshot that was not returned before and waits for
// one when there is none. Snapshots in between are skipped. It fails when ctx
// or the session has ended, and never because of the hub.
func (s *Session) Next(ctx context.Context) (*engine.Snapshot, error) {
	// If several are ready, select chooses any.
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.ctx.Err() != nil {
		return nil, ErrClosed
	}
	select {
	case snapshot := <-s.feed.Snapshots():
		return snapshot, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.ctx.Done():
		return nil, ErrClosed
	}
}

// Want says what the screen looks at now; streams for it start and others end.
// It does not wait for them.
func (s *Session) Want(f engine.Focus) {
	s.in.SetFocus(f)
	s.rights.Want(namespaceOf(f))
}

// published starts and ends reads for what a Snapshot shows.
func (s *Session) published(p store.Publication) {
	bindings := s.keeper.Want(p)
	s.near.Want(p.Snapshot, p.Focus)
	if s.whole != nil && p.Snapshot.Complete && s.bound(p, bindings) {
		s.whole(p.Snapshot)
	}
}

// bound reports whether the bindings of the placements are there, or it is known
// why they are not; for a list without a screen, everything that a row depends on.
func (s *Session) bound(p store.Publication, placements []engine.ID) bool {
	if s.reach == wanted.ReachTrouble && p.Snapshot.Pending() {
		return false
	}
	for _, id := range placements {
		switch p.Covered[world.CoverBindings(id)].State {
		case engine.CoverNotAsked, engine.CoverLoading:
			return false
		}
	}
	return true
}

// namespaceOf is the namespace of what a person looks at; empty when it is in
// none.
func namespaceOf(f engine.Focus) string {
	id := f.Run
	if id.IsZero() {
		id = f.Cursor
	}
	ns, _, _ := id.Raw()
	return ns
}

// who is the person as the hub knows them.
func (s *Session) who() string {
	if name := s.user.Load(); name != nil {
		return *name
	}
	return s.cfg.User
}

// review finds out who the hub says we are.
func (s *Session) review(ctx context.Context) {
	defer close(s.reviewed)
	for {
		name, err := s.hub.SelfReview(ctx)
		if err == nil {
			if name != "" {
				s.user.Store(&name)
				s.in.SetUser(engine.Clean(name))
			}
			return
		}
		switch client.KindOf(err) {
		case client.Forbidden, client.Missing, client.NotServed, client.Rejected:
			return // older hub, or not permitted: the kubeconfig's name stays
		}
		if !s.hub.Pause(ctx, client.Jitter(client.LoginPause(err))) {
			return
		}
	}
}
