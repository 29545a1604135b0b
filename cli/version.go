package cli

import (
	"context"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/build"
	"github.com/stagewatch/stagewatch/cli/internal/complete"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
)

// newVersionCommand returns "stagewatch version".
func newVersionCommand(t *terminal) *cobra.Command {
	o := &job.Options{Color: tty.ColorAuto, StuckAfter: job.StuckAfterDefault}
	var form string
	var client bool
	cmd := &cobra.Command{
		Use:   "version [flags]",
		Short: "Print the versions of stagewatch and the hub, and the API versions the hub serves",
		Long: `version prints the version of stagewatch, the Kubernetes version of the hub, and the
API versions in which the hub serves each kind that stagewatch reads. It writes
nothing. With --client it contacts no hub.`,
		Example: `  stagewatch version
  stagewatch version --client
  stagewatch version -o jsonpath='{.hubs[0].api}'`,
		Args: usage.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if no := output.CheckForm(form, output.VersionForms()); no.Refused() {
				return exit.Misuse(no.Why, no.Hint)
			}
			if client {
				return output.WriteVersions(t.out, build.Version(), nil, form)
			}
			j, err := o.Job(nil)
			if err != nil {
				return err
			}
			ctx, stop := t.untilSignal(cmd.Context())
			defer stop()
			return printVersions(ctx, j, form, t)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&form, "output", "o", output.Text, "text, json, yaml or jsonpath=TEMPLATE")
	f.BoolVar(&client, "client", false, "only the version of stagewatch; contact no hub")
	o.BindPartial(f)
	o.BindConnection(f, "not used: versions are those of the whole hub")
	complete.Values(cmd, "output", output.VersionForms())
	complete.Connection(cmd, o)
	return cmd
}

// printVersions reads what the hubs serve, prints it, and fails for the hubs that were not
// read.
func printVersions(ctx context.Context, j *job.Job, form string, t *terminal) error {
	jobs := j.Each()
	hubs, errs := make([]output.ServedBy, len(jobs)), make([]error, len(jobs))
	if _, err := job.Logged(j, func() (struct{}, error) {
		bar := tty.StartProgress(t.err, engine.Lit("reading versions"))
		defer bar.Stop()
		var reads sync.WaitGroup
		for i, of := range jobs {
			reads.Go(func() {
				limited, cancel := of.Limited(ctx)
				defer cancel()
				served, err := watch.Serves(limited, of.WatchConfig())
				hubs[i], errs[i] = output.ServedBy{Served: served}, job.ReadFailure(ctx, of, err)
				if errs[i] != nil {
					hubs[i].Err = engine.Clean(errs[i].Error())
				}
			})
		}
		reads.Wait()
		return struct{}{}, nil
	}); err != nil {
		return err
	}
	if err := output.WriteVersions(t.out, build.Version(), hubs, form); err != nil {
		return fmt.Errorf("write versions: %w", err)
	}
	return unreadVersions(j, hubs, errs)
}

// unreadVersions is the failure for hubs that were not read; nil where that is accepted.
func unreadVersions(j *job.Job, hubs []output.ServedBy, errs []error) error {
	if len(hubs) == 1 {
		return errs[0]
	}
	var why []engine.Text
	for i := range hubs {
		if errs[i] != nil {
			why = append(why, engine.Textf("hub %s was not read: %s", hubs[i].Hub.Context, hubs[i].Err))
		}
	}
	if len(why) == 0 || j.Partial && len(why) < len(hubs) {
		return nil
	}
	return job.Unread(why)
}
