package usage

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// connection is the annotation of the flags that say how a hub is reached.
const connection = "connection"

// AddConnection adds the flags of a connection to those of a command. Its help lists them
// apart, below the others, except for those in everyday use, which come first.
func AddConnection(to, flags *pflag.FlagSet, everyday ...string) {
	for _, name := range everyday {
		to.AddFlag(flags.Lookup(name))
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(everyday, f.Name) {
			f.Annotations = map[string][]string{connection: nil}
			to.AddFlag(f)
		}
	})
}

// groups are the commands in the help of the root command. Those of no group come last.
var groups = []struct {
	title    string
	commands []string
}{
	{"Look:", []string{"get", "explain", "plan", "approvals", "owners", "diff", "timeline", "events", "logs", "member", "wait"}},
	{"Act:", []string{"approve", "run", "stop", "clone", "delete"}},
}

// Grouped makes the help of the root command, and of its commands, list commands and flags by
// what they are for.
func Grouped(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, name := range g.commands {
			if cmd, _, err := root.Find([]string{name}); err == nil {
				cmd.GroupID = g.title
			}
		}
	}
	usage := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		var apart []*pflag.Flag
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, ok := f.Annotations[connection]; ok && !f.Hidden {
				apart = append(apart, f)
			}
		})
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.SortFlags = false
		for _, f := range apart {
			shown := *f
			flags.AddFlag(&shown)
			f.Hidden = true
		}
		err := usage(cmd)
		for _, f := range apart {
			f.Hidden = false
		}
		if err == nil && len(apart) > 0 {
			_, err = fmt.Fprintf(cmd.OutOrStderr(), "\nConnection flags:\n%s", flags.FlagUsages())
		}
		return err
	})
}
