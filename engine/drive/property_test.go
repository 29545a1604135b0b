package drive_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

// fleetModel is a random world around one run, driven by two engines, with
// what an outsider can know about it.
type fleetModel struct {
	*rollout.World
	rt     *rapid.T
	stages []placement.StageConfig
	of     map[string]int // cluster → stage
	limit  []int

	started  map[string]bool // its binding points to the run's snapshot
	finished map[string]bool // and has been available since
	granted  map[string]bool // requests that were approved at some time
	stale    []pass.Input    // what a second engine may still see
	terminal *placement.UpdateRunStatus
	hostile  bool // somebody made it impossible for the run to succeed
}

func newModel(rt *rapid.T, t *testing.T) *fleetModel {
	m := &fleetModel{
		World: rollout.New(t, rapid.SampledFrom([]string{"", "team"}).Draw(rt, "ns")), rt: rt,
		of: map[string]int{}, started: map[string]bool{}, finished: map[string]bool{}, granted: map[string]bool{},
	}
	clear(m.Bindings)
	clear(m.Members)
	for i := range rapid.IntRange(1, 3).Draw(rt, "stages") {
		s := rollout.Stage(fmt.Sprintf("s%d", i), rapid.SampledFrom([]string{"1", "2", "50%", "34%", "100%"}).Draw(rt, "limit"))
		if rapid.Bool().Draw(rt, "before") {
			s.BeforeStageTasks = []placement.StageTask{rollout.Approval()}
		}
		switch rapid.IntRange(0, 3).Draw(rt, "after") {
		case 1:
			s.AfterStageTasks = []placement.StageTask{rollout.Approval()}
		case 2:
			s.AfterStageTasks = []placement.StageTask{rollout.TimedWait(30 * time.Second)}
		case 3:
			s.AfterStageTasks = []placement.StageTask{rollout.TimedWait(30 * time.Second), rollout.Approval()}
		}
		n := rapid.IntRange(max(0, 1-i), 5).Draw(rt, "clusters")
		for j := range n {
			name := fmt.Sprintf("c-%d-%d", i, j)
			m.Join(name, s.Name, j)
			m.of[name] = i
		}
		m.stages = append(m.stages, s)
		limit, err := intstr.GetScaledValueFromIntOrPercent(s.MaxConcurrency, n, false)
		if err != nil {
			rt.Fatal(err)
		}
		m.limit = append(m.limit, max(limit, 1))
	}
	for i := range rapid.IntRange(0, 2).Draw(rt, "leaving") {
		m.Join(fmt.Sprintf("x-%d", i), "none", i)
		m.Unschedule(fmt.Sprintf("x-%d", i))
	}
	m.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages = m.stages })
	m.Start(rapid.SampledFrom([]placement.State{placement.StateInitialize, placement.StateRun, placement.StateStop}).Draw(rt, "state"))
	return m
}

// Pass lets an engine look at the run as it was at in. The effects fail from
// the given one on when it crashes, and some get lost on the way.
func (m *fleetModel) pass(in pass.Input) {
	crash := rapid.SampledFrom([]int{100, 100, 0, 1, 2, 3, 4, 5}).Draw(m.rt, "crash")
	lossy := rapid.IntRange(0, 9).Draw(m.rt, "lossy") == 0
	n := 0
	before := in.Run.DeepCopy()
	d := drive.Reconcile(in, m.Timing, m.Now, func(e pass.Effect) (pass.Answer, error) {
		if n++; n > crash {
			return pass.Answer{}, errCrash
		}
		m.check(in.Run, e)
		if lossy && rapid.IntRange(0, 3).Draw(m.rt, "lost") == 0 {
			if rapid.Bool().Draw(m.rt, "applied") {
				m.apply(e)
			}
			return pass.Answer{}, errors.New("timeout")
		}
		return m.apply(e)
	})
	if !reflect.DeepEqual(in.Run, before) {
		m.rt.Fatalf("the pass changed its input")
	}
	if d.Next == drive.Retry && d.Err == nil {
		m.rt.Fatalf("a retry without an error")
	}
}

// check holds what an effect may be, given the run that the engine saw.
func (m *fleetModel) check(run *placement.StagedUpdateRun, e pass.Effect) {
	if terminal(run) {
		m.rt.Fatalf("%s for a terminal run", e.Op)
	}
	if run.Spec.State != placement.StateRun {
		switch e.Op {
		case pass.OpUpdateBinding, pass.OpWriteBindingStatus, pass.OpCreateApproval, pass.OpAcceptApproval, pass.OpDeleteBinding:
			m.rt.Fatalf("%s in state %s", e.Op, run.Spec.State)
		}
	}
}

