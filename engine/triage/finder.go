package triage

import (
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// finder finds the diagnosis of a case.
type finder struct {
	*subject.Subject
	reads *subject.Reads // shared by all clusters
}

func newFinder(c *world.Case) *finder { return &finder{subject.NewSubject(c), &subject.Reads{}} }

// About returns a finder for a cluster of the case.
func (k *finder) About(cl *world.CaseCluster) *finder {
	return &finder{k.Subject.About(cl), k.reads}
}
