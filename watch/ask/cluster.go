package ask

import (
	"context"
	"slices"
	"sort"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// cluster reads all about one cluster of a placement. What is not permitted or
// not there leaves a gap that says so; only the binding cannot be done without.
func (p *pages) cluster(ctx context.Context, q page.ClusterQuestion) (page.Answer, error) {
	_, member, _ := q.Member.Raw()
	f := page.ClusterFacts{Question: q, Snapshot: p.seen, Mask: masked}
	bindings, _, err := p.bindings(ctx, q.Placement)
	if err != nil && client.KindOf(err) != client.Forbidden {
		return page.Answer{}, err
	}
	f.BindingWhy = p.why(err)
	for i := range bindings {
		b := &bindings[i]
		// While a cluster is picked anew the old binding may be there too.
		if b.Spec.TargetCluster == member && (f.Binding == nil || b.DeletionTimestamp == nil) {
			f.Binding = b
		}
	}
	f.Member, err = get[cluster.MemberCluster](ctx, p.Hub, engine.KindMemberCluster, "", member)
	if client.KindOf(err) != client.Missing {
		f.MemberWhy = p.why(err)
	}
	if f.Binding != nil {
		f.Works, err = p.works(ctx, q.Placement, f.Binding, member)
		f.WorksWhy = p.why(err)
		p.overrides(ctx, &f)
	}
	f.Now = p.now()
	return page.ClusterPage(f), nil
}

func (p *pages) works(ctx context.Context, of engine.ID, b *placement.ResourceBinding, member string) ([]placement.Work, error) {
	ns, labels := ofPlacement(of)
	all, _, err := list[placement.Work](ctx, p.Hub, engine.KindWork, placement.MemberNamespace(member), labels)
	if err != nil {
		return nil, err
	}
	// Placements of two namespaces may have the same name.
	all = slices.DeleteFunc(all, func(w placement.Work) bool {
		binding := w.Labels[placement.LabelParentBinding]
		return w.Labels[placement.LabelParentPlacementNamespace] != ns || binding != "" && binding != b.Name
	})
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all, nil
}

// overrides reads the override snapshots that the binding names, all at once;
// those that cannot be read the page names without their rules.
func (p *pages) overrides(ctx context.Context, f *page.ClusterFacts) {
	wide, spaced := f.Binding.Spec.ClusterResourceOverrideSnapshots, f.Binding.Spec.ResourceOverrideSnapshots
	wide, spaced = wide[:min(len(wide), overridesShown)], spaced[:min(len(spaced), overridesShown)]
	clusterWide := make([]*placement.ClusterResourceOverrideSnapshot, len(wide))
	namespaced := make([]*placement.ResourceOverrideSnapshot, len(spaced))
	var reads task.Reads
	for i, name := range wide {
		reads.Go(func() {
			clusterWide[i] = readable(get[placement.ClusterResourceOverrideSnapshot](ctx, p.Hub, engine.KindClusterResourceOverrideSnapshot, "", name))
		})
	}
	for i, n := range spaced {
		reads.Go(func() {
			namespaced[i] = readable(get[placement.ResourceOverrideSnapshot](ctx, p.Hub, engine.KindResourceOverrideSnapshot, n.Namespace, n.Name))
		})
	}
	reads.Wait()
	for _, o := range clusterWide {
		if o != nil {
			f.ClusterOverrides = append(f.ClusterOverrides, *o)
		}
	}
	for _, o := range namespaced {
		if o != nil {
			f.Overrides = append(f.Overrides, *o)
		}
	}
}
