package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/complete"
	"github.com/stagewatch/stagewatch/cli/internal/contexts"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/statedir"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
)

// checksAtOnce is how many contexts --check contacts at the same time.
const checksAtOnce = 8

// contextsOptions are the flags of contexts.
type contextsOptions struct {
	kubeconfig, form, logFile string
	check, noHeaders          bool
}

// newContextsCommand returns "stagewatch contexts".
func newContextsCommand(t *terminal) *cobra.Command {
	o := &contextsOptions{}
	cmd := &cobra.Command{
		Use:   "contexts [flags] [NAME...]",
		Short: "List the contexts in the kubeconfig, likely hubs first",
		Long: `contexts lists the contexts of the kubeconfig, or only those that match a NAME, in which
* matches any characters. Known hubs, which served the hub API to a screen before, come first, then
those with hub or fleet in their name. It contacts no cluster.

With --check it asks each listed cluster whether it is a hub. It starts no
interactive login: a context that needs one is not checked.`,
		Example: `  stagewatch contexts
  stagewatch contexts 'hub-*' --check
  stagewatch contexts -o name`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := t.untilSignal(cmd.Context())
			defer stop()
			return o.print(ctx, args, t)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.form, "output", "o", "", "table, name, json, yaml or jsonpath=TEMPLATE")
	f.BoolVar(&o.check, "check", false, "check whether each listed cluster is a hub")
	f.BoolVar(&o.noHeaders, "no-headers", false, "print the table without its column heads")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "path of the kubeconfig file")
	f.StringVar(&o.logFile, "log-file", "", "append the log to this file")
	complete.Values(cmd, "output", output.ContextForms())
	cmd.ValidArgsFunction = complete.Contexts(&o.kubeconfig)
	return cmd
}

// print lists the contexts that args select.
func (o *contextsOptions) print(ctx context.Context, args []string, t *terminal) error {
	if no := output.CheckForm(o.form, output.ContextForms()); o.form != "" && no.Refused() {
		return exit.Misuse(no.Why, no.Hint)
	}
	conf, err := config.Load()
	if err != nil {
		return exit.Misuse(engine.Clean(err.Error()), engine.Lit(config.Hint))
	}
	all, err := contexts.List(o.kubeconfig, conf, statedir.Default().KnownHubs())
	if err != nil {
		return err
	}
	if len(args) > 0 {
		listed := all
		all = nil
		for _, pattern := range args {
			found := slices.DeleteFunc(slices.Clone(listed), func(c output.Context) bool { return !config.Match(pattern, c.Raw) })
			if len(found) == 0 {
				return contexts.NotListed(pattern, listed)
			}
			for i := range found {
				if !slices.ContainsFunc(all, func(c output.Context) bool { return c.Name == found[i].Name }) {
					all = append(all, found[i])
				}
			}
		}
	}
	if o.check {
		if err := o.ask(ctx, all, t); err != nil {
			return err
		}
	}
	if err := output.WriteContexts(t.out, all, o.check, !o.noHeaders, time.Now(), o.form); err != nil {
		return fmt.Errorf("write contexts: %w", err)
	}
	return nil
}

// ask fills in what the API servers of the contexts are.
func (o *contextsOptions) ask(ctx context.Context, all []output.Context, t *terminal) error {
	_, err := job.Logged(&job.Job{LogFile: o.logFile}, func() (struct{}, error) {
		bar := tty.StartProgress(t.err, engine.Lit("checking contexts"))
		defer bar.Stop()
		free := make(chan struct{}, checksAtOnce)
		var asks sync.WaitGroup
		for i := range all {
			asks.Go(func() {
				free <- struct{}{}
				defer func() { <-free }()
				o.askOne(ctx, &all[i])
			})
		}
		asks.Wait()
		return struct{}{}, nil
	})
	if err == nil && ctx.Err() != nil {
		err = &exit.Failure{Code: exit.Interrupted, What: engine.Lit("interrupted")}
	}
	return err
}

// askOne asks one context whether it is a hub.
func (o *contextsOptions) askOne(ctx context.Context, c *output.Context) {
	quiet := job.Options{Kubeconfig: o.kubeconfig, Color: tty.ColorAuto, StuckAfter: job.StuckAfterDefault}
	quiet.Overrides.CurrentContext = c.Raw
	j, err := quiet.Unattended()
	var served watch.Served
	if err == nil {
		served, err = watch.Serves(ctx, j.WatchConfig())
	}
	c.Kubernetes = served.Kubernetes
	var why *watch.OnceError
	switch {
	case err == nil:
		c.Status = "hub"
	case errors.Is(err, watch.ErrNotServed):
		c.Status = "not-a-hub"
	case errors.Is(err, job.ErrAttended):
		c.Status, c.Error = "not-asked", engine.Clean(err.Error())
	case errors.As(err, &why) && errors.Is(err, watch.ErrForbidden):
		c.Status, c.Error = "forbidden", why.Err
	case errors.As(err, &why):
		c.Status, c.Error = "unreachable", why.Err
	default:
		c.Status, c.Error = "failed", engine.Clean(err.Error())
	}
}
