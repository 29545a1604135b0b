package triage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/world"
)

// The next step has a key: each word's next actions, and the cluster that they are
// about.
func TestLeads(t *testing.T) {
	for _, c := range []struct {
		situation string
		member    string
		want      []engine.NextAction
	}{
		{"stuck-with-binding", "prod-2", []engine.NextAction{engine.NextMember, engine.NextDiff, engine.NextClone}},
		{"stuck", "prod-2", []engine.NextAction{engine.NextMember, engine.NextCluster}},
		{"preempted-with-winner", "prod-2", []engine.NextAction{engine.NextPreempter, engine.NextOwners, engine.NextClone}},
		{"preempted", "prod-2", []engine.NextAction{engine.NextOwners, engine.NextClone}},
		{"init-failed-index", "", []engine.NextAction{engine.NextPlacement, engine.NextClone}},
		{"failed-unknown", "", []engine.NextAction{engine.NextClone}},
		{"approval-before", "", []engine.NextAction{engine.NextApprove, engine.NextApprovals}},
		{"not-accepted", "", []engine.NextAction{engine.NextApprove, engine.NextApprovals}},
		{"stopped", "", []engine.NextAction{engine.NextRun, engine.NextPlan}},
		{"not-observed-since-creation", "", []engine.NextAction{engine.NextLogs}},
		{"timed-wait", "", []engine.NextAction{engine.NextPlan}},
		{"done", "", nil},
	} {
		for scope, ns := range scopes {
			t.Run(c.situation+"/"+scope, func(t *testing.T) {
				s := load(t, "../internal/situation/testdata", 50)[c.situation]
				w, id := s.world(t, ns)
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
				d := snap.Find(id).Why
				_, member, _ := d.Member.Raw()
				if !slices.Equal(d.NextActions, c.want) || member != c.member {
					t.Errorf("next actions %v about %q, want %v about %q", d.NextActions, member, c.want, c.member)
				}
			})
		}
	}
}

// besideRival diagnoses the run of a situation beside a run r2 of another snapshot.
func besideRival(t *testing.T, situation string) engine.Diagnosis {
	t.Helper()
	s := load(t, "../internal/situation/testdata", 50)[situation]
	other := *s.Run.DeepCopy()
	other.Name, other.UID = "r2", "u-r2"
	other.Spec.ResourceSnapshotIndex, other.Status.ResourceSnapshotIndexUsed = "1", "1"
	s.Others = append(s.Others, other)
	w, id := s.world(t, "")
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	return snap.Find(id).Why
}

// What begins a fight between two runs is not the next step.
func TestApprovalIsNotNextBesideARival(t *testing.T) {
	d := besideRival(t, "approval-before")
	if !strings.HasPrefix(d.Next.String(), "First decide which run continues: stop this one or r2") || len(d.NextActions) < 2 || d.NextActions[0] != engine.NextOwners {
		t.Errorf("next %q, next actions %v", d.Next, d.NextActions)
	}
	if !strings.HasPrefix(d.Steps[1].String(), "Approve stage") {
		t.Errorf("the approval is not the second step: %v", d.Steps)
	}
	// What decides comes before what continues the run, in the commands, too.
	if first, all := d.Commands[0].String(), engine.Join(d.Commands, "\n").String(); !strings.Contains(first, "get clusterresourcebindings") || !strings.Contains(all, "patch clusterapprovalrequests") {
		t.Errorf("commands: %s", all)
	}
}

// To wait for the controller is no step before the decision between two runs.
func TestTheDecisionComesBeforeTheWait(t *testing.T) {
	for _, base := range []string{"timed-wait", "between-stages"} {
		d := besideRival(t, base)
		if d.Recovery != engine.RecoveryAutomatic || !strings.HasPrefix(d.Next.String(), "First decide which run continues: stop this one or r2") {
			t.Errorf("%s: %s (%s): %v", base, d.Cause, d.Recovery, d.Steps)
		}
	}
}

