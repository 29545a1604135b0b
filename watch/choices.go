package watch

import (
	"context"
	"sync"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// choices reads what a clone can be made of. What cannot be read is a gap: a
// name can be typed without a list.
func (p *pages) choices(ctx context.Context) (engine.Answer, error) {
	f := engine.ChoicesFacts{Question: p.q}
	ns, name, _ := p.q.About.Raw()
	var places, strategies, resources, bindings error
	var reads sync.WaitGroup
	reads.Go(func() {
		f.Placements, _, places = list[placement.ResourcePlacement](ctx, p.hub, p.q.About.Kind(), ns, "")
	})
	reads.Go(func() {
		f.Strategies, strategies = readAll[placement.StagedUpdateStrategy](ctx, p.hub,
			scoped(ns, placement.ResourceClusterStagedUpdateStrategies, placement.ResourceStagedUpdateStrategies), ns, nil)
	})
	if name != "" {
		reads.Go(func() { f.Resources, resources = p.resources(ctx) })
		reads.Go(func() { f.Bindings, _, bindings = p.bindings(ctx) })
	}
	reads.Wait()
	for _, r := range []struct {
		what engine.Text
		err  error
	}{
		{engine.Lit("placements"), places},
		{engine.Lit("strategies"), strategies},
		{engine.Lit("snapshots"), resources},
		{engine.Lit("bindings"), bindings},
	} {
		if r.err != nil {
			f.Gaps = append(f.Gaps, engine.PlanGap{What: r.what, Why: p.why(r.err), Forbidden: kindOf(r.err) == failForbidden})
		}
	}
	f.Now = p.now()
	return engine.ChoicesAnswer(f), nil
}