// apply lets the hub answer and watches what an effect brings about.
func (m *fleetModel) apply(e pass.Effect) (pass.Answer, error) {
	answer, err := m.Do(e)
	if err != nil {
		return answer, err
	}
	if e.Op == pass.OpUpdateBinding {
		m.begins(answer.Object.(*placement.ResourceBinding).Spec.TargetCluster)
	}
	if e.Op == pass.OpDeleteBinding {
		for i := range m.stages {
			if !m.stageFinished(i) {
				m.rt.Fatalf("%s while stage %d is not finished", e.Op, i)
			}
		}
	}
	return answer, nil
}

func (m *fleetModel) begins(name string) {
	m.started[name] = true
	k := m.of[name]
	for i := range k {
		if !m.stageFinished(i) {
			m.rt.Fatalf("cluster %s starts while stage %d is not finished", name, i)
		}
	}
	flying := 0
	for c, stage := range m.of {
		if stage == k && m.started[c] && !m.finished[c] {
			flying++
		}
	}
	if flying > m.limit[k] {
		m.rt.Fatalf("%d clusters of stage %d in flight, limit %d", flying, k, m.limit[k])
	}
	if len(m.stages[k].BeforeStageTasks) > 0 && !m.granted["run-before-"+m.stages[k].Name] {
		m.rt.Fatalf("cluster %s starts without an approval", name)
	}
}

func (m *fleetModel) stageFinished(i int) bool {
	for c, stage := range m.of {
		if stage == i && !m.finished[c] {
			return false
		}
	}
	return !m.populated(i) || !m.needsApproval(i) || m.granted["run-after-"+m.stages[i].Name]
}

// populated reports whether a stage has clusters: only then are its tasks
// waited for.
func (m *fleetModel) populated(i int) bool {
	return slices.Contains(slices.Collect(maps.Values(m.of)), i)
}

func (m *fleetModel) needsApproval(i int) bool {
	return slices.ContainsFunc(m.stages[i].AfterStageTasks, func(t placement.StageTask) bool { return t.Type == placement.TaskApproval })
}

func terminal(run *placement.StagedUpdateRun) bool {
	c := meta.FindStatusCondition(run.Status.Conditions, "Succeeded")
	return meta.IsStatusConditionFalse(run.Status.Conditions, "Initialized") || c != nil && c.Status != metav1.ConditionUnknown
}

// succeeds makes a member report its binding as available.
func (m *fleetModel) succeeds(name string) {
	b := m.Binding(name)
	if b == nil || !m.started[name] || b.Spec.ResourceSnapshotName != "web-1-snapshot" {
		return
	}
	m.Available(name)
	m.finished[name] = true
}

func (m *fleetModel) clusterNames() []string {
	var names []string
	for i := range m.stages {
		for j := range 5 {
			if name := fmt.Sprintf("c-%d-%d", i, j); m.Binding(name) != nil {
				names = append(names, name)
			}
		}
	}
	return names
}

func (m *fleetModel) some(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return rapid.SampledFrom(names).Draw(m.rt, what)
}

func (m *fleetModel) requests() []string {
	var names []string
	for _, s := range m.stages {
		for _, kind := range []string{"before", "after"} {
			name := "run-" + kind + "-" + s.Name
			if m.Approvals[types.NamespacedName{Namespace: m.Namespace, Name: name}] != nil {
				names = append(names, name)
			}
		}
	}
	return names
}

func (m *fleetModel) decide(name string, status metav1.ConditionStatus) {
	m.Review(name, status, 1)
	if status == metav1.ConditionTrue {
		m.granted[name] = true
	}
}

// invariants hold at any time.
func (m *fleetModel) invariants(*rapid.T) {
	run := m.Run()
	if run == nil {
		return
	}
	if m.terminal != nil && !reflect.DeepEqual(m.terminal, &run.Status) {
		m.rt.Fatalf("a terminal run changed:\n%s\n%s", rollout.Show(m.terminal), rollout.Show(run.Status))
	}
	if terminal(run) {
		m.terminal = run.Status.DeepCopy()
		if meta.IsStatusConditionTrue(run.Status.Conditions, "Succeeded") {
			for c := range m.of {
				if !m.finished[c] {
					m.rt.Fatalf("the run succeeded without cluster %s", c)
				}
			}
		} else if !m.hostile {
			m.rt.Fatalf("the run failed: %s%s", m.Message("Initialized"), m.Message("Succeeded"))
		}
	}
	for i := range run.Status.StagesStatus {
		s := &run.Status.StagesStatus[i]
		p := meta.FindStatusCondition(s.Conditions, "Progressing")
		for j, task := range m.stages[i].AfterStageTasks {
			if task.Type == placement.TaskTimedWait && meta.IsStatusConditionTrue(s.Conditions, "Succeeded") && len(s.Clusters) > 0 {
				if s.EndTime.Sub(p.LastTransitionTime.Time) < task.WaitTime.Duration-time.Second {
					m.rt.Fatalf("task %d of stage %d was cut short", j, i)
				}
			}
		}
	}
}

