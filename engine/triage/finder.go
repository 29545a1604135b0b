package triage

import (
	"slices"
	"time"

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
	// oldest are the clusters whose Works are read, once any are wanted.
	oldest *[]string
}

// readsWanted bounds what is read for one run beside the streams.
const readsWanted = 8

func newFinder(c *world.Case) *finder {
	return &finder{subject.NewSubject(c), new([]engine.HubReadOf), new([]engine.HubReadOf), new([]string)}
}

// About returns a finder for a cluster of the case.
func (k *finder) About(cl *world.CaseCluster) *finder {
	return &finder{k.Subject.About(cl), k.reads, k.left, k.oldest}
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
	if of.What != engine.ReadWorks || k.Cluster == nil || k.Cluster.Binding == nil {
		return false
	}
	if *k.oldest == nil {
		*k.oldest = oldestDeletions(k.Case)
	}
	return !slices.Contains(*k.oldest, k.Cluster.Name)
}

// oldestDeletions are the clusters of the readsWanted oldest deletions that wait for Works.
func oldestDeletions(c *world.Case) []string {
	type deletion struct {
		name  string
		since time.Time
	}
	var all []deletion
	for i := range c.Clusters {
		if b := c.Clusters[i].Binding; b != nil && !b.Deleting.IsZero() && slices.Contains(b.Finalizers, placement.FinalizerWork) {
			all = append(all, deletion{c.Clusters[i].Name, b.Deleting})
		}
	}
	slices.SortStableFunc(all, func(a, b deletion) int { return a.since.Compare(b.since) })
	out := []string{}
	for _, d := range all[:min(len(all), readsWanted)] {
		out = append(out, d.name)
	}
	return out
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
