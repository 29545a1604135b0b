package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
)

// memberAt is a member as a hub returns it, last heard at a second past ten.
func memberAt(t *testing.T, name, version, joined string, second int) *object {
	t.Helper()
	raw := fmt.Sprintf(`{"apiVersion":"cluster.kubernetes-fleet.io/v1beta1","kind":"MemberCluster",
		"metadata":{"name":%q,"uid":"u-%[1]s","resourceVersion":%q,"generation":2,"labels":{"env":"prod"},"managedFields":[{}]},
		"spec":{"identity":{"kind":"User","name":"x"},"heartbeatPeriodSeconds":15,"taints":[{"key":"a","effect":"NoSchedule"}]},
		"status":{"conditions":[{"type":"Joined","status":%q,"reason":"MemberClusterJoined","lastTransitionTime":"2026-03-02T09:00:00Z"}],
			"resourceUsage":{"capacity":{"cpu":"4"}},
			"agentStatus":[{"type":"ServiceExportImportAgent","lastReceivedHeartbeat":"2026-03-02T11:00:00Z"},
				{"type":"MemberAgent","conditions":[{"type":"Healthy","status":"True"}],"lastReceivedHeartbeat":"2026-03-02T10:00:%02dZ"}]}}`,
		name, version, joined, second)
	o, err := decode(engine.KindMemberCluster, []byte(raw))
	if err != nil || o.broken != "" {
		t.Fatal(err, o)
	}
	return o
}

func TestDecodeMember(t *testing.T) {
	m, ok := memberAt(t, "prod-1", "7", "True", 5).value.(*engine.Member)
	if !ok {
		t.Fatal("not a member")
	}
	heard := time.Date(2026, 3, 2, 10, 0, 5, 0, time.UTC)
	if m.ID != engine.NewID(engine.KindMemberCluster, "", "prod-1", "u-prod-1") || m.Labels["env"] != "prod" || len(m.Taints) != 1 ||
		m.Period != 15*time.Second || !m.Heartbeat.Equal(heard) || len(m.Conditions) != 1 || len(m.Agent) != 1 {
		t.Errorf("got %+v", m)
	}
	if !m.SilentAt().Equal(heard.Add(5*time.Minute)) || m.Silent(heard.Add(4*time.Minute)) || !m.Silent(heard.Add(6*time.Minute)) {
		t.Errorf("silent at %s", m.SilentAt())
	}
	o, err := decode(engine.KindMemberCluster, []byte(`{"metadata":{"name":"bare"}}`))
	if err != nil || o.broken != "" {
		t.Fatal(err, o)
	}
	if bare, ok := o.value.(*engine.Member); !ok || !bare.Silent(heard) || !bare.SilentAt().IsZero() {
		t.Errorf("a member that was never heard: %+v", o.value)
	}
}

// A heartbeat is no news, unless the member was silent: a large fleet has many.
func TestMemberMoves(t *testing.T) {
	w := engine.NewWorld(engine.Settings{ClusterRuns: true})
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
	run("elsewhere", "prod-3")
	key := engine.CoverAll(engine.KindMemberCluster)
	now := time.Date(2026, 3, 2, 10, 1, 0, 0, time.UTC)
	fold := func(change func(d *delivery), now time.Time) moves {
		d := &delivery{}
		change(d)
		return f.fold(map[engine.CoverKey]*delivery{key: d}, now)
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
	put := func(o *object) func(*delivery) { return func(d *delivery) { d.put(keyOf(o), o) } }

	check("the first list", fold(func(d *delivery) {
		d.replaced, d.all = true, []*object{memberAt(t, "prod-1", "1", "True", 0), memberAt(t, "prod-9", "1", "True", 0)}
		d.cover = &engine.Coverage{State: engine.CoverComplete, N: 2}
	}, now), true, true)
	check("a heartbeat", fold(put(memberAt(t, "prod-1", "2", "True", 30)), now), false, false)
	if got := w.Members["prod-1"].Heartbeat.Second(); got != 30 {
		t.Errorf("the heartbeat was lost: %d", got)
	}
	check("a member of no run", fold(put(memberAt(t, "prod-9", "2", "Unknown", 30)), now), false, true, refused)
	check("a change", fold(put(memberAt(t, "prod-1", "3", "False", 40)), now), false, true, on, refused)
	check("a heartbeat after silence", fold(put(memberAt(t, "prod-1", "4", "False", 50)), now.Add(time.Hour)), false, true, on, refused)
	check("it leaves", fold(func(d *delivery) { d.put(objectKey{name: "prod-1"}, nil) }, now), false, true, on, refused)
	if w.Members["prod-1"] != nil || w.Members["prod-9"] == nil {
		t.Errorf("members: %v", w.Members)
	}
}

// What a member is like tells on the runs that name it, as it changes.
func TestSessionFollowsMembers(t *testing.T) {
	p := somebody(t, shared)
	run := aRun(t, "", "members-r1", "members", "Run", "UpdateRunWaiting")
	stage := run["status"].(map[string]any)["stagesStatus"].([]any)[0].(map[string]any)
	stage["clusters"] = []any{map[string]any{"clusterName": "members-a"}}
	p.make(run)

	s := openSession(t, Config{REST: shared.Config(hub.ViewerUser), Context: "demo", User: "me"})
	says := func(text string) *engine.Snapshot {
		t.Helper()
		return until(t, s, text, func(s *engine.Snapshot) bool {
			v := named(s, engine.KindClusterStagedUpdateRun, "", "members-r1")
			return live(s) && v != nil && strings.Contains(v.Why.What.String(), text)
		})
	}
	says("member members-a does not exist")
	member := p.make(fromYAML(t, `
apiVersion: cluster.kubernetes-fleet.io/v1beta1
kind: MemberCluster
metadata: {name: members-a}
spec: {identity: {kind: User, name: x}, heartbeatPeriodSeconds: 15}
status:
  conditions: [{type: Joined, status: "True", reason: MemberClusterJoined, message: m, lastTransitionTime: "2026-03-02T09:00:00Z"}]
  agentStatus: [{type: MemberAgent, lastReceivedHeartbeat: "2026-03-02T10:00:00Z"}]
`))
	says("member members-a has been silent since 2 Mar 10:00:00 UTC")
	agent := member["status"].(map[string]any)["agentStatus"].([]any)[0].(map[string]any)
	agent["lastReceivedHeartbeat"] = time.Now().UTC().Format(time.RFC3339)
	p.putStatus(member)
	until(t, s, "no trouble with the member", func(s *engine.Snapshot) bool {
		return !strings.Contains(named(s, engine.KindClusterStagedUpdateRun, "", "members-r1").Why.What.String(), "member")
	})
}
