package subject

import (
	"slices"
	"sort"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// ReadsWanted bounds what is read for one run beside the streams.
const ReadsWanted = 8

// Reads are what the diagnosis of a run and of its clusters is read from, beside the
// streams. The zero Reads are empty.
type Reads struct {
	wanted []engine.HubReadOf
	left   []engine.HubReadOf // what is beyond ReadsWanted
	// oldest are the clusters whose Works are read, once any are wanted.
	oldest []string
}

// Wanted returns what has to be read.
func (r *Reads) Wanted() []engine.HubReadOf { return r.wanted }

// Answer returns what a diagnosis about k is read from; nil while it is not read. What
// is beyond the limit of reads counts in Gaps.
func (r *Reads) Answer(k *Subject, of engine.HubReadOf) *world.HubAnswer {
	ofRun := k.View.Why.HubReads // those that are read, once the run is diagnosed
	read := !r.youngDeletion(k, of) && (slices.Contains(r.wanted, of) || len(r.wanted) < ReadsWanted && (len(ofRun) < ReadsWanted || slices.Contains(ofRun, of)))
	if !read {
		if !slices.Contains(r.left, of) {
			r.left = append(r.left, of)
		}
		return &world.HubAnswer{Gap: &engine.Gap{What: of.Title(), Why: beyondReads()}}
	}
	if !slices.Contains(r.wanted, of) {
		r.wanted = append(r.wanted, of)
	}
	return k.Case.HubAnswer(of)
}

// youngDeletion reports whether the Works of a member are wanted for a deletion while
// those of ReadsWanted older ones are wanted too.
func (r *Reads) youngDeletion(k *Subject, of engine.HubReadOf) bool {
	if of.What != engine.ReadWorks || k.Cluster == nil || k.Cluster.Binding == nil {
		return false
	}
	if r.oldest == nil {
		r.oldest = oldestDeletions(k.Case)
	}
	return !slices.Contains(r.oldest, k.Cluster.Name)
}

// oldestDeletions are the clusters of the ReadsWanted oldest deletions that wait for Works.
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
	sort.SliceStable(all, func(i, j int) bool { return all[i].since.Compare(all[j].since) < 0 })
	out := []string{}
	for _, d := range all[:min(len(all), ReadsWanted)] {
		out = append(out, d.name)
	}
	return out
}

// Optional is Answer for what the diagnosis can do without: what is beyond the
// limit of reads is no gap.
func (r *Reads) Optional(k *Subject, of engine.HubReadOf) *world.HubAnswer {
	before := len(r.left)
	answer := r.Answer(k, of)
	r.left = r.left[:before]
	return answer
}

// beyondReads says why something beyond the limit of reads is not read.
func beyondReads() engine.Text {
	return engine.Textf("a diagnosis reads %d clusters at most", ReadsWanted)
}

// Gaps are what the limit of reads leaves out.
func (r *Reads) Gaps() []engine.Gap {
	switch left := r.left; len(left) {
	case 0:
		return nil
	case 1:
		return []engine.Gap{{What: left[0].Title(), Why: beyondReads()}}
	default:
		return []engine.Gap{{What: engine.Textf("%s and %d more", left[0].Title(), len(left)-1), Why: beyondReads()}}
	}
}
