package triage

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// worksOf are the Works that a deletion waits for: all of them, those without a deletion
// timestamp, and those that a finalizer of another controller holds.
type worksOf struct{ all, undeleted, foreign []*world.Work }

// worksLeft sorts the Works that the deletion of a binding waits for; nil when they are
// not read.
func worksLeft(read *world.HubAnswer, b *world.Binding) *worksOf {
	if read == nil || read.Gap != nil {
		return nil
	}
	out := &worksOf{}
	for i := range read.Works {
		w := &read.Works[i]
		if w.Binding != "" && w.Binding != b.ID.RawName() {
			continue
		}
		out.all = append(out.all, w)
		switch {
		case w.Deleting.IsZero():
			out.undeleted = append(out.undeleted, w)
		case len(engine.ForeignFinalizers(w.Finalizers)) > 0:
			out.foreign = append(out.foreign, w)
		}
	}
	return out
}
