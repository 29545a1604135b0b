package ask

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// choices reads what a clone can be made of. What cannot be read is a gap: a
// name can be typed without a list.
func (p *pages) choices(ctx context.Context, of engine.ID) (page.Answer, error) {
	var f page.ChoicesFacts
	ns, name, _ := of.Raw()
	var places, strategies, resources, bindings error
	var reads task.Reads
	reads.Go(func() {
		f.Placements, _, places = list[placement.ResourcePlacement](ctx, p.Hub, of.Kind(), ns, "")
	})
	reads.Go(func() {
		f.Strategies, strategies = readAll[placement.StagedUpdateStrategy](ctx, p.Hub,
			scoped(ns, placement.ResourceClusterStagedUpdateStrategies, placement.ResourceStagedUpdateStrategies), ns, nil)
	})
	in := pass.Input{Run: &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{Namespace: ns}, Spec: placement.UpdateRunSpec{PlacementName: name, State: placement.StateRun}}}
	if name != "" {
		parent := labels.SelectorFromSet(labels.Set{placement.LabelParentPlacement: name})
		reads.Go(func() {
			in.Members, in.Failed.Members = readAll[cluster.MemberCluster](ctx, p.Hub, cluster.ResourceMemberClusters, "", nil)
		})
		reads.Go(func() {
			in.PolicySnapshots, in.Failed.PolicySnapshots = readAll[placement.SchedulingPolicySnapshot](ctx, p.Hub,
				scoped(ns, placement.ResourceClusterSchedulingPolicySnapshots, placement.ResourceSchedulingPolicySnapshots), ns, parent)
		})
		reads.Go(func() { f.Resources, resources = p.resources(ctx, of) })
		reads.Go(func() { f.Bindings, _, bindings = p.bindings(ctx, of) })
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
			f.Gaps = append(f.Gaps, engine.Gap{What: r.what, Why: p.why(r.err), Forbidden: client.KindOf(r.err) == client.Forbidden})
		}
	}
	if name != "" && bindings == nil {
		for i := range f.Bindings {
			in.Bindings = append(in.Bindings, &f.Bindings[i])
		}
		for i := range f.Placements {
			if f.Placements[i].Name == name {
				in.Placement = &f.Placements[i]
			}
		}
		f.Refused = forecast.RefusedStrategies(in, f.Strategies)
	}
	f.Now = p.now()
	return page.ChoicesAnswer(f), nil
}
