package observe

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/world"
)

// mutate damages an object as hand edits, future hubs and hostile tenants might.
type mutator struct{ *rand.Rand }

func (m mutator) conds(in []metav1.Condition) []metav1.Condition {
	out := slices.Clone(in)
	for range m.IntN(3) {
		if len(out) == 0 {
			out = append(out, metav1.Condition{Type: "Progressing"})
		}
		i := m.IntN(len(out))
		c := &out[i]
		switch m.IntN(9) {
		case 0:
			out = slices.Delete(out, i, i+1)
		case 1:
			c.Status = metav1.ConditionStatus([]string{"True", "False", "Unknown", "", "true", "\x1b[2J"}[m.IntN(6)])
		case 2:
			c.Reason = []string{"UpdateRunStuck", "UpdateRunStopped", "UpdateRunWaiting", "StageUpdatingWaiting", "StageUpdatingStopped", "StageUpdatingStopping", "StageUpdatingSkippedNoClusters", "", "\u202eNew"}[m.IntN(9)]
		case 3:
			c.Message = []string{"", "The updateRun is stuck waiting for , cluster(s) in stage x to finish updating", "the updating cluster `\x1b` in the stage x does not match the cluster status", string(make([]byte, 5000))}[m.IntN(4)]
		case 4:
			c.LastTransitionTime = metav1.Time{}
		case 5:
			c.LastTransitionTime = metav1.Time{Time: time.Unix(m.Int64N(1<<40), 0)}
		case 6:
			c.ObservedGeneration = m.Int64N(5) - 1
		case 7:
			out = append(out, *c)
		case 8:
			d := *c
			d.Status = "True"
			out = append(out, d)
		}
	}
	return out
}

func (m mutator) stage(s *placement.StageStatus) {
	s.Conditions = m.conds(s.Conditions)
	for i := range s.Clusters {
		s.Clusters[i].Conditions = m.conds(s.Clusters[i].Conditions)
	}
	for _, tasks := range [][]placement.TaskStatus{s.BeforeStageTaskStatus, s.AfterStageTaskStatus} {
		for i := range tasks {
			tasks[i].Conditions = m.conds(tasks[i].Conditions)
			if m.IntN(5) == 0 {
				tasks[i].Type = "Moonphase"
			}
		}
	}
	switch m.IntN(12) {
	case 0:
		s.Clusters = nil
	case 1:
		s.StartTime, s.EndTime = nil, nil
	case 2:
		s.StageName = "\x9b\u200b"
	case 3:
		s.BeforeStageTaskStatus, s.AfterStageTaskStatus = nil, nil
	}
}

func (m mutator) run(in *placement.StagedUpdateRun) *placement.StagedUpdateRun {
	r := in.DeepCopy()
	st := &r.Status
	st.Conditions = m.conds(st.Conditions)
	for i := range st.StagesStatus {
		m.stage(&st.StagesStatus[i])
	}
	switch m.IntN(12) {
	case 0:
		st.StagesStatus = nil
	case 1:
		st.StagedUpdateStrategySnapshot = nil
	case 2:
		st.DeletionStageStatus = nil
	case 3:
		r.Spec.State = []placement.State{"", "Run", "Stop", "Initialize", "Pause", "\x1b"}[m.IntN(6)]
	case 4:
		r.Generation = m.Int64N(4)
	case 5:
		st.ResourceSnapshotIndexUsed = "\n"
	case 6:
		if len(st.StagesStatus) > 0 {
			st.StagesStatus = append(st.StagesStatus, st.StagesStatus[0])
		}
	}
	return r
}

// succeeded is the oracle: nothing but a Succeeded that is True, and nowhere
// else anything but True, lets a run look done.
func succeeded(conds []metav1.Condition) bool {
	found := false
	for _, c := range conds {
		if c.Type == "Succeeded" {
			if c.Status != metav1.ConditionTrue {
				return false
			}
			found = true
		}
	}
	return found
}

