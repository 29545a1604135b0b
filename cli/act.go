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
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch"
)

// actOptions are the flags of a command that writes.
type actOptions struct {
	job.Options
	act            engine.Act
	before, after  bool
	note           string
	noWait         bool
	clone          cloneOptions
	dryRun, yes    bool
	confirmContext string
	stage          string
}

// actCommands returns the commands that do without a screen what its upper case
// keys do.
func actCommands(t *terminal) []*cobra.Command {
	docs := []struct {
		act              engine.Act
		use, short, long string
		args             int
		examples         string
	}{
		{
			engine.ActApprove, "approve RUN STAGE", "Approve a stage", "Approves the open approval of a stage, and waits until the controller has\naccepted it. It repairs an approval that was not accepted, too.", 2,
			"  stagewatch approve web-r5 prod --note CHG-1234\n  stagewatch approve shop/pay-r2 prod --dry-run",
		},
		{
			engine.ActRun, "run RUN", "Start an initialized run, or resume a stopped one", "Sets the state of a run to Run.", 1,
			"  stagewatch run web-r6\n  stagewatch run web-r6 --yes --confirm-context hub-prod",
		},
		{
			engine.ActStop, "stop RUN", "Stop a run", "Sets the state of a run to Stop: no cluster is started, updating clusters\nfinish.", 1,
			"  stagewatch stop web-r5 --note \"errors on eu-1\"\n  stagewatch stop shop/pay-r2 --dry-run",
		},
		{
			engine.ActClone, "clone RUN", "Clone a run", "Creates a run with the placement and the strategy of another, by default with\nthe newest resources and in state Initialize. Failed checks and competing runs\nare shown first.", 1,
			"  stagewatch clone web-r5\n  stagewatch clone web-r5 --snapshot same --strategy three-rings --dry-run",
		},
		{
			engine.ActDelete, "delete RUN", "Delete a run", "Deletes a run and its approval requests. Bindings keep their snapshots.", 1,
			"  stagewatch delete web-r4\n  stagewatch delete web-r4 --dry-run",
		},
	}
	out := make([]*cobra.Command, 0, len(docs))
	for _, d := range docs {
		a := &actOptions{act: d.act}
		cmd := &cobra.Command{
			Use: d.use + " [flags]", Short: d.short, Example: d.examples,
			Long: d.long + "\n\nWithout --yes the command shows the effect and asks for confirmation.\n\n" + job.RunHelp +
				"\nFor a namespaced run, give the namespace: -n NAMESPACE or NAMESPACE/NAME.",
			Args: usage.Exactly(d.args),
			RunE: func(cmd *cobra.Command, args []string) error {
				a.NamespaceGiven = cmd.Flags().Changed("namespace")
				if len(args) > 1 {
					a.stage = args[1]
				}
				ctx, stop := t.untilSignal(cmd.Context())
				defer stop()
				return a.run(ctx, args[:1], t)
			},
			SilenceErrors: true, SilenceUsage: true, DisableFlagsInUseLine: true,
		}
		a.bindAct(cmd)
		out = append(out, cmd)
	}
	return out
}

func (a *actOptions) bindAct(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	var next cobra.CompletionFunc
	switch a.act {
	case engine.ActApprove:
		next = complete.Approvable(&a.Options)
		f.BoolVar(&a.before, "before", false, "only the approval before the stage")
		f.BoolVar(&a.after, "after", false, "only the approval after the stage")
		f.BoolVar(&a.noWait, "no-wait", false, "do not wait until the controller accepts it")
	case engine.ActClone:
		a.clone.bind(cmd, &a.Options)
		a.BindMembers(cmd) // the warnings name the cause of a stuck run
	case engine.ActRun, engine.ActStop, engine.ActDelete, engine.ActNone:
	}
	f.StringVar(&a.note, "note", "", "reason, recorded in the audit log")
	f.BoolVar(&a.dryRun, "dry-run", false, "show the effect, run a server dry run, and change nothing")
	f.BoolVar(&a.yes, "yes", false, "do not ask for confirmation")
	f.StringVar(&a.confirmContext, "confirm-context", "", "name of the expected context, required with --yes for a protected context; it must match")
	f.BoolVar(&a.ReadOnly, "read-only", false, "reject all writes")
	a.BindStuck(f)
	a.Color = tty.ColorAuto
	a.BindConnection(f, "namespace of RUN")
	complete.Connection(cmd, &a.Options)
	usage.Complete(cmd, "confirm-context", complete.Contexts(&a.Kubeconfig))
	cmd.ValidArgsFunction = complete.Runs(&a.Options, next)
}

