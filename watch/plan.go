package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/watch/ask"
	"github.com/stagewatch/stagewatch/watch/client"
)

// PlanRequest names what a plan is made for: a run, or the spec of one that does
// not exist.
type PlanRequest struct {
	// Run is a run that exists, looked up in Scope; the zero Ref means one that
	// does not.
	Run   runref.Ref
	Scope runref.Scope
	// Fallback is the namespace to look in where all may not be listed.
	Fallback string
	// Note, when not nil, is given what was left out of the lookup.
	Note func(engine.Text)
	// Namespace is that of the run that does not exist, empty for a cluster run.
	Namespace string
	// Placement, Strategy and Snapshot are the spec of an imagined run; an empty
	// Snapshot means the newest.
	Placement, Strategy, Snapshot string
	// AssumeApprovals lets the forecast take every approval as given at once.
	AssumeApprovals bool
}

// PlanError is why there is no plan.
type PlanError struct {
	kind error // ErrNotFound or one of those of Once
	// Err and Hint are one line each, for a person.
	Err, Hint engine.Text
}

// Error returns what is wrong, without the hint.
func (e *PlanError) Error() string { return e.Err.String() }

// Unwrap returns ErrNotFound, ErrUnreachable, ErrForbidden or ErrNotServed; nil
// when it is none of them.
func (e *PlanError) Unwrap() error { return e.kind }

// What Plan fails with beside the errors of Once; test with errors.Is.
var (
	// ErrNotFound: no run has that name.
	ErrNotFound = errors.New("run not found")
	// ErrAmbiguous: several runs have that name.
	ErrAmbiguous = errors.New("run name is ambiguous")
)

// Plan reads what a plan needs, once, and makes it. Nothing is written. It fails
// with a PlanError when the hub or the run cannot be read; what else cannot be
// read is named in the plan.
func Plan(ctx context.Context, cfg Config, q PlanRequest) (plan.Plan, error) {
	if cfg.REST == nil {
		return plan.Plan{}, errors.New("plan: no connection given")
	}
	h, err := client.New(cfg.hub(), cfg.REST)
	if err != nil {
		return plan.Plan{}, fmt.Errorf("plan: %w", err)
	}
	defer h.Close()
	h.BePatient(retryWait, func(err error) { progress(&cfg, waitingFor(engine.Message(client.Message(err)))) })
	// A hub that hides which versions it has may still be read.
	if err := h.Discover(ctx); err != nil && !apierrors.IsForbidden(err) {
		e := planError(h, err)
		if client.KindOf(err) == client.NotServed || errors.Is(err, client.ErrNoVersion) {
			e.kind = ErrNotServed
		}
		return plan.Plan{}, e
	}
	namespace := q.Namespace
	if !q.Run.IsZero() {
		namespace = q.Run.Namespace()
	}
	if err := namespaceExists(ctx, h, namespace); err != nil {
		return plan.Plan{}, err
	}
	if !q.Run.IsZero() {
		run, err := find(ctx, h, q)
		if err != nil {
			return plan.Plan{}, planError(h, err)
		}
		made := ask.NewReader(h).Plan(ctx, run, assumed(cfg, q))
		if !made.Ended() && !made.Again {
			made.Diagnose(diagnosed(ctx, cfg, made.Run))
		}
		return made, nil
	}
	return ask.NewReader(h).Plan(ctx, &placement.StagedUpdateRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: q.Namespace},
		Spec: placement.UpdateRunSpec{
			PlacementName: q.Placement, StagedRolloutStrategyName: q.Strategy, ResourceSnapshotIndex: q.Snapshot,
			State: placement.StateRun,
		},
	}, assumed(cfg, q)), nil
}

// diagnosed reads the diagnosis of a run as Explain does; nil when it cannot be read.
func diagnosed(ctx context.Context, cfg Config, id engine.ID) *engine.RunView {
	cfg.Namespace, cfg.FallbackNamespace = id.RawNamespace(), ""
	cfg.ClusterOnly, cfg.NamespacedOnly = !id.Kind().Namespaced(), id.Kind().Namespaced()
	cfg.Named = func(runs []engine.ID) []engine.ID {
		if at := slices.Index(runs, id); at >= 0 {
			return runs[at : at+1]
		}
		return nil
	}
	_, v, err := OnceRun(ctx, cfg, func(s *engine.Snapshot) (*engine.RunView, error) {
		if v := s.Find(id); v != nil {
			return v, nil
		}
		return nil, ErrNotFound
	})
	if err != nil {
		return nil
	}
	return v
}

