package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/complete"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch"
)

// The words of clone's flags.
const (
	snapshotNewest  = "newest"
	snapshotSame    = "same"
	stateInitialize = "Initialize"
	stateRun        = "Run"
)

// cloneOptions are the flags of clone beside those that every act has.
type cloneOptions struct {
	name, placement, strategy, snapshot, state string
	deleteOld                                  bool
	// choice is what the flags say.
	choice act.Choice
}

func (c *cloneOptions) bind(cmd *cobra.Command, o *job.Options) {
	f := cmd.Flags()
	f.StringVar(&c.name, "name", "", "name of the new run (default the next free name)")
	f.StringVar(&c.snapshot, "snapshot", snapshotNewest, "newest, same (as the run), or the index of a resource snapshot")
	f.StringVar(&c.strategy, "strategy", "", "strategy, if not the run's")
	f.StringVar(&c.placement, "placement", "", "placement, if not the run's")
	f.StringVar(&c.state, "state", stateInitialize, "Initialize (start it later) or Run")
	f.BoolVar(&c.deleteOld, "delete-old", false, "also delete the original run, after a second confirmation")
	usage.Complete(cmd, "snapshot", complete.Choices(o, watch.NamesOfSnapshots, &c.placement, snapshotNewest, snapshotSame))
	usage.Complete(cmd, "placement", complete.Choices(o, watch.NamesOfPlacements, &c.placement))
	usage.Complete(cmd, "strategy", complete.Choices(o, watch.NamesOfStrategies, &c.placement))
	complete.Values(cmd, "state", []string{stateInitialize, stateRun})
}

// check refuses what no hub takes.
func (c *cloneOptions) check() error {
	c.choice = act.Choice{
		Name: engine.Clean(c.name), Placement: engine.Clean(c.placement), Strategy: engine.Clean(c.strategy), Start: c.state == stateRun,
	}
	switch c.snapshot {
	case "", snapshotNewest, snapshotSame:
	default:
		c.choice.Snapshot = engine.Clean(c.snapshot)
	}
	switch c.state {
	case "", stateInitialize, stateRun:
	default:
		return exit.Misuse(engine.Textf("invalid --state %q", engine.Clean(c.state)), engine.Lit("use Initialize or Run"))
	}
	if r := c.choice.Malformed(); r.Refused() {
		return exit.Misuse(r.Why, r.Hint)
	}
	return nil
}

// known fills in what the words mean for a run, and refuses what the hub does
// not have. What may not be read is left to the hub.
func (c *cloneOptions) known(ctx context.Context, s *watch.Session, v *engine.RunView) error {
	if c.snapshot == snapshotSame {
		if c.choice.Snapshot = v.UsedSnapshot(); c.choice.Snapshot.IsZero() {
			return &exit.Failure{
				Code: exit.NotFound, What: engine.Textf("%s has no snapshot yet", v.ID.Title()),
				Hint: engine.Lit("use --snapshot newest"),
			}
		}
	}
	if c.placement == "" && c.strategy == "" && c.choice.Snapshot.IsZero() {
		return nil
	}
	place := c.placement
	if place == "" {
		_, place, _ = v.Placement.Raw()
	}
	ns := v.ID.RawNamespace()
	about := v.ID.Beside(v.ID.Kind().InScope(engine.KindClusterResourcePlacement, engine.KindResourcePlacement), ns, place, "")
	a := s.Ask(ctx, page.ChoicesQuestion{Placement: about})
	if r := a.Choices.Lacks(c.choice.Placement, c.choice.Strategy, c.choice.Snapshot); r.Refused() {
		return &exit.Failure{Code: exit.NotFound, What: engine.Textf("cannot clone %s: %s", v.ID.Title(), r.Why), Hint: r.Hint}
	}
	return nil
}
