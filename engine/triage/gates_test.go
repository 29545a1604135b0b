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
	"github.com/stagewatch/stagewatch/engine/world"
)

// diagnosed is the row of a situation's run after a change.
func diagnosed(t *testing.T, base, ns string, change func(s *situation)) *engine.RunView {
	t.Helper()
	s := load(t, "../internal/situation/testdata", 50)[base]
	change(&s)
	w, id := s.world(t, ns)
	w.Focus.Run = id
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	return snap.Find(id)
}

// An approval request that is being deleted is not to be approved: what blocks the deletion
// comes first.
func TestAnApprovalRequestThatIsBeingDeleted(t *testing.T) {
	at := metav1.NewTime(moment(t, "10:05:00"))
	for _, base := range []string{"approval-before", "approval-beside-wait", "not-accepted"} {
		for _, ns := range scopes {
			v := diagnosed(t, base, ns, func(s *situation) {
				s.Approvals[0].DeletionTimestamp, s.Approvals[0].Finalizers = &at, []string{"audit.example/hold"}
			})
			has(t, v.Why.What.String(), `pproval request `)
			has(t, v.Why.What.String(), ` is being deleted (requested at 10:05:00 UTC); finalizer "audit.example/hold" blocks the deletion.`)
			has(t, v.Why.Next.String(), `Check why the controller that set finalizer "audit.example/hold" on `)
			if v.Why.Recovery != engine.RecoveryOnHub || v.Why.NextActions[0] == engine.NextApprove {
				t.Errorf("%s: %s, %v", base, v.Why.Recovery, v.Why.NextActions)
			}
		}
	}
}

// After a rejection, the recovery is a decision and not an approval.
func TestRecoveryOfARejectedApproval(t *testing.T) {
	v := diagnosed(t, "approval-before", "", func(s *situation) {
		s.Approvals[0].Status.Conditions = []metav1.Condition{{Type: placement.ApprovalApproved, Status: metav1.ConditionFalse, Reason: "Rejected", Message: "not today", ObservedGeneration: 1}}
	})
	has(t, v.Why.RecoveryText.String(), "Needs a person: the approval of stage prod was rejected. Decide whether to approve it or to stop the run.")
	if first := v.Why.Commands[0].String(); !strings.Contains(first, " get clusterapprovalrequests ") {
		t.Errorf("the first command does not show the request: %s", first)
	}
}

// A run whose approval request is another run's fails at the next check, so it counts as one
// that fails.
func TestAForeignRequestFailsTheRun(t *testing.T) {
	v := diagnosed(t, "approval-before", "", func(s *situation) { s.Approvals[0].Spec.ParentStageRollout = "other" })
	if v.Why.Cause.String() != "approval-request-mismatch" || !v.Why.Fails || !v.NeedsAttention() {
		t.Errorf("%s: fails %v, needs attention %v", v.Why.Cause, v.Why.Fails, v.NeedsAttention())
	}
}

// An approval that is given during a timed wait is late after a minute, as the end of the wait
// is: what has waited longer is named.
func TestAnApprovalDuringATimedWait(t *testing.T) {
	for _, tt := range []struct {
		now, given, cause, says string
		state                   placement.State
	}{
		{"10:30:00", "10:29:30", "timed-wait", "ends at ", ""},
		{"10:30:00", "10:28:50", "approval-not-processed", "The approval of stage dev, written at 10:28:50 UTC, is still not accepted.", ""},
		{"11:02:30", "11:02:28", "controller-overdue", "has not continued after the timed wait", ""},
		{"10:30:00", "10:28:50", "initialize-after-start", "ends at ", placement.StateInitialize}, // nothing is accepted in that state
	} {
		v := diagnosed(t, "approval-beside-wait", "", func(s *situation) {
			s.Now = tt.now
			at := metav1.NewTime(moment(t, tt.given))
			s.Approvals[0].Status.Conditions = []metav1.Condition{{Type: placement.ApprovalApproved, Status: metav1.ConditionTrue, Reason: "x", ObservedGeneration: s.Approvals[0].Generation, LastTransitionTime: at}}
			if tt.state != "" {
				s.Run.Spec.State = tt.state
			}
		})
		if v.Why.Cause.String() != tt.cause || !strings.Contains(v.Why.What.String(), tt.says) {
			t.Errorf("at %s, approved at %s: %s %s: %s", tt.now, tt.given, v.Word, v.Why.Cause, v.Why.What)
		}
	}
}

// A run that moves clusters back to an older snapshot says so before it is started.
func TestARunThatMovesClustersBack(t *testing.T) {
	for _, ns := range scopes {
		v := diagnosed(t, "ready", ns, func(s *situation) {
			s.Bindings = []bindingData{{Cluster: "prod-1", State: "Bound", SnapshotName: "shop-9-snapshot"}}
		})
		has(t, v.Why.What.String(), "The run moves 1 pending cluster back to the older snapshot 3: prod-1.")
		has(t, v.Why.Next.String(), "Check that these clusters should get the older snapshot (stagewatch owners).")
	}
}

