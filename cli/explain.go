package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch"
)

// newExplainCommand returns "stagewatch explain".
func newExplainCommand(t *terminal) *cobra.Command {
	o := job.Options{Color: tty.ColorAuto}
	var form string
	cmd := &cobra.Command{
		Use:   "explain [flags] RUN",
		Short: "Explain why a run is not progressing, with evidence, next steps and commands",
		Long: `explain prints the diagnosis of one run: its state, the cause, the chain of
causes, the evidence, the recovery, the next steps with kubectl commands, the
clusters in trouble, the next approvals and timed waits, the failed checks, and
the other unfinished runs of its placement. It lists what could not be read. It
writes nothing. RUN may also be a placement that no run rolls out, which the
list shows in brackets.

` + job.RunHelp,
		Example: `  stagewatch explain web-r5
  stagewatch explain shop/pay-r2 -o markdown      for a ticket
  stagewatch explain web-r5 -o json | jq -r '.run.commands[]'`,
		Args: usage.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, placed := strings.CutPrefix(args[0], "(") // as the list prints a placement without a run
			if placed {
				args[0] = strings.TrimSuffix(name, ")")
			}
			return aboutRun(&o, cmd, args, form, t, false, func(ctx context.Context, j *job.Job) error { return printExplained(ctx, j, placed, form, t) })
		},
	}
	bindPage(&o, cmd, &form, ofRun)
	o.BindMembers(cmd)
	return cmd
}

func printExplained(ctx context.Context, j *job.Job, placed bool, form string, t *terminal) error {
	j.Narrow()
	e, err := job.Logged(j, func() (*watch.Explained, error) {
		if placed {
			return explainPlacement(ctx, j, nil, t.err)
		}
		e, read, err := explain(ctx, j, t.err)
		if f := new(exit.Failure); read == nil || !errors.As(err, &f) || f.Code != exit.NotFound || j.Run.Kind() == engine.KindClusterStagedUpdateRun {
			return e, err
		}
		if v, no := j.Run.Placement(read, false); v == nil && !no.Refused() {
			return nil, err
		}
		return explainPlacement(ctx, j, err, t.err)
	})
	if err != nil {
		return j.InOtherScopes(ctx, err)
	}
	if err := writeExplained(t.out, e, form); err != nil {
		return fmt.Errorf("write explanation: %w", err)
	}
	return nil
}

// explain explains the run. read are the runs and placements among which it was looked for, or nil.
func explain(ctx context.Context, j *job.Job, errs io.Writer) (e *watch.Explained, read *engine.Snapshot, err error) {
	limited, cancel := j.Limited(ctx)
	defer cancel()
	bar := j.StartProgress(errs, job.ReadingRuns)
	defer bar.Stop()
	e, err = watch.Explain(limited, j.WatchConfig(), func(s *engine.Snapshot) (*engine.RunView, error) {
		read = s
		bar.Reads(job.ReadingRun)
		return j.Find(s, bar)
	})
	if err == nil {
		bar.Done()
	}
	return e, read, job.ReadFailure(ctx, j, err)
}

// explainPlacement explains the placement without a run that RUN names. notFound is why RUN names
// no run, nil for brackets, in which it can name none.
func explainPlacement(ctx context.Context, j *job.Job, notFound error, errs io.Writer) (*watch.Explained, error) {
	bar := j.StartProgress(errs, job.ReadingRuns)
	defer bar.Stop()
	s, err := job.Once(ctx, j, watch.Reading{})
	if err != nil {
		return nil, err
	}
	bar.Done()
	switch v, no := j.Run.Placement(s, notFound == nil); {
	case v != nil:
		return &watch.Explained{Snapshot: s, Run: v}, nil
	case no.Refused():
		return nil, exit.Misuse(no.Why, no.Hint)
	}
	return nil, cmp.Or(notFound, j.NoPlacement(s))
}

func writeExplained(w io.Writer, e *watch.Explained, form string) error {
	a := page.DiagnosisPage(e.Facts())
	return output.WriteAnswer(w, &a, e.Snapshot.Hub, form, func() any { return output.ExplainDocumentOf(e) })
}
