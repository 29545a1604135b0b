package main

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/demo/controller"
)

// engineCommand drives the runs of a hub that is not ours.
func engineCommand() *cobra.Command {
	var (
		kubeconfig string
		waits      timingFlags
	)
	command := &cobra.Command{
		Use:   "engine --kubeconfig FILE",
		Short: "Drive the update runs of a hub, in place of its own controller",
		Long: "Drives the staged update runs of the hub that the kubeconfig leads to, as KubeFleet's controller\n" +
			"would, and does nothing else there. It takes no kubeconfig but the one that is named. Two controllers\n" +
			"on one hub get in each other's way: use it where there is none.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if kubeconfig == "" {
				return usageError{errors.New("engine needs --kubeconfig FILE; it never takes a default")}
			}
			timing, err := waits.timing()
			if err != nil {
				return err
			}
			config, err := controller.LoadConfig(kubeconfig)
			if err != nil {
				return usageError{fmt.Errorf("read kubeconfig %s: %w", kubeconfig, err)}
			}
			// What a run says is in its conditions; here goes what is tried again.
			log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			if err := controller.Run(cmd.Context(), config, timing, log); err != nil {
				report(cmd.ErrOrStderr(), err)
				code, hint := exitOf(err)
				cmd.PrintErrln("hint: " + hint)
				return leave(code)
			}
			return nil
		},
	}
	command.Flags().StringVar(&kubeconfig, "kubeconfig", "", "the kubeconfig file that leads to the hub")
	waits.add(command.Flags(), "real")
	return command
}

// exitOf is the exit code for a hub that cannot be driven, and what may help.
func exitOf(err error) (code int, hint string) {
	switch controller.ProblemOf(err) {
	case controller.Absent:
		return exit.NotFound, "the hub does not serve KubeFleet's kinds in v1beta1: install its CRDs first"
	case controller.Forbidden:
		return exit.Forbidden, "the engine needs the rights of KubeFleet's own controller on the placement group"
	case controller.Unreachable:
		return exit.Unreachable, "check the server in the kubeconfig, and that the hub is up"
	default:
		return exit.Failed, "what the hub answered is above; the engine can be started again at any time"
	}
}
