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
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Every state in which a run may wait for ever needs attention and has a cause.
// Before the controller is overdue the same objects need none.
func TestEndlessWaits(t *testing.T) {
	at := func(s string) metav1.Time { return metav1.NewTime(moment(t, s)) }
	calm := "-"
	initialize := func(s *situation) { s.Run.Spec.State = placement.StateInitialize }
	for _, tt := range []struct {
		name, base, now string
		change          func(s *situation)
		word            engine.Word
		beside          string
		cause           string // "-": needs no attention
	}{
		{name: "a person has not started the run", base: "ready", word: engine.WordReady, cause: "not-started"},
		{name: "a person stopped the run", base: "stopped", word: engine.WordStopped, cause: "stopped"},
		{name: "an approval is open", base: "approval-before", word: engine.WordApproval, cause: "approval-before-stage"},
		{name: "the approval request is gone", base: "approval-deleted", word: engine.WordApproval, cause: "approval-request-missing"},
		{name: "an approval without effect", base: "not-accepted", word: engine.WordNotAccepted, cause: "approval-not-accepted"},
		{name: "the controller does not accept an approval", base: "approval-sent", now: "11:00:00", word: engine.WordRunning, beside: "LATE", cause: "approval-not-processed"},
		{name: "an update does not end", base: "stuck-with-binding", word: engine.WordStuck, cause: "workload-not-ready"},
		{name: "an update does not end while stopping", base: "stuck-while-stopping", word: engine.WordStuck, cause: "stuck"},
		{name: "a deletion has begun", base: "removing", now: "10:06:00", word: engine.WordRunning, cause: calm},
		{name: "a deletion is slow", base: "removing-takes-long", word: engine.WordRunning, beside: "SLOW", cause: calm},
		{name: "a deletion does not end", base: "removing-takes-long", now: "10:10:01", word: engine.WordStuck, cause: "stuck"},
		{name: "a deletion does not end while stopping", base: "removing-takes-long", now: "10:10:01", word: engine.WordStuck, cause: "stuck", change: func(s *situation) {
			s.Run.Spec.State = placement.StateStop
		}},
		{name: "the controller starts no deletion", base: "removing-takes-long", now: "10:40:00", word: engine.WordRunning, beside: "LATE", cause: "controller-overdue", change: func(s *situation) {
			d := s.Run.Status.DeletionStageStatus
			d.Clusters[1].Conditions = nil
		}},
		{name: "stopped before the deletions", base: "stopping-before-removal", word: engine.WordStopping, beside: "LATE", cause: "stopping-before-deletion-stage"},
		{name: "the run is being deleted", base: "deleting", word: engine.WordDeleting, cause: calm},
		{name: "the controller does not delete the run", base: "deleting", now: "10:13:00", word: engine.WordDeleting, cause: "deletion-overdue"},
		{name: "a finalizer holds the run", base: "deleting", now: "10:13:00", word: engine.WordDeleting, cause: "deletion-blocked-by-finalizer", change: func(s *situation) {
			s.Run.Finalizers = []string{"example.com/hold"}
		}},
		{name: "a timed wait runs", base: "timed-wait", word: engine.WordWaiting, cause: calm},
		{name: "a timed wait has ended", base: "timed-wait", now: "10:16:30", word: engine.WordWaiting, cause: calm},
		{name: "the controller does not continue after a timed wait", base: "timed-wait", now: "10:17:00", word: engine.WordWaiting, beside: "LATE", cause: "controller-overdue"},
		{name: "the next stage is due", base: "between-stages", now: "10:02:30", word: engine.WordRunning, cause: calm},
		{name: "the controller does not start the next stage", base: "between-stages", now: "10:20:00", word: engine.WordRunning, beside: "LATE", cause: "controller-overdue"},
		{name: "the result of a cluster is due", base: "landed-is-not-stuck", word: engine.WordRunning, beside: "SLOW", cause: calm},
		{name: "the controller does not record the result of a cluster", base: "landed-is-not-stuck", now: "10:20:00", word: engine.WordRunning, beside: "LATE", cause: "controller-overdue"},
		{name: "the controller does not continue after an approval", base: "approval-accepted", now: "10:20:00", word: engine.WordRunning, beside: "LATE", cause: "controller-overdue"},
		{name: "the controller does not initialize the run", base: "not-observed-since-creation", word: engine.WordNotObserved, cause: "run-not-observed"},
		{name: "the controller did not initialize the run before it was first seen", base: "new", now: "11:00:00", word: engine.WordPending, beside: "LATE", cause: "controller-overdue", change: func(s *situation) {
			s.Seen = "10:59:59"
		}},
		{name: "the controller does not observe a change", base: "not-observed-change", word: engine.WordNotObserved, cause: "change-not-observed"},
		{name: "the controller does not delete after a resume", base: "stopping-before-removal", now: "10:31:00", word: engine.WordRunning, beside: "LATE", cause: "controller-overdue", change: func(s *situation) {
			s.Run.Spec.State = placement.StateRun
			d, begun := s.Run.Status.DeletionStageStatus, at("10:10:00")
			d.StartTime = &begun
			done := placement.ClusterStatus{ClusterName: "old-0"}
			for _, typ := range []string{placement.ClusterStarted, placement.ClusterSucceeded} {
				done.Conditions = append(done.Conditions, metav1.Condition{Type: typ, Status: metav1.ConditionTrue, ObservedGeneration: 2, LastTransitionTime: begun})
			}
			d.Clusters = append([]placement.ClusterStatus{done}, d.Clusters...)
			*meta.FindStatusCondition(s.Run.Status.Conditions, placement.RunProgressing) = metav1.Condition{Type: placement.RunProgressing, Status: metav1.ConditionTrue, Reason: "UpdateRunProgressing", ObservedGeneration: 2, LastTransitionTime: at("10:29:30")}
		}},
		{name: "state Initialize after an upgrade of the hub", base: "old-state-ignored", now: "11:00:00", word: engine.WordStuck, cause: "stuck"},
		{name: "state Initialize, and the result of a cluster is due", base: "landed-is-not-stuck", now: "10:06:30", word: engine.WordRunning, beside: "LATE", cause: "initialize-after-start", change: initialize},
		{name: "state Initialize between stages", base: "between-stages", now: "10:05:00", word: engine.WordRunning, beside: "LATE", cause: "initialize-after-start", change: initialize},
		{name: "state Initialize after a timed wait", base: "timed-wait", now: "10:17:00", word: engine.WordWaiting, beside: "LATE", cause: "initialize-after-start", change: initialize},
		{name: "state Initialize and an approval", base: "approval-before", word: engine.WordApproval, cause: "approval-before-stage", change: initialize},
		{name: "another run took a cluster", base: "preempted-by-binding", word: engine.WordPreempted, cause: "preempted"},
		{name: "another run took a cluster of a stopping run", base: "preempted-by-binding", now: "11:00:00", word: engine.WordStuck, change: func(s *situation) {
			s.Run.Spec.State = placement.StateStop
		}},
		{name: "the run has failed", base: "failed-validation", word: engine.WordFailed, cause: "cluster-count-changed"},
		{name: "the run cannot be initialized", base: "init-failed-early", word: engine.WordInitFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, "../internal/situation/testdata", 50)[tt.base]
			if tt.now == "" {
				tt.now = s.Now
			}
			if tt.change != nil {
				s.Run = *s.Run.DeepCopy()
				tt.change(&s)
			}
			w, id := s.world(t, "")
			snap, _ := observe.Observe(nil, w, world.Changed{}, at(tt.now).Time)
			v := snap.Find(id)
			if v.Word != tt.word || v.Beside().String() != tt.beside {
				t.Fatalf("%s %s, want %s %s: %s", v.Word, v.Beside(), tt.word, tt.beside, v.Why.What)
			}
			if want := tt.cause != calm; v.NeedsAttention() != want || (len(snap.Need) > 0) != want {
				t.Errorf("needs attention: %t, counted %v; want %t", v.NeedsAttention(), snap.Need, want)
			}
			if tt.cause == calm {
				return
			}
			if got := v.Why.Cause.String(); tt.cause != "" && got != tt.cause || got == "unknown" {
				t.Errorf("cause %s, want %s: %s", got, tt.cause, v.Why.What)
			}
			if v.Why.What.IsZero() || v.Why.Next.IsZero() || v.Why.RecoveryText.IsZero() {
				t.Errorf("what %q, recovery %q, next %q", v.Why.What, v.Why.RecoveryText, v.Why.Next)
			}
		})
	}
}

