package usage

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/engine"
)

// AcceptKinds lets every command that takes a RUN accept a kind and a name as kubectl does, "csur
// web-r5" for "csur/web-r5". Call it after all commands have been added.
func AcceptKinds(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		AcceptKinds(cmd)
	}
	check, run, complete := root.Args, root.RunE, root.ValidArgsFunction
	if !strings.Contains(root.Use, "RUN") || check == nil || run == nil {
		return
	}
	many := strings.Contains(root.Use, "RUN...")
	root.Args = func(cmd *cobra.Command, args []string) error { return check(cmd, joinKind(args, many)) }
	root.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, joinKind(args, many)) }
	if complete == nil {
		return
	}
	root.ValidArgsFunction = func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 || len(args) > 1 && !many || engine.RunKindOf(args[0]) == engine.KindUnknown {
			return complete(cmd, joinKind(args, many), prefix)
		}
		kind := engine.RunKindOf(args[0]).Short() + "/"
		found, directive := complete(cmd, nil, kind+prefix)
		var names []cobra.Completion
		for _, name := range found {
			if name, ok := strings.CutPrefix(name, kind); ok {
				names = append(names, name)
			}
		}
		return names, directive
	}
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