// The step of two competing runs says nothing that is done already.
func TestTheStepOfCompetingRunsThatAreStopped(t *testing.T) {
	for _, tt := range []struct {
		mine, other placement.State
		says        string
	}{
		{placement.StateRun, placement.StateRun, "First decide which run continues: stop this one or r2,"},
		{placement.StateRun, placement.StateStop, "First decide which run continues: do not resume r2 before this run has finished, or stop this one."},
		{placement.StateStop, placement.StateRun, "Before you resume this run, let r2 finish, or stop it."},
		{placement.StateStop, placement.StateStop, "First decide which run continues: resume this one or r2;"},
		// The API server rejects Stop for a run in state Initialize.
		{placement.StateInitialize, placement.StateRun, "stop r2 or delete this one (stagewatch delete)"},
		{placement.StateInitialize, placement.StateStop, "Either do not resume r2 until this run has finished, or delete this run (stagewatch delete)"},
		{placement.StateInitialize, placement.StateInitialize, "delete this one (stagewatch delete) or r2"},
		{placement.StateRun, placement.StateInitialize, "stop this one or delete r2"},
		{placement.StateStop, placement.StateInitialize, "Before you resume this run, let r2 finish, or delete it."},
	} {
		s := load(t, "../internal/situation/testdata", 50)["stopped"]
		s.Run.Spec.State = tt.mine
		other := *s.Run.DeepCopy()
		other.Name, other.UID, other.Spec.State = "r2", "u-r2", tt.other
		other.Spec.ResourceSnapshotIndex, other.Status.ResourceSnapshotIndexUsed = "1", "1"
		s.Others = append(s.Others, other)
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if d := snap.Find(id).Why; !strings.Contains(engine.Join(d.Steps, "\n").String(), tt.says) {
			t.Errorf("%s beside %s: %v", tt.mine, tt.other, d.Steps)
		}
		if stops := strings.Contains(engine.Join(snap.Find(id).Why.Commands, "\n").String(), `"state":"Stop"`); stops && tt.other == placement.StateInitialize {
			t.Errorf("%s beside %s: a command stops the other run: %v", tt.mine, tt.other, snap.Find(id).Why.Commands)
		}
	}
}

// A newer snapshot that another run has already needs no new run: the step names that run.
func TestANewerSnapshotThatAnotherRunHas(t *testing.T) {
	for _, tt := range []struct {
		state, progressing, says string
		begun                    bool
	}{
		{"Run", "UpdateRunStuck", "Snapshot 4 is newer, but run r2 is stuck with it: a new run with it needs the fix first.", true},
		{"Run", "UpdateRunProgressing", "Run r2 rolls out snapshot 4, which is newer: it replaces this run if that has the fix.", true},
		{"Stop", "UpdateRunStopped", "Run r2 has snapshot 4, which is newer, and is stopped: resume it if that has the fix.", true},
		{"Initialize", "", "Run r2 has snapshot 4, which is newer, and is not started: start it if that has the fix.", false},
		{"none", "", "Create a new run (stagewatch clone) with snapshot 4 if it has the fix", false},
	} {
		s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
		other := *s.Run.DeepCopy()
		other.Name, other.UID, other.CreationTimestamp = "r2", "u-r2", metav1.NewTime(s.Run.CreationTimestamp.Add(time.Minute))
		other.Spec.ResourceSnapshotIndex, other.Status.ResourceSnapshotIndexUsed, other.Spec.State = "4", "4", placement.State(tt.state)
		meta.RemoveStatusCondition(&other.Status.Conditions, placement.RunProgressing)
		if tt.progressing != "" {
			status := metav1.ConditionFalse
			if tt.progressing == "UpdateRunProgressing" {
				status = metav1.ConditionTrue
			}
			meta.SetStatusCondition(&other.Status.Conditions, metav1.Condition{Type: placement.RunProgressing, Status: status, Reason: tt.progressing})
		}
		for i := range other.Status.StagesStatus {
			if st := &other.Status.StagesStatus[i]; !tt.begun {
				st.StartTime, st.EndTime, st.Conditions = nil, nil, nil
				for j := range st.Clusters {
					st.Clusters[j].Conditions = nil
				}
			}
		}
		if tt.state != "none" {
			s.Others = append(s.Others, other)
		}
		s.Nearby = &nearbyData{Resources: []placement.ResourceSnapshot{{ObjectMeta: metav1.ObjectMeta{
			Name: "shop-4-snapshot", Annotations: map[string]string{placement.AnnotationResourceHash: "h"},
			Labels: map[string]string{placement.LabelResourceIndex: "4", placement.LabelIsLatestSnapshot: "true"},
		}}}}
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		steps := engine.Join(snap.Find(id).Why.Steps, "\n").String()
		if offers := strings.Contains(steps, "with snapshot 4 if it has the fix"); !strings.Contains(steps, tt.says) || offers != (tt.state == "none") {
			t.Errorf("%s %s: %s", tt.state, tt.progressing, steps)
		}
	}
}

