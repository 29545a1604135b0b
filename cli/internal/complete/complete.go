// Package complete offers a shell the values of arguments and flags. What comes from hubs is
// read within a short time; a hub that does not answer, or whose login may ask a person, offers
// nothing and reports nothing. Nothing is written.
package complete

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/internal/contexts"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/until"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch"
)

const (
	// within is how long a person waits for the shell after a tab who has not chosen a
	// --request-timeout. What needs no hub comes with what the hub has: the shell asks once.
	within = 2 * time.Second
	// more is how long hubs may then take once one has answered.
	more = 500 * time.Millisecond
)

// patience returns a context that ends after --request-timeout if that was given; else after
// within, or more after answered was called first.
func patience(ctx context.Context, j *job.Job) (_ context.Context, answered func(), cancel context.CancelFunc) {
	if j.Conn.Timeout > 0 {
		ctx, cancel = j.Limited(ctx)
		return ctx, func() {}, cancel
	}
	ctx, cancel = context.WithTimeout(ctx, within)
	var first sync.Once
	return ctx, func() { first.Do(func() { time.AfterFunc(more, cancel) }) }, cancel
}

// Values offers fixed values for a flag.
func Values(cmd *cobra.Command, flag string, values []string) {
	usage.Complete(cmd, flag, func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		return begun(values, prefix)
	})
}

// begun are the values that begin with a prefix. The shell adds no space behind the only one
// that ends in "=": it takes more.
func begun(values []string, prefix string) ([]string, cobra.ShellCompDirective) {
	found := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !strings.HasPrefix(v, prefix) })
	directive := cobra.ShellCompDirectiveNoFileComp
	if len(found) == 1 && strings.HasSuffix(found[0], "=") {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return found, directive
}

// Connection offers the values of the flags that every command has.
func Connection(cmd *cobra.Command, o *job.Options) {
	usage.Complete(cmd, "context", Contexts(&o.Kubeconfig))
	usage.Complete(cmd, "namespace", readEach(o, func(ctx context.Context, j *job.Job, _ []string, _ string) ([]string, error) {
		names, err := watch.Namespaces(ctx, j.WatchConfig())
		return texts(names), err
	}))
}

// Contexts offers the contexts of a kubeconfig; behind a comma, one more.
func Contexts(kubeconfig *string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		_, raw, err := contexts.Members{File: *kubeconfig}.Kubeconfig()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		before := prefix[:strings.LastIndex(prefix, ",")+1]
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(raw.Contexts)), func(n string) bool { return engine.Clean(n).String() != n })
		for i := range names {
			names[i] = before + names[i]
		}
		return begun(names, prefix)
	}
}