// In state Initialize a controller since v0.2 takes no step of a run that has begun: no text
// says that it does, for the run nor for its clusters.
func TestARunInStateInitializeThatHasBegun(t *testing.T) {
	for _, tt := range []struct{ base, says, recovery, step string }{
		{"landed-is-not-stuck", "spec.state is Initialize although stages have started", "Needs a person: a hub since v0.2 holds the run", "If the run does not continue, start it (stagewatch run)"},
		{"timed-wait", "The timed wait of 15m after stage dev ends", "Needs a person: a hub since v0.2 holds the run", "If the run does not continue, start it (stagewatch run)"},
		{"approval-before", "spec.state is Initialize although stages have started", "Needs a person", "start it (stagewatch run): a controller of v0.2 or later does nothing until then"},
		{"stuck-with-binding", "spec.state is Initialize although stages have started", "", "start it (stagewatch run): a controller of v0.2 or later does nothing until then"},
		{"preempted-by-binding", "spec.state is Initialize although stages have started", "this run fails when it is started", ""},
	} {
		s := load(t, "../internal/situation/testdata", 50)[tt.base]
		s.Run = *s.Run.DeepCopy()
		s.Run.Spec.State = placement.StateInitialize
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := &snap.Find(id).Why
		has(t, d.What.String(), tt.says)
		has(t, d.RecoveryText.String(), tt.recovery)
		has(t, engine.Join(d.Steps, " ").String(), tt.step)
		all := d.What.String() + d.RecoveryText.String() + engine.Join(d.Steps, " ").String()
		for _, c := range slices.Concat(snap.Detail.Clusters...) {
			all += c.Diagnosis.What.String() + c.Diagnosis.RecoveryText.String() + c.Why.String()
		}
		for _, never := range []string{"records it by", "Recovers automatically", "Wait for the controller's next check", "Nothing to do."} {
			if strings.Contains(all, never) {
				t.Errorf("%s: %q is in\n%s", tt.base, never, all)
			}
		}
	}
}

// A stopping run is not preempted: the controller does not check whose its started
// clusters are. A finished one says what its clusters hold.
func TestPreemptedWhileStopping(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["preempted-by-binding"]
	s.Run = *s.Run.DeepCopy()
	s.Run.Spec.State = placement.StateStop
	w, id := s.world(t, "")
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	v := snap.Find(id)
	if first := "Run r2 holds cluster prod-2 with snapshot 2 (stage prod, since "; !strings.HasPrefix(v.Why.What.String(), first) {
		t.Errorf("%q does not begin with %q", v.Why.What, first)
	}
	has(t, v.Why.RecoveryText.String(), "Recovers automatically: the run stops when cluster prod-2 has finished with snapshot 2.")
	has(t, v.Why.Next.String(), "Wait until cluster prod-2 has finished. Resuming this run (stagewatch run) earlier makes it fail: it is preempted on that cluster.")
	if d := snap.Detail.Cluster(subject.MemberID(v.ID, "prod-2")).Diagnosis; d.What.String() != v.Why.What.String() || v.Why.Cause != catalogue.HeldWhileStopping.Cause {
		t.Errorf("cause %s, cluster %q", v.Why.Cause, d.What)
	}
	if v.Word == engine.WordPreempted || v.Preempted != 0 || v.Held != 1 || v.PreemptedBy.Name().String() != "r2" {
		t.Errorf("%s, %d taken, %d held by %s", v.Word, v.Preempted, v.Held, v.PreemptedBy.Title())
	}
}

