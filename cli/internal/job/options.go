package job

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/build"
	"github.com/stagewatch/stagewatch/cli/internal/contexts"
	"github.com/stagewatch/stagewatch/cli/internal/profile"
	"github.com/stagewatch/stagewatch/cli/internal/reload"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/engine/shell"
	"github.com/stagewatch/stagewatch/ui"
	"github.com/stagewatch/stagewatch/watch/client"
)

// StuckAfterDefault is what every real hub uses (docs/kubefleet.md#constants).
const StuckAfterDefault = 5 * time.Minute

// Options are the flags as given.
type Options struct {
	Kubeconfig     string
	Overrides      clientcmd.ConfigOverrides
	AllNamespaces  bool
	AllContexts    string
	Partial        bool
	NamespacedOnly bool
	StuckAfter     time.Duration
	ReadOnly       bool
	Output         string
	NoHeaders      bool
	Color          string
	ASCII          bool
	Mouse, Notify  bool
	LogFile        string
	MemberQueries  string
	LabelColumns   []string // of a list, behind the others

	NamespaceGiven bool
	ASCIIGiven     bool
	// Changed reports whether a flag was given; nil for a command without settings of a screen.
	Changed     func(flag string) bool
	clusterOnly bool // of JobOfRuns
	several     bool // hubs has returned more than one
	// unnamed is set while no flag and no person has named a context: the configuration may.
	unnamed bool
}

// BindStuck declares the flag of the stuck threshold, which every command has
// that computes states or effects.
func (o *Options) BindStuck(f *pflag.FlagSet) {
	f.DurationVar(&o.StuckAfter, "stuck-after", StuckAfterDefault, "stuck threshold: after how long a cluster is stuck")
}

// BindMembers declares the flag of the commands that may read members.
func (o *Options) BindMembers(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.MemberQueries, "member-queries", "", "auto reads the pods of a stuck cluster through its member's context; off reads members only on m (default auto, or memberQueries in config.yaml)")
	usage.Complete(cmd, "member-queries", cobra.FixedCompletions([]string{config.QueriesAuto, config.QueriesOff}, cobra.ShellCompDirectiveNoFileComp))
}

// BindConnection declares the flags that every command has.
func (o *Options) BindConnection(f *pflag.FlagSet, namespace string) {
	connection := pflag.NewFlagSet("", pflag.ContinueOnError)
	connection.SortFlags = false
	connection.StringVar(&o.Kubeconfig, "kubeconfig", "", "path of the kubeconfig file")
	connection.StringVar(&o.AllContexts, "all-contexts", "", "show the runs of all contexts that match the pattern, such as --all-contexts='prod-*'")
	connection.Lookup("all-contexts").NoOptDefVal = everyContext
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ContextOverrideFlags.Namespace.Description = namespace
	names.ClusterOverrideFlags.APIServer.ShortName = "s"
	names.CurrentContext.Description = "kubeconfig context; several, separated by commas, are read together"
	names.Timeout.Description = "time limit of a command without a screen; by default it ends after 5s without an answer"
	names.Timeout.Default = ""
	clientcmd.BindOverrideFlags(&o.Overrides, connection, names)
	usage.AddConnection(f, connection, "namespace", "context", "all-contexts", "kubeconfig", "request-timeout")
	f.StringVar(&o.LogFile, "log-file", "", "append the log to this file")
	f.String(profile.Flag, "", profile.Help)
}

// everyContext is the pattern of --all-contexts without one.
const everyContext = "*"

// Job checks the flags and resolves the connections. It makes no request.
func (o *Options) Job(args []string) (*Job, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	// No name of a run has what a pattern has; without "=" it is read as the RUN.
	if o.AllContexts == everyContext && len(args) > 0 && strings.ContainsAny(args[0], "*?[") {
		return nil, exit.Misuse(engine.Textf("invalid RUN %q", engine.Clean(args[0])), engine.Textf("the pattern of --all-contexts needs \"=\": --all-contexts=%s", engine.Clean(shell.Quote(args[0]))))
	}
	conf, err := config.Load()
	if err != nil {
		return nil, exit.Misuse(engine.Clean(err.Error()), engine.Lit(config.Hint))
	}
	o.unalias(&conf)
	hubs, err := o.hubs(&conf)
	if err != nil || len(hubs) == 0 {
		return o.jobOf(args, conf, err)
	}
	var first *Job
	for _, name := range hubs {
		one := *o
		one.Overrides.CurrentContext = name
		j, err := one.jobOf(args, conf, nil)
		switch {
		case err != nil:
			return nil, err
		case first == nil:
			first, j.Elsewhere = j, o.Elsewhere
		default:
			first.Others = append(first.Others, j)
		}
	}
	return first, nil
}

