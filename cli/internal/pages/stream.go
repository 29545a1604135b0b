package pages

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch"
)

// Streams reports whether the flags of a command ask for the lines of a log instead of its page.
func (p *Page) Streams(cmd *cobra.Command, about *Subject, form string) (bool, error) {
	if !p.Logs || !slices.ContainsFunc([]string{"follow", "tail", "since"}, cmd.Flags().Changed) {
		return false, nil
	}
	var wrong engine.Text
	switch {
	case form != output.Text:
		wrong = engine.Textf("--follow, --tail and --since print lines: -o %s is not possible", engine.Clean(form))
	case about.Lines.Tail < -1:
		wrong = engine.Lit("--tail must be -1 or more")
	case about.Lines.Since < 0, cmd.Flags().Changed("since") && about.Lines.Since == 0:
		wrong = engine.Lit("--since must be positive")
	default:
		return true, nil
	}
	return false, exit.Misuse(wrong, engine.Lit("stagewatch help logs lists the flags"))
}

// Stream prints the lines of a log as they come, and what they are of on errs.
func (p *Page) Stream(ctx context.Context, j *job.Job, about Subject, out, errs io.Writer) error {
	j.Narrow()
	printing, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	opening, opened := j.Limited(printing)
	defer opened()
	bar := j.StartProgress(errs, job.ReadingRuns)
	defer bar.Stop()
	lines := watch.LogOutput{
		Of: func(of engine.Text) {
			bar.Stop()
			exit.Say(errs, "note: log of %s\n", of)
		},
		Line: func(line engine.Text) {
			if _, err := fmt.Fprintf(out, "%s\n", line.String()); err != nil {
				cancel(fmt.Errorf("write log: %w", err))
			}
		},
	}
	a, err := job.Logged(j, func() (page.Answer, error) {
		return watch.StreamLog(printing, opening, j.WatchConfig(), func(s *engine.Snapshot) (*engine.RunView, error) {
			bar.Reads(job.ReadingRun)
			return j.Find(s, bar)
		}, func(v *engine.RunView, d *engine.Detail) (page.Question, error) {
			about.Run, about.Detail = v, d
			return p.Ask(about)
		}, about.Lines, lines)
	})
	bar.Stop()
	switch {
	case ctx.Err() != nil:
		return &exit.Failure{Code: exit.Interrupted, What: engine.Lit("interrupted")}
	case printing.Err() != nil:
		return context.Cause(printing)
	case err != nil:
		return j.InOtherScopes(ctx, job.ReadFailure(ctx, j, err))
	case !a.Err.IsZero():
		return &exit.Failure{Code: exit.FaultCode(a.Fault), What: a.Err, Hint: a.Hint}
	case !a.Unread.IsZero():
		return &exit.Failure{Code: exit.Failed, What: a.Unread}
	}
	return nil
}
