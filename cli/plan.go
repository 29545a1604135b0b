package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/complete"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/client"
)

// planOptions are the flags of plan beside those that every command has.
type planOptions struct {
	placement, strategy, snapshot, output string
	// assumeApprovals is for the forecast.
	assumeApprovals bool
}

// newPlanCommand returns "stagewatch plan".
func newPlanCommand(t *terminal) *cobra.Command {
	// What has no flag here has the value that it has elsewhere.
	o := job.Options{Color: tty.ColorAuto}
	var p planOptions
	cmd := &cobra.Command{
		Use:   "plan [flags] (RUN | --placement P --strategy S)",
		Short: "Show the stages and clusters of a run, and all failed checks",
		Long: `plan computes what a staged update run will do, by the controller's rules: the
stages with their clusters in order, the tasks, the first clusters of each
stage, the clusters of the deletion stage, all failed checks, and the competing
runs. It writes nothing.

The forecast estimates the completion of each stage and of the run from earlier
updates of the placement's clusters. There is no estimate after an approval;
--assume-approvals assumes that each is approved when it is requested.

An existing RUN is planned from its current state, a failed one as a new run
with the same spec. --placement and --strategy plan a run that does not exist:
a cluster run, or with --namespace a run of that namespace.

` + job.RunHelp,
		Example: `  stagewatch plan web-r5
  stagewatch plan --placement web --strategy slow --snapshot 4
  stagewatch plan -n shop --placement pay --strategy slow -o json | jq .failures`,
		Args: usage.OneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.check(args); err != nil {
				return err
			}
			return aboutRun(&o, cmd, args, p.output, t, false, func(ctx context.Context, j *job.Job) error { return printPlan(ctx, j, p, t) })
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&p.placement, "placement", "", "plan a run of this placement that does not exist")
	f.StringVar(&p.strategy, "strategy", "", "with --placement: the strategy of the run")
	f.StringVar(&p.snapshot, "snapshot", "", "with --placement: the index of the resource snapshot; without it the newest")
	f.BoolVar(&p.assumeApprovals, "assume-approvals", false, "in the forecast, assume that every approval is approved when it is requested")
	usage.Complete(cmd, "placement", complete.Choices(&o, watch.NamesOfPlacements, &p.placement))
	usage.Complete(cmd, "strategy", complete.Choices(&o, watch.NamesOfStrategies, &p.placement))
	usage.Complete(cmd, "snapshot", complete.Choices(&o, watch.NamesOfSnapshots, &p.placement))
	bindPage(&o, cmd, &p.output, "namespace of RUN, or of the run to plan")
	return cmd
}

// check refuses arguments that do not belong together.
func (p *planOptions) check(args []string) error {
	imagined := p.placement != "" || p.strategy != "" || p.snapshot != ""
	both := engine.Lit("name a RUN, or plan a new run with --placement and --strategy")
	switch {
	case imagined && len(args) > 0:
		return exit.Misuse(engine.Lit("RUN cannot be combined with --placement, --strategy or --snapshot"), both)
	case !imagined && len(args) == 0:
		return exit.Misuse(engine.Lit("required: RUN, or --placement and --strategy"), both)
	case imagined && (p.placement == "" || p.strategy == ""):
		return exit.Misuse(engine.Lit("--placement and --strategy must be used together"), both)
	}
	return nil
}

// printPlan makes the plan and prints it. It fails when the run would not go
// through, so that a script can ask before it creates one.
func printPlan(ctx context.Context, j *job.Job, o planOptions, t *terminal) error {
	p, err := job.Logged(j, func() (plan.Plan, error) { return makePlan(ctx, j, o, t.err) })
	if err != nil {
		return err
	}
	if err := writePlan(t.out, j, &p, o.output); err != nil {
		return fmt.Errorf("write plan: %w", err)
	}
	return judgePlan(&p)
}

