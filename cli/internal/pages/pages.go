// Package pages has the commands that print a page of the screen: their texts, and the
// question that each page answers.
package pages

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch"
)

// Page is a command that prints one page.
type Page struct {
	use, short, long, example string
	args                      cobra.PositionalArgs
	// Ask returns the question about a subject.
	Ask func(Subject) (page.Question, error)
	// Member is set when the command may read a member cluster, All when it has --all.
	Member, All bool
	// Logs is set when only the lines of logs are printed, if any were read.
	Logs bool
}

// Subject is what the arguments of a command select.
type Subject struct {
	// Run is nil only for a command whose RUN is optional. Detail has its clusters, as far as
	// they were read.
	Run    *engine.RunView
	Detail *engine.Detail
	// Member is the name of a member cluster, and Context the kubeconfig context that leads
	// to it; empty when they are not given.
	Member, Context string
	// Pod is the name of a pod on the member, as NAME or NAMESPACE/NAME; Container and Previous
	// choose its log.
	Pod, Container string
	Previous       bool
	// Lines are those of a log that Stream prints.
	Lines watch.LogRange
	// All is set for all placements instead of that of a run.
	All bool
}

// Check is an error for arguments that do not fit --all.
func (p *Page) Check(cmd *cobra.Command, args []string, all bool) error {
	switch {
	case !p.All:
		return nil
	case all && len(args) > 0:
		return exit.Misuse(engine.Lit("--all takes no RUN"), engine.Lit("leave out the RUN, or --all"))
	case all:
		return nil
	}
	return usage.Exactly(1)(cmd, args)
}