// A run that only reports differences moves nothing back.
func TestARunThatOnlyReportsMovesNothingBack(t *testing.T) {
	for _, ns := range scopes {
		v := diagnosed(t, "ready", ns, func(s *situation) {
			s.Run.Status.AppliedStrategy = &placement.ApplyStrategy{Type: placement.ApplyReportDiff}
			s.Bindings = []bindingData{{Cluster: "prod-1", State: "Bound", SnapshotName: "shop-9-snapshot"}}
		})
		if back := v.MovesBack(); !back.IsZero() || strings.Contains(v.Why.What.String(), "older snapshot") {
			t.Errorf("%q: %s %s", ns, back, v.Why.What)
		}
	}
}

// A run that fails unless something is repaired, and moves clusters back once it is: the
// check of these clusters comes before the step that continues it.
func TestARepairedRunThatMovesClustersBack(t *testing.T) {
	for base, then := range map[string]string{"ready": "Then start the run (stagewatch run).", "approval-before": "Then approve the stage (stagewatch approve)."} {
		v := diagnosed(t, base, "", func(s *situation) {
			s.surrounded(t)
			relabel(s, "prod-4", map[string]string{"ring": "dev"})
			for i := range s.Bindings {
				if s.Bindings[i].Cluster == "prod-1" {
					s.Bindings[i].SnapshotName = "shop-9-snapshot"
				}
			}
		})
		has(t, v.Why.What.String(), "The run moves 1 pending cluster back to the older snapshot 3: prod-1.")
		check, at := -1, -1
		for i, step := range v.Why.Steps {
			switch step.String() {
			case "Check that these clusters should get the older snapshot (stagewatch owners).":
				check = i
			case then:
				at = i
			}
		}
		if !v.Why.Fails || check < 1 || at != check+1 {
			t.Errorf("%s: fails %v, check at %d, then at %d: %q", base, v.Why.Fails, check, at, v.Why.Steps)
		}
	}
}

// The chain of a run that failed at a check does not call the stage failed that waited.
func TestTheChainOfARunThatFailedAtACheck(t *testing.T) {
	v := diagnosed(t, "approval-beside-wait", "", func(s *situation) {
		s.Run.Status.Conditions = append(s.Run.Status.Conditions, metav1.Condition{
			Type: placement.RunSucceeded, Status: metav1.ConditionFalse, Reason: "UpdateRunFailed", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(moment(t, "10:08:00")),
			Message: "cannot continue the updateRun: the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0",
		})
	})
	has(t, v.Why.Where.String(), "stage dev (waited for approval r1-after-dev)")
}

// A timed wait beside it does not hide an approval that the controller does not accept.
func TestAnApprovalThatIsNotAcceptedDuringAWait(t *testing.T) {
	for given, want := range map[string]string{"10:08:00": "approval-not-processed", "10:08:55": "timed-wait"} {
		v := diagnosed(t, "approval-beside-wait", "", func(s *situation) {
			s.Approvals[0].Status.Conditions = []metav1.Condition{{
				Type: "Approved", Status: metav1.ConditionTrue, Reason: "ok", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(moment(t, given)),
			}}
		})
		late := want != "timed-wait"
		if v.Word != engine.WordWaiting || v.Late != late || v.NeedsAttention() != late || v.Why.Cause.String() != want {
			t.Errorf("given at %s: %s, late %v, %s: %s", given, v.Word, v.Late, v.Why.Cause, v.Why.What)
		}
	}
}

