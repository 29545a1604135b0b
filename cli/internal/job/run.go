package job

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/watch"
)

// RunHelp says in the help of every command what a RUN argument may be.
const RunHelp = `RUN is one of:

    NAME            the only run of that name, in the cluster scope or a
                    namespace; with -n the run of that namespace
    NAMESPACE/NAME  a namespaced run
    csur/NAME       a cluster run, whatever -n says
    sur/NAME        a run of the namespace of -n or of the context

The kind may be spelled as kubectl spells it (clusterstagedupdaterun/NAME), or with a
space instead of the slash. For a namespace that is called csur or sur, write
-n csur NAME or sur/csur/NAME.`

// Parse reads the RUN argument in the job's scope.
func (j *Job) Parse(args []string) error {
	if len(args) == 0 {
		return nil
	}
	ref, no := j.Scope.Parse(args[0])
	if no.Refused() {
		return exit.Misuse(no.Why, no.Hint)
	}
	j.Run = ref
	return nil
}

// JobOfRuns is Job for a command that takes several RUN arguments, which it returns, or kinds alone,
// as "kubectl get csur" does: then only runs of these kinds are read.
func (o *Options) JobOfRuns(args []string) (*Job, []runref.Ref, error) {
	if cluster, namespaced := kindsAlone(args); cluster || namespaced {
		if cluster && o.NamespacedOnly {
			return nil, nil, exit.Misuse(engine.Textf("%s includes cluster runs, and --namespaced-only excludes them", engine.Clean(args[0])), engine.Lit("remove --namespaced-only"))
		}
		o.clusterOnly, o.NamespacedOnly, args = !namespaced, !cluster, nil
	}
	j, err := o.Job(args[:min(1, len(args))])
	if err != nil {
		return nil, nil, err
	}
	var runs []runref.Ref
	for _, arg := range args {
		if err := j.Parse([]string{arg}); err != nil {
			return nil, nil, err
		}
		runs = append(runs, j.Run)
	}
	return j, runs, nil
}

// kindsAlone returns which kinds of runs the arguments name, if they name nothing else.
func kindsAlone(args []string) (cluster, namespaced bool) {
	if len(args) != 1 {
		return false, false
	}
	for _, word := range strings.Split(args[0], ",") {
		switch engine.RunKindOf(word) {
		case engine.KindClusterStagedUpdateRun:
			cluster = true
		case engine.KindStagedUpdateRun:
			namespaced = true
		default:
			return false, false
		}
	}
	return cluster, namespaced
}

// Narrow limits what a command without a screen reads to what its RUN can be.
func (j *Job) Narrow() {
	switch j.Run.Kind() {
	case engine.KindClusterStagedUpdateRun:
		j.ClusterOnly, j.Namespace = true, ""
	case engine.KindStagedUpdateRun:
		j.NamespacedOnly, j.Namespace = true, j.Run.Namespace()
	}
}

// Find returns the row that the RUN argument selects, and notes on errs what was
// left out of the lookup.
func (j *Job) Find(s *engine.Snapshot, errs io.Writer) (*engine.RunView, error) {
	m := j.Run.In(s, j.Scope)
	if err := MatchFailure(&m); err != nil {
		return nil, err
	}
	if n := m.Note(); !n.IsZero() {
		exit.Say(errs, "note: %s\n", n)
	}
	return s.Find(m.IDs[0]), nil
}

// MatchFailure is the failure of a RUN argument that does not select one run.
func MatchFailure(m *runref.Match) error {
	p := m.Problem()
	f := &exit.Failure{What: p.Why, Hint: p.Hint}
	switch m.Outcome() {
	case runref.MatchOne:
		return nil
	case runref.MatchSeveral:
		f.Code = exit.Usage
	case runref.MatchNone:
		f.Code, f.NoRun = exit.NotFound, m.Ref.Raw()
	case runref.MatchUnlisted:
		f.Code = exit.Unreachable
		if m.Forbidden() {
			f.Code = exit.Forbidden
		}
	}
	return f
}

// lookWithin bounds the lookup of InOtherScopes.
const lookWithin = 3 * time.Second

// InOtherScopes adds to the failure of a RUN argument that no run matches which runs have the name in other namespaces, or in
// the cluster scope. It reads these from each hub. Other errors stay as they are.
func (j *Job) InOtherScopes(ctx context.Context, err error) error {
	var f *exit.Failure
	if !errors.As(err, &f) || f.NoRun == "" || j.Run.Kind() == engine.KindUnknown {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	hubs := j.Each()
	found := make([][]engine.ID, len(hubs))
	var reads sync.WaitGroup
	for i, of := range hubs {
		reads.Go(func() { found[i] = watch.RunsNamed(limited, of.WatchConfig(), f.NoRun) })
	}
	reads.Wait()
	runs := slices.Concat(found...)
	if errors.Is(ctx.Err(), context.Canceled) {
		return &exit.Failure{Code: exit.Interrupted, What: engine.Lit("interrupted")}
	}
	if len(runs) == 0 || len(j.Run.Among(runs, nil, j.Scope).IDs) > 0 { // something else is missing
		return err
	}
	named := *f
	named.Hint = j.didYouMean(runs)
	return &named
}

// didYouMean names runs, and the flags without which they are found.
func (j *Job) didYouMean(runs []engine.ID) engine.Text {
	forms := j.Scope.Forms(runs)
	var as, without []engine.Text
	leave := func(flag engine.Text) {
		if !slices.Contains(without, flag) {
			without = append(without, flag)
		}
	}
	for _, id := range runs {
		form := forms.Of(id)
		switch {
		case !id.Kind().Namespaced() && j.Scope.NamespacedOnly:
			form = engine.Textf("%s/%s", id.Kind().Short(), id.RawName())
			leave(engine.Lit("--namespaced-only"))
		case id.Kind().Namespaced() && j.Scope.Namespace != "" && j.Scope.Namespace != id.RawNamespace():
			leave(engine.Lit("--namespace"))
		}
		if !slices.Contains(as, form) { // several hubs may have it
			as = append(as, form)
		}
	}
	said := engine.Join(as[:min(len(as), 5)], " or ")
	if len(without) > 0 {
		said = engine.Textf("%s, without %s", said, engine.Join(without, " and "))
	}
	return engine.Textf("did you mean %s?", said)
}

// NoPlacement is the failure for a placement without a run that does not exist.
func (j *Job) NoPlacement(s *engine.Snapshot) error {
	var names []string
	for _, v := range s.Runs {
		if v.Word == engine.WordNoRun {
			names = append(names, v.Placement.RawName())
		}
	}
	return &exit.Failure{
		Code: exit.NotFound, What: engine.Textf("no placement without a run is called %q", j.Run.Name()),
		Similar: engine.DidYouMean(j.Run.Raw(), names), Hint: engine.Lit("list them with stagewatch get"),
	}
}

// NoStage is the failure for a stage that a run does not have; nil when it has
// it.
func NoStage(v *engine.RunView, name string) error {
	var names []engine.Text
	var words []string
	for i := range v.Stages {
		switch s := &v.Stages[i]; {
		case s.Deletion:
		case s.Name == engine.Clean(name):
			return nil
		default:
			names, words = append(names, s.Name), append(words, s.Name.String())
		}
	}
	return &exit.Failure{
		Code: exit.NotFound, What: engine.Textf("%s has no stage %s", v.ID.Title(), engine.Clean(name)),
		Hint: engine.Textf("%sstages: %s", engine.DidYouMean(name, words), engine.Enumerate(names, 8)),
	}
}
