package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/watch"
)

// acceptWithin is how long approve waits for the controller.
const acceptWithin = 90 * time.Second

// accepted waits until the controller has accepted an approval.
func accepted(ctx context.Context, s *watch.Session, i act.Intent, t *terminal) error {
	if _, _, state := i.Seen(); state != "" && state != "Run" {
		exit.Say(t.err, "note: the run's state is %s; the controller accepts the approval when it continues\n", engine.Clean(state))
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, acceptWithin)
	defer cancel()
	var last *engine.Snapshot
	for {
		snap, err := s.Next(limited)
		if ctx.Err() != nil {
			return &exit.Failure{Code: exit.Interrupted, What: engine.Lit("interrupted; the approval is written")}
		}
		if err != nil && last != nil && last.Link.State != engine.LinkLive {
			return &exit.Failure{
				Code: exit.Unreachable, What: engine.Textf("the approval is written, but its acceptance could not be confirmed within %s: %s", acceptWithin, last.WritesOff),
				Hint: last.Link.Hint,
			}
		}
		if err != nil {
			return &exit.Failure{
				Code: exit.Failed, What: engine.Textf("the approval is written, but the controller has not accepted it within %s", acceptWithin),
				Hint: engine.Lit("check that the hub agent is running"),
			}
		}
		last = snap
		v := snap.Find(i.Run)
		if v == nil {
			return &exit.Failure{Code: exit.NotFound, What: engine.Lit("the approval is written, but the run was deleted")}
		}
		if gatePassed(v, i.Target) || v.Word == engine.WordDone {
			if _, err := fmt.Fprintf(t.out, "%s is accepted by the controller\n", i.Target.Title()); err != nil {
				return fmt.Errorf("write outcome: %w", err)
			}
			return nil
		}
		if v.Terminal {
			return &exit.Failure{Code: exit.Failed, What: engine.Textf("the approval is written, but the run has ended: %s", v.Word), Hint: v.Why.What}
		}
	}
}

// gatePassed reports whether the gate of an approval request lets through.
func gatePassed(v *engine.RunView, request engine.ID) bool {
	for i := range v.Stages {
		for g := range v.Stages[i].Gates() {
			if g.Request == request && g.State == engine.GatePassed {
				return true
			}
		}
	}
	return false
}
