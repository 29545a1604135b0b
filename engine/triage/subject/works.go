package subject

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
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
		case len(placement.ForeignFinalizers(w.Finalizers)) > 0:
			out.Foreign = append(out.Foreign, w)
		}
	}
	return out
}

// Leaving says why Works of other placements give up their objects by themselves: each of
// them, or its placement, is being deleted. It is empty when one of them stays.
func Leaving(c *world.Case, works []*world.Work) engine.Text {
	says := make([]engine.Text, 0, len(works))
	for _, w := range works {
		of, since := w.Title(), w.Deleting
		if c.World != nil && since.IsZero() {
			for id, p := range c.World.Placements {
				if id.Key() == w.Placement.Key() {
					of, since = Object(w.Placement), p.Deleting
				}
			}
		}
		if since.IsZero() {
			return engine.Text{}
		}
		says = append(says, engine.Textf("%s is being deleted (requested at %s)", of, c.Clock(since)))
	}
	return engine.Join(says, "; ")
}