// writePlan prints the page of a plan, which the screen shows too, or its document.
func writePlan(w io.Writer, j *job.Job, p *plan.Plan, form string) error {
	a := page.PlanPage(p)
	hub := engine.Hub{Context: engine.Clean(j.Conn.Context), Server: engine.Clean(client.WithoutUser(j.Conn.REST.Host))}
	return output.WriteAnswer(w, &a, hub, form, func() any { return output.PlanDocumentOf(j.Conn.Context, p) })
}

func makePlan(ctx context.Context, j *job.Job, o planOptions, errs io.Writer) (plan.Plan, error) {
	limited, cancel := j.Limited(ctx)
	defer cancel()
	var notes []engine.Text
	defer func() {
		for _, n := range notes {
			exit.Say(errs, "note: %s\n", n)
		}
	}()
	q := watch.PlanRequest{
		Run: j.Run, Scope: j.Scope, Fallback: j.Fallback, Note: func(n engine.Text) { notes = append(notes, n) },
		Namespace: j.Namespace, Placement: o.placement, Strategy: o.strategy, Snapshot: o.snapshot,
		AssumeApprovals: o.assumeApprovals,
	}
	bar := j.StartProgress(errs, job.ReadingRuns)
	defer bar.Stop()
	p, err := watch.Plan(limited, watch.Config{REST: j.Conn.REST, Context: j.Conn.Context, User: j.Conn.User, Settings: j.Settings, Progress: bar.Reads}, q)
	if err == nil {
		bar.Done()
		return p, nil
	}
	if ctx.Err() != nil {
		return p, &exit.Failure{Code: exit.Interrupted, What: engine.Lit("interrupted")}
	}
	f := &exit.Failure{Code: exit.Failed, What: engine.Clean(err.Error())}
	var why *watch.PlanError
	if errors.As(err, &why) {
		f.What, f.Hint = why.Err, why.Hint
	}
	if errors.Is(err, watch.ErrNoNamespace) {
		return p, job.OnceFailure(ctx, j, err)
	}
	switch {
	case errors.Is(err, watch.ErrForbidden):
		f.Code = exit.Forbidden
	case errors.Is(err, watch.ErrNotServed):
		f.Code = exit.NotFound
		f.What, f.Hint = j.NoHub()
	case errors.Is(err, watch.ErrNotFound):
		f.Code, f.NoRun = exit.NotFound, j.Run.Raw()
	case errors.Is(err, watch.ErrUnreachable):
		f.Code = exit.Unreachable
	case errors.Is(err, watch.ErrAmbiguous):
		f.Code = exit.Usage
	}
	return p, j.InOtherScopes(ctx, f)
}

// judgePlan is nil for a plan that is whole and refused by nothing.
func judgePlan(p *plan.Plan) error {
	which := engine.Lit("the run")
	if p.Again {
		which = engine.Lit("a new run with the same spec")
	}
	if n := len(p.Refusals); n > 0 {
		what := engine.Textf("%s will fail", which)
		switch {
		case p.Fails():
		case p.Initialized:
			what = engine.Lit("the run does not continue until the failed check passes")
		default:
			what = engine.Textf("%s is not initialized until the failed check passes", which)
		}
		if n > 1 {
			what = engine.Textf("%s: %d failed checks", what, n)
		}
		return &exit.Failure{Code: exit.Failed, What: what}
	}
	if doom := p.Doom(); !doom.IsZero() {
		return &exit.Failure{Code: exit.Failed, What: engine.Textf("%s will not succeed: %s", which, doom)}
	}
	code := exit.OK
	for _, u := range p.Unknown {
		code = exit.Unreachable
		if u.Forbidden {
			code = exit.Forbidden
			break
		}
	}
	if code == exit.OK {
		return nil
	}
	return &exit.Failure{
		Code: code, What: engine.Lit("the plan is incomplete: failed checks may be missing"),
		Hint: engine.Lit("see NOT READ"),
	}
}