// A binding that names no other run is not said to be held by one: the short cause says what the
// sentence says, of the run and of the cluster.
func TestABindingChangedByHandWhileStopping(t *testing.T) {
	for scope, ns := range scopes {
		for _, tt := range []struct {
			name   string
			change func(*bindingData)
			what   string
			cause  string
			short  string
		}{
			{"another snapshot", func(b *bindingData) {
				b.SnapshotName, b.Generation, b.Conditions = "shop-2-snapshot", b.Generation+1, nil
			}, "Another run or a manual change holds cluster prod-2 with snapshot 2", "binding-changed-while-stopping", "binding was changed on prod-2"},
			{"RolloutStarted still names this run", func(b *bindingData) {
				b.SnapshotName, b.Generation, b.Conditions = "shop-2-snapshot", b.Generation+1, slices.Clone(b.Conditions)
				b.Conditions[0].Message = strings.ReplaceAll(b.Conditions[0].Message, "updateRun: r2", "updateRun: r1")
			}, "A manual change holds cluster prod-2 with snapshot 2", "binding-changed-while-stopping", "binding was changed on prod-2"},
			{"another run", nil, "Run r2 holds cluster prod-2 with snapshot 2", "preempted-while-stopping", "another run holds prod-2"},
		} {
			s := load(t, "../internal/situation/testdata", 50)["preempted-by-binding"]
			s.Run = *s.Run.DeepCopy()
			s.Run.Spec.State = placement.StateStop
			s.Bindings = slices.Clone(s.Bindings)
			for i := range s.Bindings {
				if b := &s.Bindings[i]; b.Cluster == "prod-2" && tt.change != nil {
					tt.change(b)
				}
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			v := snap.Find(id)
			for of, d := range map[string]engine.Diagnosis{"run": v.Why, "cluster": snap.Detail.Cluster(subject.MemberID(v.ID, "prod-2")).Diagnosis} {
				if d.Cause.String() != tt.cause || d.Short.String() != tt.short || !strings.HasPrefix(d.What.String(), tt.what) {
					t.Errorf("%s/%s: %s: %s, %q: %s", tt.name, scope, of, d.Cause, d.Short, d.What)
				}
				if tt.change != nil && !strings.HasSuffix(d.Commands[0].String(), " -o yaml --show-managed-fields") {
					t.Errorf("%s/%s: %s: the first command does not show who changed the binding: %s", tt.name, scope, of, d.Commands[0])
				}
				if tt.change != nil && slices.Contains(d.NextActions, engine.NextPreempter) {
					t.Errorf("%s/%s: %s: offers the run that holds it, which is unknown: %v", tt.name, scope, of, d.NextActions)
				}
			}
		}
	}
}

// TestWhoChangedABinding checks that the step that asks who changed the binding of a cluster refers
// to a command that shows the writers of its fields, which kubectl hides otherwise.
func TestWhoChangedABinding(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["binding-changed-by-hand"]
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := snap.Find(id).Why
		has(t, d.What.String(), "A manual change preempted this run on cluster ")
		has(t, d.Next.String(), "managedFields list the writers (run the first command)")
		if first := d.Commands[0].String(); d.Cause.String() != "binding-changed" || !strings.HasSuffix(first, " -o yaml --show-managed-fields") {
			t.Errorf("%s: %s: %s", scope, d.Cause, first)
		}
	}
}

