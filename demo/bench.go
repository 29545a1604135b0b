package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stagewatch/stagewatch/demo/bench"
	"github.com/stagewatch/stagewatch/demo/hub"
)

// benchOptions are the flags of bench.
type benchOptions struct {
	bench.Options
	size   bench.Size
	output string
	growth string // file of the plot
}

// benchCommand measures what the monitor costs on this machine.
func benchCommand() *cobra.Command {
	o := benchOptions{Options: bench.Options{Columns: 120, Rows: 40, Times: 5, Window: 5 * time.Second}}
	command := &cobra.Command{
		Use:   "bench",
		Short: "Measure what the monitor costs, in multiples of the least that it could",
		Long: "Starts hubs of several sizes, each in a process of its own, and the stagewatch program in a terminal, and\n" +
			"measures the program from outside: times, CPU, memory, requests and bytes. Each figure is the median of\n" +
			"several rounds with the lowest and the highest, beside its floor: what a program needs that only reads the\n" +
			"same. With one of --runs, --clusters, --bindings and --finished it measures one hub of that size. With\n" +
			"--growth it measures only CPU and memory, on hubs with 1, 10 and 100 times the runs, bindings and finished\n" +
			"runs, and writes a plot of them.\n" +
			"docs/performance.md explains the figures.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	flags := command.Flags()
	addSize(flags, &o.size)
	flags.IntVar(&o.Times, "times", o.Times, "rounds of each figure")
	flags.DurationVar(&o.Window, "window", o.Window, "time of a round of CPU")
	flags.IntVar(&o.Columns, "columns", o.Columns, "columns of the terminal")
	flags.IntVar(&o.Rows, "rows", o.Rows, "rows of the terminal")
	flags.StringVar(&o.Program, "program", "", "the stagewatch program to measure (default: build one with release flags)")
	flags.StringVarP(&o.output, "output", "o", "table", "table, json or markdown")
	flags.StringVar(&o.growth, "growth", "", "measure how the cost grows, and write an SVG to this file")
	command.AddCommand(benchHubCommand())
	return command
}

// sizeFlags are the flags that addSize declares.
var sizeFlags = []string{"runs", "clusters", "bindings", "finished"}

func addSize(flags *pflag.FlagSet, s *bench.Size) {
	flags.IntVar(&s.Runs, "runs", 100, "runs of the hub, with those of --finished")
	flags.IntVar(&s.Clusters, "clusters", 1000, "clusters of each run")
	flags.IntVar(&s.Bindings, "bindings", 0, "bindings, of runs that are stuck")
	flags.IntVar(&s.Finished, "finished", 0, "of --runs, those that have succeeded")
}

func (o *benchOptions) run(cmd *cobra.Command) (err error) {
	sizes := bench.Standard()
	for _, flag := range sizeFlags {
		if !cmd.Flags().Changed(flag) {
			continue
		}
		if o.growth != "" {
			return usageError{fmt.Errorf("--%s is not possible with --growth, whose hubs have sizes of their own", flag)}
		}
		sizes = []bench.Size{o.size}
	}
	if err := errors.Join(o.size.Check(), bench.CheckFormat(o.output)); err != nil {
		return usageError{err}
	}
	if o.Times < 1 || o.Window <= 0 || o.Columns < 80 || o.Rows < 24 {
		return usageError{errors.New("bench needs --times of at least 1, a --window, and a terminal of at least 80 --columns and 24 --rows")}
	}
	own, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	o.Hub = []string{own, "bench", "hub"}
	if o.Program == "" {
		dir, err := os.MkdirTemp("", "stagewatch-built-")
		if err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		o.Program = filepath.Join(dir, "stagewatch")
		if err := bench.Build(cmd.Context(), o.Program); err != nil {
			return err
		}
	}
	return bench.Print(cmd.OutOrStdout(), o.output, func(tell func(bench.Figure) error) error {
		if o.growth != "" {
			return o.plot(cmd.Context(), tell)
		}
		return bench.Run(cmd.Context(), sizes, o.Options, tell)
	})
}

// plot measures how the cost grows and writes the plot of it into the file, which is opened first:
// the measurement takes minutes.
func (o *benchOptions) plot(ctx context.Context, tell func(bench.Figure) error) (err error) {
	file, err := os.OpenFile(o.growth, os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // a page of the documentation
	if err != nil {
		return fmt.Errorf("open plot: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	all, err := bench.Grow(ctx, o.Options, tell)
	if err != nil {
		return err
	}
	if err := file.Truncate(0); err != nil {
		return fmt.Errorf("write plot: %w", err)
	}
	return bench.Plot(file, all)
}

// benchHubCommand is the process of the hub that bench starts.
func benchHubCommand() *cobra.Command {
	return &cobra.Command{
		Use: "hub", Short: "Serve the hub of a measurement until stdin ends", Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			hub.Silence()
			return bench.ServeHub(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}
