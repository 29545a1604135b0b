package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/complete"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/cli/internal/until"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/watch"
)

// graceDefault is how long a hub may be out of reach before wait gives up.
const graceDefault = 2 * time.Minute

// What ends a wait before, beside the end of the run.
const (
	failStuck    = "stuck"
	failApproval = "approval"
	failStopped  = "stopped"
	failNone     = "none"
)

// waitOptions are the flags of wait.
type waitOptions struct {
	job.Options
	until          string
	target         until.Target // that of until
	failOn         []string
	timeout, grace time.Duration
	first          time.Duration // how long the first connection is tried
	quiet          bool
}

// newWaitCommand returns "stagewatch wait".
func newWaitCommand(t *terminal) *cobra.Command {
	o := waitOptions{Options: job.Options{Color: tty.ColorAuto}}
	cmd := &cobra.Command{
		Use:   "wait [flags] RUN",
		Short: "Wait until a run is done or needs attention",
		Long: `wait follows a run until it is done or needs attention, or until what --for names.
It exits with 1 when the run has failed or was preempted, 3 when it is stuck, LATE,
or NOT OBSERVED for a minute, or will fail when it continues, 4 when it waits for an
approval, 5 when it is stopped or not started, 6 when it is deleted, 124 after
--timeout. The last line on stderr gives the reason. It writes nothing.

` + job.RunHelp,
		Example: `  stagewatch wait web-r5 --timeout 2h && deploy-dashboards
  stagewatch wait web-r5 --for stage=canary
  stagewatch wait web-r5 --for condition=Succeeded --timeout 2h
  stagewatch wait web-r5 --for jsonpath='{.spec.state}'=Stop
  stagewatch wait web-r5 --for state=stuck,failed     for an alert
  stagewatch wait web-r5 --for delete
  stagewatch wait web-r5 --fail-on none           do not end for stuck, approval or stopped`,
		Args: usage.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("for") && cmd.Flags().Changed("until") {
				return exit.Misuse(engine.Lit("--for and --until cannot be used together"), engine.Lit("they are the same flag"))
			}
			if err := o.check(); err != nil {
				return err
			}
			if cmd.Flags().Changed("grace") { // else a wrong context is reported at once
				o.first = o.grace
			}
			o.NamespaceGiven = cmd.Flags().Changed("namespace")
			j, err := o.Job(args)
			if err != nil {
				return err
			}
			ctx, stop := t.untilSignal(cmd.Context())
			defer stop()
			of, err := j.Pick(ctx, t.err)
			if err != nil {
				return o.deleted(ctx, j, err, t)
			}
			of.Settings.Fields = o.target.Fields()
			_, err = job.Logged(of, func() (struct{}, error) { return struct{}{}, o.wait(ctx, of, t) })
			return err
		},
		DisableFlagsInUseLine: true,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.until, "for", until.Done, until.Forms)
	f.StringVar(&o.until, "until", until.Done, "the same as --for")
	f.StringSliceVar(&o.failOn, "fail-on", []string{failStuck, failApproval, failStopped}, "states that end the wait early: stuck, approval, stopped, or none; the end of the run always ends it")
	f.DurationVar(&o.timeout, "timeout", 0, "exit with 124 after this time; 0 means no limit")
	f.DurationVar(&o.grace, "grace", graceDefault, "how long the hub may be unreachable; the first connection is tried that long only if the flag is set")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "do not print progress on stderr")
	o.BindStuck(f)
	o.BindMembers(cmd)
	o.BindPartial(f)
	o.BindConnection(f, "look for the RUN in this namespace")
	for _, flag := range []string{"for", "until"} {
		usage.Complete(cmd, flag, complete.Until(&o.Options))
	}
	complete.Values(cmd, "fail-on", []string{failStuck, failApproval, failStopped, failNone})
	complete.Connection(cmd, &o.Options)
	cmd.ValidArgsFunction = complete.Runs(&o.Options, nil)
	return cmd
}

// check refuses values that no flag type refuses by itself.
func (o *waitOptions) check() error {
	var err error
	if o.target, err = until.Parse(o.until); err != nil {
		return err
	}
	for _, f := range o.failOn {
		if !slices.Contains([]string{failStuck, failApproval, failStopped, failNone}, f) {
			return exit.Misuse(engine.Textf("invalid --fail-on %q", engine.Clean(f)), engine.Lit("use stuck, approval, stopped, or none"))
		}
	}
	if slices.Contains(o.failOn, failNone) && len(o.failOn) > 1 {
		return exit.Misuse(engine.Lit("--fail-on none cannot be combined with other values"), engine.Text{})
	}
	if o.timeout < 0 || o.grace < 0 {
		return exit.Misuse(engine.Lit("--timeout and --grace must not be negative"), engine.Lit("use a duration like 5m"))
	}
	return nil
}

