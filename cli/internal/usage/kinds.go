package usage

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/engine"
)

// AcceptKinds lets every command that takes a RUN accept a kind and a name as kubectl does, "csur
// web-r5" for "csur/web-r5". It is called when all commands are there.
func AcceptKinds(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		AcceptKinds(cmd)
	}
	if !strings.Contains(root.Use, "RUN") || root.RunE == nil {
		return
	}
	check, run := root.Args, root.RunE
	accepts := func(cmd *cobra.Command, args []string) error {
		if check == nil {
			return nil
		}
		return check(cmd, args)
	}
	// joined returns the arguments of the command: as they are where only these have the right number.
	joined := func(cmd *cobra.Command, args []string) []string {
		if names := joinKind(args, strings.Contains(cmd.Use, "RUN...")); accepts(cmd, names) == nil {
			return names
		}
		return args
	}
	root.Args = func(cmd *cobra.Command, args []string) error { return accepts(cmd, joined(cmd, args)) }
	root.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, joined(cmd, args)) }
}

// joinKind joins a kind in front with the name after it, and with all names after it if there may be
// many.
func joinKind(args []string, many bool) []string {
	if len(args) < 2 || engine.RunKindOf(args[0]) == engine.KindUnknown {
		return args
	}
	names := args[1:]
	if !many {
		names = args[1:2]
	}
	var out []string
	for _, name := range names {
		out = append(out, args[0]+"/"+name)
	}
	return append(out, args[1+len(names):]...)
}
