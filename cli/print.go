package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
)

// printRuns reads the runs once, prints them and reports what went wrong.
func printRuns(ctx context.Context, j *job, output string, headers bool, t *terminal) error {
	if j.run.namespace != "" {
		// One run is asked for: the other namespaces need not be read.
		j.namespace = j.run.namespace
	}
	s, err := logged(j, func() (*engine.Snapshot, error) { return once(ctx, j) })
	if err != nil {
		return err
	}
	rows := s.Runs
	if j.run.name != "" {
		row, err := findRun(s, j.run, j.fallback)
		if err != nil {
			return err
		}
		rows = []*engine.RunView{row}
	}
	if j.namespace == "" && s.Scope.Namespaces != engine.Lit("all namespaces") {
		say(t.err, "%s: note: only %s\n", j.program, s.Scope.Namespaces)
	}
	for _, n := range s.Scope.Notes {
		say(t.err, "%s: note: %s\n", j.program, n)
	}
	if err := write(t.out, s, rows, output, headers); err != nil {
		return fmt.Errorf("write runs: %w", err)
	}
	return nil
}

// limited is a context that ends after --request-timeout, if that was given.
func (j *job) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if j.conn.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, j.conn.timeout)
}

// logged reads for a command without a screen, with what client-go logs in the
// file of --log-file.
func logged[T any](j *job, read func() (T, error)) (T, error) {
	log, err := openJournal(j.logFile)
	if err != nil {
		var none T
		return none, usage(engine.Clean(err.Error()), engine.Lit("name another file with --log-file"))
	}
	watch.Quiet(log)
	out, err := read()
	if cerr := log.Close(); err == nil {
		err = cerr
	}
	return out, err
}

// writeJSON prints what scripts read.
func writeJSON(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(document)
}

// once reads everything a table needs. A hub that says nothing for five seconds
// counts as unreachable; --request-timeout bounds the whole.
func once(ctx context.Context, j *job) (*engine.Snapshot, error) {
	limited, cancel := j.limited(ctx)
	defer cancel()
	s, err := watch.Once(limited, j.watchConfig())
	if err == nil {
		return s, nil
	}
	return nil, onceFailure(ctx, j, err)
}

// onceFailure turns why nothing whole was read into the words and the code that
// the program ends with.
func onceFailure(ctx context.Context, j *job, err error) error {
	if ctx.Err() != nil {
		return &failure{code: ExitInterrupted, what: engine.Lit("interrupted")}
	}
	f := &failure{code: ExitFailed, what: engine.Clean(err.Error())}
	var why *watch.OnceError
	if errors.As(err, &why) {
		f.hint = why.Hint
	}
	switch {
	case errors.Is(err, watch.ErrForbidden):
		f.code = ExitForbidden
	case errors.Is(err, watch.ErrNotServed):
		f.code = ExitNotFound
	case errors.Is(err, watch.ErrUnreachable):
		f.code = ExitUnreachable
	case errors.Is(err, context.DeadlineExceeded):
		f.code = ExitUnreachable
		f.what = engine.Textf("the hub did not tell everything within %s", j.conn.timeout)
		f.hint = engine.Lit("give it more with --request-timeout")
	}
	return f
}

// findRun returns the row a RUN argument means: with a namespace exactly that
// run; without one the cluster's run, else the one in the namespace in use,
// else the only one of that name.
func findRun(s *engine.Snapshot, ref runRef, namespace string) (*engine.RunView, error) {
	var found []*engine.RunView
	for _, r := range s.Runs {
		if r.Word == engine.WordNoRun {
			continue
		}
		ns, name, _ := r.ID.Raw()
		if name != ref.name || ref.namespace != "" && ns != ref.namespace {
			continue
		}
		if ns == ref.namespace {
			return r, nil
		}
		found = append(found, r)
	}
	for _, r := range found {
		if ns, _, _ := r.ID.Raw(); ns == namespace {
			return r, nil
		}
	}
	switch len(found) {
	case 0:
		if s.Scope.Hidden && ref.namespace == "" {
			return nil, &failure{
				code: ExitForbidden,
				what: engine.Textf("there is no run %s in %s, and the runs elsewhere are hidden: this user may not list them", ref.text(), s.Scope.Namespaces),
				hint: engine.Lit("ask for the right to list runs, or take another context"),
			}
		}
		return nil, &failure{
			code: ExitNotFound,
			what: engine.Textf("there is no run %s in %s", ref.text(), s.Scope.Namespaces),
			hint: engine.Lit("stagewatch -o name lists the runs there are"),
		}
	case 1:
		return found[0], nil
	}
	return nil, usage(
		engine.Textf("%d runs are called %s", len(found), ref.text()),
		engine.Textf("say which one: %s or %s", found[0].ID.Title(), found[1].ID.Title()))
}

// write prints the rows in the form that --output asks for.
func write(w io.Writer, s *engine.Snapshot, rows []*engine.RunView, output string, headers bool) error {
	switch output {
	case outputJSON:
		return writeJSON(w, documentOf(s, rows))
	case outputName:
		for _, r := range rows {
			if r.Word == engine.WordNoRun {
				continue
			}
			if _, err := fmt.Fprintln(w, r.ID.Title()); err != nil {
				return err
			}
		}
		return nil
	}
	return writeTable(w, s, rows, output == outputWide, headers)
}
