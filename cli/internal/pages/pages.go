// Package pages has the commands that print a page of the screen: their texts, and the
// question that each page answers.
package pages

import (
	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// Page is a command that prints one page.
type Page struct {
	use, short, long, example string
	args                      cobra.PositionalArgs
	// Ask returns the question about a run; the run is nil only for a command whose RUN
	// is optional.
	Ask func(*engine.RunView, *engine.Detail) (page.Question, error)
}

// All returns the commands.
func All() []Page {
	one := usage.Exactly(1)
	return []Page{
		{
			use: "approvals [flags] [RUN]", short: "List the approvals of all runs, with evidence", args: usage.AtMostOne, Ask: approvals,
			long: `approvals prints the approvals of all runs, or of one: those that the controller
ignores, the open ones with what is needed to decide, those not accepted yet,
and the next pending one of each run.`,
			example: `  stagewatch approvals
  stagewatch approvals web-r5 -o json`,
		},
		{
			use: "owners [flags] RUN", short: "Show which run owns each binding of a run's placement", args: one, Ask: owners,
			long: `owners prints each cluster of the run's placement with the run that owns its
binding, and the snapshot of the binding.`,
			example: `  stagewatch owners web-r5
  stagewatch owners web-r5 -o markdown`,
		},
		{
			use: "timeline [flags] RUN", short: "List the transitions of a run", args: one, Ask: timeline,
			long: `timeline prints when the run, its stages, clusters, approvals and waits changed
their state, as their conditions report it.`,
			example: `  stagewatch timeline web-r5
  stagewatch timeline web-r5 -o json`,
		},
		{
			use: "events [flags] RUN", short: "List the Kubernetes events about a run and its placement", args: one, Ask: events,
			long: `events prints the events of the hub about the run and about its placement, the
newest first.`,
			example: `  stagewatch events web-r5
  stagewatch events web-r5 -o json`,
		},
		{
			use: "diff [flags] RUN", short: "Show what a run changes in the resources of its placement", args: one, Ask: diff,
			long: `diff prints the changes from the resource snapshot that a pending cluster of the
run has, or else from the previous one, to the snapshot of the run. Values of
Secrets are replaced by their length and a hash.`,
			example: `  stagewatch diff web-r5
  stagewatch diff web-r5 -o markdown`,
		},
	}
}

// Command returns the command without flags. runs says what a RUN is.
func (p *Page) Command(runs string) *cobra.Command {
	return &cobra.Command{
		Use: p.use, Short: p.short, Long: p.long + " It writes nothing.\n\n" + runs, Example: p.example, Args: p.args,
	}
}

func approvals(v *engine.RunView, _ *engine.Detail) (page.Question, error) {
	if v == nil {
		return page.ApprovalsQuestion{}, nil
	}
	return page.ApprovalsQuestion{Run: v.ID}, nil
}

func owners(v *engine.RunView, _ *engine.Detail) (page.Question, error) {
	return page.OwnersQuestion{Placement: v.Placement, Run: v.ID}, nil
}

func timeline(v *engine.RunView, _ *engine.Detail) (page.Question, error) {
	return page.TimelineQuestion{Run: v.ID}, nil
}

func events(v *engine.RunView, _ *engine.Detail) (page.Question, error) {
	return page.EventsQuestion{Object: v.ID}, nil
}

func diff(v *engine.RunView, d *engine.Detail) (page.Question, error) {
	q, ok := page.ChangesOf(v, d)
	if !ok {
		return nil, &exit.Failure{Code: exit.Failed, What: engine.Textf("nothing to compare: %s has no snapshot yet, or it is the first", v.ID.Title())}
	}
	return q, nil
}
