package ask

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// factsDeadline bounds what a diagnosis on the screen reads beside the streams.
const factsDeadline = 2 * time.Second

// HubFacts reads what a diagnosis needs beside the streams, nil when it needs
// nothing.
func (rd Reader) HubFacts(ctx context.Context, f *page.DiagnosisFacts) *page.HubFacts {
	reads, of := f.Reads()
	member := of.RawName()
	if reads == engine.ReadNothing || member == "" || f.Run.Placement.IsZero() {
		return nil
	}
	ctx, cancel := rd.hub.Patiently(ctx, readDeadline)
	defer cancel()
	p := &pages{Asker: New(Config{Hub: rd.hub})}
	out := &page.HubFacts{}
	all, _, err := p.bindings(ctx, f.Run.Placement)
	for i := range all {
		b := &all[i]
		if b.Spec.TargetCluster != member || err != nil {
			continue
		}
		switch reads {
		case engine.ReadOverrides:
			if b.DeletionTimestamp == nil {
				out.Overrides, err = p.overrideUses(ctx, b)
			}
		case engine.ReadWorks:
			if b.DeletionTimestamp != nil {
				out.Works, err = p.works(ctx, f.Run.Placement, b, member)
			}
		case engine.ReadNothing:
		}
	}
	out.Why = p.why(err)
	return out
}

// overrideUses compares the override snapshots that a binding names with the
// latest ones.
func (p *pages) overrideUses(ctx context.Context, b *placement.ResourceBinding) ([]world.OverrideUse, error) {
	var out []world.OverrideUse
	for _, name := range b.Spec.ClusterResourceOverrideSnapshots {
		out = append(out, world.OverrideUse{Kind: engine.KindClusterResourceOverrideSnapshot, Used: name})
	}
	for _, n := range b.Spec.ResourceOverrideSnapshots {
		out = append(out, world.OverrideUse{Kind: engine.KindResourceOverrideSnapshot, Namespace: n.Namespace, Used: n.Name})
	}
	out = out[:min(len(out), overridesShown)]
	const latest = placement.LabelIsLatestSnapshot + "=true"
	errs := make([]error, len(out))
	var reads task.Reads
	for i := range out {
		o := &out[i]
		reads.Go(func() {
			var all []metav1.PartialObjectMetadata
			all, _, errs[i] = list[metav1.PartialObjectMetadata](ctx, p.Hub, o.Kind, o.Namespace, latest)
			for _, other := range all {
				if world.SameOverride(other.Name, o.Used) {
					o.Latest = other.Name
				}
			}
		})
	}
	reads.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
