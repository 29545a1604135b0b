package triage

import (
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// finder finds the diagnosis of a case.
type finder struct {
	*subject.Subject
	reads *[]engine.HubReadOf // that the diagnosis is read from; shared by all clusters
	left  *[]engine.HubReadOf // what is beyond readsWanted
}

// readsWanted bounds what is read for one run beside the streams.
const readsWanted = 8

func newFinder(c *world.Case) *finder {
	return &finder{subject.NewSubject(c), new([]engine.HubReadOf), new([]engine.HubReadOf)}
}

// About returns a finder for a cluster of the case.
func (k *finder) About(cl *world.CaseCluster) *finder {
	return &finder{k.Subject.About(cl), k.reads, k.left}
}

// hubAnswer returns what the diagnosis is read from; nil while it is not read. What
// is beyond the limit of reads counts in gaps.
func (k *finder) hubAnswer(of engine.HubReadOf) *world.HubAnswer {
	ofRun := k.View.Why.HubReads // those that are read, once the run is diagnosed
	read := !k.youngDeletion(of) && (slices.Contains(*k.reads, of) || len(*k.reads) < readsWanted && (len(ofRun) < readsWanted || slices.Contains(ofRun, of)))
	if !read {
		if !slices.Contains(*k.left, of) {
			*k.left = append(*k.left, of)
		}
		return &world.HubAnswer{Gap: &engine.Gap{What: of.Title(), Why: beyondReads()}}
	}
	if !slices.Contains(*k.reads, of) {
		*k.reads = append(*k.reads, of)
	}
	return k.Case.HubAnswer(of)
}

// youngDeletion reports whether the Works of a member are wanted for a deletion while
// those of readsWanted older ones are wanted too.
func (k *finder) youngDeletion(of engine.HubReadOf) bool {
	if of.What != engine.ReadWorks {
		return false
	}
	older := 0
	own := k.Cluster
	if own == nil || own.Binding == nil {
		return false
	}
	for i := range k.Case.Clusters {
		b := k.Case.Clusters[i].Binding
		if b == nil || b == own.Binding || b.Deleting.IsZero() || !slices.Contains(b.Finalizers, placement.FinalizerWork) {
			continue
		}
		if before := b.Deleting.Compare(own.Binding.Deleting); before < 0 || before == 0 && k.Case.Clusters[i].Name < own.Name {
			older++
		}
	}
	return older >= readsWanted
}

// optionalAnswer is hubAnswer for what the diagnosis can do without: what is beyond the
// limit of reads is no gap.
func (k *finder) optionalAnswer(of engine.HubReadOf) *world.HubAnswer {
	before := len(*k.left)
	answer := k.hubAnswer(of)
	*k.left = (*k.left)[:before]
	return answer
}

// beyondReads says why something beyond the limit of reads is not read.
func beyondReads() engine.Text {
	return engine.Textf("a diagnosis reads %d clusters at most", readsWanted)
}

// gaps are what the limit of reads leaves out.
func (k *finder) gaps() []engine.Gap {
	switch left := *k.left; len(left) {
	case 0:
		return nil
	case 1:
		return []engine.Gap{{What: left[0].Title(), Why: beyondReads()}}
	default:
		return []engine.Gap{{What: engine.Textf("%s and %d more", left[0].Title(), len(left)-1), Why: beyondReads()}}
	}
}