// TestAHeldClusterBesideAWorseOne checks that a stopping run that is explained by a cluster that
// fails says of another one who holds it, and what a resume does then.
func TestAHeldClusterBesideAWorseOne(t *testing.T) {
	for scope, ns := range scopes {
		for _, tt := range []struct{ run, what, also string }{
			{"", "a manual change", "binding-changed-while-stopping"},
			{"r2", "run r2", "preempted-while-stopping"},
		} {
			s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
			s.Run = *s.Run.DeepCopy()
			s.Run.Spec.State = placement.StateStop
			c := &s.Run.Status.StagesStatus[1].Clusters[2]
			c.Conditions = c.Conditions[:1] // prod-3 is in progress
			s.Bindings = slices.Clone(s.Bindings)
			b := &s.Bindings[slices.IndexFunc(s.Bindings, func(b bindingData) bool { return b.Cluster == "prod-3" })]
			b.SnapshotName, b.Generation, b.Conditions = "shop-7-snapshot", 3, slices.Clone(b.Conditions[:1])
			if tt.run != "" {
				b.Conditions[0].ObservedGeneration = 3
				b.Conditions[0].Message = strings.ReplaceAll(b.Conditions[0].Message, "updateRun: r1", "updateRun: "+tt.run)
				b.Conditions[0].LastTransitionTime = metav1.NewTime(moment(t, "10:02:00"))
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := snap.Find(id).Why
			if catalogue.Held(d.Cause) || !strings.HasPrefix(d.What.String(), "Deployment web/front is not available on prod-2") {
				t.Fatalf("%s: %s: %s", scope, d.Cause, d.What)
			}
			has(t, d.What.String(), "Cluster prod-3 is held by "+tt.what+" with snapshot 7: the run fails if it is resumed before that cluster has finished.")
			if !slices.ContainsFunc(d.Also, func(f engine.Finding) bool { return f.Cause.String() == tt.also }) {
				t.Errorf("%s: also %v", scope, d.Also)
			}
		}
	}
}

func TestHoldingsOfADoneRun(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["done"]
	w, id := s.world(t, "")
	look := func() string {
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		return snap.Find(id).Why.What.String()
	}
	has(t, look(), "The run rolled out snapshot")
	for _, stage := range s.Run.Status.StagesStatus {
		for _, c := range stage.Clusters {
			b := bindingData{Cluster: c.ClusterName, State: "Bound", SnapshotName: "shop-3-snapshot", Generation: 1}
			if len(s.Bindings) < 2 {
				b.SnapshotName = "shop-4-snapshot"
				b.Conditions = []metav1.Condition{{Type: placement.BindingRolloutStarted, Status: metav1.ConditionTrue, ObservedGeneration: 1, Message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: 4, updateRun: r9"}}
			}
			s.Bindings = append(s.Bindings, b)
		}
	}
	w, id = s.world(t, "")
	first := s.Bindings[0].Cluster
	has(t, look(), "All stages are done (7 of 7 clusters: 6 updated, 1 deleted). The run rolled out snapshot 3: 4 clusters have it now; snapshot 4 of run r9: "+first)
	gone := s.Bindings[len(s.Bindings)-1]
	s.Bindings = s.Bindings[:len(s.Bindings)-1]
	w, id = s.world(t, "")
	has(t, look(), "The run rolled out snapshot 3: 3 clusters have it now; snapshot 4 of run r9: "+first)
	has(t, look(), "; no binding any more: "+gone.Cluster+".")
	s.Bindings = append(s.Bindings, gone)
	for i := range s.Bindings {
		s.Bindings[i].SnapshotName, s.Bindings[i].Conditions = s.Bindings[0].SnapshotName, s.Bindings[0].Conditions
	}
	w, id = s.world(t, "")
	has(t, look(), "The run rolled out snapshot 3: no cluster has it any longer; snapshot 4 of run r9: "+first)
	for i := range s.Bindings { // changed by hand since: no run started that
		s.Bindings[i].Generation = 2
	}
	w, id = s.world(t, "")
	has(t, look(), "The run rolled out snapshot 3: no cluster has it any longer; snapshot 4: "+first)
}

func has(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q does not contain %q", text, part)
	}
}

// An index written as 01 or +9 is compared as text: the message names a snapshot
// that may well exist.
func TestIndexThatIsText(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["init-failed-index"]
	for asked, want := range map[string]string{
		"9":  "Resource snapshot 9 of placement shop did not exist",
		"+9": `Index "+9" matches no resource snapshot`,
		"09": `Index "09" matches no resource snapshot`,
	} {
		s.Run = *s.Run.DeepCopy()
		s.Run.Spec.ResourceSnapshotIndex = asked
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		has(t, snap.Find(id).Why.What.String(), want)
	}
}

// A run that is not initialized yet says of an index like 09 what the controller compares.
func TestAPendingIndexThatIsText(t *testing.T) {
	now := time.Date(2026, 3, 2, 10, 30, 0, 0, time.UTC)
	for asked, want := range map[string]string{"9": "Resource snapshot 9 does not exist.", "09": `No resource snapshot has the index label "09".`} {
		id := engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r1", "u")
		place := engine.PlacementKey(id, "web")
		w := world.NewWorld(engine.Settings{})
		w.Triage = Catalogue{}
		run := &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{Name: "web-r1", UID: "u", Generation: 1, CreationTimestamp: metav1.NewTime(now.Add(-time.Minute))}}
		run.Spec.PlacementName, run.Spec.StagedRolloutStrategyName, run.Spec.ResourceSnapshotIndex = "web", "rings", asked
		w.Runs[id] = run
		w.FirstSeen[id] = world.Seen{Generation: 1, At: now.Add(-time.Second)}
		w.Nearby = map[engine.ID]*world.Nearby{place: {Placement: place, Plans: map[engine.PlanSpec]*plan.Plan{
			{Index: engine.Clean(asked), Strategy: engine.Lit("rings")}: {Run: id, Refusals: []plan.Refusal{{Message: engine.Lit("no resourceSnapshots with index `9` found for placement `/web`"), Final: true}}},
		}}}
		snap, _ := observe.Observe(nil, w, world.Changed{}, now)
		if what := snap.Find(id).Why.What.String(); !strings.HasPrefix(what, want) {
			t.Errorf("index %s: %s", asked, what)
		}
	}
}

// A WaitTimeElapsed from before a stop does not end the wait that began with the stop: when
// that is over and the controller does not continue, the run is late.
func TestAWaitThatEndedBeforeAStop(t *testing.T) {
	for _, ns := range scopes {
		v := diagnosed(t, "timed-wait-anew", ns, func(s *situation) { s.Now = "10:30:00" })
		if v.Word != engine.WordWaiting || !v.Late || v.Why.Cause.String() != "controller-overdue" || !v.NeedsAttention() {
			t.Errorf("%s, late %v: %s: %s", v.Word, v.Late, v.Why.Cause, v.Why.What)
		}
		snap := &engine.Snapshot{Complete: true, Runs: []*engine.RunView{v}, At: moment(t, "10:30:00")}
		i, no := act.Propose(snap, engine.ActStop, v.ID, snap.At)
		if no.Refused() || !slices.Contains(i.Warn, engine.Lit("The timed wait restarts at the time of the stop.")) {
			t.Errorf("stop: %v, warnings %q", no, i.Warn)
		}
	}
}

// A snapshot whose label is another text of the same number is not the one that was asked for.
func TestASnapshotThatHasTheNumberOnly(t *testing.T) {
	for _, tt := range []struct{ asked, label, step string }{
		{"9", "09", "Create a new run (stagewatch clone) with a snapshot that exists: 09 (newest)."},
		{"09", "9", `Create a new run (stagewatch clone) with index 9: the index is compared as text, and no snapshot has the index label "09".`},
		{"09", "09", "Snapshot 09 exists now"},
	} {
		v := diagnosed(t, "init-failed-index", "", func(s *situation) {
			s.Run = *s.Run.DeepCopy()
			s.Run.Spec.ResourceSnapshotIndex = tt.asked
			s.Nearby = &nearbyData{Resources: []placement.ResourceSnapshot{{ObjectMeta: metav1.ObjectMeta{
				Name:        "shop-9-snapshot",
				Labels:      map[string]string{placement.LabelResourceIndex: tt.label, placement.LabelIsLatestSnapshot: "true"},
				Annotations: map[string]string{placement.AnnotationResourceHash: "x"},
			}}}}
		})
		has(t, v.Why.Next.String(), tt.step)
	}
}

// The controller of runs does not check whether the placement is being deleted: the
// first step of every run that is not over warns of it.
func TestAPlacementThatIsBeingDeleted(t *testing.T) {
	for _, base := range []string{"ready", "stopped", "approval-before", "stuck-with-binding", "timed-wait", "updating"} {
		for scope, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)[base]
			s.Placement = &placementData{External: true, Deleting: metav1.NewTime(moment(t, "10:00:00"))}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			if d := snap.Find(id).Why; !strings.HasPrefix(d.Next.String(), "First find out why placement ") || !strings.Contains(d.What.String(), "is being deleted (requested at 10:00:00 UTC).") {
				t.Errorf("%s/%s: %s\nnext: %s", base, scope, d.What, d.Next)
			}
			d := snap.Find(id).Why
			if d.Recovery != engine.RecoveryByPerson && d.Recovery != engine.RecoveryByNewRun || slices.Contains(d.Steps, engine.Lit("Nothing to do.")) {
				t.Errorf("%s/%s recovers without a person: %v %q %q", base, scope, d.Recovery, d.RecoveryText, d.Steps)
			}
			continues := func(text engine.Text) bool {
				return strings.Contains(text.String(), `"state":"Run"`) || strings.Contains(text.String(), `"type":"Approved"`)
			}
			starts := func(step engine.Text) bool {
				return strings.HasPrefix(step.String(), "Start the run") || strings.HasPrefix(step.String(), "Resume the run") || strings.HasPrefix(step.String(), "Approve")
			}
			if slices.ContainsFunc(d.Commands, continues) || slices.ContainsFunc(d.Steps, starts) || slices.Contains(d.NextActions, engine.NextRun) || slices.Contains(d.NextActions, engine.NextApprove) {
				t.Errorf("%s/%s continues the run: %q %q %v", base, scope, d.Commands, d.Steps, d.NextActions)
			}
		}
	}
}

