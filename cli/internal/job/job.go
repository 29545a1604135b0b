// Package job makes what a command works on from its flags, the configuration and the
// kubeconfig: the hubs, the scope, the RUN. It reads hubs for commands without a screen, and
// turns why one could not be read into the failure that the command ends with.
package job

import (
	"maps"
	"slices"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/internal/build"
	"github.com/stagewatch/stagewatch/cli/internal/contexts"
	"github.com/stagewatch/stagewatch/cli/internal/reload"
	"github.com/stagewatch/stagewatch/cli/internal/statedir"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/ui"
	"github.com/stagewatch/stagewatch/watch"
)

// Job is what the flags ask for, checked, with the connection resolved.
type Job struct {
	Conn *contexts.Connection
	// Known is what a credential plugin returned before the screen opened; nil for none.
	Known  *watch.Credential
	Config config.Config
	// Namespace limits namespaced runs to one; empty: all.
	Namespace string
	// Fallback is the namespace to show where all of them are forbidden.
	Fallback       string
	NamespacedOnly bool
	ClusterOnly    bool
	Settings       engine.Settings
	// Run is the RUN argument, read in Scope.
	Run           runref.Ref
	Scope         runref.Scope
	ASCII         bool
	MemberQueries bool
	Color         string
	LogFile       string
	// Changes are those of the configuration; nil without one.
	Changes *reload.Source
	// Elsewhere makes the job of another context or namespace.
	Elsewhere func(present string, to ui.Switch) (*Job, error)
	// Others are the further hubs of the list; none for one hub. Partial accepts that some
	// of them do not answer.
	Others  []*Job
	Partial bool
	// Writes is set for a command that writes, which accepts nothing less than all hubs.
	Writes bool

	progress func(engine.Text) // of StartProgress; nil before
}

// Each are the jobs of all hubs.
func (j *Job) Each() []*Job { return append([]*Job{j}, j.Others...) }

// Named reports whether a name is that of the context, or its alias; another context of that
// name comes first.
func (j *Job) Named(name string) bool {
	if name != j.Conn.Context && name == j.Config.ContextAlias(j.Conn.Context) {
		return j.Conn.Kubeconfig.Contexts[name] == nil
	}
	return name == j.Conn.Context
}

// Members finds the kubeconfig contexts of members for the job.
func (j *Job) Members() contexts.Members {
	return contexts.Members{Config: j.Config, File: j.Conn.File, Hub: j.Conn.Context, UserAgent: build.UserAgent()}
}

// LikelyHubs returns the other contexts of the kubeconfig that look like hubs:
// those that served the hub API before, then those with hub or fleet in their
// name. None of them is contacted.
func (j *Job) LikelyHubs() []engine.Text { return j.likely(statedir.Default().Hubs()) }

func (j *Job) likely(known []string) []engine.Text {
	return contexts.Likely(slices.Collect(maps.Keys(j.Conn.Kubeconfig.Contexts)), known, j.Conn.Context)
}

// Contexts lists the contexts of the kubeconfig for :ctx, and LikelyHubs.
func (j *Job) Contexts() (all []ui.Choice, likely []engine.Text) {
	known := statedir.Default().Hubs()
	return contexts.Choices(j.Conn.Kubeconfig, j.Config, known, j.Conn.Context), j.likely(known)
}

// NoHub says that a cluster has no hub API, and how to switch.
func (j *Job) NoHub() (what, hint engine.Text) {
	what = engine.Textf("context %s: this cluster has no KubeFleet hub API", engine.Clean(j.Conn.Context))
	hint = engine.Lit("switch with --context NAME; stagewatch contexts lists those of the kubeconfig")
	if hubs := j.LikelyHubs(); len(hubs) > 0 {
		hint = engine.Textf("switch with --context NAME; contexts that look like hubs: %s", engine.Enumerate(hubs, 5))
	}
	return what, hint
}

// WatchConfig is what streams need to know of a job.
func (j *Job) WatchConfig() watch.Config {
	cfg := watch.Config{
		REST: j.Conn.REST, Known: j.Known, Context: j.Conn.Context, Kubeconfig: j.Conn.File, Flags: j.Conn.Flags, User: j.Conn.User,
		Namespace: j.Namespace, NamespacedOnly: j.NamespacedOnly, ClusterOnly: j.ClusterOnly, FallbackNamespace: j.Fallback,
		Settings: j.Settings, Audit: func(r watch.Record) error { return statedir.Default().AppendAudit(r) }, Members: j.Members(), QueryMembers: j.MemberQueries, Renew: j.renew,
		Progress: j.progress,
	}
	if !j.Run.IsZero() {
		cfg.Named = j.named
	}
	return cfg
}

// LiveConfig is WatchConfig for a session that watches all runs. The session does not open if there is no run of one of the
// names.
func (j *Job) LiveConfig(names ...runref.Ref) watch.Config {
	cfg := j.WatchConfig()
	cfg.Named, cfg.Missing = nil, func(s *engine.Snapshot) error { return j.missing(s, names) }
	return cfg
}

// named returns the run that RUN names, alone; none if there is none, or several.
func (j *Job) named(runs []engine.ID) []engine.ID { return j.Among(runs, j.Run) }

// missing is the failure of the first name that no run has, which becomes that of the job, if the names of all runs are known
// that may have it.
func (j *Job) missing(s *engine.Snapshot, names []runref.Ref) error {
	for _, name := range names {
		m := name.In(s, j.Scope)
		if len(m.IDs) > 0 {
			continue
		}
		served := func(set engine.RunSet) bool { return set.State != engine.CoverNotServed }
		if !m.IsNamed() || !slices.ContainsFunc(s.Scope.Runs, served) {
			return nil // a hub that serves no runs is said to be none
		}
		for _, kind := range []engine.Kind{engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun} {
			asked := slices.ContainsFunc(s.Scope.Runs, func(set engine.RunSet) bool { return set.ID.Kind() == kind })
			if name.Kind() == engine.KindUnknown && !asked {
				return nil // it is not asked for yet
			}
		}
		j.Run, m.Unlisted = name, nil // they are still being read, but their names are known
		return MatchFailure(&m)
	}
	return nil
}

// Among returns the runs that are named; none if one of the names is not that of one run.
func (j *Job) Among(runs []engine.ID, names ...runref.Ref) (out []engine.ID) {
	for _, name := range names {
		m := name.Among(runs, nil, j.Scope)
		if m.Outcome() != runref.MatchOne {
			return nil
		}
		out = append(out, m.IDs...)
	}
	return out
}

// renew reads the login of the screen's context again.
func (j *Job) renew() (*rest.Config, error) {
	cfg, err := j.Conn.Renew()
	if err == nil {
		contexts.QuietLogin(cfg)
	}
	return cfg, err
}
