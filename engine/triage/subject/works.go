package subject

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// WorksOf are the Works that a deletion waits for: all of them, those without a deletion
// timestamp, and those that a finalizer of another controller holds.
type WorksOf struct{ All, Undeleted, Foreign []*world.Work }

// WorksLeft sorts the Works that the deletion of a binding waits for; nil when they are
// not read.
func WorksLeft(read *world.HubAnswer, b *world.Binding) *WorksOf {
	if read == nil || read.Gap != nil {
		return nil
	}
	out := &WorksOf{}
	for i := range read.Works {
		w := &read.Works[i]
		if w.Binding != "" && w.Binding != b.ID.RawName() {
			continue
		}
		out.All = append(out.All, w)
		switch {
		case w.Deleting.IsZero():
			out.Undeleted = append(out.Undeleted, w)
		case len(engine.ForeignFinalizers(w.Finalizers)) > 0:
			out.Foreign = append(out.Foreign, w)
		}
	}
	return out
}
