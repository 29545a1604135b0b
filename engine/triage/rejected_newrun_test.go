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
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// policyChanged gives the placement a new policy snapshot, scheduled or not.
func policyChanged(scheduled bool) func(*situation) {
	return func(s *situation) {
		p := policy("1", "true")
		if !scheduled {
			meta.RemoveStatusCondition(&p.Status.Conditions, placement.PlacementScheduled)
		}
		s.Nearby.Policies = []placement.SchedulingPolicySnapshot{policy("0", "false"), p}
		for i := range s.Bindings {
			s.Bindings[i].PolicyName = "shop-1"
		}
	}
}

// placementDeleted deletes the placement, and with it its policy snapshots.
func placementDeleted(s *situation) { s.Nearby.Policies = []placement.SchedulingPolicySnapshot{} }

// The steps of a run whose failure nothing can undo never create a run that fails
// initialization.
func TestAWaitingRunThatOnlyANewRunReplaces(t *testing.T) {
	for base, not := range map[string]string{
		"ready": "Do not start this run: the run fails. ", "stopped": "Do not resume this run: the run fails. ",
		"approval-before": "Do not approve the stage: the run fails. ", "timed-wait": "",
		"not-accepted": "Do not approve the stage: the run fails. ", "stuck-with-binding": "", "late": "",
	} {
		for _, tt := range []struct {
			name, step string
			change     func(*situation)
		}{
			{"the placement was deleted", "Create placement shop again with strategy type External, then create a new run (stagewatch clone).", placementDeleted},
			{"the policy is scheduled", "Create a new run (stagewatch clone).", policyChanged(true)},
			{"the policy is not scheduled", "Before you create a new run (stagewatch clone), wait for the scheduler: policy snapshot shop-1 has no Scheduled condition yet. If this does not change within a minute, read the controller's log (stagewatch logs).", policyChanged(false)},
		} {
			for scope, ns := range scopes {
				t.Run(base+"/"+tt.name+"/"+scope, func(t *testing.T) {
					file, now := base, ""
					if base == "late" {
						file, now = "between-stages", "12:00:00"
					}
					s := load(t, "../internal/situation/testdata", 50)[file]
					if now == "" {
						now = s.Now
					}
					s.surrounded(t)
					tt.change(&s)
					w, id := s.world(t, ns)
					if tt.name == "the placement was deleted" {
						clear(w.Placements)
					}
					snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, now))
					v := snap.Find(id)
					d, steps := v.Why, engine.Join(v.Why.Steps, "\n").String()
					next, clones := not+tt.step, tt.step == "Create a new run (stagewatch clone)."
					if base == "stuck-with-binding" && tt.name != "the placement was deleted" { // the new run would get stuck there, too
						if next, clones = "Restore the agent of member prod-2. Until then the cluster keeps its current version.", false; !strings.Contains(steps, "\n"+tt.step+"\n") {
							t.Errorf("%s: %s", d.Cause, steps)
						}
					}
					if d.Next.String() != next || d.Recovery != engine.RecoveryByNewRun || strings.Contains(steps, "labelled latest") {
						t.Errorf("%s, %s (%s): next %q\n%s", v.Word, d.Cause, d.Recovery, d.Next, steps)
					}
					if tt.step != "Create a new run (stagewatch clone)." && strings.Contains(steps, "Create a new run (stagewatch clone)") || (d.NextActions[0] == engine.NextClone) != clones {
						t.Errorf("next actions %v\n%s", d.NextActions, steps)
					}
				})
			}
		}
	}
}

