// Package situation has the runs and snapshots that the tests of the screen look at.
package situation

import (
	"fmt"
	"strconv"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Now is the present of every snapshot.
var Now = time.Date(2026, 8, 20, 22, 30, 12, 0, time.UTC)

// Ago is a time before the present.
func Ago(d time.Duration) time.Time { return Now.Add(-d) }

// Text is a formatted text of a hub.
func Text(format string, a ...any) engine.Text { return engine.Clean(fmt.Sprintf(format, a...)) }

// RunID is a cluster-scoped run, or "namespace/name" a namespaced one.
func RunID(ns, name string) engine.ID {
	kind := engine.KindClusterStagedUpdateRun
	if ns != "" {
		kind = engine.KindStagedUpdateRun
	}
	return engine.NewID(kind, ns, name, "uid-"+ns+"-"+name)
}

// PlacementID is a cluster-scoped placement, or a namespaced one.
func PlacementID(ns, name string) engine.ID {
	kind := engine.KindClusterResourcePlacement
	if ns != "" {
		kind = engine.KindResourcePlacement
	}
	return engine.NewID(kind, ns, name, "")
}

// Approval is an approval task, requested for a while.
func Approval(state engine.GateState, since time.Duration) engine.GateView {
	g := engine.GateView{State: state}
	if state == engine.GateOpen || state == engine.GateNotAccepted { // the run waits for its request
		g.Request = engine.NewID(engine.KindClusterApprovalRequest, "", "request", "uid-request")
		g.Seen = &engine.RequestSeen{Approved: -1}
	}
	if since > 0 {
		g.Since = Ago(since)
	}
	return g
}

// Wait is a timed wait, and what is left of it.
func Wait(state engine.GateState, d, left time.Duration) engine.GateView {
	g := engine.GateView{Timed: true, State: state, Wait: d}
	if state == engine.GateRunning {
		g.Until = Now.Add(left)
	}
	return g
}

// Stage is a stage with so many clusters done.
func Stage(name string, state engine.StageState, done, total int) engine.StageView {
	return engine.StageView{Name: Text("%s", name), State: state, Done: done, Total: total, AtOnce: 1, Concurrency: Text("1")}
}

// CleanUp is the deletion stage.
func CleanUp(state engine.StageState, done, total int) engine.StageView {
	s := Stage("", state, done, total)
	s.Deletion, s.AtOnce = true, 0
	return s
}

// Sum counts the clusters of a run from its stages.
func Sum(v *engine.RunView) *engine.RunView {
	for _, s := range v.Stages {
		for i := range s.Before {
			s.Before[i].Before = true
		}
		if s.Deletion {
			continue
		}
		v.Done, v.Total, v.Updating, v.Stuck, v.Preempted = v.Done+s.Done, v.Total+s.Total, v.Updating+s.Updating, v.Stuck+s.Stuck, v.Preempted+s.Preempted
	}
	return v
}

// Runs has a run for every word.
func Runs() []*engine.RunView {
	run := func(ns, name, place, index string, word engine.Word, since time.Duration, at int, stages ...engine.StageView) *engine.RunView {
		return Sum(&engine.RunView{
			ID: RunID(ns, name), Word: word, Since: Ago(since), Placement: PlacementID(ns, place), Strategy: Text("%s-strategy", place), Index: Text("%s", index),
			State: Text("Run"), Generation: 2, Observed: 2, Created: Ago(since + 20*time.Minute), Started: Ago(since + 14*time.Minute), Stages: stages, At: at,
		})
	}
	with := func(s engine.StageView, edit func(*engine.StageView)) engine.StageView { edit(&s); return s }

	stuck := run("", "example-run", "example-placement", "0", engine.WordStuck, 9*time.Minute+13*time.Second, 0,
		with(Stage("staging", engine.StageStuck, 4, 5), func(s *engine.StageView) {
			s.Stuck, s.After = 1, []engine.GateView{Approval(engine.GateComing, 0)}
		}),
		with(Stage("canary", engine.StageComing, 0, 3), func(s *engine.StageView) {
			s.After = []engine.GateView{Wait(engine.GateComing, time.Hour, 0)}
		}),
		with(Stage("prod", engine.StageComing, 0, 4), func(s *engine.StageView) {
			s.Before, s.Concurrency = []engine.GateView{Approval(engine.GateComing, 0)}, Text("25%%")
		}),
		CleanUp(engine.StageComing, 0, 0))
	stuck.Why = engine.Diagnosis{
		What:         Text("member1 in stage staging is not Available: Deployment test-namespace/nginx-deployment, ManifestNotAvailableYet, 3 of 3 pods InvalidImageName."),
		RecoveryText: Text("Needs a new run: the manifest is wrong, and this run stays on snapshot 0."),
		Next:         engine.Lit("Fix the image on the hub; that makes a new snapshot, which needs a new run. {stop} stops this one."),
		NextActions:  []engine.NextAction{engine.NextMember, engine.NextDiff, engine.NextClone}, Member: engine.NewID(engine.KindMemberCluster, "", "member1", ""),
		Quote: Text("the updateRun is stuck waiting for 1 cluster(s) in stage staging to finish updating, please check placement status for potential errors"),
	}
	broken := run("my-app", "web-app-rollout", "web-app", "7", engine.WordNotAccepted, 31*time.Minute, 0,
		with(Stage("dev", engine.StageGate, 0, 2), func(s *engine.StageView) {
			g := Approval(engine.GateNotAccepted, 31*time.Minute)
			g.Before, g.Sent, g.Generation = true, 0, 1
			s.Before = []engine.GateView{g}
		}),
		Stage("prod", engine.StageComing, 0, 2), CleanUp(engine.StageComing, 0, 0))
	broken.Why = engine.Diagnosis{
		What:         Text("The approval before stage dev is ignored: it has observedGeneration 0, the request has generation 1."),
		RecoveryText: Text("Needs a person: the controller ignores this approval."), Next: engine.Lit("Approve again ({approve}): stagewatch sets the right observedGeneration."),
		NextActions: []engine.NextAction{engine.NextApprove, engine.NextApprovals},
	}
	taken := run("", "nginx-r12", "nginx", "12", engine.WordPreempted, 3*time.Minute, 0,
		with(Stage("staging", engine.StageFailed, 2, 5), func(s *engine.StageView) { s.Preempted = 1 }),
		with(Stage("canary", engine.StageComing, 0, 5), func(s *engine.StageView) {
			s.Before = []engine.GateView{Approval(engine.GateComing, 0)}
		}),
		with(Stage("prod", engine.StageComing, 0, 10), func(s *engine.StageView) {
			s.Before = []engine.GateView{Approval(engine.GateComing, 0)}
		}), CleanUp(engine.StageComing, 0, 0))
	taken.Terminal = true
	taken.PreemptedBy = engine.NewID(engine.KindClusterStagedUpdateRun, "", "example-run", "")
	taken.Why = engine.Diagnosis{
		What:         Text("Run example-run preempted this run on cluster member6 (stage staging, since 22:27:12 UTC) with snapshot 13; this run rolls out snapshot 12."),
		RecoveryText: Text("Needs a new run: a preempted run does not continue."), Next: engine.Lit("Look at run example-run ({follow})."),
	}
	failed := run("", "edge-r1", "edge", "4", engine.WordFailed, 2*time.Hour, 1,
		Stage("one", engine.StageDone, 3, 3), Stage("two", engine.StageFailed, 1, 3), CleanUp(engine.StageComing, 0, 0))
	failed.Terminal = true
	failed.Why.What = Text("The placement policy changed while the run was going: the clusters picked now are other ones.")
	init := run("", "search-r3", "search", "1", engine.WordInitFailed, 26*time.Minute, -1)
	init.Terminal, init.Started = true, time.Time{}
	init.Why = engine.Diagnosis{What: Text("Resource snapshot 1 of placement search did not exist."), RecoveryText: Text("Needs a new run: a run that failed initialization is not retried."), Next: engine.Lit("Create a new run ({clone}) with a snapshot that exists, or without an index for the newest.")}
	gate := run("", "pay-api-r41", "pay-api", "41", engine.WordApproval, 12*time.Minute, 1,
		with(Stage("staging", engine.StageDone, 4, 4), func(s *engine.StageView) {
			s.After = []engine.GateView{Approval(engine.GatePassed, 2*time.Hour)}
			s.Started, s.Ended = Ago(80*time.Minute), Ago(60*time.Minute)
		}),
		with(Stage("canary", engine.StageGate, 6, 6), func(s *engine.StageView) {
			g := Approval(engine.GateOpen, 12*time.Minute)
			g.Request, g.Generation, g.Name = engine.NewID(engine.KindClusterApprovalRequest, "", "pay-api-r41-after-canary", "req"), 1, Text("pay-api-r41-after-canary")
			s.After = []engine.GateView{g, Wait(engine.GateRunning, time.Hour, 18*time.Minute)}
		}),
		with(Stage("prod", engine.StageComing, 0, 8), func(s *engine.StageView) { s.AtOnce, s.Concurrency = 3, Text("40%%") }),
		CleanUp(engine.StageComing, 0, 0))
	gate.Why = engine.Diagnosis{
		What: Text("The approval after stage canary is open: all its clusters are done."), RecoveryText: Text("Needs a person: approve the stage."),
		Next: engine.Lit("Approve stage canary ({approve}): next is stage prod, 8 clusters, max 3."), NextActions: []engine.NextAction{engine.NextApprove},
	}
	notObserved := run("", "dns-r8", "dns", "3", engine.WordNotObserved, 40*time.Second, 0, Stage("all", engine.StageUpdating, 1, 3), CleanUp(engine.StageComing, 0, 0))
	notObserved.Generation = 3
	stopping := run("", "mesh-r2", "mesh", "6", engine.WordStopping, 50*time.Second, 0,
		with(Stage("canary", engine.StageStopping, 2, 6), func(s *engine.StageView) { s.Updating = 2 }),
		Stage("prod", engine.StageComing, 0, 6), CleanUp(engine.StageComing, 0, 0))
	stopping.StopWanted = true
	waiting := run("", "core-dns-r3", "core-dns", "3", engine.WordWaiting, 46*time.Minute, 0,
		with(Stage("canary", engine.StageGate, 10, 10), func(s *engine.StageView) {
			s.After = []engine.GateView{Wait(engine.GateRunning, time.Hour, 14*time.Minute+5*time.Second)}
		}), Stage("prod", engine.StageComing, 0, 30), CleanUp(engine.StageComing, 0, 0))
	waiting.Until = Now.Add(14*time.Minute + 5*time.Second)
	waiting.Why = engine.Diagnosis{What: Text("The timed wait of 1h after stage canary ends at 22:44:17 UTC. All clusters of the stage are done."), RecoveryText: Text("Recovers automatically when the wait has elapsed."), Next: Text("Nothing to do.")}
	running := run("", "cert-mgr-r9", "cert-mgr", "9", engine.WordRunning, 2*time.Minute, 2,
		with(Stage("staging", engine.StageDone, 10, 10), func(s *engine.StageView) {
			s.After = []engine.GateView{Approval(engine.GatePassed, time.Hour)}
			s.Started, s.Ended = Ago(80*time.Minute), Ago(70*time.Minute)
		}),
		with(Stage("canary", engine.StageDone, 20, 20), func(s *engine.StageView) {
			s.After = []engine.GateView{Approval(engine.GatePassed, 20*time.Minute)}
			s.Started, s.Ended = Ago(70*time.Minute), Ago(40*time.Minute)
		}),
		with(Stage("prod", engine.StageUpdating, 13, 30), func(s *engine.StageView) { s.Updating, s.AtOnce, s.Concurrency = 3, 3, Text("10%%") }),
		with(CleanUp(engine.StageComing, 0, 2), func(*engine.StageView) {}))
	running.Why = engine.Diagnosis{What: Text("Stage prod: 3 clusters are updating, 13 of 30 done."), RecoveryText: Text("No recovery needed."), Next: Text("Nothing to do.")}
	slow := run("", "cache-r5", "cache", "2", engine.WordRunning, 3*time.Minute, 0,
		with(Stage("canary", engine.StageUpdating, 1, 4), func(s *engine.StageView) { s.Updating = 1 }), CleanUp(engine.StageComing, 0, 0))
	slow.Slow = true
	fresh := run("", "new-r1", "new", "0", engine.WordPending, 3*time.Second, -1)
	ready := run("", "fluent-r2", "fluent", "2", engine.WordReady, 6*time.Minute, -1,
		with(Stage("dev", engine.StageComing, 0, 4), func(s *engine.StageView) { s.After = []engine.GateView{Approval(engine.GateComing, 0)} }),
		with(Stage("qa", engine.StageComing, 0, 4), func(s *engine.StageView) { s.After = []engine.GateView{Wait(engine.GateComing, 30*time.Minute, 0)} }),
		Stage("prod", engine.StageComing, 0, 4), CleanUp(engine.StageComing, 0, 0))
	ready.State, ready.Started = Text("Initialize"), time.Time{}
	stopped := run("", "ingress-r5", "ingress", "5", engine.WordStopped, 26*time.Hour, 1,
		with(Stage("dev", engine.StageDone, 6, 6), func(s *engine.StageView) { s.After = []engine.GateView{Approval(engine.GatePassed, 30*time.Hour)} }),
		with(Stage("canary", engine.StageStopped, 2, 7), func(s *engine.StageView) { s.After = []engine.GateView{Approval(engine.GateComing, 0)} }),
		Stage("prod", engine.StageComing, 0, 7), CleanUp(engine.StageComing, 0, 0))
	stopped.StopWanted, stopped.State = true, Text("Stop")
	noRun := &engine.RunView{ID: PlacementID("", "billing"), Word: engine.WordNoRun, Since: Ago(5 * time.Hour), Placement: PlacementID("", "billing"), Index: Text("4"), At: -1}
	deleting := run("", "old-r1", "old", "1", engine.WordDeleting, 4*time.Second, 0, Stage("all", engine.StageUpdating, 1, 3), CleanUp(engine.StageComing, 0, 0))
	unknown := &engine.RunView{ID: RunID("team-b", "huge-r7"), Word: engine.WordUnknown, Partial: true, At: -1}
	unreadable := &engine.RunView{ID: RunID("", "garbage"), Word: engine.WordUnreadable, At: -1, Since: Ago(time.Hour)}
	done := run("", "example-run-0", "example-placement", "0", engine.WordDone, 2*time.Hour, -1,
		with(Stage("staging", engine.StageDone, 5, 5), func(s *engine.StageView) { s.After = []engine.GateView{Approval(engine.GatePassed, 3*time.Hour)} }),
		with(Stage("canary", engine.StageDone, 3, 3), func(s *engine.StageView) { s.After = []engine.GateView{Wait(engine.GatePassed, time.Hour, 0)} }),
		Stage("prod", engine.StageDone, 4, 4), CleanUp(engine.StageDone, 1, 1))
	done.Terminal = true
	runs := []*engine.RunView{
		stuck, broken, taken, failed, init, gate, notObserved, unreadable, stopping, waiting, running, slow, fresh, ready, stopped, noRun, deleting, unknown, done,
	}
	for _, v := range runs {
		v.PlacementRaw = engine.NewRaw(v.Placement.RawName())
		n := 0
		for i := range v.Stages {
			st := &v.Stages[i]
			for g := range st.Gates() {
				request(v, st, g)
			}
			for j := st.Stuck + st.Preempted + st.Updating + st.Done; j < st.Total && !st.Deletion; j++ {
				st.Coming = append(st.Coming, member(n+j))
			}
			n += st.Total
		}
	}
	return runs
}

// member is the name of the cluster after so many others of a run.
func member(before int) engine.Text { return Text("member%d", before+1) }

// request names the request of an approval, which exists once it was asked for.
func request(v *engine.RunView, s *engine.StageView, g *engine.GateView) {
	if g.Timed {
		return
	}
	g.Name = Text("%s-%s-%s", v.ID.Name(), engine.BeforeAfter(g), s.Name)
	if g.State != engine.GateComing {
		kind := v.ID.Kind().InScope(engine.KindClusterApprovalRequest, engine.KindApprovalRequest)
		g.Generation, g.Request = 1, engine.NewID(kind, v.ID.RawNamespace(), g.Name.String(), "uid-"+g.Name.String())
		g.Seen = &engine.RequestSeen{Stage: engine.NewRaw(s.Name.String()), Approved: -1}
	}
}

// Snapshot returns a live snapshot with a run for every word.
func Snapshot() *engine.Snapshot {
	s := &engine.Snapshot{
		Seq: 1, At: Now,
		Hub:        engine.Hub{Context: Text("hub-prod-weu"), Server: Text("https://hub-prod-weu.hcp.westeurope.azmk8s.io:443"), User: Text("oncall@contoso.com")},
		Link:       engine.Link{State: engine.LinkLive, Heard: Ago(2 * time.Second), Since: Ago(time.Hour)},
		Scope:      engine.Scope{Namespaces: Text("all namespaces"), ClusterRuns: true, Runs: Sets(engine.CoverComplete, engine.CoverComplete)},
		Runs:       Runs(),
		Complete:   true,
		StuckAfter: 5 * time.Minute,
	}
	Count(s)
	return s
}

// Sets are the sets of runs of a session that asked for all of them.
func Sets(cluster, namespaced engine.CoverState) []engine.RunSet {
	return []engine.RunSet{
		{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "", ""), State: cluster},
		{ID: engine.NewID(engine.KindStagedUpdateRun, "", "", ""), State: namespaced},
	}
}