func TestRandomWorlds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := newModel(rt, t)
		acts := map[string]func(*rapid.T){
			"":        m.invariants,
			"engine":  func(*rapid.T) { m.pass(m.Input(m.Key)) },
			"engine2": func(*rapid.T) { m.pass(m.Input(m.Key)) },
			"a second engine remembers": func(*rapid.T) {
				m.stale = append(m.stale, m.Input(m.Key))
			},
			"a second engine acts": func(*rapid.T) {
				if len(m.stale) > 0 {
					m.pass(m.stale[0])
					m.stale = m.stale[1:]
				}
			},
			"a second engine hears of the run first": func(*rapid.T) {
				if len(m.stale) > 0 {
					in := m.Input(m.Key)
					in.Bindings = m.stale[0].Bindings
					m.pass(in)
				}
			},
			"a second engine hears of the bindings first": func(*rapid.T) {
				if len(m.stale) > 0 {
					in := m.Input(m.Key)
					in.Run = m.stale[0].Run
					m.pass(in)
				}
			},
			"time": func(rt *rapid.T) {
				m.Now = m.Now.Add(time.Duration(rapid.IntRange(1, 400_000).Draw(rt, "ms")) * time.Millisecond)
			},
			"member succeeds": func(*rapid.T) { m.succeeds(m.some("cluster", m.clusterNames())) },
			"member succeeds too": func(*rapid.T) {
				m.succeeds(m.some("cluster", m.clusterNames()))
			},
			"member fails": func(*rapid.T) {
				if name := m.some("cluster", m.clusterNames()); name != "" && m.started[name] && !m.finished[name] {
					m.Report(name, "Available", "False", "NotAllWorkAreAvailable")
				}
			},
			"approve": func(*rapid.T) {
				if name := m.some("request", m.requests()); name != "" {
					m.decide(name, "True")
				}
			},
			"un-approve": func(*rapid.T) {
				if name := m.some("request", m.requests()); name != "" {
					m.decide(name, "False")
				}
			},
			"delete request": func(*rapid.T) {
				delete(m.Approvals, types.NamespacedName{Namespace: m.Namespace, Name: m.some("request", m.requests())})
			},
			"run or stop": func(rt *rapid.T) {
				m.SetState(rapid.SampledFrom([]placement.State{placement.StateRun, placement.StateRun, placement.StateStop}).Draw(rt, "state"))
			},
			"binding goes": func(*rapid.T) {
				for k, b := range m.Bindings {
					if b.DeletionTimestamp != nil {
						delete(m.Bindings, k)
					}
				}
			},
		}
		rt.Repeat(acts)
		if rapid.IntRange(0, 3).Draw(rt, "end") == 0 {
			m.disturb(rt)
		}
		m.toTheEnd()
	})
}

// disturb does what ends a run: it must end, and nothing else may break.
func (m *fleetModel) disturb(rt *rapid.T) {
	names := m.clusterNames()
	if len(names) == 0 || m.terminal != nil {
		return
	}
	m.hostile = true
	name := rapid.SampledFrom(names).Draw(rt, "victim")
	switch rapid.IntRange(0, 3).Draw(rt, "disturbance") {
	case 0:
		m.EditMember(name, func(o *cluster.MemberCluster) { o.Labels["env"] = "elsewhere" })
	case 1:
		m.EditBinding(name, func(b *placement.ResourceBinding) { b.Spec.ResourceSnapshotName = "web-0-snapshot"; b.Generation++ })
	case 2:
		m.EditPlacement(func(p *placement.ResourcePlacement) {
			p.Spec.Strategy.ApplyStrategy = &placement.ApplyStrategy{AllowCoOwnership: true}
		})
	default:
		m.EditPolicy(func(o *placement.SchedulingPolicySnapshot) { o.Labels[rollout.LabelPrefix+"policy-index"] = "9" })
	}
}

// toTheEnd lets everybody do what helps: the run must come to an end, and to a
// good one unless somebody has disturbed it.
func (m *fleetModel) toTheEnd() {
	m.SetState(placement.StateRun)
	for range 200 {
		if run := m.Run(); terminal(run) {
			m.invariants(m.rt)
			return
		}
		drive.Reconcile(m.Input(m.Key), m.Timing, m.Now, m.apply)
		m.invariants(m.rt)
		m.Now = m.Now.Add(time.Minute)
		for _, name := range m.clusterNames() {
			m.succeeds(name)
		}
		for _, name := range m.requests() {
			m.decide(name, "True")
		}
		for k, b := range m.Bindings {
			if b.DeletionTimestamp != nil {
				delete(m.Bindings, k)
			}
		}
	}
	m.rt.Fatalf("the run does not end: %s %s", m.Condition("Progressing"), m.Message("Progressing"))
}