// checkTruth holds what must be true of any view, however odd the object.
func checkTruth(t *testing.T, s *engine.Snapshot, id engine.ID, run *placement.StagedUpdateRun) {
	t.Helper()
	v := s.Find(id)
	if v == nil {
		t.Fatal("the run has no row")
	}
	if v.Word == engine.WordDone && !succeeded(run.Status.Conditions) {
		t.Fatalf("DONE with %+v", run.Status.Conditions)
	}
	if v.Word == engine.WordUnknown {
		t.Fatal("a loaded run has no word")
	}
	if v.At >= len(v.Stages) || v.At < -1 {
		t.Fatalf("at %d of %d", v.At, len(v.Stages))
	}
	for i := range v.Stages {
		st := &v.Stages[i]
		if n := st.Done + st.Updating + st.Stuck + st.Preempted + len(st.Coming) + st.ComingMore; n > st.Total {
			t.Fatalf("stage %s counts %d of %d", st.Name, n, st.Total)
		}
		if st.State != engine.StageDone && st.State != engine.StageSkipped {
			continue
		}
		ok := false
		for _, status := range append(slices.Clone(run.Status.StagesStatus), ptr(run.Status.DeletionStageStatus)...) {
			ok = ok || engine.Clean(status.StageName) == st.Name && succeeded(status.Conditions)
		}
		if !ok {
			t.Fatalf("stage %s is %s without a Succeeded", st.Name, st.State)
		}
	}
	for _, a := range []engine.Act{engine.ActApprove, engine.ActRun, engine.ActStop} {
		i, r := act.Propose(s, a, id, s.At)
		if r.Refused() == (i.Act == a) {
			t.Fatalf("%s: intent %+v with refusal %+v", a, i, r)
		}
		if r.Refused() {
			continue
		}
		if v.Terminal || a == engine.ActStop && run.Spec.State != placement.StateRun || a == engine.ActRun && run.Spec.State == placement.StateRun {
			t.Fatalf("%s is possible on %s, state %q", a, v.Word, run.Spec.State)
		}
		if a == engine.ActApprove && i.Target.IsZero() {
			t.Fatal("an approval of nothing")
		}
	}
}

func ptr(s *placement.StageStatus) []placement.StageStatus {
	if s == nil {
		return nil
	}
	return []placement.StageStatus{*s}
}

func hammer(t *testing.T, all map[string]situation.Situation, names []string, seed uint64, rounds int) {
	t.Helper()
	m := mutator{rand.New(rand.NewPCG(seed, 7))}
	for range rounds {
		s := all[names[m.IntN(len(names))]]
		w, id := s.World(t, []string{"", "team-a"}[m.IntN(2)])
		w.Runs[id] = m.run(w.Runs[id])
		for k, a := range w.Approvals {
			a = a.DeepCopy()
			a.Status.Conditions = m.conds(a.Status.Conditions)
			w.Approvals[k] = a
		}
		for _, bs := range w.Bindings {
			for k, b := range bs {
				c := *b
				c.Conditions = m.conds(b.Conditions)
				bs[k] = &c
			}
		}
		now := situation.Moment(t, s.Now).Add(time.Duration(m.IntN(3600)) * time.Second)
		snap, next := Observe(nil, w, world.Changed{}, now)
		if !next.IsZero() && !next.After(now) {
			t.Fatalf("look again at %s, which is not after %s", next, now)
		}
		checkTruth(t, snap, id, w.Runs[id])
	}
}

func TestOddObjects(t *testing.T) {
	all := situation.All(t)
	names := situation.SortedNames(all)
	hammer(t, all, names, 1, 5000)
}

func FuzzObserve(f *testing.F) {
	all := situation.All(f)
	names := situation.SortedNames(all)
	f.Add(uint64(2))
	f.Fuzz(func(t *testing.T, seed uint64) { hammer(t, all, names, seed, 20) })
}