// wait follows the run of a job to its end.
func (o *waitOptions) wait(ctx context.Context, j *job.Job, t *terminal) error {
	j.Narrow()
	timed, cancel := ctx, context.CancelFunc(func() {})
	if o.timeout > 0 {
		timed, cancel = context.WithTimeout(ctx, o.timeout)
	}
	defer cancel()
	log := t.err
	if o.quiet {
		log = io.Discard
	}
	bar := j.StartProgress(log, job.ReadingRuns)
	defer bar.Stop()
	s, snap, err := j.OpenLive(timed, o.first)
	if err != nil {
		if ctx.Err() == nil && timed.Err() != nil {
			return &exit.Failure{Code: exit.Timeout, What: engine.Textf("not everything was read within %s", o.timeout)}
		}
		return o.deleted(ctx, j, job.ReadFailure(ctx, j, err), t)
	}
	defer s.Close()
	notes := io.Writer(bar)
	if o.quiet {
		notes = t.err
	}
	v, err := j.Find(snap, notes)
	if err != nil {
		bar.Stop()
		return o.deleted(ctx, j, err, t)
	}
	bar.Reads(job.ReadingRun)
	// State and reason depend on the run's bindings: an end is judged with them.
	if snap, err = s.OpenRun(timed, snap, v.ID); err != nil {
		return job.OnceFailure(ctx, j, err)
	}
	bar.Stop()
	w := &waiting{waitOptions: o, id: v.ID, began: standingOf(v)}
	for remedied, noted := false, false; ; {
		if end := w.look(snap, t); end != nil {
			if end.Code != exit.OK && !remedied && (snap.Awaits(v.ID) || w.last != nil && w.last.Why.AsksMember) {
				// Cause and remedy of a run that has just stopped depend on what is read now.
				remedied = true
				if snap, err = s.Diagnose(timed, snap, v.ID); err != nil {
					return job.OnceFailure(ctx, j, err)
				}
				continue
			}
			if !noted {
				noteMissing(t.err, snap, []*engine.RunView{v})
			}
			if end.Code != exit.OK {
				return end
			}
			if _, err := fmt.Fprintf(t.out, "%s\n", end.What.String()); err != nil {
				return fmt.Errorf("write outcome: %w", err)
			}
			return nil
		}
		if !noted {
			noted = true
			noteMissing(t.err, snap, []*engine.RunView{v})
		}
		if snap, err = w.next(ctx, timed, s, snap); err != nil {
			return err
		}
	}
}

// deleted is nil for a run that is not found while its deletion is waited for, as for kubectl; else err.
func (o *waitOptions) deleted(ctx context.Context, j *job.Job, err error, t *terminal) error {
	var f *exit.Failure
	if !o.target.Deletion() || !errors.As(err, &f) || f.NoRun == "" {
		return j.InOtherScopes(ctx, err)
	}
	exit.Say(t.out, "%s\n", f.What)
	return nil
}

// waiting is a wait that is under way.
type waiting struct {
	*waitOptions
	id    engine.ID
	began engine.Text
	told  engine.Text
	last  *engine.RunView // as last seen
}

// standingOf is what a change of is told: the word and the stage.
func standingOf(v *engine.RunView) engine.Text {
	return engine.Textf("%s %s", column.State(v), column.Stage(v))
}

// next waits for the next Snapshot, for the time that a hub out of reach has.
func (w *waiting) next(ctx, timed context.Context, s *watch.Session, snap *engine.Snapshot) (*engine.Snapshot, error) {
	limited, cancel := timed, context.CancelFunc(func() {})
	if snap.Link.State != engine.LinkLive {
		limited, cancel = context.WithTimeout(timed, w.grace)
	}
	defer cancel()
	for {
		next, err := s.Next(limited)
		switch {
		case ctx.Err() != nil:
			return nil, &exit.Failure{Code: exit.Interrupted, What: engine.Lit("interrupted")}
		case timed.Err() != nil:
			return nil, &exit.Failure{Code: exit.Timeout, What: engine.Textf("timed out after %s: %s%s", w.timeout, w.standing(w.last), column.Because(w.last))}
		case err != nil && limited.Err() != nil:
			return nil, lost(snap, w.grace)
		case err != nil:
			return nil, fmt.Errorf("follow run: %w", err)
		case snap.Link.State == engine.LinkLive || next.Link.State == engine.LinkLive:
			return next, nil
		}
		snap = next // still out of reach: the time goes on
	}
}

