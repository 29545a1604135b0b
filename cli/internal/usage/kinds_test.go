package usage

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A kind in front of a name, as kubectl takes them, is part of the name. It is left alone where it
// is the value of a flag or no kind of runs.
func TestAcceptKinds(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2]string{
		{"csur web-r5", "stagewatch csur/web-r5"},
		{"csur", "stagewatch csur"},
		{"get csur web-r5", "get csur/web-r5"},
		{"get -A csur web-r5 pay-r2", "get csur/web-r5 csur/pay-r2"},
		{"get csur web-r5 --yes pay-r2", "get csur/web-r5 csur/pay-r2"},
		{"get csur", "get csur"},
		{"get csur shop/pay-r2", "get csur/shop/pay-r2"}, // which get refuses
		{"get csur web-r5 sur/pay-r2", "get csur/web-r5 csur/sur/pay-r2"},
		{"get -n sur web-r5", "get web-r5"},
		{"explain -nshop stagedupdaterun pay-r2", "explain stagedupdaterun/pay-r2"},
		{"explain clusterstagedupdateruns.placement.kubernetes-fleet.io web-r5", "explain clusterstagedupdateruns.placement.kubernetes-fleet.io/web-r5"},
		{"explain -- csur web-r5", "explain csur/web-r5"},
		{"explain sur shop/pay-r2", "explain sur/shop/pay-r2"},
		{"explain rs web-r5", "accepts 1 argument, got 2"},
		{"explain csur", "explain csur"},
		{"approve csur web-r5 prod --yes", "approve csur/web-r5 prod"},
		{"approve csur prod", "accepts 2 arguments, got 1"},  // the stage is missing
		{"approve csur/csur prod", "approve csur/csur prod"}, // a run that is called csur
		{"-n get approve csur web-r5 prod", "approve csur/web-r5 prod"},
		{"delete csur shop/pay-r2 --yes", "delete csur/shop/pay-r2"},
		{"contexts sur prod", "contexts sur prod"},
	} {
		var got string
		command := func(use string, args cobra.PositionalArgs) *cobra.Command {
			cmd := &cobra.Command{Use: use, Args: args, SilenceErrors: true, SilenceUsage: true}
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				got = strings.Join(append([]string{cmd.Name()}, args...), " ")
				return nil
			}
			cmd.Flags().BoolP("all-namespaces", "A", false, "")
			cmd.Flags().Bool("yes", false, "")
			cmd.Flags().StringP("namespace", "n", "", "")
			return cmd
		}
		root := command("stagewatch [flags] [RUN]", OneRun)
		root.AddCommand(command("get [flags] [RUN...]", cobra.ArbitraryArgs), command("explain [flags] RUN", Exactly(1)),
			command("approve [flags] RUN STAGE", Exactly(2)), command("delete [flags] RUN", Exactly(1)), command("contexts [flags] [NAME...]", cobra.ArbitraryArgs))
		AcceptKinds(root)
		args := strings.Fields(tt[0])
		root.SetArgs(slices.Clone(args))
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		if err := root.Execute(); err != nil {
			got = err.Error()
		}
		if got != tt[1] {
			t.Errorf("%q: %q, want %q", tt[0], got, tt[1])
		}
	}
}

// After a kind, the names of its runs are completed.
func TestKindsAreCompleted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		use, prefix string
		args        []string
		want        []string
	}{
		{"explain [flags] RUN", "we", []string{"csur"}, []string{"web-r5\tDONE"}},
		{"get [flags] [RUN...]", "we", []string{"csur", "pay-r2"}, []string{"web-r5\tDONE"}},
		{"explain [flags] RUN", "", []string{"stagedupdaterun"}, []string{"shop/pay-r2"}},
		{"explain [flags] RUN", "csur/we", nil, []string{"csur/web-r5\tDONE"}},
		{"approve [flags] RUN STAGE", "", []string{"csur", "web-r5"}, []string{"a stage of csur/web-r5"}},
	} {
		all := []string{"csur/web-r5\tDONE", "sur/shop/pay-r2", "pay-r2"}
		run := func(*cobra.Command, []string) error { return nil }
		cmd := &cobra.Command{Use: tt.use, Args: cobra.ArbitraryArgs, RunE: run}
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, prefix string) (out []string, _ cobra.ShellCompDirective) {
			if len(args) > 0 {
				return []string{"a stage of " + args[0]}, cobra.ShellCompDirectiveNoFileComp
			}
			for _, name := range all {
				if strings.HasPrefix(name, prefix) {
					out = append(out, name)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		}
		AcceptKinds(cmd)
		if got, _ := cmd.ValidArgsFunction(cmd, tt.args, tt.prefix); !slices.Equal(got, tt.want) {
			t.Errorf("%s %q %q: %q, want %q", tt.use, tt.args, tt.prefix, got, tt.want)
		}
	}
}
