package job

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
)

// Limited is a context that ends after --request-timeout, if that was given.
func (j *Job) Limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if j.Conn.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, j.Conn.Timeout)
}

// Logged reads for a command without a screen, with what client-go logs in the
// file of --log-file.
func Logged[T any](j *Job, read func() (T, error)) (T, error) {
	log, err := tty.OpenJournal(j.LogFile)
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

// StartProgress says on errs what the command reads from its hubs; what is first. The caller must
// call Stop.
func (j *Job) StartProgress(errs io.Writer, what engine.Text) *tty.Progress {
	bar := tty.StartProgress(errs, what)
	for _, of := range j.Each() {
		of.progress = bar.Reads
	}
	return bar
}

// Once reads what a table needs. A hub that says nothing for five seconds counts
// as unreachable; --request-timeout bounds the whole.
func Once(ctx context.Context, j *Job, r watch.Reading) (*engine.Snapshot, error) {
	limited, cancel := j.Limited(ctx)
	defer cancel()
	s, err := watch.Once(limited, j.WatchConfig(), r)
	return s, ReadFailure(ctx, j, err)
}

// ReadFailure is the failure of a read: the one that a lookup made, or why the
// hub gave nothing.
func ReadFailure(ctx context.Context, j *Job, err error) error {
	var f *exit.Failure
	if err == nil || errors.As(err, &f) {
		return err
	}
	return OnceFailure(ctx, j, err)
}

// retryAfter is how long OpenLive waits before it tries again.
const retryAfter = time.Second

// OpenLive opens the session of a hub. While the hub cannot be reached, it tries again for as long
// as grace.
func (j *Job) OpenLive(ctx context.Context, grace time.Duration) (*watch.Session, *engine.Snapshot, error) {
	for end := time.Now().Add(grace); ; {
		s, snap, err := watch.OpenLive(ctx, j.LiveConfig(j.Run), j.Conn.Timeout)
		if !errors.Is(err, watch.ErrUnreachable) || time.Until(end) <= 0 {
			return s, snap, err //nolint:wrapcheck // OnceFailure reads it
		}
		again := time.NewTimer(retryAfter)
		select {
		case <-ctx.Done():
			again.Stop()
			return s, snap, err //nolint:wrapcheck // as above
		case <-again.C:
		}
	}
}

// OnceFailure turns why nothing whole was read into the words and the code that
// the program ends with.
func OnceFailure(ctx context.Context, j *Job, err error) error {
	if ctx.Err() != nil {
		return &exit.Failure{Code: exit.Interrupted, What: engine.Lit("interrupted")}
	}
	f := &exit.Failure{Code: exit.Failed, What: engine.Clean(err.Error())}
	var why *watch.OnceError
	if errors.As(err, &why) {
		f.Hint, f.Similar = why.Hint, why.Similar
	}
	switch {
	case errors.Is(err, watch.ErrForbidden):
		f.Code = exit.Forbidden
	case errors.Is(err, watch.ErrNoNamespace):
		f.Code, f.What = exit.NotFound, why.Err
	case errors.Is(err, watch.ErrNotServed):
		f.Code = exit.NotFound
		f.What, f.Hint = j.NoHub()
	case errors.Is(err, watch.ErrSelector):
		f.Code, f.What = exit.Usage, why.Err
	case errors.Is(err, watch.ErrUnreachable):
		f.Code = exit.Unreachable
	case errors.Is(err, context.DeadlineExceeded):
		f.Code = exit.Unreachable
		f.What = engine.Textf("not everything was read within %s", j.Conn.Timeout)
		f.Hint = engine.Lit("set a longer --request-timeout")
	}
	return f
}

// ReadingRuns is what a command without a screen reads first.
var ReadingRuns = engine.Lit("reading runs")

// ReadingBindings is what a command reads that is about bindings alone.
var ReadingBindings = engine.Lit("reading bindings")

// ReadingRun is what it reads once it knows the run that RUN names.
var ReadingRun = engine.Lit("reading the run")
