package screens

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/triage"
	"github.com/stagewatch/stagewatch/engine/world"
)

// objects is the hub of the demo as TestRecord read it: one object a line, without managedFields.
const objects = "testdata/hub.jsonl"

// hub is a hub that does not change: what the program makes of its objects.
type hub struct {
	mu    sync.Mutex
	world *world.World
	now   time.Time
	last  *engine.Snapshot
	fresh chan *engine.Snapshot
}

// read returns the hub of the file at a time.
func read(t *testing.T, now time.Time) *hub {
	t.Helper()
	raw, err := os.ReadFile(objects)
	if err != nil {
		t.Fatal(err)
	}
	w := world.NewWorld(engine.Settings{ClusterRuns: true, NamespacedRuns: true})
	w.Triage = triage.Catalogue{}
	w.Hub = engine.Hub{
		Name: engine.NewHubName("hub-prod-weu", ""), Context: engine.Lit("hub-prod-weu"),
		Server: engine.Lit("https://hub-prod-weu.example.com"), User: engine.Lit("oncall@example.com"),
	}
	w.Namespaces = engine.Lit("all namespaces")
	w.Link = engine.Link{State: engine.LinkLive, Heard: now.Add(-2 * time.Second), Since: now.Add(-time.Hour)}
	for kind := engine.KindClusterStagedUpdateRun; kind.Plural() != ""; kind++ {
		w.Covered[world.CoverAll(kind)] = engine.Coverage{State: engine.CoverComplete}
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var of metav1.PartialObjectMetadata
		if decode(t, lines.Bytes(), &of); of.Kind == recording {
			continue
		}
		kind := engine.KindClusterStagedUpdateRun
		for kind.Plural() != "" && kind.String() != of.Kind {
			kind++
		}
		id := w.Hub.Name.ID(kind, of.Namespace, of.Name, string(of.UID))
		switch kind {
		case engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun:
			run := &placement.StagedUpdateRun{}
			decode(t, lines.Bytes(), run)
			w.Runs[id] = run
			w.FirstSeen[id] = world.Seen{Generation: run.Generation, At: run.CreationTimestamp.Time}
		case engine.KindClusterApprovalRequest, engine.KindApprovalRequest:
			request := &placement.ApprovalRequest{}
			decode(t, lines.Bytes(), request)
			w.Approvals[id] = request
		case engine.KindClusterResourcePlacement, engine.KindResourcePlacement:
			o := &placement.ResourcePlacement{}
			decode(t, lines.Bytes(), o)
			w.Placements[id] = &world.Placement{
				ID: id, Generation: o.Generation, External: o.Spec.Strategy.Type == placement.RolloutExternal, Apply: o.Spec.Strategy.ApplyStrategy, ApplyRead: true,
				ObservedIndex: o.Status.ObservedResourceIndex, Created: o.CreationTimestamp.Time, Conditions: o.Status.Conditions,
			}
		case engine.KindClusterResourceBinding, engine.KindResourceBinding:
			addBinding(t, w, id, lines.Bytes())
		case engine.KindMemberCluster:
			addMember(t, w, id, lines.Bytes())
		default:
			t.Fatalf("%s %s", of.Kind, of.Name)
		}
	}
	h := &hub{world: w, now: now, fresh: make(chan *engine.Snapshot, 1)}
	h.publish()
	return h
}

// decode decodes an object.
func decode(t *testing.T, raw []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// addBinding adds a binding beside the others of its placement.
func addBinding(t *testing.T, w *world.World, id engine.ID, raw []byte) {
	t.Helper()
	b := &placement.ResourceBinding{}
	decode(t, raw, b)
	key := engine.PlacementKey(id, b.Labels[placement.LabelParentPlacement])
	if w.Bindings[key] == nil {
		w.Bindings[key] = map[engine.ID]*world.Binding{}
		w.Covered[world.CoverBindings(key)] = engine.Coverage{State: engine.CoverComplete}
	}
	w.Bindings[key][id] = &world.Binding{
		ID: id, Cluster: b.Spec.TargetCluster, State: string(b.Spec.State), SnapshotName: b.Spec.ResourceSnapshotName, PolicyName: b.Spec.SchedulingPolicySnapshotName,
		Apply: b.Spec.ApplyStrategy, Generation: b.Generation, Created: b.CreationTimestamp.Time, Conditions: b.Status.Conditions, Failed: b.Status.FailedPlacements, Finalizers: b.Finalizers,
		Overrides: world.OverrideNames(b.Spec.ClusterResourceOverrideSnapshots, b.Spec.ResourceOverrideSnapshots), ReportDiff: engine.ReportsDiff(b.Spec.ApplyStrategy),
		Changes: world.ChangesOf(b.Status.FailedPlacements, b.Status.DriftedPlacements, b.Status.DiffedPlacements),
		Drifted: len(b.Status.DriftedPlacements), Differing: len(b.Status.DiffedPlacements),
	}
	if at := b.DeletionTimestamp; at != nil {
		w.Bindings[key][id].Deleting = at.Time
	}
}

// addMember adds a member cluster with what its agent reports.
func addMember(t *testing.T, w *world.World, id engine.ID, raw []byte) {
	t.Helper()
	m := &cluster.MemberCluster{}
	decode(t, raw, m)
	row := &world.Member{ID: id, Labels: m.Labels, Taints: m.Spec.Taints, Conditions: m.Status.Conditions, Period: time.Duration(m.Spec.HeartbeatPeriodSeconds) * time.Second}
	for i := range m.Status.AgentStatus {
		if a := &m.Status.AgentStatus[i]; a.Type == cluster.AgentMember {
			row.Agent, row.Heartbeat = a.Conditions, a.LastReceivedHeartbeat.Time
		}
	}
	w.Members[m.Name] = row
}

// publish makes the next Snapshot.
func (h *hub) publish() {
	h.last, _ = observe.Observe(h.last, h.world, world.Changed{All: true}, h.now)
	h.send()
}

// hear is an answer of the hub that changes nothing.
func (h *hub) hear(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.world.Link.Heard = now
	h.last = observe.Heard(h.last, h.world, h.now)
	h.send()
}

// send replaces the Snapshot that was not taken yet.
func (h *hub) send() {
	select {
	case <-h.fresh:
	default:
	}
	h.fresh <- h.last
}

func (h *hub) Next(ctx context.Context) (*engine.Snapshot, error) {
	select {
	case s := <-h.fresh:
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (h *hub) Want(f engine.Focus) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.world.Focus.Equal(f) {
		h.world.Focus = f
		h.publish()
	}
}

// Ask answers what the pictures show.
func (h *hub) Ask(_ context.Context, q page.Question) page.Answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := page.Answer{Question: q, At: h.now}
	switch q := q.(type) {
	case page.DiagnosisQuestion:
		a = page.DiagnosisPage(page.DiagnosisFacts{Snapshot: h.last, Run: h.last.Find(q.Run), Detail: h.last.Detail, Now: h.now})
		a.Question = q
	case page.DryRunQuestion:
		a.Checks = []engine.Check{{State: engine.CheckPassed, What: engine.Lit("server dry run passed")}}
	}
	return a
}

func (h *hub) Do(_ context.Context, i act.Intent) act.Outcome {
	return act.Outcome{Intent: i, Result: act.ResultUnknown}
}
