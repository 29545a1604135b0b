package triage

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/trouble"
	"github.com/stagewatch/stagewatch/engine/world"
)

// contradicted explains a run that the controller fails at its next check of the deletion
// stage, whatever the run waits for, also while it is stopping (docs/kubefleet.md#finish).
func (k *finder) contradicted(f finding) finding {
	s := k.View.Current()
	if k.View.Terminal || k.View.Word == engine.WordDeleting || s == nil || !s.Deletion || k.Frozen() {
		return f
	}
	cl, t := k.worst(func(_ *world.CaseCluster, t *trouble.Trouble) bool { return t.Entry == &catalogue.DeletionContradicted })
	if cl == nil {
		return f
	}
	f = k.byTrouble(cl, t, &catalogue.DeletionContradicted)
	f.What, f.Fails = t.Sentence(), true
	return f
}
