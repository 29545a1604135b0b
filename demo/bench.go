package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/demo/bench"
	"github.com/stagewatch/stagewatch/demo/hub"
)

// The sizes of the bench's hubs: one as most are, and a large one whose size
// can be chosen.
const (
	usualRuns, usualClusters = 20, 50
	largeRuns, largeClusters = 100, 1000
	benchTimes               = 5
)

// benchCommand measures what the monitor costs on this machine.
func benchCommand() *cobra.Command {
	large := bench.Size{Runs: largeRuns, Clusters: largeClusters}
	times := benchTimes
	command := &cobra.Command{
		Use:   "bench",
		Short: "Measure what the monitor costs, in multiples of the least that it could",
		Long: "Starts hubs in this process, one of 20 runs of 50 clusters and one of the size that is asked for, and\n" +
			"measures a session of the monitor there. Each figure is the median of several, beside its floor: what a\n" +
			"program would need that only reads the same from the same hub. Let the machine do nothing else meanwhile.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if large.Runs < 1 || large.Clusters < 1 || times < 1 {
				return usageError{errors.New("--runs, --clusters and --times need at least 1")}
			}
			hub.Silence()
			out := cmd.OutOrStdout()
			if _, err := fmt.Fprintf(out, "%-56s %11s %11s %7s\n", "", "measured", "floor", "ratio"); err != nil {
				return fmt.Errorf("print: %w", err)
			}
			sizes := []bench.Size{{Runs: usualRuns, Clusters: usualClusters}, large}
			return bench.Run(cmd.Context(), sizes, times, func(m bench.Measurement) error {
				_, err := fmt.Fprintln(out, benchLine(m))
				return err
			})
		},
	}
	flags := command.Flags()
	flags.IntVar(&large.Runs, "runs", large.Runs, "runs of the large hub")
	flags.IntVar(&large.Clusters, "clusters", large.Clusters, "clusters of each of its runs")
	flags.IntVar(&times, "times", times, "samples of each figure")
	return command
}

func benchLine(m bench.Measurement) string {
	line := fmt.Sprintf("%-56s %8.1f %s", m.What, m.Value, m.Unit)
	if m.Floor == 0 {
		return line
	}
	return fmt.Sprintf("%s %8.1f %s %6.2fx  %s", line, m.Floor, m.Unit, m.Ratio(), m.FloorOf)
}
