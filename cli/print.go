package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
)

// printRuns reads the runs once, prints them and reports what went wrong.
func printRuns(ctx context.Context, j *job.Job, l *listing, t *terminal) error {
	if len(l.runs) == 1 {
		j.Narrow()
	}
	var rows []*engine.RunView
	var unread error
	s, err := job.Logged(j, func() (s *engine.Snapshot, err error) {
		bar := j.StartProgress(t.err, job.ReadingRuns)
		defer bar.Stop()
		if len(j.Others) > 0 {
			s, rows, unread, err = l.readHubs(ctx, j, bar, t)
		} else {
			s, rows, err = l.read(ctx, j, bar, t)
		}
		if err == nil {
			bar.Done()
		}
		return s, err
	})
	if err != nil {
		return err
	}
	if j.Namespace == "" && !j.ClusterOnly && len(j.Others) == 0 && s.Scope.Namespaces != engine.Lit("all namespaces") {
		exit.Say(t.err, "note: only %s\n", s.Scope.Namespaces)
	}
	for _, n := range slices.Concat(s.Scope.Notes, output.EmptyNotes(rows, l.form, !l.choose.IsZero())) {
		exit.Say(t.err, "note: %s\n", n)
	}
	chosen := column.Chosen(j.Config.Columns, j.Settings.Fields)
	causes := l.form != "" && l.form != output.Table && l.form != output.Name
	if causes || slices.ContainsFunc(chosen, func(c column.Column) bool { return c.Bindings }) && l.form != output.Name {
		noteMissing(t.err, s, rows)
	}
	if err := output.WriteList(t.out, s, j.Scope, l.sorted.Apply(rows, s.At), chosen, l.form, l.headers); err != nil {
		return fmt.Errorf("write runs: %w", err)
	}
	return unread
}

// noteMissing says on stderr what rows depend on and was not read.
func noteMissing(errs io.Writer, s *engine.Snapshot, rows []*engine.RunView) {
	for _, n := range output.MissingNotes(s, rows) {
		exit.Say(errs, "note: %s\n", n)
	}
}
