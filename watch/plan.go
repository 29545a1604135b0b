package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/page"
)

// readDeadline bounds one of the reads behind a plan: they are larger than what
// a question reads otherwise.
const readDeadline = 10 * time.Second

// PlanRequest names what a plan is made for: a run, or the spec of one that does
// not exist.
type PlanRequest struct {
	// Run is a run that exists, looked up in Scope; the zero RunRef means one that
	// does not.
	Run   engine.RunRef
	Scope engine.RunScope
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
func Plan(ctx context.Context, cfg Config, q PlanRequest) (engine.Plan, error) {
	if cfg.REST == nil {
		return engine.Plan{}, errors.New("plan: no connection given")
	}
	h, err := newClient(cfg.REST)
	if err != nil {
		return engine.Plan{}, fmt.Errorf("plan: %w", err)
	}
	defer h.close()
	// A hub that hides which versions it has may still be read.
	if err := h.discover(ctx); err != nil && !apierrors.IsForbidden(err) {
		e := h.planError(err)
		if errors.Is(e.kind, ErrNotFound) || errors.Is(err, errNoVersion) {
			e.kind = ErrNotServed
		}
		return engine.Plan{}, e
	}
	namespace := q.Namespace
	if !q.Run.IsZero() {
		namespace = q.Run.Namespace()
	}
	if err := h.namespaceExists(ctx, namespace); err != nil {
		return engine.Plan{}, err
	}
	if !q.Run.IsZero() {
		run, err := h.find(ctx, q)
		if err != nil {
			return engine.Plan{}, h.planError(err)
		}
		return h.plan(ctx, run, assumed(q)), nil
	}
	return h.plan(ctx, &placement.StagedUpdateRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: q.Namespace},
		Spec: placement.UpdateRunSpec{
			PlacementName: q.Placement, StagedRolloutStrategyName: q.Strategy, ResourceSnapshotIndex: q.Snapshot,
			State: placement.StateRun,
		},
	}, assumed(q)), nil
}

// plan answers with the page of a run's plan.
func (s *Session) plan(ctx context.Context, q page.Question) page.Answer {
	ns, name, _ := q.About.Raw()
	if k := q.About.Kind(); k == engine.KindClusterResourcePlacement || k == engine.KindResourcePlacement {
		return s.imagine(ctx, q)
	}
	run, err := s.hub.run(ctx, ns, name)
	if err != nil {
		f := sortError(err, s.hub.server)
		if f.kind == failNotFound {
			f.hint = engine.Lit("it was deleted")
		}
		return page.Answer{Question: q, Err: f.err, Hint: f.hint}
	}
	p := s.hub.plan(ctx, run, assumptions{approvals: true})
	return page.PlanPage(q, &p, time.Now().Add(s.hub.skew.offset()))
}

// imagine answers with the plan of a run that a placement could have, by the one
// strategy that there is, or the one that was chosen.
func (s *Session) imagine(ctx context.Context, q page.Question) page.Answer {
	strategy := q.Strategy
	if strategy.IsZero() {
		a := s.page(ctx, page.Question{Kind: page.QuestionChoices, About: q.About})
		if !a.Err.IsZero() {
			a.Question = q
			return a
		}
		if len(a.Choices.Strategies) != 1 {
			page := page.StrategiesPage(q, a.Choices)
			page.At = a.At
			return page
		}
		strategy = a.Choices.Strategies[0].Name
	}
	ns, name, _ := q.About.Raw()
	p := s.hub.plan(ctx, &placement.StagedUpdateRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns},
		Spec:       placement.UpdateRunSpec{PlacementName: name, StagedRolloutStrategyName: strategy.String(), State: placement.StateRun},
	}, assumptions{approvals: true})
	a := page.PlanPage(q, &p, time.Now().Add(s.hub.skew.offset()))
	a.Object = q.About
	return a
}

// assumptions are those of a forecast: that approvals are given as soon as they
// are requested, and that one which is open is given now.
type assumptions struct{ approvals, open bool }

func assumed(q PlanRequest) assumptions {
	return assumptions{approvals: q.AssumeApprovals, open: q.AssumeApprovals}
}

// plan reads the surroundings of a run and makes its plan, with its forecast.
// A run that has failed is planned as if it were made again.
func (h *client) plan(ctx context.Context, run *placement.StagedUpdateRun, assume assumptions) engine.Plan {
	if again := forecast.Remade(run); again != nil {
		p := h.plan(ctx, again, assume)
		p.Run, p.State = pass.IDOf(run), engine.Clean(string(run.Spec.State))
		p.Finished, p.Again = true, true
		return p
	}
	in := h.input(ctx, run)
	others, err := readAll[placement.StagedUpdateRun](ctx, h,
		scoped(run.Namespace, placement.ResourceClusterStagedUpdateRuns, placement.ResourceStagedUpdateRuns), run.Namespace, nil)
	now, read := time.Now().Add(h.skew.offset()), once(func(e pass.Effect) (pass.Answer, error) { return h.selected(ctx, e) })
	p := forecast.Plan(in, others, now, read)
	if err != nil {
		p.Unknown = append(p.Unknown, engine.PlanGap{What: engine.Lit("other runs"), Why: engine.Clean(err.Error()), Forbidden: kindOf(err) == failForbidden})
	}
	f := forecast.Estimate(in, forecast.Request{
		Timing: pass.DefaultTiming(), Now: now, Earlier: others, AssumeApprovals: assume.approvals, AssumeOpen: assume.open, Read: read,
	})
	p.Forecast = &f
	return p
}

