// Package cli implements the commands that stagewatch and its demo share: flags,
// configuration, kubeconfig, output formats, exit codes, and the lifecycle of
// terminal and signals. It contains no rule about rollouts and does not draw.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/configure"
	"github.com/stagewatch/stagewatch/cli/internal/contexts"
	"github.com/stagewatch/stagewatch/cli/internal/reload"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/ui"
	"github.com/stagewatch/stagewatch/watch"
)

// program is the name in front of every line on stderr.
const program = "stagewatch"

// stuckAfterDefault is what every real hub uses (docs/kubefleet.md#constants).
const stuckAfterDefault = 5 * time.Minute

// options are the flags as given.
type options struct {
	kubeconfig     string
	overrides      clientcmd.ConfigOverrides
	allNamespaces  bool
	allContexts    string
	partial        bool
	namespacedOnly bool
	stuckAfter     time.Duration
	readOnly       bool
	output         string
	noHeaders      bool
	color          string
	ascii          bool
	mouse, notify  bool
	logFile        string
	memberQueries  string

	namespaceGiven bool
	asciiGiven     bool
	// changed reports whether a flag was given; nil for a command without settings of a screen.
	changed func(flag string) bool
	several bool // hubs has returned more than one
}

// Main runs stagewatch with its arguments (without the program's name) and
// returns the exit code (docs/commands.md). It controls the process while it
// runs: signals, the environment of the HTTP client, and os.Stderr while the
// screen is open.
func Main(args []string, in io.Reader, out, errs io.Writer) int {
	if err := watchConnections(); err != nil {
		return exit.Report(errs, err)
	}
	t := terminal{in: in, out: out, err: errs}
	cmd := newCommand(&t)
	// Without arguments cobra would take the process's own.
	cmd.SetArgs(append([]string{}, args...))
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(errs)
	if err := cmd.ExecuteContext(context.Background()); err != nil {
		return exit.Report(errs, err)
	}
	return t.exit
}

// Command returns the root command, for man pages and completions.
func Command() *cobra.Command { return newCommand(&terminal{}) }

// terminal is where a command reads and writes, and what it ends with when
// that is no error of its own.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	exit     int
}

// newCommand returns the root command.
func newCommand(t *terminal) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "stagewatch [flags] [RUN]",
		Short: "Watch KubeFleet staged update runs live",
		Long: `stagewatch shows the staged update runs of a KubeFleet hub live, explains why
a run is not progressing, and approves, runs and stops runs from the keyboard.

Without flags it shows the runs of the cluster scope and of all namespaces.
With RUN, that run opens directly. When stdout is not a terminal, or with
--output, it prints the same states as a table and exits.

` + runHelp,
		Example: `  stagewatch                          everything on the current context's hub
  stagewatch --context hub-prod web   open the run "web"
  stagewatch --context hub-a,hub-b    the runs of two hubs in one list
  stagewatch csur/web                 open the cluster run "web"
  stagewatch -n shop web              open the run "web" of namespace shop
  stagewatch -n shop                  the runs of one namespace, and the cluster's
  stagewatch -o json | jq .runs       for scripts`,
		Args:              usage.OneRun,
		Version:           buildVersion(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.namespaceGiven = cmd.Flags().Changed("namespace")
			o.asciiGiven, o.changed = cmd.Flags().Changed("ascii"), cmd.Flags().Changed
			job, err := o.job(args)
			if err != nil {
				return err
			}
			if o.output == "" && tty.IsTerminal(t.out) && !tty.Dumb(os.Getenv) {
				if !tty.IsTerminal(t.in) {
					return exit.Misuse(engine.Lit("stdin is not a terminal"), engine.Lit("print a table with -o table"))
				}
				t.exit, err = openScreen(cmd.Context(), job, t)
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), tty.EndSignals()...)
			defer stop()
			l := &listing{form: o.output, headers: !o.noHeaders}
			if !job.run.IsZero() {
				l.runs = []runref.Ref{job.run}
			}
			return usage.Meant(cmd, args, printRuns(ctx, job, l, t))
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return exit.Misuse(engine.Clean(err.Error()), engine.Text{}) })
	cmd.SetVersionTemplate("stagewatch {{.Version}}\n")
	o.bind(cmd.Flags())
	o.bindMembers(cmd)
	completions(cmd, &o)
	cmd.AddCommand(newGetCommand(t), newExplainCommand(t), newPlanCommand(t), newWaitCommand(t), configure.NewCommand(cmd, &t.exit))
	cmd.AddCommand(pageCommands(t)...)
	cmd.AddCommand(actCommands(t)...)
	cmd.SetHelpCommand(usage.HelpCommand(cmd))
	usage.AddCompletion(cmd)
	return cmd
}

