package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/watch"
)

// printRuns reads the runs once, prints them and reports what went wrong.
func printRuns(ctx context.Context, j *job, l *listing, t *terminal) error {
	if len(l.runs) == 1 {
		j.narrow()
	}
	var rows []*engine.RunView
	var unread error
	s, err := logged(j, func() (s *engine.Snapshot, err error) {
		bar := tty.StartProgress(t.err, readingRuns)
		defer bar.Stop()
		if len(j.others) > 0 {
			s, rows, unread, err = l.readHubs(ctx, j, bar, t)
			return s, err
		}
		s, rows, err = l.read(ctx, j, bar, t)
		return s, err
	})
	if err != nil {
		return err
	}
	if j.namespace == "" && !j.clusterOnly && len(j.others) == 0 && s.Scope.Namespaces != engine.Lit("all namespaces") {
		exit.Say(t.err, "note: only %s\n", s.Scope.Namespaces)
	}
	for _, n := range s.Scope.Notes {
		exit.Say(t.err, "note: %s\n", n)
	}
	chosen := column.Chosen(j.config.Columns, j.settings.Metadata)
	causes := l.form != "" && l.form != output.Table && l.form != output.Name
	if causes || slices.ContainsFunc(chosen, func(c column.Column) bool { return c.Bindings }) && l.form != output.Name {
		noteMissing(t.err, s, rows)
	}
	if err := output.WriteList(t.out, s, j.scope, l.sorted.Apply(rows, s.At), chosen, l.form, l.headers); err != nil {
		return fmt.Errorf("write runs: %w", err)
	}
	return unread
}

// limited is a context that ends after --request-timeout, if that was given.
func (j *job) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if j.conn.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, j.conn.Timeout)
}

// logged reads for a command without a screen, with what client-go logs in the
// file of --log-file.
func logged[T any](j *job, read func() (T, error)) (T, error) {
	log, err := tty.OpenJournal(j.logFile)
	if err != nil {
		var none T
		return none, exit.Misuse(engine.Clean(err.Error()), engine.Lit("name another file with --log-file"))
	}
	watch.Quiet(log)
	out, err := read()
	if cerr := log.Close(); err == nil {
		err = cerr
	}
	return out, err
}

// once reads what a table needs. A hub that says nothing for five seconds counts
// as unreachable; --request-timeout bounds the whole.
func once(ctx context.Context, j *job, r watch.Reading) (*engine.Snapshot, error) {
	limited, cancel := j.limited(ctx)
	defer cancel()
	s, err := watch.Once(limited, j.watchConfig(), r)
	return s, readFailure(ctx, j, err)
}

// readFailure is the failure of a read: the one that a lookup made, or why the
// hub gave nothing.
func readFailure(ctx context.Context, j *job, err error) error {
	var f *exit.Failure
	if err == nil || errors.As(err, &f) {
		return err
	}
	return onceFailure(ctx, j, err)
}

// onceFailure turns why nothing whole was read into the words and the code that
// the program ends with.
func onceFailure(ctx context.Context, j *job, err error) error {
	if ctx.Err() != nil {
		return &exit.Failure{Code: exit.Interrupted, What: engine.Lit("interrupted")}
	}
	f := &exit.Failure{Code: exit.Failed, What: engine.Clean(err.Error())}
	var why *watch.OnceError
	if errors.As(err, &why) {
		f.Hint = why.Hint
	}
	switch {
	case errors.Is(err, watch.ErrForbidden):
		f.Code = exit.Forbidden
	case errors.Is(err, watch.ErrNoNamespace):
		f.Code, f.What = exit.NotFound, why.Err
	case errors.Is(err, watch.ErrNotServed):
		f.Code = exit.NotFound
		f.What, f.Hint = j.noHub()
	case errors.Is(err, watch.ErrSelector):
		f.Code, f.What = exit.Usage, why.Err
	case errors.Is(err, watch.ErrUnreachable):
		f.Code = exit.Unreachable
	case errors.Is(err, context.DeadlineExceeded):
		f.Code = exit.Unreachable
		f.What = engine.Textf("not everything was read within %s", j.conn.Timeout)
		f.Hint = engine.Lit("set a longer --request-timeout")
	}
	return f
}

// readingRuns is what a command without a screen reads first.
var readingRuns = engine.Lit("reading runs")

// readingDetails shows how many of the placements on which rows depend have been read.
func readingDetails(bar *tty.Progress) func(read, total int) {
	return func(read, total int) {
		bar.Reads(engine.Textf("reading details: %d of %s", read, engine.Count(total, "placement")))
	}
}

// noteMissing says on stderr what rows depend on and was not read.
func noteMissing(errs io.Writer, s *engine.Snapshot, rows []*engine.RunView) {
	for _, n := range output.MissingNotes(s, rows) {
		exit.Say(errs, "note: %s\n", n)
	}
}
