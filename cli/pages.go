package cli

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/complete"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/pages"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/fleet"
)

// pageCommands returns the commands that print a page of the screen.
func pageCommands(t *terminal) []*cobra.Command {
	all := pages.All()
	out := make([]*cobra.Command, len(all))
	for i := range all {
		o := &job.Options{Color: tty.ColorAuto}
		var form string
		var about pages.Subject
		out[i] = all[i].Command(job.RunHelp, &about)
		out[i].RunE = func(cmd *cobra.Command, args []string) error {
			if err := all[i].Check(cmd, args, about.All); err != nil {
				return err
			}
			about.Take(args)
			streams, err := all[i].Streams(cmd, &about, form)
			if err != nil {
				return err
			}
			return aboutRun(o, cmd, args, form, t, true, func(ctx context.Context, j *job.Job) error {
				if streams {
					return all[i].Stream(ctx, j, about, t.out, t.err)
				}
				return printPage(ctx, j, &all[i], about, form, t)
			})
		}
		bindPage(o, out[i], &form, ofRun)
		if all[i].Member {
			usage.Complete(out[i], "member-context", complete.Contexts(&o.Kubeconfig))
			out[i].ValidArgsFunction = complete.Runs(o, complete.Members(o))
		}
		if all[i].Logs {
			usage.Complete(out[i], "container", complete.Containers(o))
			out[i].ValidArgsFunction = complete.Runs(o, complete.Members(o), complete.Pods(o))
		}
	}
	return out
}

// ofRun describes --namespace of a command about one RUN.
const ofRun = "look for the RUN in this namespace"

// bindPage declares the flags of a command that prints a page.
func bindPage(o *job.Options, cmd *cobra.Command, form *string, namespace string) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(form, "output", "o", output.Text, "text, markdown, json, yaml or jsonpath=TEMPLATE")
	o.BindStuck(f)
	f.BoolVar(&o.NamespacedOnly, "namespaced-only", false, "look for the RUN in namespaces only")
	o.BindPartial(f)
	o.BindConnection(f, namespace)
	complete.Values(cmd, "output", output.PageForms())
	complete.Connection(cmd, o)
	cmd.ValidArgsFunction = complete.Runs(o, nil)
}

// aboutRun checks the flags and calls do with the job of the hub that has the run; several permits a
// job of several hubs for a command without a RUN.
func aboutRun(o *job.Options, cmd *cobra.Command, args []string, form string, t *terminal, several bool, do func(context.Context, *job.Job) error) error {
	if no := output.CheckForm(form, output.PageForms()); no.Refused() {
		return exit.Misuse(no.Why, no.Hint)
	}
	o.NamespaceGiven = cmd.Flags().Changed("namespace")
	j, err := o.Job(args)
	if err != nil {
		return err
	}
	ctx, stop := t.untilSignal(cmd.Context())
	defer stop()
	if !several || !j.Run.IsZero() {
		if j, err = j.Pick(ctx, t.err); err != nil {
			return j.InOtherScopes(ctx, err)
		}
	}
	return do(ctx, j)
}

// printPage reads a page and prints it.
func printPage(ctx context.Context, j *job.Job, p *pages.Page, about pages.Subject, form string, t *terminal) error {
	j.Narrow()
	var hub engine.Hub
	var unread error
	a, err := job.Logged(j, func() (a page.Answer, err error) {
		first := job.ReadingRuns
		if about.All {
			first = job.ReadingBindings
		}
		bar := j.StartProgress(t.err, first)
		defer bar.Stop()
		if len(j.Others) > 0 {
			hub, a, unread, err = pageOfHubs(ctx, j, p, about, bar, t)
		} else {
			hub, a, err = readPage(ctx, j, p, about, bar)
		}
		if err == nil && ctx.Err() == nil && a.Err.IsZero() {
			bar.Done()
		}
		return a, err
	})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return &exit.Failure{Code: exit.Interrupted, What: engine.Lit("interrupted")}
	}
	failure := p.Print(&a)
	if err := output.WritePage(t.out, &a, hub, form); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return cmp.Or(unread, failure)
}

// readPage reads a page of one hub.
func readPage(ctx context.Context, j *job.Job, p *pages.Page, about pages.Subject, bar *tty.Progress) (engine.Hub, page.Answer, error) {
	limited, cancel := j.Limited(ctx)
	defer cancel()
	var pick func(*engine.Snapshot) (*engine.RunView, error)
	if !j.Run.IsZero() {
		pick = func(s *engine.Snapshot) (*engine.RunView, error) {
			bar.Reads(job.ReadingRun)
			return j.Find(s, bar)
		}
	}
	reading := watch.Reading{NoRuns: about.All}
	hub, a, err := watch.Page(limited, j.WatchConfig(), reading, pick, func(v *engine.RunView, d *engine.Detail) (page.Question, error) {
		about.Run, about.Detail = v, d
		return p.Ask(about)
	})
	if err == nil && !a.Err.IsZero() && ctx.Err() == nil {
		err = &exit.Failure{Code: exit.FaultCode(a.Fault), What: a.Err, Hint: a.Hint}
	}
	return hub, a, j.InOtherScopes(ctx, job.ReadFailure(ctx, j, err))
}

// pageOfHubs reads a page of all hubs as one. unread is the failure for those that were not read, which
// the page names.
func pageOfHubs(ctx context.Context, j *job.Job, p *pages.Page, about pages.Subject, bar *tty.Progress, t *terminal) (hub engine.Hub, a page.Answer, unread, err error) {
	var mu sync.Mutex
	answers := map[engine.HubName]page.Answer{}
	all, _, failed := job.ReadEach(ctx, j, func(ctx context.Context, of *job.Job) (*engine.Snapshot, []*engine.RunView, error) {
		hub, a, err := readPage(ctx, of, p, about, bar)
		if err != nil {
			return nil, nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		answers[hub.Name] = a
		return &engine.Snapshot{Hub: hub, At: a.At}, nil, nil
	})
	bar.Stop()
	unread = j.UnreadHubs(all, failed, t.err)
	if len(failed) == len(j.Each()) {
		return hub, a, nil, unread
	}
	hubs, parts := make([]engine.Hub, len(all.Hubs)), make([]page.Answer, len(all.Hubs))
	for i, s := range all.Hubs {
		hubs[i], parts[i] = s.Hub, answers[s.Hub.Name]
		if !s.Link.Err.IsZero() {
			parts[i].Err = s.Link.Err
		}
	}
	return output.HubsOf(all), fleet.Join(nil, hubs, parts), unread, nil
}
