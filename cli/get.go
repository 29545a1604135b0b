package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/complete"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/watch"
)

// listing is what a command that lists runs prints.
type listing struct {
	// form is that of --output; empty for a table.
	form    string
	headers bool
	// runs are the RUN arguments; none: every row.
	runs   []runref.Ref
	choose watch.Selector
	sorted column.Sorted
	// follows are the runs that the arguments named when a watch began.
	follows []*engine.RunView
}

// getOptions are the flags of get.
type getOptions struct {
	job.Options
	choose           watch.Selector
	sortBy           string
	watch, watchOnly bool
}

// newGetCommand returns "stagewatch get".
func newGetCommand(t *terminal) *cobra.Command {
	o := getOptions{Options: job.Options{Color: tty.ColorAuto}}
	cmd := &cobra.Command{
		Use:   "get [flags] [RUN...]",
		Short: "Print runs as a table, names, JSON, YAML, or with a JSONPath template",
		Long: `get prints the list of runs, or the runs that are named. It reads the hub once and
writes nothing. Without flags it prints the runs of the cluster scope and of all
namespaces, those that need attention first; get csur prints only the runs of the
cluster scope, get sur only those of namespaces.

The API server evaluates -l and --field-selector; it supports the fields metadata.name
and metadata.namespace. --sort-by sorts by a column; "-" before its name reverses the
order.

With --watch, get prints the list, then one line for each change of a row: the time,
added, changed or deleted, and the row. With -o json each line is an object. A lost and a
restored connection are reported on stderr; nothing is printed twice.

` + job.RunHelp,
		Example: `  stagewatch get -o wide
  stagewatch get csur
  stagewatch get -l team=web --sort-by -age
  stagewatch get --watch-only -o json >> changes.jsonl
  stagewatch get csur/web-r5 shop/pay-r2 -o yaml
  stagewatch get -o jsonpath='{range .runs[*]}{.name}{"\t"}{.state}{"\n"}{end}'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.NamespaceGiven = cmd.Flags().Changed("namespace")
			if slices.ContainsFunc(o.LabelColumns, func(key string) bool { return strings.TrimSpace(key) == "" }) || cmd.Flags().Changed("label-columns") && len(o.LabelColumns) == 0 {
				return exit.Misuse(engine.Lit("a label of --label-columns is empty"), engine.Lit("use label keys, such as -L team,tier"))
			}
			l, err := o.listing()
			if err != nil {
				return err
			}
			j, runs, err := o.JobOfRuns(args)
			if err != nil {
				return err
			}
			sorted, no := column.ParseSort(o.sortBy, column.Chosen(j.Config.Columns, j.Settings.Fields))
			if no.Refused() {
				return exit.Misuse(no.Why, no.Hint)
			}
			l.sorted, l.runs = sorted, runs
			ctx, stop := t.untilSignal(cmd.Context())
			defer stop()
			if o.watch || o.watchOnly {
				_, err = job.Logged(j, func() (struct{}, error) { return struct{}{}, watchRuns(ctx, j, l, !o.watchOnly, t) })
				return err
			}
			return printRuns(ctx, j, l, t)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "the runs of all namespaces (the default); overrides --namespace")
	f.BoolVar(&o.NamespacedOnly, "namespaced-only", false, "exclude cluster-scoped runs")
	f.StringVarP(&o.choose.Labels, "selector", "l", "", "only the runs with these labels, such as team=web,tier!=test")
	f.StringVar(&o.choose.Fields, "field-selector", "", "only the runs with these fields, such as metadata.namespace=shop")
	f.StringVar(&o.sortBy, "sort-by", "", "sort by a column: "+strings.Join(column.SortNames(nil), ", ")+", a label of -L, or a label, annotation or JSONPath column of the configuration")
	f.StringSliceVarP(&o.LabelColumns, "label-columns", "L", nil, "show these labels as columns, such as team,tier")
	f.BoolVarP(&o.watch, "watch", "w", false, "print the list, then a line for each change, until ctrl-c")
	f.BoolVar(&o.watchOnly, "watch-only", false, "print only the changes, without the list")
	f.StringVarP(&o.Output, "output", "o", "", strings.Join(output.ListForms(), ", "))
	f.BoolVar(&o.NoHeaders, "no-headers", false, "print a table without its column heads")
	o.BindStuck(f)
	o.BindPartial(f)
	o.BindConnection(f, "limit namespaced runs to this namespace; cluster runs are still printed")
	o.BindMembers(cmd)
	complete.Values(cmd, "output", output.ListForms())
	complete.Values(cmd, "sort-by", column.SortNames(nil))
	complete.Connection(cmd, &o.Options)
	runs := complete.Runs(&o.Options, nil)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		return runs(cmd, nil, prefix)
	}
	return cmd
}

// listing checks the flags of get alone.
func (o *getOptions) listing() (*listing, error) {
	l := &listing{form: o.Output, headers: !o.NoHeaders, choose: o.choose}
	if no := output.CheckForm(o.Output, output.WatchForms()); (o.watch || o.watchOnly) && o.Output != "" && no.Refused() {
		return nil, exit.Misuse(engine.Textf("%s for --watch", no.Why), no.Hint)
	}
	if no := o.choose.Check(); no.Refused() {
		return nil, exit.Misuse(no.Why, no.Hint)
	}
	return l, nil
}

// read reads the rows of a list once. Without RUN arguments these are the chosen ones,
// else those that are named and chosen.
func (l *listing) read(ctx context.Context, j *job.Job, bar *tty.Progress, t *terminal) (*engine.Snapshot, []*engine.RunView, error) {
	limited, cancel := j.Limited(ctx)
	defer cancel()
	if len(l.runs) == 1 && l.choose.IsZero() {
		s, row, err := watch.OnceRun(limited, j.WatchConfig(), func(s *engine.Snapshot) (*engine.RunView, error) {
			bar.Reads(job.ReadingRun)
			return j.Find(s, bar)
		})
		return s, []*engine.RunView{row}, j.InOtherScopes(ctx, job.ReadFailure(ctx, j, err))
	}
	var named func([]engine.ID) []engine.ID
	if n := len(l.runs); n > 0 && n <= mostNamed {
		named = func(all []engine.ID) []engine.ID { return j.Among(all, l.runs...) }
	}
	s, rows, err := l.readHub(ctx, j, named)
	if err != nil || len(l.runs) == 0 {
		return s, rows, err
	}
	bar.Stop()
	rows, err = l.named(ctx, j, s, rows, t)
	return s, rows, err
}

// mostNamed is how many RUNs may be read by themselves: of more, watch lists all runs.
const mostNamed = 16

// readHub reads the chosen rows of one hub; if named is not nil and selects runs, only rows that they depend on.
func (l *listing) readHub(ctx context.Context, j *job.Job, named func([]engine.ID) []engine.ID) (*engine.Snapshot, []*engine.RunView, error) {
	limited, cancel := j.Limited(ctx)
	defer cancel()
	members := l.form != "" && l.form != output.Table && l.form != output.Name || l.form != output.Name && slices.ContainsFunc(j.Config.Columns, func(name string) bool { return name == "cause" || name == "why" })
	s, rows, err := watch.List(limited, j.WatchConfig(), watch.Reading{
		NamesOnly: l.form == output.Name && l.sorted.Column == nil, Members: members, Select: l.choose, Named: named,
	})
	return s, rows, job.ReadFailure(ctx, j, err)
}

// readHubs is read for several hubs. The failure says which of them were not read.
func (l *listing) readHubs(ctx context.Context, j *job.Job, bar *tty.Progress, t *terminal) (*engine.Snapshot, []*engine.RunView, error, error) {
	for _, of := range j.Each() {
		if of.Run = j.Run; len(l.runs) == 1 {
			of.Narrow()
		}
	}
	s, rows, failed := job.ReadEach(ctx, j, func(ctx context.Context, of *job.Job) (*engine.Snapshot, []*engine.RunView, error) {
		return l.readHub(ctx, of, nil)
	})
	bar.Stop()
	unread := j.UnreadHubs(s, failed, t.err)
	if len(failed) == len(j.Each()) {
		return nil, nil, nil, unread
	}
	if len(l.runs) == 0 {
		return s, rows, unread, nil
	}
	rows, err := l.named(ctx, j, s, rows, t)
	return s, rows, unread, err
}

// named returns those of the chosen rows that the RUN arguments name, each once, in the
// order of the arguments.
func (l *listing) named(ctx context.Context, j *job.Job, s *engine.Snapshot, chosen []*engine.RunView, t *terminal) ([]*engine.RunView, error) {
	rows := []*engine.RunView{}
	for _, ref := range l.runs {
		j.Run = ref
		v, err := j.Find(s, t.err)
		if err != nil {
			return nil, j.InOtherScopes(ctx, err)
		}
		if slices.Contains(chosen, v) && !slices.Contains(rows, v) {
			rows = append(rows, v)
		}
	}
	return rows, nil
}