// once remembers what was read: plan and forecast ask for the same.
func once(read func(pass.Effect) (pass.Answer, error)) func(pass.Effect) (pass.Answer, error) {
	type asked struct {
		op                            pass.Op
		resource                      schema.GroupVersionResource
		namespace, name, whichOfThese string
	}
	type got struct {
		answer pass.Answer
		err    error
	}
	known := map[asked]got{}
	return func(e pass.Effect) (pass.Answer, error) {
		k := asked{op: e.Op, resource: e.Resource, namespace: e.Namespace, name: e.Name}
		if e.Selector != nil {
			k.whichOfThese = e.Selector.String()
		}
		if _, ok := known[k]; !ok {
			answer, err := read(e)
			known[k] = got{answer, err}
		}
		// Who asked owns what was found.
		answer := pass.Answer{Items: make([]*unstructured.Unstructured, len(known[k].answer.Items))}
		for i, o := range known[k].answer.Items {
			answer.Items[i] = o.DeepCopy()
		}
		return answer, known[k].err
	}
}

// selected answers the reads of resource selection.
func (h *client) selected(ctx context.Context, e pass.Effect) (pass.Answer, error) {
	if e.Op == pass.OpGetObject && !nameable(e.Name) {
		return pass.Answer{}, apierrors.NewNotFound(e.Resource.GroupResource(), e.Name)
	}
	path := []string{"/apis", e.Resource.Group, e.Resource.Version}
	if e.Resource.Group == "" {
		path = []string{"/api", e.Resource.Version}
	}
	r := h.api.Get().AbsPath(path...).Resource(e.Resource.Resource)
	if e.Namespace != "" {
		r = r.Namespace(e.Namespace)
	}
	switch e.Op {
	case pass.OpGetObject:
		o := &unstructured.Unstructured{}
		if err := fetch(ctx, r.Name(e.Name), o); err != nil {
			return pass.Answer{}, err
		}
		return pass.Answer{Items: []*unstructured.Unstructured{o}}, nil
	case pass.OpListObjects:
		if e.Selector != nil {
			r = r.Param("labelSelector", e.Selector.String())
		}
		// Items of a list of built-in kinds do not say what they are; this type
		// fills it in.
		list := &unstructured.UnstructuredList{}
		if err := fetch(ctx, r, list); err != nil {
			return pass.Answer{}, err
		}
		found := make([]*unstructured.Unstructured, len(list.Items))
		for i := range list.Items {
			found[i] = &list.Items[i]
		}
		return pass.Answer{Items: found}, nil
	}
	return pass.Answer{}, fmt.Errorf("%s: a plan does not write", e.Op)
}

// find looks the run of a request up by its name, and reads it.
func (h *client) find(ctx context.Context, q PlanRequest) (*placement.StagedUpdateRun, error) {
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
		f := sortError(l.denied, h.server)
		return nil, &PlanError{kind: ErrForbidden, Err: engine.Textf("%s: %s", ErrForbidden.Error(), f.err), Hint: f.hint}
	}
	m := q.Run.Among(slices.Collect(maps.Keys(l.runs)), l.sets, q.Scope)
	e := &PlanError{}
	switch m.Outcome() {
	case engine.MatchOne:
		if n := m.Note(); !n.IsZero() && q.Note != nil {
			q.Note(n)
		}
		return l.runs[m.IDs[0]], nil
	case engine.MatchSeveral:
		e.kind = ErrAmbiguous
	case engine.MatchNone:
		e.kind = ErrNotFound
	case engine.MatchUnlisted:
		e.kind = ErrForbidden
	}
	p := m.Problem()
	e.Err, e.Hint = p.Why, p.Hint
	return nil, e
}

// lookup collects the runs of one name. That one set may not be read does not
// hide a run in another.
type lookup struct {
	h    *client
	name string
	runs map[engine.ID]*placement.StagedUpdateRun
	sets []engine.RunSet
	err  error // the first that is neither a refusal nor an absence
	// denied is the first refusal.
	denied error
}

func (l *lookup) add(run *placement.StagedUpdateRun) { l.runs[pass.IDOf(run)] = run }

// get looks in the cluster scope or in one namespace.
func (l *lookup) get(ctx context.Context, kind engine.Kind, ns string) {
	run, err := l.h.run(ctx, ns, l.name)
	switch {
	case err == nil:
		l.add(run)
	case notThere(err):
		err = nil
	}
	l.read(kind, ns, err)
}

// list looks in all namespaces. It reports whether they may be listed.
func (l *lookup) list(ctx context.Context) bool {
	var list struct {
		Items []*placement.StagedUpdateRun `json:"items"`
	}
	name := fields.OneTermEqualSelector("metadata.name", l.name)
	err := fetch(ctx, l.h.set(placement.ResourceStagedUpdateRuns, "", "").Param("fieldSelector", name.String()), &list)
	for _, run := range list.Items {
		l.add(run)
	}
	if err != nil && notThere(err) {
		err = nil
	}
	l.read(engine.KindStagedUpdateRun, "", err)
	return !apierrors.IsForbidden(err)
}

// read records whether a set was read.
func (l *lookup) read(kind engine.Kind, ns string, err error) {
	set := engine.RunSet{ID: engine.NewID(kind, ns, "", ""), State: engine.CoverComplete}
	switch {
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
func (h *client) planError(err error) *PlanError {
	var known *PlanError
	if errors.As(err, &known) {
		return known
	}
	f := sortError(err, h.server)
	e := &PlanError{Err: f.err, Hint: f.hint}
	switch f.kind {
	case failForbidden, failUnauthenticated:
		e.kind = ErrForbidden
	case failNotFound:
		e.kind = ErrNotFound
	case failUnreachable, failServer, failBusy:
		e.kind = ErrUnreachable
	}
	return e
}