// bindStuck declares the flag of the stuck threshold, which every command has
// that computes states or effects.
func (o *options) bindStuck(f *pflag.FlagSet) {
	f.DurationVar(&o.stuckAfter, "stuck-after", stuckAfterDefault, "stuck threshold: after how long a cluster is stuck")
}

// bind declares the flags.
func (o *options) bind(f *pflag.FlagSet) {
	f.SortFlags = false
	f.BoolVarP(&o.allNamespaces, "all-namespaces", "A", false, "the runs of all namespaces (the default); overrides --namespace")
	f.BoolVar(&o.namespacedOnly, "namespaced-only", false, "exclude cluster-scoped runs")
	o.bindStuck(f)
	f.BoolVar(&o.readOnly, "read-only", false, "write nothing: approve, run and stop stay off")
	f.StringVarP(&o.output, "output", "o", "", "print and exit: "+strings.Join(output.ListForms(), ", "))
	f.BoolVar(&o.noHeaders, "no-headers", false, "print a table without its column heads")
	f.StringVar(&o.color, "color", tty.ColorAuto, "colours on the screen: auto, always or never")
	f.BoolVar(&o.notify, "notify", false, "ring, and show a desktop notification where the terminal supports it, when a run begins to need attention; w does it for one run")
	f.BoolVar(&o.mouse, "mouse", false, "turn the mouse on; the terminal then selects text with shift held; % turns it on or off")
	f.BoolVar(&o.ascii, "ascii", false, "draw with ASCII only (the default where the locale is not UTF-8)")
	o.partialFlag(f)
	o.bindConnection(f, "limit namespaced runs to this namespace; cluster runs are still shown")
}

// bindMembers declares the flag of the commands that may read members.
func (o *options) bindMembers(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.memberQueries, "member-queries", "", "auto reads the pods of a stuck cluster through its member's context; off reads members only on m (default auto, or memberQueries in config.yaml)")
	register(cmd, "member-queries", cobra.FixedCompletions([]string{config.QueriesAuto, config.QueriesOff}, cobra.ShellCompDirectiveNoFileComp))
}

// bindConnection declares the flags that every command has.
func (o *options) bindConnection(f *pflag.FlagSet, namespace string) {
	f.StringVar(&o.logFile, "log-file", "", "append the log to this file")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "path of the kubeconfig file")
	f.StringVar(&o.allContexts, "all-contexts", "", "show the runs of all contexts that match the pattern, such as --all-contexts='prod-*'")
	f.Lookup("all-contexts").NoOptDefVal = "*"
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ContextOverrideFlags.Namespace.Description = namespace
	names.ClusterOverrideFlags.APIServer.ShortName = "s"
	names.Timeout.Description = "time limit of a command without a screen; by default it ends after 5s without an answer"
	names.Timeout.Default = ""
	clientcmd.BindOverrideFlags(&o.overrides, f, names)
}

// job is what the flags ask for, checked, with the connection resolved.
type job struct {
	conn *contexts.Connection
	// known is what a credential plugin returned before the screen opened; nil for none.
	known  *watch.Credential
	config config.Config
	// namespace limits namespaced runs to one; empty: all.
	namespace string
	// fallback is the namespace to show where all of them are forbidden.
	fallback       string
	namespacedOnly bool
	clusterOnly    bool
	settings       engine.Settings
	// left is the write whose outcome was not known when the screen was left.
	left atomic.Pointer[engine.Text]
	// view is the saved view that the screen shows; nil for none since the start.
	view atomic.Pointer[string]
	// run is the RUN argument, read in scope.
	run           runref.Ref
	scope         runref.Scope
	ascii         bool
	memberQueries bool
	color         string
	logFile       string
	// program is the name in front of lines on stderr.
	program string
	// cleanup runs before the process ends in an emergency; may be nil.
	cleanup func()
	// changes are those of the configuration; nil without one.
	changes *reload.Source
	// elsewhere makes the job of another context or namespace. next is that of the screen that
	// opens when this one has ended, nil for none; notice is shown when a screen opens.
	elsewhere func(present string, to ui.Switch) (*job, error)
	next      *job
	notice    engine.Text
	// others are the further hubs of the list; none for one hub. partial accepts that some
	// of them do not answer.
	others  []*job
	partial bool
	// writes is set for a command that writes, which accepts nothing less than all hubs.
	writes bool
}