// No next step offers a run that its plan rejects: what keeps it from starting stands before
// it, and after what the cause itself needs.
func TestWhatKeepsANewRunFromStartingComesFirst(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
		s.Nearby = &nearbyData{Strategies: []*placement.StagedUpdateStrategy{}}
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := snap.Find(id).Why
		if want := "Before you create a new run (stagewatch clone), fix this: strategy " + s.Run.Spec.StagedRolloutStrategyName + " does not exist."; d.Steps[1].String() != want || !strings.HasPrefix(d.Next.String(), "Look at the workload's pods") {
			t.Errorf("%s: next %q of %q, want %q", scope, d.Next, d.Steps, want)
		}
		if len(d.NextActions) == 0 || d.NextActions[0] == engine.NextClone {
			t.Errorf("%s: the clone is the first action: %v", scope, d.NextActions)
		}
	}
}

// A rejected approval is not shown as one that nobody has answered: WHY, the first step and the evidence
// have the reason and the message of Approved=False.
func TestARejectedApprovalIsShown(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["approval-before"]
		s.Approvals[0].Status.Conditions = []metav1.Condition{{
			Type: placement.ApprovalApproved, Status: metav1.ConditionFalse, Reason: "Rejected", Message: "not today, see CHG-77",
			LastTransitionTime: metav1.NewTime(moment(t, s.Now).Add(-time.Minute)),
		}}
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := snap.Find(id).Why
		if !strings.Contains(d.What.String(), "Approved is False (Rejected: not today, see CHG-77)") || !strings.HasPrefix(d.Next.String(), "Ask who rejected the approval") ||
			!strings.Contains(d.Evidence[0].Value.String(), "False (Rejected: not today, see CHG-77)") || !d.Evidence[0].Since.Equal(moment(t, s.Now).Add(-time.Minute)) {
			t.Errorf("%s: %s\nnext: %s\nevidence: %s", scope, d.What, d.Next, d.Evidence[0].Value)
		}
	}
}

