package store

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// memberAt is a member that was heard at a second past ten.
func memberAt(name, version, joined string, second int) *Object {
	id := engine.NewID(engine.KindMemberCluster, "", name, "u-"+name)
	return &Object{ID: id, Version: version, Value: &world.Member{
		ID: id, Period: 15 * time.Second, Heartbeat: time.Date(2026, 3, 2, 10, 0, second, 0, time.UTC),
		Conditions: []metav1.Condition{{Type: "Joined", Status: metav1.ConditionStatus(joined), Reason: "MemberClusterJoined"}},
	}}
}

// A heartbeat is no news, unless the member was silent: a large fleet has many.
func TestMemberMoves(t *testing.T) {
	w := world.NewWorld(engine.Settings{ClusterRuns: true})
	f := newFolder(w)
	run := func(name string, clusters ...string) engine.ID {
		id := engine.NewID(engine.KindClusterStagedUpdateRun, "", name, "u")
		r := &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{Name: name}}
		for _, c := range clusters {
			r.Status.StagesStatus = append(r.Status.StagesStatus, placement.StageStatus{Clusters: []placement.ClusterStatus{{ClusterName: c}}})
		}
		w.Runs[id] = r
		return id
	}
	on, refused := run("on", "prod-1", "prod-2"), run("refused")
	packed := run("packed", "prod-4", "prod-1")
	w.Runs[packed].Status.Conditions = []metav1.Condition{{Type: placement.RunSucceeded, Status: metav1.ConditionTrue}}
	p := world.Pack(w.Runs[packed])
	w.Runs[packed], w.Packed[packed] = p.Run, p
	run("elsewhere", "prod-3")
	key := world.CoverAll(engine.KindMemberCluster)
	now := time.Date(2026, 3, 2, 10, 1, 0, 0, time.UTC)
	fold := func(change func(d *delivery), now time.Time) moves {
		d := &delivery{}
		change(d)
		return f.fold(map[world.CoverKey]*delivery{key: d}, now)
	}
	check := func(what string, m moves, all, moved bool, runs ...engine.ID) {
		t.Helper()
		got := []engine.ID{}
		for id := range m.Runs {
			got = append(got, id)
		}
		slices.SortFunc(got, engine.ID.Compare)
		slices.SortFunc(runs, engine.ID.Compare)
		if m.All != all || m.any != moved || !slices.Equal(got, runs) {
			t.Errorf("%s: all %v any %v runs %v, want %v %v %v", what, m.All, m.any, got, all, moved, runs)
		}
	}
	put := func(o *Object) func(*delivery) { return func(d *delivery) { d.put(o.key(), o) } }

	check("the first list", fold(func(d *delivery) {
		d.replaced, d.all = true, []*Object{memberAt("prod-1", "1", "True", 0), memberAt("prod-9", "1", "True", 0)}
		d.cover = &engine.Coverage{State: engine.CoverComplete, N: 2}
	}, now), true, true)
	check("a heartbeat", fold(put(memberAt("prod-1", "2", "True", 30)), now), false, false)
	if got := w.Members["prod-1"].Heartbeat.Second(); got != 30 {
		t.Errorf("the heartbeat was lost: %d", got)
	}
	check("a member of no run", fold(put(memberAt("prod-9", "2", "Unknown", 30)), now), false, true, refused)
	check("a change", fold(put(memberAt("prod-1", "3", "False", 40)), now), false, true, on, packed, refused)
	check("a heartbeat after silence", fold(put(memberAt("prod-1", "4", "False", 50)), now.Add(time.Hour)), false, true, on, packed, refused)
	check("it leaves", fold(func(d *delivery) { d.put(objectKey{name: "prod-1"}, nil) }, now), false, true, on, packed, refused)
	if w.Members["prod-1"] != nil || w.Members["prod-9"] == nil {
		t.Errorf("members: %v", w.Members)
	}
}