// unalias replaces the aliases of contexts that --context names. The name of a context comes first.
func (o *Options) unalias(conf *config.Config) {
	given, aliases := o.Overrides.CurrentContext, conf.Aliases()
	if given == "" || len(aliases) == 0 {
		return
	}
	_, raw, err := contexts.Members{File: o.Kubeconfig}.Kubeconfig()
	if err != nil {
		return // the connection says what is wrong with it
	}
	names := contexts.Listed(raw, given)
	for i, name := range names {
		if of, ok := aliases[name]; ok && raw.Contexts[name] == nil {
			names[i] = of
		}
	}
	o.Overrides.CurrentContext = strings.Join(names, ",")
}

// jobOf is job for one hub.
func (o *Options) jobOf(args []string, conf config.Config, err error) (*Job, error) {
	if err != nil {
		return nil, err
	}
	j := &Job{NamespacedOnly: o.NamespacedOnly, ClusterOnly: o.clusterOnly, Color: o.Color, LogFile: o.LogFile, Elsewhere: o.Elsewhere, Partial: o.Partial}
	if o.NamespaceGiven && !o.AllNamespaces && !o.clusterOnly {
		j.Namespace = o.Overrides.Context.Namespace
	}
	j.Scope = runref.Scope{Namespace: j.Namespace, NamespacedOnly: j.NamespacedOnly}
	if err := j.Parse(args); err != nil {
		return nil, err
	}
	conn, err := contexts.Connect(o.Kubeconfig, &o.Overrides, build.UserAgent())
	if f := new(exit.Failure); errors.As(err, &f) && f.Code == exit.NotFound && f.Similar.IsZero() {
		f.Similar = engine.DidYouMean(o.Overrides.CurrentContext, slices.Collect(maps.Keys(conf.Aliases())))
	}
	if err != nil {
		return nil, err
	}
	j.Conn, j.Fallback = conn, conn.Namespace
	if !o.AllNamespaces {
		j.Scope.Default = conn.Namespace
	}
	if err := j.Parse(args); err != nil {
		return nil, err
	}
	if ns := j.Run.Namespace(); ns != "" {
		j.Fallback = ns
	}
	j.Settings = engine.Settings{StuckAfter: o.StuckAfter, ClusterRuns: !o.NamespacedOnly, NamespacedRuns: true}
	if o.ReadOnly {
		j.Settings.ReadOnly = engine.Lit("--read-only is set")
	}
	o.override(&conf)
	j.Changes = reload.New(conf, o.override)
	conf.Apply(&j.Settings, conn.Context)
	if len(o.LabelColumns) > 0 {
		conf.Columns = column.WithLabels(conf.Columns, o.LabelColumns, o.Output == output.Wide || o.Output == output.Markdown)
	}
	j.Settings.Fields = column.Fields(conf.Columns)
	j.Config = conf
	if j.MemberQueries, err = queries(&conf, o.MemberQueries); err != nil {
		return nil, err
	}
	j.ASCII = o.ASCII
	if !o.ASCIIGiven {
		j.ASCII = tty.ASCIILocale(os.Getenv)
	}
	return j, nil
}

// ErrAttended is why a hub is not contacted without a person.
var ErrAttended = errors.New("the credential plugin may prompt for input")

// Unattended is Job for a read that no person waits for: no login may ask one. It leaves out
// the hubs whose login may, and fails with ErrAttended where no other is left.
func (o *Options) Unattended() (*Job, error) {
	j, err := o.Job(nil)
	if err != nil {
		return nil, err
	}
	hubs := slices.DeleteFunc(j.Each(), func(of *Job) bool { return client.AsksPerson(of.Conn.REST) })
	if len(hubs) == 0 {
		return nil, ErrAttended
	}
	for _, of := range hubs {
		contexts.QuietLogin(of.Conn.REST)
	}
	j = hubs[0]
	j.Others = hubs[1:]
	return j, nil
}

// override sets what the flags say in place of the configuration.
func (o *Options) override(c *config.Config) {
	if o.Changed == nil {
		return
	}
	if o.Changed("mouse") {
		c.Mouse = o.Mouse
	}
	if o.Changed("notify") {
		c.Notify = o.Notify
	}
}