// No step asks for a strategy whose name the API server rejects.
func TestAStrategyNameThatIsNotValid(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["init-failed-early"]
		w, id := s.world(t, ns)
		w.Runs[id].Spec.StagedRolloutStrategyName = "One-By-One"
		of := engine.PlacementKey(id, w.Runs[id].Spec.PlacementName)
		w.Nearby = map[engine.ID]*world.Nearby{of: {Placement: of, Strategies: []*placement.StagedUpdateStrategy{{ObjectMeta: metav1.ObjectMeta{Name: "one-by-one"}}}}}
		meta.SetStatusCondition(&w.Runs[id].Status.Conditions, metav1.Condition{
			Type: placement.RunInitialized, Status: metav1.ConditionFalse, Reason: "UpdateRunInitializedFailed", ObservedGeneration: w.Runs[id].Generation,
			Message: "cannot continue the initialization: failed to validate the updateRun: failed to process the request due to a client error: referenced updateStrategy not found: `/One-By-One`",
		})
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if d := snap.Find(id).Why; d.Cause.String() != "strategy-missing" || !strings.Contains(engine.Join(d.Steps, " ").String(), "No strategy can be named One-By-One.") || strings.Contains(engine.Join(d.Steps, " ").String(), "create strategy") {
			t.Errorf("%s: %s: %q", scope, d.Cause, d.Steps)
		}
	}
}

// A run in the wrong namespace is sent to the one that has its placement, not told to
// create a second placement and strategy.
func TestARunInTheWrongNamespace(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["init-failed-early"]
	w, id := s.world(t, "team-a")
	meta.SetStatusCondition(&w.Runs[id].Status.Conditions, metav1.Condition{
		Type: placement.RunInitialized, Status: metav1.ConditionFalse, Reason: "UpdateRunInitializedFailed", ObservedGeneration: w.Runs[id].Generation,
		Message: "cannot continue the initialization: failed to validate the updateRun: failed to process the request due to a client error: parent placement not found",
	})
	clear(w.Placements)
	for _, p := range []engine.ID{
		engine.NewID(engine.KindResourcePlacement, "team-web", w.Runs[id].Spec.PlacementName, "u-1"),
		engine.NewID(engine.KindResourcePlacement, "team-a", "other", "u-2"),
		engine.NewID(engine.KindClusterResourcePlacement, "", "stores", "u-3"),
	} {
		w.Placements[p] = &world.Placement{ID: p, External: true}
	}
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	d := snap.Find(id).Why
	if len(d.Steps) != 2 || !strings.HasPrefix(d.Steps[0].String(), "Placement shop exists in namespace team-web: if you meant it, create the run there, then delete this run (stagewatch delete).") ||
		!strings.HasPrefix(d.Steps[1].String(), "Otherwise create placement shop in namespace team-a") {
		t.Errorf("%s: %q", d.Cause, d.Steps)
	}
}

// A failed run of a placement that was deleted is not sent to its policy snapshots.
func TestAFailedRunOfADeletedPlacement(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["ready"]
	s.surrounded(t)
	placementDeleted(&s)
	meta.SetStatusCondition(&s.Run.Status.Conditions, metav1.Condition{
		Type: placement.RunSucceeded, Status: metav1.ConditionFalse, Reason: placement.ReasonRunFailed, ObservedGeneration: 1,
		Message: "cannot continue the updateRun: failed to process the request due to a client error: parent placement not found",
	})
	for scope, ns := range scopes {
		w, id := s.world(t, ns)
		clear(w.Placements)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if d := snap.Find(id).Why; d.Cause.String() != "placement-missing" || !strings.HasPrefix(d.Next.String(), "Create placement shop again") {
			t.Errorf("%s: %s: %q", scope, d.Cause, d.Steps)
		}
	}
}

