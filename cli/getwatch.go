package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/follow"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/fleet"
)

// listWatch prints the rows of a list and each of their changes.
type listWatch struct {
	*listing
	j *job.Job
	t *terminal
	// listed is set when the list is printed, too.
	listed bool
	lines  output.Lines
	hubs   []*watchedHub
	all    *fleet.Fleet // nil for one hub
	// named is set once the RUN arguments were found.
	named bool
}

// watchedHub is what was printed of one hub.
type watchedHub struct {
	of       *job.Job
	session  *watch.Session
	selected *follow.Selected
	rows     follow.Rows
	// link is the state of the connection when it was last compared; live, loading, or another.
	link engine.LinkState
	// why is the reason why the hub cannot be read now; empty when it can. since is when that
	// began, and at the present of the latest Snapshot.
	why       engine.Text
	since, at time.Time
	// unselected is why the selector failed.
	unselected error
	// answered is set once all of its runs were received, begun once the rows are listed.
	answered, begun bool
}

// watchRuns prints the rows of a list and each of their changes until ctx ends, which is no
// failure, or nobody reads the output any more.
func watchRuns(ctx context.Context, j *job.Job, l *listing, listed bool, t *terminal) error {
	for _, of := range j.Each() {
		if of.Run = j.Run; len(l.runs) == 1 {
			of.Narrow()
		}
	}
	pipe := make(chan os.Signal, 1) // with it, a write to a closed pipe returns its error
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)
	columns := column.Chosen(j.Config.Columns, j.Settings.Fields)
	w := &listWatch{
		listing: l, j: j, t: t, listed: listed, named: len(l.runs) == 0,
		lines: output.Lines{W: t.out, Form: l.form, Headers: l.headers, Scope: j.Scope, Columns: columns},
	}
	wide := l.form != "" && l.form != output.Table && l.form != output.Name || slices.ContainsFunc(columns, func(c column.Column) bool { return c.Bindings })
	next, snap, err := w.open(ctx, wide)
	defer w.close()
	for err == nil {
		if err = w.look(ctx, snap); err != nil {
			break
		}
		var limit time.Duration
		if slices.ContainsFunc(w.hubs, func(h *watchedHub) bool { return h.rows.Waiting() }) {
			limit = follow.LookAgain
		}
		if snap, err = follow.Await(ctx, next, snap, limit); err != nil {
			return w.unread() // the end of ctx
		}
	}
	switch {
	case errors.Is(err, syscall.EPIPE):
		return nil
	case ctx.Err() != nil:
		return w.unread()
	}
	return err
}

// open starts to watch the hubs. The only one must answer; several are awaited while they are
// watched.
func (w *listWatch) open(ctx context.Context, wide bool) (next func(context.Context) (*engine.Snapshot, error), snap *engine.Snapshot, err error) {
	if len(w.j.Others) == 0 {
		s, snap, err := watch.OpenList(ctx, w.j.LiveConfig(w.runs...), w.j.Conn.Timeout, wide)
		if err != nil {
			return nil, nil, w.j.InOtherScopes(ctx, job.ReadFailure(ctx, w.j, err))
		}
		h := w.add(w.j, s, wide, engine.LinkLive)
		h.selected.From(ctx, snap)
		return h.selected.Next, snap, nil
	}
	var hubs []fleet.Hub
	for _, of := range w.j.Each() {
		s, err := watch.FollowList(ctx, of.WatchConfig(), wide)
		if err != nil {
			return nil, nil, err
		}
		hubs = append(hubs, fleet.Hub{Hub: s.Named(), Session: w.add(of, s, wide, engine.LinkLoading).selected})
	}
	w.all = fleet.New(ctx, hubs, nil)
	snap, err = w.all.Next(ctx)
	return w.all.Next, snap, err
}

// add begins to follow the rows of a hub.
func (w *listWatch) add(of *job.Job, s *watch.Session, wide bool, link engine.LinkState) *watchedHub {
	h := &watchedHub{of: of, session: s, selected: &follow.Selected{Session: s, Selector: w.choose}, rows: follow.Rows{Wide: wide}, link: link}
	w.hubs = append(w.hubs, h)
	return h
}

func (w *listWatch) close() {
	if w.all != nil {
		w.all.Close()
	}
	for _, h := range w.hubs {
		h.session.Close()
	}
}

// look prints what a Snapshot has changed.
func (w *listWatch) look(ctx context.Context, snap *engine.Snapshot) error {
	answered, failed := 0, 0
	for i, s := range snap.Each() {
		h := w.hubs[i]
		w.report(h, s)
		if !h.why.IsZero() && !h.begun {
			failed++
		}
		if h.answered || !h.why.IsZero() {
			answered++
		}
	}
	if failed == len(w.hubs) {
		if h := w.hubs[0]; h.unselected != nil {
			return job.ReadFailure(ctx, h.of, h.unselected)
		}
		return w.unread()
	}
	if !w.named {
		if answered < len(w.hubs) {
			return nil // one that has not answered may have the run
		}
		follows, err := w.listing.named(ctx, w.j, snap, snap.Runs, w.t)
		if err != nil {
			return err
		}
		w.follows, w.named = follows, true
	}
	for i, s := range snap.Each() {
		if err := w.print(w.hubs[i], s, snap); err != nil {
			return err
		}
	}
	return nil
}

