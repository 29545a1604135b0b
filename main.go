// Command stagewatch watches KubeFleet staged update runs on a hub, live.
package main

import (
	"os"

	"github.com/stagewatch/stagewatch/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