func (a *actOptions) run(ctx context.Context, args []string, t *terminal) error {
	if err := a.check(); err != nil {
		return err
	}
	j, err := a.Job(args)
	if err != nil {
		return err
	}
	j.Writes = true
	if j, err = j.Pick(ctx, t.err); err != nil {
		return j.InOtherScopes(ctx, err)
	}
	if a.confirmContext != "" && !j.Named(a.confirmContext) {
		return exit.Misuse(engine.Textf("--confirm-context is %s, but the context is %s", engine.Clean(a.confirmContext), engine.Clean(j.Conn.Context)),
			engine.Lit("add --context to act on another hub"))
	}
	watch.Quiet(io.Discard)
	j.Narrow()
	bar := j.StartProgress(t.err, job.ReadingRuns)
	cfg := j.WatchConfig()
	if a.act == engine.ActClone {
		cfg = j.LiveConfig(j.Run) // the name of the new run must be free
	}
	s, snap, err := watch.OpenLive(ctx, cfg, j.Conn.Timeout)
	bar.Stop()
	if err != nil {
		return j.InOtherScopes(ctx, job.ReadFailure(ctx, j, err))
	}
	defer s.Close()
	v, err := exactRun(j, snap, t.err)
	if err != nil {
		return j.InOtherScopes(ctx, err)
	}
	if look := a.looksAt(v); look != nil { // its warnings name the cause, and clusters that others have taken
		if snap, err = look(s, ctx, snap, v.ID); err != nil {
			return job.OnceFailure(ctx, j, err)
		}
		if now := snap.Find(v.ID); now != nil {
			v = now
		}
		if v.RowOnly {
			return &exit.Failure{Code: exit.Unreachable, What: engine.Textf("%s was not read in time", v.ID.Title()), Hint: engine.Lit("run the command again")}
		}
	}
	if a.act == engine.ActClone {
		if err := a.clone.known(ctx, s, v); err != nil {
			return err
		}
	}
	if err := a.hasStage(v); err != nil {
		return err
	}
	i, r := a.propose(snap, v)
	if r.Refused() {
		return refuse(snap, v, a.act, r)
	}
	if err := a.checkStage(v, i); err != nil {
		return err
	}
	asker := &tty.Prompt{In: t.in}
	if err := a.carryOut(ctx, s, snap, i, t, asker); err != nil || a.dryRun && !a.clone.deleteOld {
		return err
	}
	switch {
	case a.dryRun:
		return a.retire(ctx, s, snap, v, t, asker)
	case a.act == engine.ActApprove && !a.noWait:
		return accepted(ctx, s, i, t)
	case a.act == engine.ActClone && a.clone.deleteOld:
		return kept(i.Target, a.retire(ctx, s, snap, v, t, asker))
	}
	return nil
}

// looksAt returns how the run is read before an act on it; nil where the list says enough.
func (a *actOptions) looksAt(v *engine.RunView) func(*watch.Session, context.Context, *engine.Snapshot, engine.ID) (*engine.Snapshot, error) {
	clone, begun := a.act == engine.ActClone, !v.Started.IsZero() || a.act == engine.ActRun && v.Word == engine.WordReady
	switch {
	case clone && engine.IsRun(v.ID.Kind()) && v.Word != engine.WordDone: // a run may be stuck by its bindings alone
		return (*watch.Session).Diagnose
	case v.RowOnly, !clone && begun && !v.Terminal: // a start says which clusters it moves back
		return (*watch.Session).OpenRun
	}
	return nil
}

// retire deletes the run that was cloned.
func (a *actOptions) retire(ctx context.Context, s *watch.Session, snap *engine.Snapshot, v *engine.RunView, t *terminal, asker *tty.Prompt) error {
	old, r := act.Propose(snap, engine.ActDelete, v.ID, snap.At)
	if r.Refused() {
		return refuse(snap, v, engine.ActDelete, r)
	}
	return a.carryOut(ctx, s, snap, old, t, asker)
}

// kept says, where the old run was not deleted, that the new one is there.
func kept(made engine.ID, err error) error {
	var f *exit.Failure
	if errors.As(err, &f) {
		return &exit.Failure{Code: f.Code, What: engine.Textf("%s is created; deleting the old run: %s", made.Title(), f.What), Hint: f.Hint}
	}
	return err
}

// exactRun returns the run that an act is for. A name alone selects a namespaced
// run for reading, but not for writing.
func exactRun(j *job.Job, s *engine.Snapshot, errs io.Writer) (*engine.RunView, error) {
	v, err := j.Find(s, errs)
	if err != nil {
		return nil, err
	}
	if j.Run.Kind() == engine.KindUnknown && v.ID.Kind().Namespaced() {
		f := &exit.Failure{Code: exit.NotFound, What: engine.Textf("cluster run %q not found, and a namespaced run needs its namespace", j.Run.Name())}
		if m := j.Run.In(s, j.Scope); m.ClusterRunsUnread() {
			f.Code, f.What = exit.Unreachable, engine.Textf("cluster runs cannot be read: %q may be a cluster run too", j.Run.Name())
			if m.Forbidden() {
				f.Code = exit.Forbidden
			}
		}
		f.Hint = engine.Textf("to write to the run in namespace %s, name it as %s", v.ID.Namespace(), j.Scope.FormsIn(s).Of(v.ID))
		return nil, f
	}
	return v, nil
}