// print prints the changes of one hub's rows; all has the rows of all hubs.
func (w *listWatch) print(h *watchedHub, s, all *engine.Snapshot) error {
	rows, ok, err := h.selected.Rows(s)
	if !ok || err != nil || !follow.Whole(s) || !h.why.IsZero() {
		return nil
	}
	if len(w.runs) > 0 {
		rows = slices.DeleteFunc(slices.Clone(rows), func(v *engine.RunView) bool {
			return !slices.ContainsFunc(w.follows, func(f *engine.RunView) bool { return f.ID == v.ID })
		})
	}
	shown := *all
	shown.At = s.At
	if !h.begun {
		w.lines.Widen(&shown, rows)
	}
	for _, c := range h.rows.Next(s, rows, time.Now()) {
		if !w.listed && c.Listed {
			continue
		}
		if err := w.lines.Write(&shown, c.Run, c.Kind); err != nil {
			return fmt.Errorf("write changes: %w", err)
		}
	}
	h.begun = true
	return nil
}

// report says on stderr that a hub does not answer or does not select, and that it does again.
func (w *listWatch) report(h *watchedHub, s *engine.Snapshot) {
	hub := engine.Lit("the hub")
	if len(w.hubs) > 1 {
		hub = engine.Textf("hub %s", s.Hub.Context)
	}
	say := func(what engine.Text) { exit.Say(w.t.err, "%s  %s\n", engine.Time(s.At, s.At), what) }
	was, now, readable := h.link, s.Link.State, h.why.IsZero()
	h.why = unreadBecause(s)
	h.answered = h.answered || follow.Whole(s) && h.why.IsZero()
	switch {
	case now == engine.LinkLoading || was != engine.LinkLoading && (now == engine.LinkLive) == (was == engine.LinkLive):
	case now == engine.LinkLive && s.Scope.NoHub:
		say(engine.Textf("%s: %s", hub, h.why))
	case now == engine.LinkLive && was == engine.LinkLoading:
	case now == engine.LinkLive:
		say(engine.Textf("reconnected to %s", hub))
	case was == engine.LinkLoading:
		say(engine.Textf("%s does not answer: %s", hub, h.why))
	default:
		say(engine.Textf("connection to %s lost: %s", hub, h.why))
	}
	if now != engine.LinkLoading {
		h.link = now
	}
	if _, ok, err := h.selected.Rows(s); ok && follow.Whole(s) {
		if (err == nil) != (h.unselected == nil) && (h.begun || len(w.hubs) > 1) {
			if err != nil {
				say(engine.Textf("%s: cannot evaluate the selector: %s", hub, engine.Clean(err.Error())))
			} else {
				say(engine.Textf("%s: the rows are selected again", hub))
			}
		}
		h.unselected = err
	}
	if h.why.IsZero() && h.unselected != nil {
		h.why = engine.Clean(h.unselected.Error())
	}
	if h.at = s.At; readable {
		h.since = s.At
	}
}

// unreadBecause says why a hub cannot be read as of a Snapshot; empty when it can, and while
// that is not known.
func unreadBecause(s *engine.Snapshot) engine.Text {
	switch {
	case s.Link.State == engine.LinkLoading:
	case s.Link.State != engine.LinkLive:
		return s.Link.Err
	case s.Scope.NoHub:
		return engine.Lit("this cluster has no KubeFleet hub API")
	}
	return engine.Text{}
}

// unread is the failure for those of several hubs that cannot be read, or not any more; nil where
// that is accepted, unless it is all of them.
func (w *listWatch) unread() error {
	var why []engine.Text
	listed := 0
	for _, h := range w.hubs {
		hub := h.session.Named().Context
		switch {
		case h.why.IsZero() && h.answered:
		case h.why.IsZero():
			why = append(why, engine.Textf("hub %s was not read: its runs were still loading", hub))
		case h.begun:
			why = append(why, engine.Textf("hub %s has not been read since %s: %s; later changes are missing", hub, engine.Clock(h.since, h.at), h.why))
			listed++
		default:
			why = append(why, engine.Textf("hub %s was not read: %s", hub, h.why))
		}
	}
	if len(w.hubs) == 1 || len(why) == 0 || w.j.Partial && len(why) < len(w.hubs) {
		return nil
	}
	f := job.Unread(why)
	if listed == len(why) {
		f.Hint = engine.Lit("run the command again to list the current runs")
	}
	return f
}
