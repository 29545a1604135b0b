package trouble

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// changedSource adds that the workload was changed on the hub, or deleted, after the newest
// snapshot of the placement was created: the fix may be there, and only a new run takes it.
func (t *Trouble) changedSource(d *engine.Diagnosis) {
	m := t.k.Manifest
	if m == nil || m.Envelope != nil || t.recovered || t.k.View.Terminal || !catalogue.Versioned[t.Cause] || world.WorkloadResource(m.Kind) == "" {
		return
	}
	of := engine.HubReadOf{Member: t.k.View.ID.Beside(engine.KindUnknown, m.Namespace, world.WorkloadResource(m.Kind)+"/"+m.Name, ""), What: engine.ReadManifest}
	read := t.k.Reads.Optional(t.k.Subject, of)
	newest := t.k.Case.Nearby.Newest()
	if read == nil || read.Manifest == nil || newest == nil {
		return
	}
	now, name := read.Manifest, engine.ManifestName(m)
	imageCause := t.k.Pod != nil && (t.Cause == catalogue.PodImageName || t.Cause == catalogue.PodImagePull)
	var step engine.Text
	switch {
	case now.Missing:
		step = engine.Textf("%s no longer exists on the hub: a new run ({clone}) without an index deletes it from the clusters.", name)
	case !now.Changed.After(newest.Created), imageCause && slices.Contains(now.Images, t.k.Pod.Image):
		return
	case imageCause && len(t.k.Cluster.Overrides) == 0:
		step = engine.Textf("{takes-hub}Create a new run ({clone}) without an index: %s was changed on the hub at %s, after snapshot %d was created, and has image %s now.",
			name, t.k.Case.Clock(now.Changed), newest.Index, engine.Enumerate(engine.CleanAll(now.Images), 3))
	default:
		step = engine.Textf("{takes-hub}%s was changed on the hub at %s, after snapshot %d was created: if that is the fix, create a new run ({clone}) without an index.", name, t.k.Case.Clock(now.Changed), newest.Index)
	}
	value := engine.Lit("does not exist")
	if !now.Missing {
		value = engine.Textf("changed, image %s", engine.Enumerate(engine.CleanAll(now.Images), 3))
	}
	d.Evidence = append(d.Evidence, engine.Evidence{Object: engine.Textf("%s on the hub", name), Field: engine.Lit("metadata.managedFields"), Value: value, Since: now.Changed})
	if d.Recovery != engine.RecoveryByNewRun {
		d.Steps = append(d.Steps, step)
		return
	}
	if imageCause && !now.Missing && len(t.k.Cluster.Overrides) == 0 {
		d.Steps = d.Steps[1:] // the image is fixed
	}
	d.Steps = slices.Insert(slices.Clone(d.Steps), 0, step)
	subject.Prefer(d, engine.NextClone)
}
