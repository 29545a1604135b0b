package world

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

func at(seconds int64) metav1.Time { return metav1.Unix(1_700_000_000+seconds, 0) }

func condition(kind string, when metav1.Time) metav1.Condition {
	return metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: kind + "Reason", ObservedGeneration: 1, LastTransitionTime: when}
}

// succeeded is a run that has succeeded, with the clusters in its only stage.
func succeeded(clusters []placement.ClusterStatus) *placement.StagedUpdateRun {
	run := &placement.StagedUpdateRun{}
	run.Name, run.ResourceVersion = "web", "7"
	run.Status.Conditions = []metav1.Condition{condition(placement.RunSucceeded, at(900))}
	start := at(0)
	run.Status.StagesStatus = []placement.StageStatus{{StageName: "prod", StartTime: &start, Clusters: clusters, Conditions: []metav1.Condition{condition(placement.StageSucceeded, at(800))}}}
	return run
}

// done are clusters that were started in batches, of which every third took longer.
func done(n int) []placement.ClusterStatus {
	out := make([]placement.ClusterStatus, n)
	for i := range out {
		start := int64(i/20) * 30
		out[i] = placement.ClusterStatus{ClusterName: fmt.Sprintf("member-%04d", i), Conditions: []metav1.Condition{
			condition(placement.ClusterStarted, at(start)), condition(placement.ClusterSucceeded, at(start+15*int64(1+i%3))),
		}}
	}
	return out
}

// What is packed comes back as it was.
func TestPackLosesNothing(t *testing.T) {
	many := done(100)
	many[3].Conditions = nil
	many[4].Conditions = []metav1.Condition{}
	many[5].Conditions = many[5].Conditions[:1]
	many[6].ResourceOverrideSnapshots = []placement.NamespacedName{{Namespace: "shop", Name: "o"}}
	many[7].ClusterResourceOverrideSnapshots = []string{"o", "p"}
	many[8].ClusterResourceOverrideSnapshots = []string{}
	many[9].Conditions[1].Message = "a message"
	many[10].Conditions[0].LastTransitionTime = at(-1_700_000_000) // the base is not zero
	first := done(2)
	first[0].Conditions[0].LastTransitionTime = metav1.Unix(0, 0)
	for what, clusters := range map[string][]placement.ClusterStatus{
		"none": nil, "empty": {}, "one": done(1), "odd ones": many, "1970": first,
	} {
		run := succeeded(clusters)
		run.Status.DeletionStageStatus = &placement.StageStatus{StageName: "deletion", Clusters: done(2)}
		before, err := json.Marshal(run)
		if err != nil {
			t.Fatal(err)
		}
		p := Pack(run)
		if p == nil {
			t.Errorf("%s: not packed", what)
			continue
		}
		if !reflect.DeepEqual(p.Whole(), run) {
			t.Errorf("%s:\nreturned %+v\nwant     %+v", what, p.Whole(), run)
		}
		if p.Run.Status.StagesStatus[0].Clusters != nil {
			t.Errorf("%s: the packed run has clusters", what)
		}
		if after, err := json.Marshal(run); err != nil || string(after) != string(before) {
			t.Errorf("%s: the run was changed", what)
		}
	}
}

// What would not come back as it was stays whole.
func TestPackRefuses(t *testing.T) {
	fraction, missing, far, kinds := done(3), done(3), done(3), done(300)
	fraction[1].Conditions[0].LastTransitionTime = metav1.Unix(1_700_000_000, 5)
	missing[1].Conditions[0].LastTransitionTime = metav1.Time{}
	far[1].Conditions[0].LastTransitionTime = metav1.NewTime(time.Date(9999, 1, 1, 0, 0, 0, 0, time.Local))
	for i := range kinds {
		kinds[i].Conditions[0].Message = fmt.Sprint(i)
	}
	for what, run := range map[string]*placement.StagedUpdateRun{
		"fraction of a second": succeeded(fraction), "no time": succeeded(missing), "far time": succeeded(far), "many kinds": succeeded(kinds),
	} {
		if Pack(run) != nil {
			t.Errorf("%s: packed", what)
		}
	}
}

func TestWhole(t *testing.T) {
	w := NewWorld(engine.Settings{})
	id, other := engine.NewID(engine.KindClusterStagedUpdateRun, "", "web", "u"), engine.NewID(engine.KindClusterStagedUpdateRun, "", "api", "u")
	run := succeeded(done(3))
	p := Pack(run)
	w.Runs[id], w.Packed[id], w.Runs[other] = p.Run, p, run
	if !reflect.DeepEqual(w.Whole(id), run) || w.Whole(other) != run || w.Whole(id.Key()) != nil {
		t.Error("a run is not whole")
	}
	if !p.Has("member-0002") || p.Has("member-0003") {
		t.Error("Has does not know the clusters")
	}
}

// TestPackedSize holds what a packed run of 1,000 clusters takes: a tenth of the whole one.
func TestPackedSize(t *testing.T) {
	p := Pack(succeeded(done(1000)))
	s := p.stages[0]
	if n := 16*len(s.names) + 4*cap(s.times) + len(s.of) + 300*len(s.kinds); n > 28_000 {
		t.Errorf("%d bytes", n)
	}
	unpacking := testing.AllocsPerRun(10, func() { p.Whole() })
	if unpacking > 11 {
		t.Errorf("%v allocations", unpacking)
	}
}