// A stuck run that its plan rejects fails at the next check, unless the controller
// retries: the fix on the member then comes first.
func TestAStuckRunThatItsPlanRejects(t *testing.T) {
	for scope, ns := range scopes {
		for _, tt := range []struct {
			also, next string
			recovery   engine.Recovery
			change     func(*situation)
		}{
			{"run-will-fail", "Make placement shop pick prod-4 again (no valid binding now; a change of the placement's policy fails the run)", engine.RecoveryOnHub, func(s *situation) { drop(s, "prod-4") }},
			{"run-check-retried", "", engine.RecoveryUnknown, func(s *situation) { s.Bindings[0].PolicyName = "shop-9" }},
		} {
			s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
			s.surrounded(t)
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			member := snap.Find(id).Why
			tt.change(&s)
			w, id = s.world(t, ns)
			snap, _ = observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := snap.Find(id).Why
			var also []string
			for _, f := range d.Also {
				also = append(also, f.Cause.String())
			}
			if d.Cause != member.Cause || !slices.Contains(also, tt.also) || len(also) != len(member.Also)+1 {
				t.Errorf("%s/%s: %s, also %v", scope, tt.also, d.Cause, also)
			}
			if !slices.ContainsFunc(d.Evidence, func(e engine.Evidence) bool {
				return strings.HasPrefix(e.Field.String(), "plan (") && !e.Value.IsZero()
			}) {
				t.Errorf("%s/%s: the predicted message is no evidence: %v", scope, tt.also, d.Evidence)
			}
			if d.Recovery != tt.recovery || !startsWithRecovery(d.Recovery, d.RecoveryText) || !slices.Contains(d.Steps, member.Steps[0]) || (d.Next == member.Steps[0]) != (tt.next == "") || !strings.HasPrefix(d.Next.String(), tt.next) {
				t.Errorf("%s/%s: %s: %s\n%q", scope, tt.also, d.Recovery, d.RecoveryText, d.Steps)
			}
			if slices.ContainsFunc(d.Steps[:slices.Index(d.Steps, member.Steps[0])], func(s engine.Text) bool { return s.Offers("clone") }) {
				t.Errorf("%s/%s: a new run that gets stuck there, too, comes first: %q", scope, tt.also, d.Steps)
			}
		}
	}
}

// A deletion stage that takes its time reads some clusters and misses none; beyond the
// stuck threshold one gap counts what is not read.
func TestDeletionsBeyondTheLimitOfReads(t *testing.T) {
	for now, want := range map[string]int{"10:05:30": 0, "10:30:00": 1} {
		s := load(t, "../internal/situation/testdata", 50)["removing"]
		var clusters []placement.ClusterStatus
		for _, name := range strings.Split("abcdefghijkl", "") {
			c := *s.Run.Status.DeletionStageStatus.Clusters[1].DeepCopy()
			c.ClusterName = "old-" + name
			clusters = append(clusters, c)
			s.Bindings = append(s.Bindings, bindingData{Cluster: c.ClusterName, State: "Unscheduled", Deleting: metav1.NewTime(moment(t, "10:05:00")), Finalizers: []string{placement.FinalizerWork}})
		}
		s.Run.Status.DeletionStageStatus.Clusters = clusters
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, now))
		d := snap.Find(id).Why
		if len(d.Gaps) != want || want > 0 && !strings.HasSuffix(d.Gaps[0].What.String(), " and 3 more") || len(d.HubReads) != subject.ReadsWanted {
			t.Errorf("%s: %s: gaps %v, %d reads", now, d.Cause, d.Gaps, len(d.HubReads))
		}
	}
}

// The Works of the oldest deletions are read first, whatever the order of the clusters.
func TestTheOldestDeletionsAreReadFirst(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["removing"]
	var clusters []placement.ClusterStatus
	for i, name := range strings.Split("abcdefghijkl", "") {
		c, since := *s.Run.Status.DeletionStageStatus.Clusters[1].DeepCopy(), "10:29:00"
		if c.ClusterName = "old-" + name; i >= 8 {
			since = "10:05:00"
		}
		clusters = append(clusters, c)
		s.Bindings = append(s.Bindings, bindingData{Cluster: c.ClusterName, State: "Unscheduled", Deleting: metav1.NewTime(moment(t, since)), Finalizers: []string{placement.FinalizerWork}})
	}
	s.Run.Status.DeletionStageStatus.Clusters = clusters
	w, id := s.world(t, "")
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, "10:30:00"))
	d := snap.Find(id).Why
	for _, name := range []string{"old-i", "old-j", "old-k", "old-l"} {
		if !slices.ContainsFunc(d.HubReads, func(of engine.HubReadOf) bool { return of.Member.RawName() == name }) {
			t.Errorf("the Works of %s are not read: %v", name, d.HubReads)
		}
	}
	if len(d.Gaps) != 0 || len(d.HubReads) > subject.ReadsWanted {
		t.Errorf("%d reads, gaps %v", len(d.HubReads), d.Gaps)
	}
}

