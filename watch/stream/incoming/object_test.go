package incoming

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	apiwatch "k8s.io/apimachinery/pkg/watch"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

func TestDecodeMember(t *testing.T) {
	o := Decode(engine.HubName{}, engine.KindMemberCluster, []byte(`{"apiVersion":"cluster.kubernetes-fleet.io/v1beta1","kind":"MemberCluster",
		"metadata":{"name":"prod-1","uid":"u-prod-1","resourceVersion":"7","creationTimestamp":"2026-03-02T09:00:00Z","generation":2,"labels":{"env":"prod"},"managedFields":[{}]},
		"spec":{"identity":{"kind":"User","name":"x"},"heartbeatPeriodSeconds":15,"taints":[{"key":"a","effect":"NoSchedule"}]},
		"status":{"conditions":[{"type":"Joined","status":"True","reason":"MemberClusterJoined","lastTransitionTime":"2026-03-02T09:00:00Z"}],
			"resourceUsage":{"capacity":{"cpu":"4"}},
			"agentStatus":[{"type":"ServiceExportImportAgent","lastReceivedHeartbeat":"2026-03-02T11:00:00Z"},
				{"type":"MemberAgent","conditions":[{"type":"Healthy","status":"True"}],"lastReceivedHeartbeat":"2026-03-02T10:00:05Z"}]}}`))
	if o.Broken != "" {
		t.Fatal(o)
	}
	m, ok := o.Value.(*world.Member)
	if !ok {
		t.Fatal("not a member")
	}
	heard := time.Date(2026, 3, 2, 10, 0, 5, 0, time.UTC)
	if m.ID != engine.NewID(engine.KindMemberCluster, "", "prod-1", "u-prod-1") || m.Labels["env"] != "prod" || len(m.Taints) != 1 ||
		m.Created.IsZero() || m.Period != 15*time.Second || !m.Heartbeat.Equal(heard) || len(m.Conditions) != 1 || len(m.Agent) != 1 {
		t.Errorf("got %+v", m)
	}
	if !m.SilentAt().Equal(heard.Add(5*time.Minute)) || m.Silent(heard.Add(4*time.Minute)) || !m.Silent(heard.Add(6*time.Minute)) {
		t.Errorf("silent at %s", m.SilentAt())
	}
	o = Decode(engine.HubName{}, engine.KindMemberCluster, []byte(`{"metadata":{"name":"bare"}}`))
	if o.Broken != "" {
		t.Fatal(o)
	}
	if bare, ok := o.Value.(*world.Member); !ok || !bare.Silent(heard) || !bare.SilentAt().IsZero() {
		t.Errorf("a member that was never heard: %+v", o.Value)
	}
}