func assumed(cfg Config, q PlanRequest) ask.Assumptions {
	return ask.Assumptions{Approvals: q.AssumeApprovals, Open: q.AssumeApprovals, StuckAfter: cfg.Settings.StuckAfter}
}

// find looks the run of a request up by its name, and reads it.
func find(ctx context.Context, h *client.Client, q PlanRequest) (*placement.StagedUpdateRun, error) {
	l := lookup{h: h, name: q.Run.Raw(), runs: map[engine.ID]*placement.StagedUpdateRun{}}
	kind, ns := q.Run.Kind(), q.Run.Namespace()
	if kind != engine.KindStagedUpdateRun {
		l.get(ctx, engine.KindClusterStagedUpdateRun, "")
	}
	switch {
	case kind == engine.KindClusterStagedUpdateRun:
	case ns != "":
		l.get(ctx, engine.KindStagedUpdateRun, ns)
	case !l.list(ctx) && q.Fallback != "":
		l.get(ctx, engine.KindStagedUpdateRun, q.Fallback)
	}
	if l.err != nil {
		return nil, l.err
	}
	// A user who may read none of the sets gets the API server's message, as from
	// a list of the runs.
	if l.denied != nil && !slices.ContainsFunc(l.sets, func(s engine.RunSet) bool { return s.State == engine.CoverComplete }) {
		f := h.Failure(l.denied)
		return nil, &PlanError{kind: ErrForbidden, Err: engine.Textf("%s: %s", ErrForbidden.Error(), f.Err), Hint: f.Hint}
	}
	m := q.Run.Among(slices.Collect(maps.Keys(l.runs)), l.sets, q.Scope)
	e := &PlanError{}
	switch m.Outcome() {
	case runref.MatchOne:
		if n := m.Note(); !n.IsZero() && q.Note != nil {
			q.Note(n)
		}
		return l.runs[m.IDs[0]], nil
	case runref.MatchSeveral:
		e.kind = ErrAmbiguous
	case runref.MatchNone:
		e.kind = ErrNotFound
	case runref.MatchUnlisted:
		e.kind = ErrForbidden
	}
	p := m.Problem()
	e.Err, e.Hint = p.Why, p.Hint
	return nil, e
}

// lookup collects the runs of one name. That one set may not be read does not
// hide a run in another.
type lookup struct {
	h    *client.Client
	name string
	runs map[engine.ID]*placement.StagedUpdateRun
	sets []engine.RunSet
	err  error // the first that is neither a refusal nor an absence
	// denied is the first refusal.
	denied error
}

func (l *lookup) add(run *placement.StagedUpdateRun) { l.runs[pass.IDOf(run).On(l.h.Name())] = run }

// get looks in the cluster scope or in one namespace.
func (l *lookup) get(ctx context.Context, kind engine.Kind, ns string) {
	run, err := ask.NewReader(l.h).Run(ctx, ns, l.name)
	switch {
	case err == nil:
		l.add(run)
	case client.KindOf(err) == client.Missing:
		err = nil
	}
	l.read(kind, ns, err)
}

// list looks in all namespaces. It reports whether they may be listed.
func (l *lookup) list(ctx context.Context) bool {
	runs, err := ask.NewReader(l.h).RunsNamed(ctx, l.name)
	for _, run := range runs {
		l.add(run)
	}
	l.read(engine.KindStagedUpdateRun, "", err)
	return !apierrors.IsForbidden(err)
}

// read records whether a set was read.
func (l *lookup) read(kind engine.Kind, ns string, err error) {
	set := engine.RunSet{ID: engine.NewID(kind, ns, "", ""), State: engine.CoverComplete}
	switch {
	case client.KindOf(err) == client.NotServed:
		set.State = engine.CoverNotServed
	case apierrors.IsForbidden(err):
		set.State = engine.CoverForbidden
		if l.denied == nil {
			l.denied = err
		}
	case err != nil && l.err == nil:
		l.err = err
	}
	l.sets = append(l.sets, set)
}

// planError sorts an error for exit codes and puts it into words.
func planError(h *client.Client, err error) *PlanError {
	var known *PlanError
	if errors.As(err, &known) {
		return known
	}
	f := h.Failure(err)
	e := &PlanError{Err: f.Err, Hint: f.Next(false)}
	switch f.Kind {
	case client.Forbidden, client.Unauthenticated:
		e.kind, e.Err = ErrForbidden, engine.Textf("%s: %s", ErrForbidden.Error(), f.Err)
	case client.Missing:
		e.kind = ErrNotFound
	case client.Unreachable, client.ServerError, client.Busy:
		e.kind = ErrUnreachable
	}
	return e
}