// lost is the failure for a hub that stayed out of reach.
func lost(s *engine.Snapshot, grace time.Duration) error {
	f := &exit.Failure{Code: exit.Unreachable, What: engine.Textf("the hub has been unreachable for %s: %s", grace, s.Link.Err), Hint: s.Link.Hint}
	if s.Link.State == engine.LinkRefused {
		f.Code, f.What = exit.Forbidden, engine.Textf("the hub has been rejecting this user for %s: %s", grace, s.Link.Err)
	}
	if s.Link.LoginFailed {
		f.What = engine.Textf("the login to the hub has been failing for %s: %s", grace, s.Link.Err)
	}
	return f
}

// look says whether a Snapshot ends the wait, and tells on stderr what has
// changed.
func (w *waiting) look(s *engine.Snapshot, t *terminal) *exit.Failure {
	if s.Link.State != engine.LinkLive {
		return nil
	}
	v := s.Find(w.id)
	if v == nil {
		if !s.Complete {
			return nil
		}
		f := &exit.Failure{Code: exit.NotFound, What: engine.Textf("%s was deleted", w.id.Title())}
		if w.target.Deletion() {
			f.Code = exit.OK
		}
		return f
	}
	if v.Partial {
		return nil
	}
	w.last = v
	if now := standingOf(v); now != w.told && !w.quiet {
		w.told = now
		exit.Say(t.err, "%s  %s  %s  %s  %s done\n", engine.Time(s.At, s.At), v.ID.Title(), column.State(v), output.Cell(column.Stage(v)), output.Cell(column.Done(v)))
	}
	return w.end(v, s.At)
}

// notObservedLong is how long a change may be NOT OBSERVED before it ends a wait: a
// controller that is busy with another run observes it later.
const notObservedLong = time.Minute

// end is how a run that stands so ends the wait; nil while it does not.
func (w *waiting) end(v *engine.RunView, now time.Time) *exit.Failure {
	reached, err := w.target.Reached(v, standingOf(v) != w.began)
	var f *exit.Failure
	switch {
	case errors.As(err, &f):
		return f
	case w.target.Deletion() && v.Word != engine.WordDeleting:
		return nil
	case reached:
		return &exit.Failure{Code: exit.OK, What: engine.Textf("%s, %s clusters done", w.standing(v), engine.Clean(output.Cell(column.Done(v))))}
	}
	code := exit.OK
	fails := func(on string) bool { return slices.Contains(w.failOn, on) }
	switch v.Word {
	case engine.WordFailed, engine.WordInitFailed, engine.WordPreempted, engine.WordDone, engine.WordUnreadable:
		code = exit.Failed
	case engine.WordStuck:
		if fails(failStuck) {
			code = exit.Stuck
		}
	case engine.WordApproval, engine.WordNotAccepted:
		if fails(failApproval) {
			code = exit.Approval
		}
	case engine.WordStopped, engine.WordReady:
		if fails(failStopped) {
			code = exit.Stopped
		}
	case engine.WordNotObserved:
		if now.Sub(v.Since) >= notObservedLong && fails(failStuck) {
			code = exit.Stuck
		}
	default:
		if v.Late && fails(failStuck) {
			code = exit.Stuck
		}
	}
	if v.Why.Fails && (code == exit.Approval || code == exit.Stopped) && fails(failStuck) { // what lets it continue ends it
		code = exit.Stuck
	}
	if code == exit.OK && (v.Why.Fails || v.Word == engine.WordWaiting && v.NeedsAttention()) && fails(failStuck) {
		code = exit.Stuck
	}
	if code == exit.OK {
		return nil
	}
	return &exit.Failure{Code: code, What: engine.Textf("%s%s", w.standing(v), column.Because(v)), Hint: v.Why.Next.WithCommand("diagnose", "stagewatch explain "+runref.Scope{}.Forms(nil).Of(v.ID).String())}
}

// standing says in words how the run stands; v is nil if it was not read whole.
func (w *waiting) standing(v *engine.RunView) engine.Text {
	if v == nil {
		v = &engine.RunView{}
	}
	return engine.Textf("%s %s", w.id.Title(), column.Phrase(v.Word, v.Late))
}
