package cli

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/internal/contexts"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
)

// completeWithin is how long a person waits for the shell after a tab.
const completeWithin = 2 * time.Second

// completions teaches the shell the values of flags and the runs of the hub.
func completions(cmd *cobra.Command, o *job.Options) {
	fixed := map[string][]string{
		"output": output.ListForms(),
		"color":  {tty.ColorAuto, tty.ColorAlways, tty.ColorNever},
	}
	for flag, values := range fixed {
		complete(cmd, flag, values)
	}
	completeContexts(cmd, o)
	cmd.ValidArgsFunction = completeRuns(o)
}

// complete offers fixed values for a flag.
func complete(cmd *cobra.Command, flag string, values []string) {
	usage.Complete(cmd, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// completeContexts completes --context from the kubeconfig.
func completeContexts(cmd *cobra.Command, o *job.Options) {
	usage.Complete(cmd, "context", contextNames(&o.Kubeconfig))
}

// contextNames completes the contexts of a kubeconfig.
func contextNames(kubeconfig *string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		_, raw, err := contexts.Members{File: *kubeconfig}.Kubeconfig()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(raw.Contexts)), func(n string) bool { return !strings.HasPrefix(n, prefix) })
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeRuns completes a RUN from the hub.
func completeRuns(o *job.Options) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		o.NamespaceGiven = cmd.Flags().Changed("namespace")
		j, err := o.Job(nil)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		j.Conn.Timeout = completeWithin
		s, err := job.Once(cmd.Context(), j, watch.Reading{NamesOnly: true})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
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
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