// Count fills Need from the runs.
func Count(s *engine.Snapshot) { s.Need = engine.CountNeeds(s.Runs) }

// Find returns the run with a name.
func Find(s *engine.Snapshot, name string) *engine.RunView {
	for _, v := range s.Runs {
		if v.ID.Name().String() == name {
			return v
		}
	}
	return nil
}

// Detail opens a run in a snapshot: clusters with plausible conditions.
func Detail(s *engine.Snapshot, v *engine.RunView) *engine.Detail {
	d := &engine.Detail{Run: v, Bindings: engine.Coverage{State: engine.CoverComplete}}
	up := func(since time.Duration, reason string) engine.BindingCondition {
		return engine.BindingCondition{State: engine.BindingConditionTrue, Since: Ago(since), Reason: Text("%s", reason)}
	}
	n := 0
	for _, st := range v.Stages {
		var cs []engine.ClusterView
		for i := range st.Total {
			name := member(n)
			c := engine.ClusterView{Name: name, Member: engine.NewID(engine.KindMemberCluster, "", name.String(), "")}
			n++
			began := 14*time.Minute + time.Duration(st.Total-i)*time.Minute
			switch {
			case i < st.Stuck:
				began = 14*time.Minute + 13*time.Second
				c.State, c.Why = engine.ClusterStuck, Text("Deployment test-namespace/nginx-deployment: ManifestNotAvailableYet")
			case i < st.Stuck+st.Preempted:
				c.State, c.PreemptedBy, c.PreemptedAt = engine.ClusterPreempted, v.PreemptedBy, Ago(3*time.Minute)
			case i < st.Stuck+st.Preempted+st.Updating:
				began = 40*time.Second + time.Duration(i)*70*time.Second
				if c.State = engine.ClusterUpdating; v.Slow {
					c.State, began = engine.ClusterSlow, 3*time.Minute
				}
			case i < st.Stuck+st.Preempted+st.Updating+st.Done:
				c.State, c.Ended = engine.ClusterDone, Ago(began-time.Duration(35+i*7)*time.Second)
			default:
				if index, _ := strconv.Atoi(v.Index.String()); index > 0 {
					c.Bound, c.Index, c.Foreign = true, Text("%d", index-1), Text("on snapshot %d, available", index-1)
				}
				cs = append(cs, c)
				continue
			}
			if st.Deletion {
				c.State = engine.ClusterDeleted
			}
			c.Started, c.StuckAt, c.Bound, c.Index = Ago(began), Ago(began).Add(s.StuckAfter), true, v.Index
			c.BindingConditions = engine.BindingConditions{
				RolloutStarted: up(began, "RolloutStarted"), Overridden: up(began, "NoOverrideSpecified"), WorkSynchronized: up(began-time.Second, "AllWorkSynced"),
				Applied: up(began-2*time.Second, "AllWorkHaveBeenApplied"), Available: up(began-10*time.Second, "AllWorkAreAvailable"),
			}
			if c.State != engine.ClusterDone {
				c.BindingConditions.Available = engine.BindingCondition{State: engine.BindingConditionFalse, Since: Ago(began), Reason: Text("NotAllWorkAreAvailable"), Why: Text("Work object example-placement-work is not yet available")}
			}
			if c.State == engine.ClusterStuck {
				c.Failing = []engine.ManifestView{{
					What: Text("Deployment test-namespace/nginx-deployment"), Cond: Text("Available"), Reason: Text("ManifestNotAvailableYet"),
					Why: Text("Manifest is trackable but not available yet"), Since: Ago(began),
				}}
			}
			cs = append(cs, c)
		}
		d.Clusters = append(d.Clusters, cs)
	}
	return d
}