// Elsewhere is job for another context or another namespace than the present ones. What the
// flags say of the server and the user holds for the context that they were given with.
func (o *Options) Elsewhere(present string, to ui.Switch) (*Job, error) {
	other, unnamed := *o, o.unnamed || o.Overrides.CurrentContext == ""
	switch {
	case to.Context != "" && (to.Context != present || o.several): // it alone
		other.unnamed = false
		other.AllContexts = ""
		other.Overrides = clientcmd.ConfigOverrides{CurrentContext: to.Context, Timeout: o.Overrides.Timeout}
		other.NamespaceGiven = false
	case o.several: // of all of them
	case to.Reopen && unnamed && o.listsHubs():
		other.Overrides.CurrentContext = ""
	case present != contexts.InCluster: // somebody may choose another current context meanwhile
		other.unnamed = unnamed
		other.Overrides.CurrentContext = present
	}
	if to.InNamespace {
		other.Overrides.Context.Namespace, other.NamespaceGiven, other.AllNamespaces = to.Namespace, to.Namespace != "", to.Namespace == ""
	}
	if to.Run != "" {
		return other.Job([]string{to.Run})
	}
	return other.Job(nil)
}

// listsHubs reports whether the configuration lists hubs now.
func (o *Options) listsHubs() bool {
	conf, err := config.Load()
	return err == nil && len(conf.Hubs) > 0
}

// check refuses values that no flag type refuses by itself.
func (o *Options) check() error {
	if o.Output != "" {
		if no := output.CheckForm(o.Output, output.ListForms()); no.Refused() {
			return exit.Misuse(no.Why, no.Hint)
		}
	}
	switch o.Color {
	case tty.ColorAuto, tty.ColorAlways, tty.ColorNever:
	default:
		return exit.Misuse(engine.Textf("invalid --color %q", engine.Clean(o.Color)), engine.Lit("use auto, always or never"))
	}
	if o.StuckAfter <= 0 {
		return exit.Misuse(engine.Lit("--stuck-after must be positive"), engine.Lit("use a duration like 5m"))
	}
	return nil
}

// hubs are the contexts of the hubs in one list: those of --context with commas, of
// --all-contexts, or of the configuration; none for one hub. The patterns are for the kubeconfig in
// use: --kubeconfig and KUBECONFIG mean the same, as for kubectl.
func (o *Options) hubs(conf *config.Config) ([]string, error) {
	o.several = false
	given, c := o.Overrides.CurrentContext, &o.Overrides
	patterns := conf.Hubs
	if o.AllContexts != "" {
		patterns = []string{o.AllContexts}
	}
	other := c.ClusterInfo.Server != "" || c.Context.Cluster != "" || c.Context.AuthInfo != "" || c.AuthInfo.Token != "" || c.AuthInfo.ClientCertificate != ""
	if len(patterns) == 0 && given == "" || o.AllContexts == "" && (given != "" || other) && !strings.Contains(given, ",") {
		return nil, nil
	}
	_, raw, err := contexts.Members{File: o.Kubeconfig}.Kubeconfig()
	if err != nil || len(raw.Contexts) == 0 {
		return nil, nil // the connection says what is wrong with it
	}
	names := contexts.Matching(raw, conf, patterns)
	switch {
	case o.AllContexts != "" && given != "":
		return nil, exit.Misuse(engine.Lit("--context and --all-contexts cannot be used together"), engine.Text{})
	case strings.Contains(given, ","):
		names = contexts.Listed(raw, given)
	case o.AllContexts != "" && len(names) == 0:
		return nil, &exit.Failure{Code: exit.NotFound, What: engine.Textf("the kubeconfig has no context that matches %q", engine.Clean(o.AllContexts)), Hint: contexts.Hint(raw)}
	}
	if len(names) > 1 && other {
		return nil, exit.Misuse(engine.Lit("--server, --cluster, --user, --token and client certificates apply to one hub only"), engine.Lit("name one context with --context"))
	}
	o.several = len(names) > 1
	return names, nil
}

// BindPartial declares --partial of a command that only reads.
func (o *Options) BindPartial(f *pflag.FlagSet) {
	f.BoolVar(&o.Partial, "partial", false, "with several hubs, accept that some do not answer; without it the exit code is 8")
}

// queries resolves --member-queries: the flag overrides the configuration.
func queries(c *config.Config, flag string) (on bool, err error) {
	switch flag {
	case config.QueriesAuto, config.QueriesOff:
		return flag == config.QueriesAuto, nil
	case "":
		return c.MemberQueries != config.QueriesOff, nil
	}
	return false, exit.Misuse(engine.Textf("invalid --member-queries %q", engine.Clean(flag)), engine.Lit("use auto or off"))
}
