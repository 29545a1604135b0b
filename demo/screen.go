package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/demo/fleet"
)

func showScreen(_ *cobra.Command, _ fleet.Scenario, _ fleet.Timing) error {
	return usageError{errors.New("the demo only serves: --serve --kubeconfig-out FILE")}
}
