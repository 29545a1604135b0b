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
)

// watchRuns prints the rows of a list and each of their changes until ctx ends, which is no
// failure, or nobody reads the output any more.
func watchRuns(ctx context.Context, j *job.Job, l *listing, listed bool, t *terminal) error {
	if len(j.Others) > 0 {
		return exit.Misuse(engine.Lit("--watch supports only one hub"), engine.Lit("name one context with --context"))
	}
	if len(l.runs) == 1 {
		j.Narrow()
	}
	pipe := make(chan os.Signal, 1) // with it, a write to a closed pipe returns its error
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)
	columns := column.Chosen(j.Config.Columns, j.Settings.Metadata)
	rows := follow.Rows{Wide: l.form != "" && l.form != output.Table && l.form != output.Name || slices.ContainsFunc(columns, func(c column.Column) bool { return c.Bindings })}
	s, snap, err := watch.OpenList(ctx, j.WatchConfig(), j.Conn.Timeout, rows.Wide)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return job.OnceFailure(ctx, j, err)
	}
	defer s.Close()
	lines := output.Lines{W: t.out, Form: l.form, Headers: l.headers, Scope: j.Scope, Columns: columns}
	first := true
	for link := snap.Link.State; ; {
		chosen, err := l.rows(ctx, j, s, snap, first, t)
		if err != nil && ctx.Err() == nil && first {
			return job.ReadFailure(ctx, j, err)
		}
		if err == nil {
			if first {
				lines.Widen(snap, chosen)
			}
			for _, c := range rows.Next(snap, chosen, time.Now()) {
				if !listed && (first || rows.Listed(c)) {
					continue
				}
				if err := lines.Write(snap, c.Run, c.Kind); errors.Is(err, syscall.EPIPE) {
					return nil
				} else if err != nil {
					return fmt.Errorf("write changes: %w", err)
				}
			}
			first = first && !follow.Whole(snap)
		}
		if snap, err = rows.Await(ctx, s.Next, snap); err != nil {
			return nil // the end of ctx
		}
		if now := snap.Link.State; (now == engine.LinkLive) != (link == engine.LinkLive) {
			link = now
			what := engine.Lit("reconnected to the hub")
			if now != engine.LinkLive {
				what = engine.Textf("connection to the hub lost: %s", snap.Link.Err)
			}
			exit.Say(t.err, "%s  %s\n", engine.Time(snap.At, snap.At), what)
		}
	}
}

// rows are the rows of a Snapshot that are followed.
func (l *listing) rows(ctx context.Context, j *job.Job, s *watch.Session, snap *engine.Snapshot, first bool, t *terminal) ([]*engine.RunView, error) {
	if !follow.Whole(snap) {
		return nil, nil
	}
	var err error
	if !slices.Equal(l.seen, snap.Runs) { // a run that did not change keeps its pointer
		if l.chosen, err = s.Select(ctx, snap, l.choose); err != nil {
			return nil, err
		}
		l.seen = snap.Runs
	}
	rows := watch.Rows(snap, l.chosen)
	switch {
	case len(l.runs) == 0:
		return rows, nil
	case first:
		l.follows, err = l.named(j, snap, rows, t)
		return l.follows, err
	}
	return slices.DeleteFunc(slices.Clone(rows), func(v *engine.RunView) bool {
		return !slices.ContainsFunc(l.follows, func(f *engine.RunView) bool { return f.ID == v.ID })
	}), nil
}
