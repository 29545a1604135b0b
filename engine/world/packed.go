package world

import (
	"math"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// PackedRun is a run in a quarter of its memory: a hub has many of them, and of most only the
// row is looked at. Nothing is lost, Whole returns the run as it was.
type PackedRun struct {
	// Run is the run without the clusters of its stages.
	Run    *placement.StagedUpdateRun
	stages []packedStage
	// rowOnly is set for a run of which nothing but its row was read.
	rowOnly bool
}

// packedStage has the clusters of a stage. They differ in their names and in the times of
// their conditions.
type packedStage struct {
	names []string
	kinds []placement.ClusterStatus // without names and times
	of    []uint8                   // the kind of each cluster
	base  int64                     // Unix time from which times count
	times []int32                   // of the conditions of all clusters, in their order
}

// mostKinds is how many kinds of clusters a packed stage may have.
const mostKinds = math.MaxUint8

// Pack returns a run packed, nil if it cannot be. What it returns has memory of its own.
func Pack(run *placement.StagedUpdateRun) *PackedRun {
	head := *run
	head.Status.StagesStatus = slices.Clone(run.Status.StagesStatus)
	p := &PackedRun{Run: &head, stages: make([]packedStage, len(run.Status.StagesStatus))}
	for i := range p.stages {
		stage := &head.Status.StagesStatus[i]
		if !p.stages[i].pack(stage.Clusters) {
			return nil
		}
		stage.Clusters = nil
		// Conditions share their memory with those of the clusters.
		stage.Conditions = slices.Clone(stage.Conditions)
	}
	head.Status.Conditions = slices.Clone(run.Status.Conditions)
	if d := run.Status.DeletionStageStatus; d != nil {
		deletion := *d.DeepCopy()
		head.Status.DeletionStageStatus = &deletion
	}
	return p
}

// pack packs clusters; it reports false if that loses something.
func (s *packedStage) pack(clusters []placement.ClusterStatus) bool {
	if clusters == nil {
		return true
	}
	s.names, s.of = make([]string, len(clusters)), make([]uint8, len(clusters))
	n := 0
	for i := range clusters {
		n += len(clusters[i].Conditions)
	}
	s.times = make([]int32, 0, n)
	for i := range clusters {
		c := &clusters[i]
		s.names[i] = c.ClusterName
		kind := slices.IndexFunc(s.kinds, func(k placement.ClusterStatus) bool { return sameKind(&k, c) })
		if kind < 0 {
			if kind = len(s.kinds); kind == mostKinds {
				return false
			}
			s.kinds = append(s.kinds, placement.ClusterStatus{
				ResourceOverrideSnapshots:        c.ResourceOverrideSnapshots,
				ClusterResourceOverrideSnapshots: c.ClusterResourceOverrideSnapshots,
				Conditions:                       slices.Clone(c.Conditions),
			})
		}
		s.of[i] = uint8(kind)
		for j := range c.Conditions {
			at := c.Conditions[j].LastTransitionTime.Time
			if len(s.times) == 0 {
				s.base = at.Unix()
			}
			after := at.Unix() - s.base
			if at != time.Unix(at.Unix(), 0) || after != int64(int32(after)) {
				return false // it has a fraction of a second, or is missing
			}
			s.times = append(s.times, int32(after))
		}
	}
	return true
}

// sameKind reports whether two clusters differ in names and times alone.
func sameKind(a, b *placement.ClusterStatus) bool {
	return len(a.Conditions) == len(b.Conditions) && (a.Conditions == nil) == (b.Conditions == nil) &&
		(a.ResourceOverrideSnapshots == nil) == (b.ResourceOverrideSnapshots == nil) &&
		(a.ClusterResourceOverrideSnapshots == nil) == (b.ClusterResourceOverrideSnapshots == nil) &&
		slices.Equal(a.ResourceOverrideSnapshots, b.ResourceOverrideSnapshots) &&
		slices.Equal(a.ClusterResourceOverrideSnapshots, b.ClusterResourceOverrideSnapshots) &&
		slices.EqualFunc(a.Conditions, b.Conditions, func(x, y metav1.Condition) bool {
			x.LastTransitionTime, y.LastTransitionTime = metav1.Time{}, metav1.Time{}
			return x == y
		})
}

// Whole returns the run with the clusters of its stages.
func (p *PackedRun) Whole() *placement.StagedUpdateRun { return p.WholeIn(&Room{}) }

// Room is memory for the clusters of a run that is whole for a while.
type Room struct {
	clusters   []placement.ClusterStatus
	conditions []metav1.Condition
}

// WholeIn is Whole for a run that is not used any more when the next one is made in the room.
func (p *PackedRun) WholeIn(room *Room) *placement.StagedUpdateRun {
	run := *p.Run
	run.Status.StagesStatus = slices.Clone(p.Run.Status.StagesStatus)
	n := 0
	for i := range p.stages {
		n += len(p.stages[i].names)
	}
	room.clusters, room.conditions = slices.Grow(room.clusters[:0], n), room.conditions[:0]
	for i := range p.stages {
		run.Status.StagesStatus[i].Clusters = p.stages[i].unpack(room)
	}
	return &run
}

// unpack returns the clusters. Those that follow each other soon with the same conditions
// share them.
func (s *packedStage) unpack(in *Room) []placement.ClusterStatus {
	switch {
	case s.names == nil:
		return nil
	case len(s.names) == 0:
		return []placement.ClusterStatus{}
	}
	const near, roomy = 8, 64
	from := len(in.clusters)
	in.clusters = in.clusters[:from+len(s.names)]
	out := in.clusters[from:len(in.clusters):len(in.clusters)]
	var starts [near]int // of the times of the clusters before
	at := 0
clusters:
	for i := range out {
		c := &out[i]
		*c = s.kinds[s.of[i]]
		c.ClusterName = s.names[i]
		n, start := len(c.Conditions), at
		times := s.times[start : start+n]
		at += n
		starts[i%near] = start
		if n == 0 {
			continue
		}
		for j := i - 1; j >= max(0, i-near+1); j-- {
			if from := starts[j%near]; s.of[j] == s.of[i] && slices.Equal(times, s.times[from:from+n]) {
				c.Conditions = out[j].Conditions
				continue clusters
			}
		}
		if cap(in.conditions)-len(in.conditions) < n {
			in.conditions = make([]metav1.Condition, 0, max(n, roomy, min(2*cap(in.conditions), mostRoom)))
		}
		from := len(in.conditions)
		in.conditions = append(in.conditions, c.Conditions...)
		c.Conditions = in.conditions[from:len(in.conditions):len(in.conditions)]
		for j := range c.Conditions {
			c.Conditions[j].LastTransitionTime = metav1.Unix(s.base+int64(times[j]), 0)
		}
	}
	return out
}

// mostRoom bounds the conditions for which memory is made together.
const mostRoom = 4096

// Has reports whether one of the packed stages has a cluster.
func (p *PackedRun) Has(cluster string) bool {
	return slices.ContainsFunc(p.stages, func(s packedStage) bool { return slices.Contains(s.names, cluster) })
}

// Whole returns the run of an ID with all of its clusters, nil if there is none, or if only its row was read.
func (w *World) Whole(id engine.ID) *placement.StagedUpdateRun { return w.WholeIn(id, &Room{}) }

// WholeIn is Whole for a run that is not used any more when the next one is made in the room.
func (w *World) WholeIn(id engine.ID, room *Room) *placement.StagedUpdateRun {
	switch p := w.Packed[id]; {
	case p == nil:
		return w.Runs[id]
	case p.rowOnly:
		return nil
	default:
		return p.WholeIn(room)
	}
}
