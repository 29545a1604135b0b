package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/build"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
)

// printInfo reads the runs of the hubs as a screen does, and prints what that took.
func printInfo(ctx context.Context, j *job.Job, form string, t *terminal) error {
	if form != "" && form != output.JSON && form != output.YAML {
		return exit.Misuse(engine.Textf("--info cannot be printed as %s", engine.Clean(form)), engine.Lit("use -o json, -o yaml, or no -o"))
	}
	ctx, stop := t.untilSignal(ctx)
	defer stop()
	hubs, err := job.Logged(j, func() ([]output.HubInfo, error) {
		bar := j.StartProgress(t.err, job.ReadingRuns)
		defer bar.Stop()
		var hubs []output.HubInfo
		for _, of := range j.Each() {
			limited, cancel := of.Limited(ctx)
			defer cancel()
			began := time.Now()
			s, snapshot, err := watch.OpenList(limited, of.WatchConfig(), 0, false)
			if err != nil {
				return nil, job.ReadFailure(ctx, of, err)
			}
			defer s.Close()
			hubs = append(hubs, output.HubInfo{Snapshot: snapshot, Sets: s.Sets(), At: time.Now(), Took: time.Since(began)})
		}
		return hubs, output.WriteInfo(t.out, build.Version(), hubs, form)
	})
	if err != nil {
		return err
	}
	if len(hubs) == 0 {
		return fmt.Errorf("no hub: %w", ctx.Err())
	}
	return nil
}