func TestDecode(t *testing.T) {
	t.Run("run", func(t *testing.T) {
		const of = `{"metadata":{"name":"r","uid":"u","resourceVersion":"7"},"status":{"conditions":[{"type":"Succeeded","status":%q}],"stagesStatus":[{"stageName":"prod","clusters":[{"clusterName":"a"}]}]}}`
		o := Decode(engine.HubName{}, engine.KindClusterStagedUpdateRun, fmt.Appendf(nil, of, "True"))
		if p, ok := o.Value.(*world.PackedRun); !ok || o.ResourceVersion != "7" || p.Whole().Status.StagesStatus[0].Clusters[0].ClusterName != "a" {
			t.Errorf("succeeded: %+v", o.Value)
		}
		o = Decode(engine.HubName{}, engine.KindClusterStagedUpdateRun, fmt.Appendf(nil, of, "False"))
		if _, ok := o.Value.(*placement.StagedUpdateRun); !ok {
			t.Errorf("failed: %+v", o.Value)
		}
	})
	t.Run("large runs", func(t *testing.T) {
		large := func(name, at string) []byte {
			clusters := make([]string, 200)
			for i := range clusters {
				clusters[i] = fmt.Sprintf(`{"clusterName":"%s-%d","conditions":[{"type":"Started","status":"True","reason":"ClusterUpdatingStarted","message":"Cluster update started %d","lastTransitionTime":%q}]}`, name, i, i%7, at)
			}
			return fmt.Appendf(nil, `{"metadata":{"name":%q},"status":{"conditions":[{"type":"Progressing","status":"True"}],"stagesStatus":[{"stageName":"canary","clusters":[%s]},{"stageName":"prod","clusters":[%s]}]}}`,
				name, strings.Join(clusters[:50], ","), strings.Join(clusters[50:], ","))
		}
		var all []any
		var want []*placement.StagedUpdateRun
		for _, raw := range [][]byte{large("a", "2026-11-20T10:00:00Z"), large("b", "2026-11-20T11:00:00.5Z"), large("c", "2026-11-20T12:00:00Z"), large("a", "2026-11-20T13:00:00Z")} {
			all = append(all, Decode(engine.HubName{}, engine.KindClusterStagedUpdateRun, raw).Value)
			var run placement.StagedUpdateRun
			if err := json.Unmarshal(raw, &run); err != nil {
				t.Fatal(err)
			}
			want = append(want, &run)
		}
		for i, value := range all {
			got, whole := value.(*placement.StagedUpdateRun)
			if p, ok := value.(*world.PackedRun); ok {
				got = p.Whole()
			}
			if whole != (i == 1) || !reflect.DeepEqual(got, want[i]) {
				t.Errorf("run %d: %T %+v, want %+v", i, value, got, want[i])
			}
		}
	})
	t.Run("placement", func(t *testing.T) {
		o := Decode(engine.HubName{}, engine.KindResourcePlacement, []byte(`{"metadata":{"name":"p","namespace":"ns","uid":"u","resourceVersion":"7","generation":3,"managedFields":[{}]},
			"spec":{"strategy":{"type":"External","deleteStrategy":{"propagationPolicy":"Abandon"}}},"status":{"observedResourceIndex":"4","placementStatuses":[{"clusterName":"a"},{"clusterName":""},{}],"conditions":[{"type":"X","status":"True"}]}}`))
		if o.Broken != "" {
			t.Fatal(o.Broken)
		}
		p := o.Value.(*world.Placement)
		if !p.External || !p.Abandons || p.Clusters != 1 || p.ObservedIndex != "4" || p.Generation != 3 || len(p.Conditions) != 1 || p.ID != o.ID || o.ResourceVersion != "7" {
			t.Errorf("row %+v", p)
		}
	})
	t.Run("binding", func(t *testing.T) {
		o := Decode(engine.HubName{}, engine.KindClusterResourceBinding, []byte(`{"metadata":{"name":"b","uid":"u","generation":2,"deletionTimestamp":"2026-11-20T10:00:00Z"},
			"spec":{"state":"Bound","resourceSnapshotName":"p-1-snapshot","targetCluster":"c","applyStrategy":{"type":"ReportDiff"}},
			"status":{"conditions":[{"type":"Applied"}],"failedPlacements":[{"kind":"Deployment","version":"v1","name":"web","condition":{"type":"Applied","status":"False"}}],
			"driftedPlacements":[{"kind":"X"},{"kind":"Y"}],"diffedPlacements":[{"kind":"Z"}]}}`))
		if o.Broken != "" {
			t.Fatal(o.Broken)
		}
		b := o.Value.(*world.Binding)
		if b.Cluster != "c" || b.State != "Bound" || b.SnapshotName != "p-1-snapshot" || !b.ReportDiff || b.Deleting.IsZero() ||
			b.Drifted != 2 || b.Differing != 1 || len(b.Failed) != 1 || b.Failed[0].Name != "web" {
			t.Errorf("row %+v", b)
		}
	})
	t.Run("approval", func(t *testing.T) {
		o := Decode(engine.HubName{}, engine.KindApprovalRequest, []byte(`{"metadata":{"name":"a","namespace":"ns","managedFields":[{"manager":"m"}]},"spec":{"parentStageRollout":"r"}}`))
		if o.Broken != "" {
			t.Fatal(o.Broken)
		}
		if a := o.Value.(*placement.ApprovalRequest); a.Spec.ParentStageRollout != "r" || a.ManagedFields != nil {
			t.Errorf("request %+v", a)
		}
	})
	t.Run("broken", func(t *testing.T) {
		for _, raw := range []string{
			`{"metadata":{"name":"a","uid":"u","resourceVersion":"7"},"status":{"conditions":{}}}`,
			`{"metadata":{"name":"a","uid":"u","resourceVersion":"7"},"status":{"stagesStatus":[{"clusters":"none"}]}}`,
			`{"metadata":{"name":"a","uid":"u","resourceVersion":"7","generation":"x"}}`,
		} {
			o := Decode(engine.HubName{}, engine.KindClusterStagedUpdateRun, []byte(raw))
			if o.Broken == "" || o.Value != nil || o.ID != engine.NewID(engine.KindClusterStagedUpdateRun, "", "a", "u") || o.ResourceVersion != "7" {
				t.Errorf("%s: %+v", raw, o)
			}
		}
	})
	t.Run("odd metadata", func(t *testing.T) {
		for raw, want := range map[string]string{
			`{}`: nameless, `7`: nameless, `null`: nameless, `{"metadata":{"name":7,"uid":"u","resourceVersion":"7"}}`: nameless,
			`{"metadata":{"name":"a","uid":7,"annotations":{"x":1}}}`: "a",
		} {
			o := Decode(engine.HubName{}, engine.KindClusterStagedUpdateRun, []byte(raw))
			if o.Broken == "" || o.Name != want {
				t.Errorf("%s was read as %+v", raw, o)
			}
		}
	})
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte(`{"items":[{"metadata":{"name":"a"}}],"metadata":{"resourceVersion":"1"}}`))
	f.Add([]byte(`{"items":null}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		list, err := readAll(strings.NewReader(string(in)), engine.KindClusterStagedUpdateRun, mostObjects, func(*Object) {})
		if err == nil && list == nil {
			t.Error("neither a list nor an error")
		}
	})
}

// The hub is in every ID that is made of what a hub sent.
func TestDecodedIDsHaveTheirHub(t *testing.T) {
	hub := engine.NewHubName("prod", "")
	raw := []byte(`{"metadata":{"name":"x","uid":"u"}}`)
	for _, kind := range []engine.Kind{
		engine.KindClusterStagedUpdateRun, engine.KindClusterApprovalRequest, engine.KindClusterResourcePlacement,
		engine.KindClusterResourceBinding, engine.KindMemberCluster,
	} {
		o := Decode(hub, kind, raw)
		if o.Broken != "" {
			t.Fatal(o.Broken)
		}
		ids := []engine.ID{o.ID}
		switch v := o.Value.(type) {
		case *world.Placement:
			ids = append(ids, v.ID)
		case *world.Binding:
			ids = append(ids, v.ID)
		case *world.Member:
			ids = append(ids, v.ID)
		}
		for _, id := range ids {
			if id.Hub() != hub {
				t.Errorf("%v has hub %q", id, id.Hub().Text())
			}
		}
	}
}

// What is small is decoded where it is read, which costs less than waking up another goroutine:
// bindings of a list, and runs of a hundred clusters of a watch.
func TestSmallObjectsAreDecodedAtOnce(t *testing.T) {
	for size, atOnce := range map[int]int{100: listedAtOnce, 50 << 10: watchedAtOnce} {
		var all task.Group
		raw := `{"metadata":{"name":"b"},"spec":{"targetCluster":"c","unread":"` + strings.Repeat("u", size) + `"}}`
		p := startDecode(&all, engine.HubName{}, engine.KindClusterResourceBinding, []byte(raw), nil, atOnce)
		select {
		case <-p.done:
			if b, ok := p.obj.Value.(*world.Binding); !ok || b.Cluster != "c" {
				t.Errorf("%d bytes: decoded %+v", size, p.obj)
			}
		default:
			t.Errorf("%d bytes are decoded elsewhere", size)
		}
	}
}

// TestEventsAllocate holds the number of allocations for an event of a binding within a tenth of
// what was measured: it is cut out of the watch once.
func TestEventsAllocate(t *testing.T) {
	const measured, events = 25, 500
	in := strings.Repeat(`{"type":"MODIFIED","object":{"kind":"ClusterResourceBinding","metadata":{"name":"b","uid":"u","resourceVersion":"7"},"spec":{"targetCluster":"c"}}}`+"\n", events)
	n := testing.AllocsPerRun(10, func() {
		f := NewFrames(&task.Group{}, engine.HubName{}, engine.KindClusterResourceBinding, nil, still{strings.NewReader(in)})
		for range events {
			if event, err := f.Next(t.Context()); err != nil || event.Type != apiwatch.Modified {
				t.Fatalf("event %+v, %v", event, err)
			}
		}
	}) / events
	if n > measured*1.1 {
		t.Errorf("%.1f allocations an event, %d were measured", n, measured)
	}
}

// still is the body of a watch that has come.
type still struct{ io.Reader }

// Inside implements Body.
func (still) Inside(bool) {}

// Close implements io.Closer.
func (still) Close() error { return nil }
