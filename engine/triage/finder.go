package triage

import (
	"github.com/stagewatch/stagewatch/engine/triage/trouble"
	"github.com/stagewatch/stagewatch/engine/world"
)

// finder finds the diagnosis of a case.
type finder struct{ *trouble.Finder }

func newFinder(c *world.Case) *finder { return &finder{trouble.NewFinder(c)} }

// About returns a finder for a cluster of the case.
func (k *finder) About(cl *world.CaseCluster) *finder { return &finder{k.Finder.About(cl)} }