// An approval request of which Approved is Unknown is open, and says so.
func TestAnUndecidedApprovalIsShown(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["approval-before"]
		s.Approvals[0].Status.Conditions = []metav1.Condition{{
			Type: placement.ApprovalApproved, Status: metav1.ConditionUnknown, Reason: "Pending", Message: "asking the owner",
			LastTransitionTime: metav1.NewTime(moment(t, s.Now).Add(-time.Minute)),
		}}
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := snap.Find(id).Why
		if !strings.Contains(d.What.String(), "It is not decided: Approved is Unknown (Pending: asking the owner).") || !strings.HasPrefix(d.Next.String(), "Approve ") ||
			d.Evidence[0].Value.String() != "Unknown (Pending: asking the owner)" || !d.Evidence[0].Since.Equal(moment(t, s.Now).Add(-time.Minute)) {
			t.Errorf("%s: %s\nnext: %s\nevidence: %s", scope, d.What, d.Next, d.Evidence[0].Value)
		}
		in, no := act.Propose(snap, engine.ActApprove, id, moment(t, s.Now))
		if warns := engine.Join(in.Warn, " ").String(); no.Refused() || !strings.Contains(warns, "Somebody set Approved to Unknown (Pending: asking the owner).") {
			t.Errorf("%s: %v %q", scope, no, warns)
		}
	}
}

// A deletion that a finalizer of another controller holds never recovers automatically:
// the finalizer and its object are named at once, before the stuck threshold.
func TestADeletionThatAFinalizerHolds(t *testing.T) {
	for scope, ns := range scopes {
		for _, tt := range []struct{ name, now, finalizers, work, cause, what, next string }{
			{"its own finalizers", "10:05:05", "kubernetes-fleet.io/work-cleanup", "", "deletion-stage", "1 of 2 done", "Nothing to do."},
			{"on the binding", "10:05:05", "kubernetes-fleet.io/work-cleanup example.com/backup", "", "binding-blocked-by-finalizer", `Finalizer "example.com/backup" blocks the deletion of `, "Check why the controller that set finalizer \"example.com/backup\""},
			{"on a Work, before the Works are read", "10:05:05", "kubernetes-fleet.io/work-cleanup", "example.com/backup", "deletion-stage", "", "Nothing to do."},
			{"on a Work", "10:05:20", "kubernetes-fleet.io/work-cleanup", "example.com/backup", "work-blocked-by-finalizer", `Finalizer "example.com/backup" on Work`, "Check why"},
			{"its own finalizers, Works read", "10:05:20", "kubernetes-fleet.io/work-cleanup", "kubernetes-fleet.io/work-cleanup", "deletion-stage", "1 of 2 done", "Nothing to do."},
		} {
			for _, state := range []string{"", "Stop"} {
				s := load(t, "../internal/situation/testdata", 50)["removing"]
				s.Bindings = []bindingData{{Cluster: "old-2", State: "Unscheduled", Deleting: metav1.NewTime(moment(t, "10:05:00")), Finalizers: strings.Fields(tt.finalizers)}}
				if tt.work != "" {
					s.Works = &worksData{Cluster: "old-2"}
					s.Works.Items = append(s.Works.Items, struct {
						Name, Placement, Namespace, Binding string
						Deleting                            metav1.Time
						Finalizers                          []string
						Objects                             []placement.WorkResourceIdentifier
					}{Name: "shop-work", Deleting: metav1.NewTime(moment(t, "10:05:00")), Finalizers: []string{tt.work}})
				}
				if state != "" {
					s.Run.Spec.State = placement.StateStop
				}
				w, id := s.world(t, ns)
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, tt.now))
				v := snap.Find(id)
				d := v.Why
				if strings.Contains(d.What.String(), "still updating") {
					t.Errorf("%s/%s %s: %s", scope, tt.name, v.Word, d.What)
				}
				if state != "" {
					if tt.cause != "deletion-stage" && (d.Recovery != engine.RecoveryOnHub || !strings.HasPrefix(d.What.String(), tt.what)) {
						t.Errorf("%s/%s, stopping: %s %s", scope, tt.name, d.Recovery, d.What)
					}
					if tt.cause == "deletion-stage" && !strings.Contains(d.What.String(), "resources are still being deleted from 1 cluster") {
						t.Errorf("%s/%s, stopping: %s", scope, tt.name, d.What)
					}
					continue
				}
				if d.Cause.String() != tt.cause || !strings.Contains(d.What.String(), tt.what) || !strings.HasPrefix(d.Next.String(), tt.next) {
					t.Errorf("%s/%s: %s: %s\nnext: %s", scope, tt.name, d.Cause, d.What, d.Next)
				}
			}
		}
	}
}

// WHY of a run that a person continues names the deletions at its end.
func TestDeletionsAtTheEndAreNamed(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["ready"]
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if d := snap.Find(id).Why; !strings.Contains(d.What.String(), "After the last stage, the run deletes the resources from 2 clusters: old-1 and old-2.") {
			t.Errorf("%s: %s", scope, d.What)
		}
	}
}