// All returns the commands.
func All() []Page {
	one, oneToThree := usage.Exactly(1), usage.Between(1, 3)
	return []Page{
		{
			use: "approvals [flags] [RUN]", short: "List the approvals of all runs, with evidence", args: usage.AtMostOne, Ask: approvals,
			long: `approvals prints the approvals of all runs, or of one: those not accepted,
which the controller ignores, the open ones with what is needed to decide, those
sent, those approved ahead, and the next pending one of each run. With several hubs, each
section names its hub; the exit code is 8 if one was not read, unless --partial is set.`,
			example: `  stagewatch approvals
  stagewatch approvals web-r5 -o json`,
		},
		{
			use: "owners [flags] RUN", short: "Show which run owns each binding of a run's placement", args: usage.AtMostOne, Ask: owners, All: true,
			long: `owners prints each cluster of the run's placement with the run that owns its
binding, and the snapshot of the binding. With --all and without RUN it reads every
binding of the hub, page by page, and prints how many each placement has of each
snapshot, how many are available, and which runs own them.`,
			example: `  stagewatch owners web-r5
  stagewatch owners web-r5 -o markdown
  stagewatch owners --all`,
		},
		{
			use: "timeline [flags] RUN", short: "List the transitions of a run", args: one, Ask: timeline,
			long: `timeline prints when the run, its stages, clusters, approvals and waits changed
their state, as their conditions report it.`,
			example: `  stagewatch timeline web-r5
  stagewatch timeline web-r5 -o json`,
		},
		{
			use: "events [flags] RUN", short: "List the Kubernetes events of a run and its placement", args: one, Ask: events,
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
		{
			use: "logs [flags] RUN [MEMBER [POD]]", short: "Print the controller log of a run, or the log of a pod on a member", args: oneToThree, Ask: logs, Member: true, Logs: true,
			long: `logs prints the newest lines that the hub's controller logged about the run. With
MEMBER, it prints the end of the log of the pods that fail on that cluster of the
run. With POD, a name in the namespace of the placement's workloads or NAMESPACE/NAME,
it prints the last 1,000 lines of that pod: of the container that fails, else of the
first, or of --container; with --previous, of the container before the last restart.

With --follow, --tail or --since, it prints the lines of one log and nothing else, as
kubectl logs does: of POD, without POD of the pod that the trouble on MEMBER is about,
without MEMBER of the controller, and of those the lines about the run. --follow goes
on until the container ends. If no log was read, it prints why, and exits with 1.`,
			example: `  stagewatch logs web-r5
  stagewatch logs web-r5 eu-1 -o json
  stagewatch logs web-r5 eu-1 -f --tail 20`,
		},
		{
			use: "member [flags] RUN MEMBER", short: "Show the workloads of a run on a member cluster, with pods, events and logs", args: usage.Exactly(2), Ask: member, Member: true,
			long: `member reads the Deployments, StatefulSets and DaemonSets of the run's placement
from a member cluster: why pods are missing, their states and restarts, events, and
the end of the log. It uses the kubeconfig context that the configuration names or
that has the member's name, or the one of --member-context, and checks that it leads
to that member.`,
			example: `  stagewatch member web-r5 eu-1
  stagewatch member web-r5 eu-1 --member-context aks-eu-1`,
		},
	}
}

// Command returns the command with the flags that only it has, for a subject. runs says what a RUN is.
func (p *Page) Command(runs string, about *Subject) *cobra.Command {
	cmd := &cobra.Command{
		Use: p.use, Short: p.short, Long: p.long + " It writes nothing.\n\n" + runs, Example: p.example, Args: p.args,
	}
	f := cmd.Flags()
	if p.Member {
		f.StringVar(&about.Context, "member-context", "", "kubeconfig context of MEMBER (default: the configured context, or the context with the member's name)")
	}
	if p.Logs {
		f.StringVarP(&about.Container, "container", "c", "", "container of POD (default: the one that fails, else the first)")
		f.BoolVarP(&about.Previous, "previous", "p", false, "log of the container of POD before its last restart")
		f.BoolVarP(&about.Lines.Follow, "follow", "f", false, "print the lines that are written from now on, too")
		f.IntVar(&about.Lines.Tail, "tail", 1000, "how many lines from the end of the log; -1 for all")
		f.DurationVar(&about.Lines.Since, "since", 0, "only lines of that time before now, such as 10m")
	}
	if p.All {
		f.BoolVar(&about.All, "all", false, "every binding of the hub, by placement and snapshot; takes no RUN")
	}
	return cmd
}

// Take takes the arguments of a command: RUN, MEMBER and POD.
func (s *Subject) Take(args []string) {
	if len(args) > 1 {
		s.Member = args[1]
	}
	if len(args) > 2 {
		s.Pod = args[2]
	}
}

// Print is a page without what the command does not print. The failure is for a page
// without what was asked for, and for a command that prints logs when there are none.
func (p *Page) Print(a *page.Answer) error {
	switch {
	case !a.Unread.IsZero():
		return &exit.Failure{Code: exit.Failed, What: a.Unread}
	case !p.Logs:
		return nil
	}
	if !slices.ContainsFunc(a.Sections, func(s page.Section) bool { return s.Log }) {
		return &exit.Failure{Code: exit.Failed, What: engine.Lit("no log was read")}
	}
	a.Sections = slices.DeleteFunc(a.Sections, func(s page.Section) bool { return !s.Log })
	return nil
}

func approvals(s Subject) (page.Question, error) {
	if s.Run == nil {
		return page.ApprovalsQuestion{}, nil
	}
	return page.ApprovalsQuestion{Run: s.Run.ID}, nil
}

func owners(s Subject) (page.Question, error) {
	if s.All {
		return page.AllOwnersQuestion{}, nil
	}
	return page.OwnersQuestion{Placement: s.Run.Placement, Run: s.Run.ID}, nil
}

func timeline(s Subject) (page.Question, error) {
	return page.TimelineQuestion{Run: s.Run.ID}, nil
}

func events(s Subject) (page.Question, error) {
	return page.EventsQuestion{Object: s.Run.ID}, nil
}

func diff(s Subject) (page.Question, error) {
	q, ok := page.ChangesOf(s.Run, s.Detail)
	if !ok {
		return nil, &exit.Failure{Code: exit.Failed, What: engine.Textf("nothing to compare: %s has no snapshot yet, or it is the first", s.Run.ID.Title())}
	}
	return q, nil
}

func logs(s Subject) (page.Question, error) {
	switch {
	case s.Pod == "" && (s.Container != "" || s.Previous):
		return nil, &exit.Failure{Code: exit.Usage, What: engine.Lit("--container and --previous need a POD"), Hint: engine.Lit("stagewatch member RUN MEMBER lists the pods")}
	case s.Member == "":
		return page.LogsQuestion{Run: s.Run.ID}, nil
	}
	on, err := memberOf(s)
	if err != nil || s.Pod == "" {
		return on, err
	}
	namespace, pod, ok := strings.Cut(s.Pod, "/")
	if !ok {
		namespace, pod = s.Run.ID.RawNamespace(), s.Pod
	}
	of := page.PodQuestion{On: on, Namespace: engine.Clean(namespace), Pod: engine.Clean(pod)}
	return page.PodLogQuestion{Of: of, Container: engine.Clean(s.Container), Previous: s.Previous}, nil
}

func member(s Subject) (page.Question, error) { return memberOf(s) }

// memberOf asks about the member that the arguments name.
func memberOf(s Subject) (page.MemberQuestion, error) {
	var names []string
	for _, stage := range s.Detail.Clusters {
		for i := range stage {
			c := &stage[i]
			if c.Member.RawName() == s.Member {
				return page.MemberQuestion{Placement: s.Run.Placement, Member: c.Member, Run: s.Run.ID, Context: engine.Clean(s.Context)}, nil
			}
			names = append(names, c.Name.String())
		}
	}
	f := &exit.Failure{Code: exit.NotFound, What: engine.Textf("%s has no cluster %q", s.Run.ID.Title(), engine.Clean(s.Member)), Hint: engine.Lit("the run has no clusters yet")}
	if len(names) > 0 {
		f.Hint = engine.Textf("%sclusters of the run: %s", engine.DidYouMean(s.Member, names), engine.Nearest(s.Member, names))
	}
	return page.MemberQuestion{}, f
}
