package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli"
	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/demo/scenario"
)

// showScreen plays the scenario and opens the screen of stagewatch on it, over
// HTTP, through a kubeconfig that lives as long as the hub.
func showScreen(cmd *cobra.Command, name string, start starter, played scenario.Options) (err error) {
	ctx := cmd.Context()
	if err := cli.ScreenTerminal(); err != nil {
		return usageError{fmt.Errorf("%w; --serve needs none", err)}
	}
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "demo: starting a hub with scenario %s on this machine …\n", name); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	f, err := start(ctx, played)
	if err != nil {
		return err
	}
	stop := sync.OnceValue(f.Stop)
	defer func() { err = errors.Join(err, stop()) }()
	kubeconfig := filepath.Join(f.Hub().Dir(), "kubeconfig")
	if err := f.Hub().WriteKubeconfig(kubeconfig, f.Contexts()...); err != nil {
		return err
	}
	config := cli.ScreenConfig{
		Program: "demo", Kubeconfig: kubeconfig, Members: map[string]string{"*": "{member}"},
		// The process is about to end in an emergency; what is left is swept by
		// the next start.
		Cleanup: func() { stop() }, //nolint:errcheck // see above
	}
	config.Settings.StuckAfter = played.Timing.StuckAfter
	if code := cli.Screen(ctx, config); code != exit.OK {
		return leave(code)
	}
	return nil
}