// Runs offers the runs of the hubs for the first argument, and what next offer for those behind it.
func Runs(o *job.Options, next ...cobra.CompletionFunc) cobra.CompletionFunc {
	runs := read(o, func(ctx context.Context, j *job.Job, _ []string, prefix string) ([]string, error) {
		ctx, answered, cancel := patience(ctx, j)
		defer cancel()
		s, _, _ := job.ReadEach(ctx, j, func(ctx context.Context, of *job.Job) (*engine.Snapshot, []*engine.RunView, error) {
			s, err := watch.Once(ctx, of.WatchConfig(), watch.Reading{NamesOnly: true})
			if err == nil {
				answered()
			}
			return s, nil, err
		})
		var names []string
		forms := j.Scope.FormsIn(s)
		for _, r := range s.Runs {
			if r.Word == engine.WordNoRun {
				continue
			}
			for _, form := range forms.All(r.ID) {
				if strings.HasPrefix(form.String(), prefix) {
					names = append(names, form.String()+"\t"+r.Word.String())
					break
				}
			}
		}
		return names, nil
	})
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		switch n := len(args); {
		case n == 0:
			return runs(cmd, nil, prefix)
		case n <= len(next) && next[n-1] != nil:
			return next[n-1](cmd, args, prefix)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// Approvable offers the stage of the RUN in the arguments that can be approved now.
func Approvable(o *job.Options) cobra.CompletionFunc {
	return readEach(o, func(ctx context.Context, j *job.Job, args []string, _ string) ([]string, error) {
		v, now, err := find(ctx, j, args)
		if err != nil {
			return nil, err
		}
		g := act.Approvable(v, now)
		if g == nil {
			return nil, nil
		}
		return []string{v.Current().Name.String() + "\tapproval " + engine.BeforeAfter(g).String() + " the stage"}, nil
	})
}

// stagesAhead offers the stages of the RUN in the arguments that are not done, behind a word such as
// "stage=".
func stagesAhead(o *job.Options, behind string) cobra.CompletionFunc {
	return readEach(o, func(ctx context.Context, j *job.Job, args []string, _ string) ([]string, error) {
		v, _, err := find(ctx, j, args)
		if err != nil {
			return nil, err
		}
		var names []string
		for i := range v.Stages {
			if s := &v.Stages[i]; !s.Deletion && s.State != engine.StageDone {
				names = append(names, behind+s.Name.String()+"\t"+s.State.String())
			}
		}
		return names, nil
	})
}

// Until offers what wait can wait for: the forms first and, behind one that takes a value, the
// values, such as the stages of the RUN in the arguments.
func Until(o *job.Options) cobra.CompletionFunc {
	stages := stagesAhead(o, until.Stage)
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		switch {
		case strings.HasPrefix(prefix, until.Stage) && len(args) > 0:
			return stages(cmd, args, prefix)
		case strings.HasPrefix(prefix, until.State), strings.HasPrefix(prefix, until.Condition):
			return begun(until.Values(), prefix)
		}
		return begun(until.Words(), prefix)
	}
}

// errEnough ends a read that has returned all that is needed.
var errEnough = errors.New("nothing more to read")

// Members offers the clusters of the RUN in the arguments.
func Members(o *job.Options) cobra.CompletionFunc {
	return readEach(o, func(ctx context.Context, j *job.Job, args []string, _ string) (names []string, err error) {
		if err := j.Parse(args); err != nil {
			return nil, err
		}
		_, _, err = watch.Page(ctx, j.WatchConfig(), watch.Reading{}, func(s *engine.Snapshot) (*engine.RunView, error) { return j.Find(s, io.Discard) },
			func(_ *engine.RunView, d *engine.Detail) (page.Question, error) {
				for _, stage := range d.Clusters {
					for i := range stage {
						names = append(names, stage[i].Name.String()+"\t"+stage[i].State.String())
					}
				}
				return nil, errEnough
			})
		if errors.Is(err, errEnough) {
			err = nil
		}
		return names, err
	})
}

// Choices offers placements, strategies or snapshots: those of the RUN in the arguments, or of
// the placement that a flag names in the namespace of another. first come before them.
func Choices(o *job.Options, of watch.Names, placement *string, first ...string) cobra.CompletionFunc {
	return readEach(o, func(ctx context.Context, j *job.Job, args []string, _ string) ([]string, error) {
		namespace, name := j.Namespace, *placement
		if len(args) > 0 {
			v, _, err := find(ctx, j, args)
			if err != nil {
				return first, err
			}
			namespace = v.ID.RawNamespace()
			if name == "" {
				name = v.Placement.RawName()
			}
		}
		names, err := watch.Named(ctx, j.WatchConfig(), of, namespace, name)
		return append(slices.Clone(first), texts(names)...), err
	})
}

// find reads the RUN in the arguments from one hub, and the hub's time.
func find(ctx context.Context, j *job.Job, args []string) (*engine.RunView, time.Time, error) {
	if len(args) == 0 {
		return nil, time.Time{}, errEnough
	}
	if err := j.Parse(args); err != nil {
		return nil, time.Time{}, err
	}
	s, err := watch.Once(ctx, j.WatchConfig(), watch.Reading{NamesOnly: true})
	if err != nil {
		return nil, time.Time{}, err
	}
	v, err := j.Find(s, io.Discard)
	return v, s.At, err
}

// names reads what is offered; what it has read before an error is offered, too.
type names func(ctx context.Context, j *job.Job, args []string, prefix string) ([]string, error)

// readEach offers what is read from each hub of the flags, each name once. The hubs are read in
// parallel: one that does not answer hides nothing of the others.
func readEach(o *job.Options, of names) cobra.CompletionFunc {
	return read(o, func(ctx context.Context, j *job.Job, args []string, prefix string) (all []string, err error) {
		ctx, answered, cancel := patience(ctx, j)
		defer cancel()
		hubs := j.Each()
		found, errs := make([][]string, len(hubs)), make([]error, len(hubs))
		var reads sync.WaitGroup
		for i, hub := range hubs {
			reads.Go(func() {
				if found[i], errs[i] = of(ctx, hub, args, prefix); errs[i] == nil {
					answered()
				}
			})
		}
		reads.Wait()
		listed := map[string]bool{}
		for _, n := range slices.Concat(found...) {
			if name, _, _ := strings.Cut(n, "\t"); !listed[name] {
				listed[name], all = true, append(all, n)
			}
		}
		return all, errors.Join(errs...)
	})
}

// read offers what is read from the hubs of the flags.
func read(o *job.Options, of names) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		own := *o
		own.NamespaceGiven = cmd.Flags().Changed("namespace")
		j, err := own.Unattended()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		watch.Quiet(io.Discard)
		all, err := of(cmd.Context(), j, args, prefix)
		if err != nil && len(all) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return begun(all, prefix)
	}
}

// texts are texts as strings.
func texts(all []engine.Text) []string {
	out := make([]string, len(all))
	for i := range all {
		out[i] = all[i].String()
	}
	return out
}