// TestAnApprovalOfSeveralStages checks that the diagnosis of a pending approval and the dialog that
// gives it say that it passes gates ahead that nobody is asked about: those of stages of the same name.
func TestAnApprovalOfSeveralStages(t *testing.T) {
	for scope, ns := range scopes {
		for _, of := range []string{"approval-before", "not-accepted"} {
			for name, tt := range map[string]struct {
				requests []string
				want     string
			}{
				"no other stage": {nil, ""},
				"another name":   {[]string{"r1-before-next"}, ""},
				"one":            {[]string{"r1-before-next", "REQUEST"}, "Approval REQUEST also passes the gate before a later stage: both stages are called prod."},
				"two":            {[]string{"REQUEST", "REQUEST"}, "Approval REQUEST also passes the gates of 2 later stages: they are all called prod."},
			} {
				t.Run(name+"/"+of+"/"+scope, func(t *testing.T) {
					s := load(t, "../internal/situation/testdata", 50)[of]
					s.Run = *s.Run.DeepCopy()
					w, id := s.world(t, ns)
					snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
					v := snap.Find(id)
					request := v.Current().Before[0].Name.String()
					for _, r := range tt.requests {
						stage := "prod"
						if r != "REQUEST" {
							stage = "next"
						}
						s.Run.Status.StagesStatus = append(s.Run.Status.StagesStatus, placement.StageStatus{
							StageName: stage, Clusters: []placement.ClusterStatus{{ClusterName: "more-1"}},
							BeforeStageTaskStatus: []placement.TaskStatus{{Type: placement.TaskApproval, ApprovalRequestName: strings.ReplaceAll(r, "REQUEST", request)}},
						})
					}
					w, id = s.world(t, ns)
					snap, _ = observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
					want := strings.ReplaceAll(tt.want, "REQUEST", request)
					approve, no := act.Propose(snap, engine.ActApprove, id, moment(t, s.Now))
					if no.Refused() {
						t.Fatal(no.Why)
					}
					for where, says := range map[string]string{"diagnosis": snap.Find(id).Why.What.String(), "dialog": engine.Join(approve.Warn, " ").String()} {
						if n := strings.Count(says, "later stage"); n != min(1, len(tt.want)) || !strings.Contains(says, want) {
							t.Errorf("%s: %q, want %q", where, says, want)
						}
					}
				})
			}
		}
	}
}

// TestApprovalOlderThanItsRun checks that a gate ahead that is approved already is warned of before
// the run is started, and is part of the diagnosis where the approval is older than the run.
func TestApprovalOlderThanItsRun(t *testing.T) {
	for scope, ns := range scopes {
		for _, tt := range []struct{ at, what, warning string }{
			{"2026-03-02T08:00:00Z", "Approval request r1-before-prod is already approved, since 08:00:00 UTC, before this run was created: the run does not wait for the approval before stage prod.", "before this run was created: the run does not wait for the approval before stage prod."},
			{"2026-03-02T10:20:00Z", "", "Approval request r1-before-prod is already approved: the run does not wait for the approval before stage prod."},
		} {
			t.Run(tt.at+"/"+scope, func(t *testing.T) {
				s := load(t, "../internal/situation/testdata", 50)["ready"]
				s.Run.Status.StagedUpdateStrategySnapshot.Stages[1].BeforeStageTasks = []placement.StageTask{{Type: placement.TaskApproval}}
				s.Run.Status.StagesStatus[1].BeforeStageTaskStatus = []placement.TaskStatus{{Type: placement.TaskApproval, ApprovalRequestName: "r1-before-prod"}}
				given, err := time.Parse(time.RFC3339, tt.at)
				if err != nil {
					t.Fatal(err)
				}
				a := placement.ApprovalRequest{ObjectMeta: metav1.ObjectMeta{Name: "r1-before-prod", UID: "u-a", Generation: 1}}
				a.Spec.ParentStageRollout, a.Spec.TargetStage = "r1", "prod"
				a.Status.Conditions = []metav1.Condition{{Type: placement.ApprovalApproved, Status: metav1.ConditionTrue, ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(given)}}
				s.Approvals = append(s.Approvals, a)
				w, id := s.world(t, ns)
				at := moment(t, s.Now)
				snap, _ := observe.Observe(nil, w, world.Changed{}, at)
				if what := snap.Find(id).Why.What.String(); strings.Contains(what, "does not wait for the approval") != (tt.what != "") || !strings.Contains(what, tt.what) {
					t.Errorf("%s, want %q", what, tt.what)
				}
				start, no := act.Propose(snap, engine.ActRun, id, at)
				if warns := engine.Join(start.Warn, " ").String(); no.Refused() || !strings.Contains(warns, tt.warning) {
					t.Errorf("start warns %q, want %q", warns, tt.warning)
				}
			})
		}
	}
}

// TestAWaitBesideAnApprovalHasEnded checks that the diagnosis and the dialog of a pending approval do
// not speak of a timed wait that has ended as one that is still to end.
func TestAWaitBesideAnApprovalHasEnded(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["approval-beside-wait"]
		w, id := s.world(t, ns)
		at := moment(t, "11:01:30")
		snap, _ := observe.Observe(nil, w, world.Changed{}, at)
		d := snap.Find(id).Why
		has(t, d.What.String(), "The timed wait of the stage ended at 11:01:00 UTC.")
		approve, no := act.Propose(snap, engine.ActApprove, id, at)
		if no.Refused() {
			t.Fatal(no.Why)
		}
		for _, says := range []string{engine.Join(d.Steps, " ").String(), engine.Join(approve.Effect, " ").String()} {
			if strings.Contains(says, "11:01:00") {
				t.Errorf("%s: %s", scope, says)
			}
		}
	}
}