// A deletion that a finalizer and a silent member block recovers after both are fixed: the
// recovery names both, before and after the stuck threshold.
func TestADeletionThatSeveralThingsBlock(t *testing.T) {
	for scope, ns := range scopes {
		for _, now := range []string{"10:05:20", "10:30:00"} {
			for _, on := range []string{"binding", "Work", "binding alone"} {
				s := load(t, "../internal/situation/testdata", 50)["removing"]
				finalizers, work := []string{placement.FinalizerWork, "example.com/backup"}, placement.FinalizerWork
				switch on {
				case "Work":
					finalizers, work = finalizers[:1], "example.com/backup"
				case "binding alone": // the Works are gone: the member blocks nothing
					finalizers = finalizers[1:]
				}
				s.Bindings = []bindingData{{Cluster: "old-2", State: "Unscheduled", Deleting: metav1.NewTime(moment(t, "10:05:00")), Finalizers: finalizers}}
				s.Works = &worksData{Cluster: "old-2"}
				s.Works.Items = append(s.Works.Items, struct {
					Name, Placement, Namespace, Binding string
					Deleting                            metav1.Time
					Finalizers                          []string
					Objects                             []placement.WorkResourceIdentifier
				}{Name: "shop-work", Deleting: metav1.NewTime(moment(t, "10:05:00")), Finalizers: []string{work}})
				s.Members = []memberData{{Name: "old-2", Heartbeat: metav1.NewTime(moment(t, "09:00:00")), Conditions: []metav1.Condition{{Type: "Joined", Status: metav1.ConditionTrue}}}}
				w, id := s.world(t, ns)
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, now))
				v := snap.Find(id)
				recovery, steps := v.Why.RecoveryText.String(), engine.Join(v.Why.Steps, "\n").String()
				if on == "binding alone" {
					if strings.Contains(recovery, "things block") || !strings.Contains(steps, "example.com/backup") || strings.Contains(steps, "Restore the ") {
						t.Errorf("%s/%s/%s: %s\n%s", scope, on, now, recovery, steps)
					}
					continue
				}
				if v.Why.Recovery != engine.RecoveryByPerson || !strings.Contains(recovery, "2 things block the deletion") || !strings.Contains(recovery, `finalizer "example.com/backup" of `) || !strings.Contains(recovery, "member old-2 ") {
					t.Errorf("%s/%s/%s %s: %s: %s", scope, on, now, v.Why.Cause, v.Why.Recovery, recovery)
				}
				if !strings.Contains(steps, "example.com/backup") || !strings.Contains(steps, "Restore the ") {
					t.Errorf("%s/%s/%s: %s", scope, on, now, steps)
				}
			}
		}
	}
}

// What keeps a new run from starting stands before a step that deletes the run.
func TestWhatKeepsANewRunFromStartingComesBeforeADeletion(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
		s.Nearby = &nearbyData{Strategies: []*placement.StagedUpdateStrategy{}}
		s.Run.Spec.State = placement.StateStop
		for i := range s.Bindings {
			for j := range s.Bindings[i].Conditions {
				if c := &s.Bindings[i].Conditions[j]; c.Type == placement.BindingRolloutStarted {
					c.ObservedGeneration--
				}
			}
		}
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := snap.Find(id).Why
		at := slices.IndexFunc(d.Steps, func(step engine.Text) bool {
			return strings.HasPrefix(step.String(), "Delete this run (stagewatch delete)")
		})
		if at < 1 || !strings.HasPrefix(d.Steps[at-1].String(), "Before you create a new run (stagewatch clone), fix this: strategy ") {
			t.Errorf("%s: %s: %q", scope, d.Cause, d.Steps)
		}
	}
}

// Of the clusters that the hub calls stuck, one that has finished since is not called so.
func TestAStuckRunNamesWhatHasFinished(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
		prod1 := &s.Run.Status.StagesStatus[1].Clusters[0]
		meta.RemoveStatusCondition(&prod1.Conditions, placement.ClusterSucceeded)
		for i := range s.Run.Status.Conditions {
			c := &s.Run.Status.Conditions[i]
			c.Message = strings.Replace(c.Message, "prod-2 cluster(s)", "prod-1, prod-2 cluster(s)", 1)
		}
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		what := snap.Find(id).Why.What.String()
		if strings.Contains(what, "Also stuck") || !strings.Contains(what, "The update of prod-1 has finished; the controller has not recorded it yet.") {
			t.Errorf("%s: %s", scope, what)
		}
	}
}

// Several updates that have finished are in the plural.
func TestSeveralUpdatesThatHaveFinished(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["updating"]
	s.surrounded(t)
	s.rolling(t)
	for i := range s.Bindings {
		b := &s.Bindings[i]
		meta.SetStatusCondition(&b.Conditions, metav1.Condition{Type: placement.BindingAvailable, Status: metav1.ConditionTrue, Reason: "AllWorkAreAvailable", ObservedGeneration: b.Generation, LastTransitionTime: metav1.NewTime(moment(t, s.Now))})
	}
	w, id := s.world(t, "")
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	what := snap.Find(id).Why.What.String()
	has(t, what, "The updates of prod-2 and prod-3 have finished (stage prod")
	has(t, what, "; the controller records them by ")
}

// A run that was resumed is checked within the ordinary wait again: what the controller
// waited for before the stop does not count.
func TestAResumedRunIsCheckedSoon(t *testing.T) {
	for resumed, want := range map[string]string{"": "10:13:20", "10:07:50": "10:08:05"} {
		s := load(t, "../internal/situation/testdata", 50)["stuck-but-landed"]
		stage := &s.Run.Status.StagesStatus[1]
		meta.SetStatusCondition(&s.Run.Status.Conditions, metav1.Condition{Type: placement.RunProgressing, Status: metav1.ConditionTrue, Reason: "UpdateRunProgressing"})
		meta.RemoveStatusCondition(&stage.Conditions, placement.StageProgressing)
		since := stage.StartTime.Time
		if resumed != "" {
			since = moment(t, resumed)
		}
		stage.Conditions = append(stage.Conditions, metav1.Condition{Type: placement.StageProgressing, Status: metav1.ConditionTrue, Reason: "StageUpdatingStarted", LastTransitionTime: metav1.NewTime(since)})
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if got := snap.Find(id).Why.What.String(); !strings.Contains(got, "the controller records it by "+want+" UTC") {
			t.Errorf("resumed at %q: %s, want %s", resumed, got, want)
		}
	}
}

// A pass that started a cluster while no other one updated had no error to retry: the
// controller checks that cluster soon, however long ago the stage began.
func TestAClusterThatStartedAloneIsCheckedSoon(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["stuck-but-landed"]
	cluster := &s.Run.Status.StagesStatus[1].Clusters[1]
	for started, want := range map[string]string{"10:01:00": "10:13:20", "10:02:30": "10:11:50", "10:06:40": "10:07:40", "10:07:05": "10:07:25"} {
		meta.FindStatusCondition(cluster.Conditions, placement.ClusterStarted).LastTransitionTime = metav1.NewTime(moment(t, started))
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, "10:07:15"))
		if got := snap.Find(id).Why.What.String(); !strings.Contains(got, "the controller records it by "+want+" UTC") {
			t.Errorf("started at %s: %s, want %s", started, got, want)
		}
	}
}