// A new run that replaces one that is stuck may be started: that one may never finish.
// One with an older snapshot does not replace it: it goes back.
func TestARunThatReplacesAStuckOneMayBeStarted(t *testing.T) {
	for _, tt := range []struct {
		stopped bool
		index   string
	}{{false, "4"}, {true, "4"}, {false, "2"}, {true, "2"}} {
		stopped := tt.stopped
		s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
		stuck := *s.Run.DeepCopy()
		s.Run.Name, s.Run.UID, s.Run.Spec.State = "r2", "u-r2", placement.StateInitialize
		s.Run.Spec.ResourceSnapshotIndex, s.Run.Status.ResourceSnapshotIndexUsed = tt.index, tt.index
		for i := range s.Run.Status.StagesStatus {
			stage := &s.Run.Status.StagesStatus[i]
			stage.Conditions, stage.StartTime, stage.BeforeStageTaskStatus, stage.AfterStageTaskStatus = nil, nil, nil, nil
			for j := range stage.Clusters {
				stage.Clusters[j].Conditions = nil
			}
		}
		meta.RemoveStatusCondition(&s.Run.Status.Conditions, placement.RunProgressing)
		word, do := engine.WordReady, "start"
		if stopped {
			word, do, s.Run.Spec.State = engine.WordStopped, "resume", placement.StateStop
			meta.SetStatusCondition(&s.Run.Status.Conditions, metav1.Condition{Type: placement.RunProgressing, Status: metav1.ConditionFalse, Reason: placement.ReasonRunStopped})
		}
		s.Others = append(s.Others, stuck)
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		v := snap.Find(id)
		want := "Run " + stuck.Name + " is stuck. If it needs a new run, " + do + " this run (stagewatch run) as its replacement."
		if tt.index == "2" {
			want = "Run " + stuck.Name + " is stuck with the newer snapshot 3. " + engine.Capital(engine.Clean(do)).String() + " this run (stagewatch run) only if the older snapshot 2 is wanted: it preempts " + stuck.Name + ", which then fails."
		}
		if v.Word != word || !strings.Contains(engine.Join(v.Why.Steps, "\n").String(), want) {
			t.Errorf("%s: no %q in %q", v.Word, want, v.Why.Steps)
		}
	}
}

// A run that is stopping is not failed by another one that updates its clusters.
func TestARunThatIsStoppingIsNotPreempted(t *testing.T) {
	for _, stops := range []bool{false, true} {
		s := load(t, "../internal/situation/testdata", 50)["ready"]
		s.surrounded(t)
		updating := load(t, "../internal/situation/testdata", 50)["updating"]
		other := *updating.Run.DeepCopy()
		other.Name, other.UID, other.Status.ResourceSnapshotIndexUsed = "r2", "u-r2", "2"
		if stops {
			other.Spec.State = placement.StateStop
			meta.SetStatusCondition(&other.Status.Conditions, metav1.Condition{Type: placement.RunProgressing, Status: metav1.ConditionUnknown, Reason: placement.ReasonRunStopping})
		}
		s.Others = append(s.Others, other)
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		steps := engine.Join(snap.Find(id).Why.Steps, "\n").String()
		if fails, counts := strings.Contains(steps, "preempts the other, which then fails."), strings.Contains(steps, "r2 does not fail while it is stopping: it counts the clusters that another run updates as done."); fails == stops || counts != stops {
			t.Errorf("stopping %v: %s", stops, steps)
		}
	}
}

// A run that is not started cannot be stopped: it can wait, or be deleted.
func TestTheStepOfARunThatIsNotStartedBesideAnother(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["stopped"]
	other := *s.Run.DeepCopy()
	other.Name, other.UID, other.Spec.State = "r2", "u-r2", placement.StateRun
	other.Status.ResourceSnapshotIndexUsed = "1"
	s.Others = append(s.Others, other)
	s.Run.Spec.State = placement.StateInitialize
	for i := range s.Run.Status.StagesStatus {
		stage := &s.Run.Status.StagesStatus[i]
		stage.Conditions, stage.StartTime, stage.BeforeStageTaskStatus, stage.AfterStageTaskStatus = nil, nil, nil, nil
		for j := range stage.Clusters {
			stage.Clusters[j].Conditions = nil
		}
	}
	meta.RemoveStatusCondition(&s.Run.Status.Conditions, placement.RunProgressing)
	w, id := s.world(t, "")
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	v := snap.Find(id)
	if says := engine.Join(v.Why.Steps, "\n").String(); v.Word != engine.WordReady || strings.Contains(says, "stop this one") ||
		strings.Contains(says, "Start the run") || !strings.Contains(says, "When r2 has finished, start the run (stagewatch run): ") ||
		!strings.Contains(says, "Do not start this run before r2 has finished. To start it instead, stop r2 first. If this run is not wanted, delete it (stagewatch delete).") {
		t.Errorf("%s: %s", v.Word, says)
	}
}

// An entry that asks for something names its actions, once each.
func TestEntriesLeadSomewhere(t *testing.T) {
	for _, e := range catalogue.Entries() {
		actions := e.Actions()
		if len(actions) == 0 && (e.Recovery == engine.RecoveryByNewRun || e.Recovery == engine.RecoveryOnMember || e.Recovery == engine.RecoveryOnHub || e.Recovery == engine.RecoveryByPerson) {
			t.Errorf("%s: nothing to press", e.Cause)
		}
		for i, l := range actions {
			if l == engine.NextNone || slices.Contains(actions[:i], l) {
				t.Errorf("%s: next actions %v", e.Cause, actions)
			}
		}
	}
}