// The time of an approval is what the person wrote: one from before the request, as in an example
// that was copied, does not say since when the run waits.
func TestAnApprovalFromBeforeItsRequest(t *testing.T) {
	for _, status := range []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse} {
		s := load(t, "../internal/situation/testdata", 50)["not-accepted"]
		s.Approvals = slices.Clone(s.Approvals)
		s.Approvals[0].Status.Conditions = []metav1.Condition{{Type: placement.ApprovalApproved, Status: status, LastTransitionTime: metav1.NewTime(moment(t, "10:00:01").AddDate(-1, 0, 0))}}
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		v := snap.Find(id)
		created := s.Approvals[0].CreationTimestamp.Time
		if g := v.Gate(engine.GateNotAccepted); status == metav1.ConditionTrue && (g == nil || !g.Since.Equal(created) || !v.Since.Equal(created)) {
			t.Errorf("not accepted since %s: %+v", v.Since, g)
		}
		if g := v.Gate(engine.GateOpen); status == metav1.ConditionFalse && (g == nil || !g.Seen.AnsweredAt.Equal(created)) {
			t.Errorf("rejected: %+v", g)
		}
	}
}

// A request that the controller has just created may be in no list yet.
func TestARequestThatWasJustCreated(t *testing.T) {
	for scope, ns := range scopes {
		for _, after := range []time.Duration{-time.Second, 0} {
			s := load(t, "../internal/situation/testdata", 50)["approval-before"]
			s.Approvals = nil
			w, id := s.world(t, ns)
			asked := meta.FindStatusCondition(w.Runs[id].Status.StagesStatus[1].BeforeStageTaskStatus[0].Conditions, placement.TaskApprovalRequestCreated).LastTransitionTime
			snap, next := observe.Observe(nil, w, world.Changed{}, asked.Add(engine.StaleAfter).Add(after))
			v := snap.Find(id)
			what, cause := v.Why.What.String(), v.Why.Cause.String()
			if new := after < 0; (cause == "approval-before-stage") != new || strings.Contains(what, " is not known: it was just created.") != new || new && !next.Equal(asked.Add(engine.StaleAfter)) {
				t.Errorf("%s, %s: %s: %s; again at %s", scope, after, cause, what, next)
			}
		}
	}
}

// An approval request that was not read is not said to be missing: the diagnosis says that requests
// may not be read, or are not read yet, and so does the approval.
func TestUnreadRequestsAreNotMissing(t *testing.T) {
	for _, base := range []string{"approval-before", "approval-after"} {
		for scope, ns := range scopes {
			for _, c := range []struct {
				in   engine.Coverage
				want string
			}{
				{engine.Coverage{}, "approval requests are still being read"},
				{engine.Coverage{State: engine.CoverLoading}, "approval requests are still being read"},
				{engine.Coverage{State: engine.CoverForbidden}, "you may not read approval requests"},
				{engine.Coverage{State: engine.CoverNotServed}, "this hub does not serve approval requests"},
				{engine.Coverage{State: engine.CoverFailed, Why: engine.Lit("a 500")}, "approval requests could not be read (a 500)"},
				{engine.Coverage{State: engine.CoverTruncated, N: 7}, "approval requests are incomplete: truncated at 7 objects"},
				{engine.Coverage{State: engine.CoverComplete}, ""},
			} {
				s := load(t, "../internal/situation/testdata", 50)[base]
				s.Approvals = nil
				w, id := s.world(t, ns)
				w.Covered[world.CoverAll(id.Kind().InScope(engine.KindClusterApprovalRequest, engine.KindApprovalRequest))] = c.in
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
				v := snap.Find(id)
				_, no := act.Propose(snap, engine.ActApprove, id, snap.At)
				what, cause := v.Why.What.String(), v.Why.Cause.String()
				if once := strings.Contains(v.Why.Next.String(), "(stagewatch approve) once approval request "+v.Gate(engine.GateOpen).Name.String()+" can be read: "); once != (c.want != "") {
					t.Errorf("%s/%s, %s: next %q", base, scope, c.in.State, v.Why.Next)
				}
				if c.want == "" {
					if cause != "approval-request-missing" || !strings.Contains(no.Why.String(), "not found") {
						t.Errorf("%s/%s, complete: %s: %s\n%s", base, scope, cause, what, no.Why)
					}
					continue
				}
				if !strings.HasPrefix(cause, "approval-") || cause == "approval-request-missing" || strings.Contains(what, "does not exist") || !strings.HasSuffix(what, " is not known: "+c.want+".") {
					t.Errorf("%s/%s, %s: %s: %s", base, scope, c.in.State, cause, what)
				}
				if !strings.HasSuffix(no.Why.String(), " is not known: "+c.want) || !hasEvidence(v.Why, c.want) {
					t.Errorf("%s/%s, %s: refused for %q, evidence %v", base, scope, c.in.State, no.Why, v.Why.Evidence)
				}
				whole(t, v.Why)
			}
		}
	}
}