// A deletion stage that contradicts a binding fails the run at the next check, in both
// states and at any age: WHY says so, and names the binding.
func TestADeletionStageThatContradictsABinding(t *testing.T) {
	succeeded := func(s *situation) {
		c := &s.Run.Status.DeletionStageStatus.Clusters[1]
		meta.SetStatusCondition(&c.Conditions, metav1.Condition{Type: placement.ClusterSucceeded, Status: metav1.ConditionTrue, ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(moment(t, "10:05:01"))})
	}
	for scope, ns := range scopes {
		for _, tt := range []struct {
			name, now, state, deleting string
			change                     func(*situation)
			what                       string // empty: the run does not fail
		}{
			{name: "its streams may differ", now: "10:05:05"},
			{name: "not being deleted", now: "10:05:20", what: "Binding shop-old-2 of old-2 is not being deleted (deletion stage, since 10:05:00 UTC): "},
			{name: "not being deleted for long", now: "10:12:00", what: "Binding shop-old-2 of old-2 is not being deleted (deletion stage, since 10:05:00 UTC): "},
			{name: "not being deleted, stopping", now: "10:05:20", state: "Stop", what: "Binding shop-old-2 of old-2 is not being deleted (deletion stage, since 10:05:00 UTC): "},
			{name: "recorded as deleted", now: "10:05:20", change: succeeded, what: "Binding shop-old-2 of old-2 exists (deletion stage, since 10:05:00 UTC): "},
			{name: "recorded as deleted, being deleted", now: "10:05:20", deleting: "10:05:00", change: succeeded, what: "Binding shop-old-2 of old-2 exists (deletion stage, since 10:05:00 UTC): "},
			{name: "being deleted", now: "10:05:20", deleting: "10:05:00"},
		} {
			s := load(t, "../internal/situation/testdata", 50)["removing"]
			b := bindingData{Cluster: "old-2", State: "Unscheduled", Finalizers: []string{"kubernetes-fleet.io/work-cleanup"}}
			if tt.deleting != "" {
				b.Deleting = metav1.NewTime(moment(t, tt.deleting))
			}
			s.Bindings = []bindingData{b}
			if tt.state != "" {
				s.Run.Spec.State = placement.State(tt.state)
			}
			if tt.change != nil {
				tt.change(&s)
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, tt.now))
			v := snap.Find(id)
			d := &v.Why
			if tt.what == "" {
				if d.Fails {
					t.Errorf("%s/%s fails: %s", scope, tt.name, d.What)
				}
				continue
			}
			if !d.Fails || !v.NeedsAttention() || d.Recovery != engine.RecoveryByNewRun || !strings.HasPrefix(d.What.String(), tt.what) || !strings.Contains(d.What.String(), "and will fail at the controller's next check.") ||
				!strings.HasPrefix(d.Next.String(), "Create a new run ") {
				t.Errorf("%s/%s: %s %s: fails %v, %s: %s\nnext: %s", scope, tt.name, v.Word, d.Cause, d.Fails, d.Recovery, d.What, d.Next)
			}
			p := plan.Plan{Initialized: true, Forecast: &plan.Forecast{}}
			if p.Diagnose(v); p.Doom().IsZero() || !strings.HasPrefix(p.Verdict().String(), "will fail: binding shop-old-2 of old-2") {
				t.Errorf("%s/%s: plan: %s", scope, tt.name, p.Verdict())
			}
		}
	}
}

// TestAStuckRunWhoseOverrideWasChanged checks that the steps of a stuck run say that an override of
// its cluster has a newer snapshot, or is deleted, since the fix may be there.
func TestAStuckRunWhoseOverrideWasChanged(t *testing.T) {
	for scope, ns := range scopes {
		for latest, want := range map[string]string{
			"limits-0": "",
			"limits-1": "Check that snapshot limits-1, now the latest of override limits, fixes the cause. Then create a new run (stagewatch clone): this run keeps limits-0.",
			"":         "Create a new run (stagewatch clone): override limits was deleted after this run was initialized, and a new run does not use it.",
		} {
			s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
			s.Run = *s.Run.DeepCopy()
			for i := range s.Run.Status.StagesStatus[1].Clusters {
				s.Run.Status.StagesStatus[1].Clusters[i].ClusterResourceOverrideSnapshots = []string{"limits-0"}
			}
			s.Bindings = slices.Clone(s.Bindings)
			for i := range s.Bindings {
				s.Bindings[i].Overrides = []string{"limits-0"}
			}
			s.Nearby = &nearbyData{}
			w, id := s.world(t, ns)
			place := engine.PlacementKey(id, "shop")
			of := engine.HubReadOf{Member: subject.MemberID(id, "prod-2"), What: engine.ReadOverrides}
			w.Nearby[place].Answers = map[engine.HubReadOf]*world.HubAnswer{of: {Overrides: []world.OverrideUse{{Kind: engine.KindClusterResourceOverrideSnapshot, Used: "limits-0", Latest: latest}}}}
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := snap.Find(id).Why
			if !slices.Contains(d.HubReads, of) {
				t.Errorf("%s: the overrides are not read: %v", scope, d.HubReads)
			}
			if steps := engine.Join(d.Steps, "\n").String(); want != "" != strings.Contains(steps, "override limits") || !strings.Contains(steps, want) {
				t.Errorf("%s, latest %q: %s", scope, latest, steps)
			}
		}
	}
}