// A member in trouble is not named as what holds a deletion once its Works are gone.
func TestAMemberThatHoldsNoDeletion(t *testing.T) {
	for _, finalizers := range [][]string{{placement.FinalizerWork}, nil} {
		s := load(t, "../internal/situation/testdata", 50)["removing-takes-long"]
		at := moment(t, "10:30:00")
		s.Bindings = []bindingData{{Cluster: "old-2", State: "Unscheduled", Deleting: metav1.NewTime(moment(t, "10:10:00")), Finalizers: finalizers}}
		s.Members = []memberData{{Name: "old-2", Conditions: []metav1.Condition{{Type: "Joined", Status: "True"}}, Heartbeat: metav1.NewTime(at.Add(-time.Hour))}}
		s.Works = &worksData{Cluster: "old-2"}
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, at)
		d := snap.Find(id).Why
		if steps := engine.Join(d.Steps, " ").String(); d.Cause.String() != "binding-not-deleted" || strings.Contains(steps, "agent:") || strings.Contains(steps, "Restore") || strings.Contains(d.What.String(), "heartbeat") {
			t.Errorf("finalizers %v: %s %s %q", finalizers, d.Cause, d.What, d.Steps)
		}
	}
}

// A run that failed because a cluster was relabelled names the cluster, the label, and both
// values, and does not read like a failed initialization.
func TestARunThatFailedByLabels(t *testing.T) {
	const failed = "cannot continue the updateRun: failed to validate the updateRun: "
	for _, tt := range []struct {
		message, says, step string
		labels              map[string]string
	}{
		{
			"some clusters are not placed in any stage, total 1, showing up to 10: prod-4",
			"Labels were changed during the run: 1 picked cluster is no longer in any stage: prod-4. Cluster prod-4 has label ring=edge, and stage prod of this run selects ring=prod.",
			`To put the clusters back in their old stages, first set label ring of cluster prod-4 to prod (now "edge").`,
			map[string]string{"ring": "edge"},
		},
		{
			"the number of clusters in index `1` stage has changed, new: 3, existing: 4",
			"The clusters of stage prod changed during the run: 3 clusters, was 4. Cluster prod-4 has label ring=dev, and stage prod of this run selects ring=prod.",
			`set label ring of cluster prod-4 to prod (now "dev")`,
			map[string]string{"ring": "dev"},
		},
		{"cluster `prod-4` appears in more than one stages", "Labels were changed during the run: cluster prod-4 matches several of its stages.", "", nil},
		{"the sorting label `order:x` on cluster `prod-4` is not valid", `Labels were changed during the run: label order of cluster prod-4 must be a number, and was "x".`, "", nil},
	} {
		for scope, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)["failed-validation"]
			s.surrounded(t)
			if tt.labels != nil {
				relabel(&s, "prod-4", tt.labels)
			}
			for i := range s.Run.Status.Conditions {
				if c := &s.Run.Status.Conditions[i]; c.Type == placement.RunSucceeded {
					c.Message = failed + tt.message
				}
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := snap.Find(id).Why
			if d.What.String() != tt.says {
				t.Errorf("%s: %s", scope, d.What)
			}
			commands := engine.Join(d.Commands, "\n").String()
			if steps := engine.Join(d.Steps, "\n").String(); !strings.Contains(steps, tt.step) || tt.step != "" && !strings.Contains(commands, "label --overwrite memberclusters prod-4 ring=prod") {
				t.Errorf("%s: %s\n%s", scope, steps, commands)
			} else if create := strings.Index(steps, "(stagewatch clone)"); create >= 0 && create < strings.Index(steps, tt.step) {
				t.Errorf("%s: the new run comes before the label: %s", scope, steps)
			}
		}
	}
}
