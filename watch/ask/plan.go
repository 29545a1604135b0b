package ask

import (
	"context"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/validation"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/watch/client"
)

// readDeadline bounds one of the reads behind a plan: they are larger than what
// a question reads otherwise.
const readDeadline = 10 * time.Second

// plan reads the page of a run's plan.
func (s *Asker) plan(ctx context.Context, of engine.ID) (page.Answer, error) {
	ns, name, _ := of.Raw()
	run, err := NewReader(s.Hub).Run(ctx, ns, name)
	if err != nil {
		return page.Answer{}, err
	}
	p := NewReader(s.Hub).Plan(ctx, run, Assumptions{Approvals: true, StuckAfter: s.StuckAfter})
	if seen := s.Seen(); seen != nil {
		p.Diagnose(seen.Find(of))
	}
	return page.PlanPage(&p), nil
}

// newRun reads the page of the plan of a run that a placement could have, by the
// strategy that was chosen, or the only one.
func (p *pages) newRun(ctx context.Context, q page.NewRunQuestion) (page.Answer, error) {
	strategy := q.Strategy
	if strategy.IsZero() {
		a, err := p.choices(ctx, q.Placement)
		if err != nil {
			return a, err
		}
		if len(a.Choices.Strategies) != 1 {
			page := page.StrategiesPage(q.Placement, a.Choices)
			page.At = a.At
			return page, nil
		}
		strategy = a.Choices.Strategies[0].Name
	}
	ns, name, _ := q.Placement.Raw()
	made := NewReader(p.Hub).Plan(ctx, &placement.StagedUpdateRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns},
		Spec:       placement.UpdateRunSpec{PlacementName: name, StagedRolloutStrategyName: strategy.String(), State: placement.StateRun},
	}, Assumptions{Approvals: true, StuckAfter: p.StuckAfter})
	a := page.PlanPage(&made)
	a.Object = q.Placement
	return a, nil
}

// Assumptions are those of a forecast.
type Assumptions struct {
	// Approvals assumes that approvals are given as soon as they are requested, Open
	// that one which is open is given now.
	Approvals, Open bool
	// StuckAfter is the stuck threshold of the session; zero means the controller's.
	StuckAfter time.Duration
}

// timing returns the controller's waits with the stuck threshold of the session.
func (a Assumptions) timing() pass.Timing {
	t := pass.DefaultTiming()
	if a.StuckAfter > 0 {
		t.StuckAfter = a.StuckAfter
	}
	return t
}

// Plan reads the surroundings of a run and makes its plan, with its forecast.
// A run that has failed is planned as if it were made again.
func (rd Reader) Plan(ctx context.Context, run *placement.StagedUpdateRun, assume Assumptions) plan.Plan {
	if again := forecast.Remade(run); again != nil {
		p := rd.Plan(ctx, again, assume)
		p.Run, p.State = pass.IDOf(run).On(rd.hub.Name()), engine.Clean(string(run.Spec.State))
		p.Finished, p.Again = true, true
		return p
	}
	in := rd.Input(ctx, run)
	others, err := rd.others(ctx, run)
	rd.addSnapshots(ctx, &in, others)
	now, read := rd.hub.Now(), once(func(e pass.Effect) (pass.Answer, error) { return rd.selected(ctx, e) })
	made := forecast.Plan(in, others, now, read)
	p := made.On(rd.hub.Name())
	if err != nil {
		p.Unknown = append(p.Unknown, engine.Gap{What: engine.Lit("other runs"), Why: engine.Message(err.Error()), Forbidden: client.KindOf(err) == client.Forbidden})
	}
	p.Expect(forecast.Estimate(in, forecast.Request{
		Timing: assume.timing(), Now: now, Earlier: others, AssumeApprovals: assume.Approvals, AssumeOpen: assume.Open, Read: read,
	}))
	return p
}

// addSnapshots adds to what was read for an initialized run, which is the snapshot that it
// uses, those that other runs of the placement ask for and have not been initialized with.
func (rd Reader) addSnapshots(ctx context.Context, in *pass.Input, others []*placement.StagedUpdateRun) {
	if !pass.Initialized(in.Run) || in.ResourceSnapshots == nil || in.Failed.ResourceSnapshots != nil {
		return
	}
	var asked []string
	for _, o := range others {
		index := o.Spec.ResourceSnapshotIndex
		if o.Spec.PlacementName == in.Run.Spec.PlacementName && !pass.Initialized(o) && index != in.Run.Status.ResourceSnapshotIndexUsed &&
			index != "" && len(validation.IsValidLabelValue(index)) == 0 {
			asked = append(asked, index)
		}
	}
	if len(asked) == 0 {
		return
	}
	of, err := labels.NewRequirement(placement.LabelParentPlacement, selection.Equals, []string{in.Run.Spec.PlacementName})
	if err != nil { // no label value: it has no snapshots
		return
	}
	index, err := labels.NewRequirement(placement.LabelResourceIndex, selection.In, asked)
	if err != nil {
		in.Failed.ResourceSnapshots = err
		return
	}
	more, err := rd.resourceSnapshots(ctx, in.Run.Namespace, labels.NewSelector().Add(*of, *index))
	in.ResourceSnapshots, in.Failed.ResourceSnapshots = append(in.ResourceSnapshots, more...), err
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
func (rd Reader) selected(ctx context.Context, e pass.Effect) (pass.Answer, error) {
	if e.Op == pass.OpGetObject && !nameable(e.Name) {
		return pass.Answer{}, apierrors.NewNotFound(e.Resource.GroupResource(), e.Name)
	}
	path := []string{"/apis", e.Resource.Group, e.Resource.Version}
	if e.Resource.Group == "" {
		path = []string{"/api", e.Resource.Version}
	}
	r := rd.hub.Request(http.MethodGet).AbsPath(path...).Resource(e.Resource.Resource)
	if e.Namespace != "" {
		r = r.Namespace(e.Namespace)
	}
	switch e.Op {
	case pass.OpGetObject:
		o := &unstructured.Unstructured{}
		if err := fetch(ctx, rd.hub, r.Name(e.Name), o); err != nil {
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
		if err := fetch(ctx, rd.hub, r, list); err != nil {
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