// check refuses values that no flag type refuses by itself, before anything is
// asked.
func (a *actOptions) check() error {
	if a.before && a.after {
		return exit.Misuse(engine.Lit("--before and --after cannot be used together"), engine.Text{})
	}
	return a.clone.check()
}

// carryOut shows one intent, asks the hub and the person, and sends it.
func (a *actOptions) carryOut(ctx context.Context, s *watch.Session, snap *engine.Snapshot, i act.Intent, t *terminal, asker *tty.Prompt) error {
	answer := s.Ask(ctx, page.DryRunQuestion{Intent: &i})
	if ctx.Err() != nil {
		return &exit.Failure{Code: exit.Interrupted, What: engine.Lit("interrupted; nothing was sent")}
	}
	exit.Say(t.err, "%s", output.Intent(snap, i, answer))
	if !answer.Err.IsZero() {
		return &exit.Failure{Code: exit.FaultCode(answer.Fault), What: engine.Textf("cannot %s: %s", engine.Clean(i.Act.String()), answer.Err), Hint: answer.Hint}
	}
	if a.dryRun {
		return nil
	}
	if err := a.confirm(ctx, i, snap.Hub, t, asker); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return &exit.Failure{Code: exit.Interrupted, What: engine.Lit("interrupted; nothing was sent")}
	}
	o, left := send(ctx, s, i.WithMessage(engine.Clean(a.note)))
	if !left.IsZero() {
		return &exit.Failure{Code: exit.Interrupted, What: left}
	}
	if o.Result != act.ResultApplied {
		f := &exit.Failure{Code: exit.FaultCode(o.Fault), What: engine.Textf("%s: %s", engine.Clean(o.Result.String()), o.What), Hint: o.Hint}
		if ctx.Err() != nil {
			f.Code = exit.Interrupted
		}
		return f
	}
	if _, err := fmt.Fprintf(t.out, "%s\n", o.What.String()); err != nil {
		return fmt.Errorf("write outcome: %w", err)
	}
	return nil
}

// send sends a confirmed intent. After a signal nothing is sent any more; the answer to what
// was sent has leaveWait to arrive. The Text says what became of a write without an answer.
func send(ctx context.Context, s *watch.Session, i act.Intent) (act.Outcome, engine.Text) {
	done := make(chan act.Outcome, 1)
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go func() { done <- s.Do(sending, i) }() // ends with the process at the latest
	select {
	case o := <-done:
		return o, engine.Text{}
	case <-ctx.Done():
	}
	if left := s.Leave(leaveWait); !left.IsZero() {
		return act.Outcome{}, left
	}
	stop() // the outcome is recorded, or nothing will be sent
	return <-done, engine.Text{}
}

func (a *actOptions) propose(s *engine.Snapshot, v *engine.RunView) (act.Intent, engine.Refusal) {
	if a.act == engine.ActClone {
		return act.ProposeClone(s, v.ID, a.clone.choice)
	}
	return act.Propose(s, a.act, v.ID, s.At)
}

// refuse is the failure for an act that the guard refuses.
func refuse(s *engine.Snapshot, v *engine.RunView, act engine.Act, r engine.Refusal) error {
	ns := v.ID.RawNamespace()
	code := exit.Failed
	if r.Hint.IsZero() && r.Why == s.WritesOff && s.Held == engine.HeldReadOnly {
		r.Hint = engine.Lit("change the configuration, or allow writes temporarily on the screen with {command}write")
	}
	if s.WritesOff.IsZero() && s.Access.Of(engine.Needs(act, v.ID.Kind(), ns)) == engine.GrantNo {
		code = exit.Forbidden
	}
	return &exit.Failure{Code: code, What: engine.Textf("cannot %s %s: %s", engine.Clean(act.String()), v.ID.Title(), r.Why), Hint: r.Hint}
}

// hasStage refuses a stage that the run does not have.
func (a *actOptions) hasStage(v *engine.RunView) error {
	if a.act != engine.ActApprove || len(v.Stages) == 0 {
		return nil
	}
	return job.NoStage(v, a.stage)
}

// checkStage refuses to approve another gate than the one that was named.
func (a *actOptions) checkStage(v *engine.RunView, i act.Intent) error {
	if a.act != engine.ActApprove {
		return nil
	}
	isBefore := false
	for _, g := range v.Current().Before {
		isBefore = isBefore || g.Request == i.Target
	}
	side := engine.Lit("after")
	if isBefore {
		side = engine.Lit("before")
	}
	if i.Stage() != a.stage || a.before && !isBefore || a.after && isBefore {
		return &exit.Failure{
			Code: exit.Failed,
			What: engine.Textf("cannot approve stage %s of %s: it waits for the approval %s stage %s",
				engine.Clean(a.stage), v.ID.Title(), side, engine.Clean(i.Stage())),
			Hint: engine.Textf("approve stage %s, without --before and --after", engine.Clean(i.Stage())),
		}
	}
	return nil
}