// job checks the flags and resolves the connections. It makes no request.
func (o *options) job(args []string) (*job, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	conf, err := config.Load()
	if err != nil {
		return nil, exit.Misuse(engine.Clean(err.Error()), engine.Lit(config.Hint))
	}
	hubs, err := o.hubs(&conf)
	if err != nil || len(hubs) == 0 {
		return o.jobOf(args, conf, err)
	}
	var first *job
	for _, name := range hubs {
		one := *o
		one.overrides.CurrentContext = name
		j, err := one.jobOf(args, conf, nil)
		switch {
		case err != nil:
			return nil, err
		case first == nil:
			first, j.elsewhere = j, o.elsewhere
		default:
			first.others = append(first.others, j)
		}
	}
	return first, nil
}

// jobOf is job for one hub.
func (o *options) jobOf(args []string, conf config.Config, err error) (*job, error) {
	if err != nil {
		return nil, err
	}
	j := &job{namespacedOnly: o.namespacedOnly, color: o.color, logFile: o.logFile, program: program, elsewhere: o.elsewhere, partial: o.partial}
	if o.namespaceGiven && !o.allNamespaces {
		j.namespace = o.overrides.Context.Namespace
	}
	j.scope = runref.Scope{Namespace: j.namespace, NamespacedOnly: j.namespacedOnly}
	if err := j.parse(args); err != nil {
		return nil, err
	}
	conn, err := contexts.Connect(o.kubeconfig, &o.overrides, userAgent())
	if err != nil {
		return nil, err
	}
	j.conn, j.fallback = conn, conn.Namespace
	if !o.allNamespaces {
		j.scope.Default = conn.Namespace
	}
	if err := j.parse(args); err != nil {
		return nil, err
	}
	if ns := j.run.Namespace(); ns != "" {
		j.fallback = ns
	}
	j.settings = engine.Settings{StuckAfter: o.stuckAfter, ClusterRuns: !o.namespacedOnly, NamespacedRuns: true}
	if o.readOnly {
		j.settings.ReadOnly = engine.Lit("--read-only is set")
	}
	o.override(&conf)
	j.changes = reload.New(conf, o.override)
	conf.Apply(&j.settings, conn.Context)
	j.settings.Metadata = column.Metadata(conf.Columns)
	j.config = conf
	if j.memberQueries, err = queries(&conf, o.memberQueries); err != nil {
		return nil, err
	}
	j.ascii = o.ascii
	if !o.asciiGiven {
		j.ascii = tty.ASCIILocale(os.Getenv)
	}
	return j, nil
}

// override sets what the flags say in place of the configuration.
func (o *options) override(c *config.Config) {
	if o.changed == nil {
		return
	}
	if o.changed("mouse") {
		c.Mouse = o.mouse
	}
	if o.changed("notify") {
		c.Notify = o.notify
	}
}

// elsewhere is job for another context or another namespace than the present ones. What the
// flags say of the server and the user holds for the context that they were given with.
func (o *options) elsewhere(present string, to ui.Switch) (*job, error) {
	other := *o
	switch {
	case to.Context != "" && to.Context != present:
		other.allContexts = ""
		other.overrides = clientcmd.ConfigOverrides{CurrentContext: to.Context, Timeout: o.overrides.Timeout}
		other.namespaceGiven = false
	case o.several: // of all of them
	case present != contexts.InCluster: // somebody may choose another current context meanwhile
		other.overrides.CurrentContext = present
	}
	if to.InNamespace {
		other.overrides.Context.Namespace, other.namespaceGiven, other.allNamespaces = to.Namespace, to.Namespace != "", to.Namespace == ""
	}
	return other.job(nil)
}

// check refuses values that no flag type refuses by itself.
func (o *options) check() error {
	if o.output != "" {
		if no := output.CheckForm(o.output, output.ListForms()); no.Refused() {
			return exit.Misuse(no.Why, no.Hint)
		}
	}
	switch o.color {
	case tty.ColorAuto, tty.ColorAlways, tty.ColorNever:
	default:
		return exit.Misuse(engine.Textf("invalid --color %q", engine.Clean(o.color)), engine.Lit("use auto, always or never"))
	}
	if o.stuckAfter <= 0 {
		return exit.Misuse(engine.Lit("--stuck-after must be positive"), engine.Lit("use a duration like 5m"))
	}
	return nil
}

// watchConnections makes the HTTP/2 client notice a dead peer within seconds;
// by default it takes 43 s. client-go reads the variables when it makes a
// transport, so this comes before the first one. What the user set stays.
func watchConnections() error {
	for name, seconds := range map[string]string{
		"HTTP2_READ_IDLE_TIMEOUT_SECONDS": "5",
		"HTTP2_PING_TIMEOUT_SECONDS":      "3",
	} {
		if os.Getenv(name) != "" {
			continue
		}
		if err := os.Setenv(name, seconds); err != nil {
			return errors.Join(errors.New("prepare the HTTP client"), err)
		}
	}
	return nil
}
