package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
)

// t0 is the present of every sample.
var t0 = time.Date(2026, 8, 20, 22, 30, 12, 0, time.UTC)

func ago(d time.Duration) time.Time { return t0.Add(-d) }

func txt(format string, a ...any) engine.Text { return engine.Clean(fmt.Sprintf(format, a...)) }

// id is a cluster-scoped run, or "namespace/name" a namespaced one.
func id(ns, name string) engine.ID {
	kind := engine.KindClusterStagedUpdateRun
	if ns != "" {
		kind = engine.KindStagedUpdateRun
	}
	return engine.NewID(kind, ns, name, "uid-"+ns+"-"+name)
}

func placement(ns, name string) engine.ID {
	kind := engine.KindClusterResourcePlacement
	if ns != "" {
		kind = engine.KindResourcePlacement
	}
	return engine.NewID(kind, ns, name, "")
}

func approval(state engine.GateState, since time.Duration) engine.GateView {
	g := engine.GateView{State: state}
	if since > 0 {
		g.Since = ago(since)
	}
	return g
}

func wait(state engine.GateState, d, left time.Duration) engine.GateView {
	g := engine.GateView{Timed: true, State: state, Wait: d}
	if state == engine.GateRunning {
		g.Until = t0.Add(left)
	}
	return g
}

func stage(name string, state engine.StageState, done, total int) engine.StageView {
	return engine.StageView{Name: txt("%s", name), State: state, Done: done, Total: total, AtOnce: 1, Concurrency: txt("1")}
}

func cleanUp(state engine.StageState, done, total int) engine.StageView {
	s := stage("", state, done, total)
	s.Deletion, s.AtOnce = true, 0
	return s
}

func sum(v *engine.RunView) *engine.RunView {
	for _, s := range v.Stages {
		for i := range s.Before {
			s.Before[i].Before = true
		}
		if s.Deletion {
			continue
		}
		v.Done, v.Total, v.Updating, v.Stuck, v.Taken = v.Done+s.Done, v.Total+s.Total, v.Updating+s.Updating, v.Stuck+s.Stuck, v.Taken+s.Taken
	}
	return v
}

// sampleRuns has a run for every word.
func sampleRuns() []*engine.RunView {
	run := func(ns, name, place, index string, word engine.Word, since time.Duration, at int, stages ...engine.StageView) *engine.RunView {
		return sum(&engine.RunView{
			ID: id(ns, name), Word: word, Since: ago(since), Placement: placement(ns, place), Strategy: txt("%s-strategy", place), Index: txt("%s", index),
			State: txt("Run"), Generation: 2, Observed: 2, Created: ago(since + 20*time.Minute), Started: ago(since + 14*time.Minute), Stages: stages, At: at,
		})
	}
	with := func(s engine.StageView, edit func(*engine.StageView)) engine.StageView { edit(&s); return s }

	stuck := run("", "example-run", "example-placement", "0", engine.WordStuck, 9*time.Minute+13*time.Second, 0,
		with(stage("staging", engine.StageStuck, 4, 5), func(s *engine.StageView) {
			s.Stuck, s.After = 1, []engine.GateView{approval(engine.GateComing, 0)}
		}),
		with(stage("canary", engine.StageComing, 0, 3), func(s *engine.StageView) {
			s.After = []engine.GateView{wait(engine.GateComing, time.Hour, 0)}
		}),
		with(stage("prod", engine.StageComing, 0, 4), func(s *engine.StageView) {
			s.Before, s.Concurrency = []engine.GateView{approval(engine.GateComing, 0)}, txt("25%%")
		}),
		cleanUp(engine.StageComing, 0, 0))
	stuck.Why = engine.Diagnosis{
		What:  txt("member1 in stage staging is not Available: Deployment test-namespace/nginx-deployment, ManifestNotAvailableYet, 3 of 3 pods InvalidImageName."),
		Heal:  txt("Not by itself: the manifest is wrong, and this run is pinned to snapshot 0."),
		Next:  txt("Fix the image on the hub; that makes a new snapshot, which needs a new run. S stops this one."),
		Leads: []engine.Lead{engine.LeadMember, engine.LeadDiff, engine.LeadClone}, Member: engine.NewID(engine.KindMemberCluster, "", "member1", ""),
		Quote: txt("the updateRun is stuck waiting for 1 cluster(s) in stage staging to finish updating, please check placement status for potential errors"),
	}
	broken := run("my-app", "web-app-rollout", "web-app", "7", engine.WordNotAccepted, 31*time.Minute, 0,
		with(stage("dev", engine.StageGate, 0, 2), func(s *engine.StageView) {
			g := approval(engine.GateNotAccepted, 31*time.Minute)
			g.Before, g.Sent, g.Generation = true, 0, 1
			s.Before = []engine.GateView{g}
		}),
		stage("prod", engine.StageComing, 0, 2), cleanUp(engine.StageComing, 0, 0))
	broken.Why = engine.Diagnosis{
		What: txt("The approval before stage dev has no effect: it was given for generation 0 of the request, and the request is at generation 1."),
		Heal: txt("Not by itself."), Next: txt("A approves it for the right generation."),
		Leads: []engine.Lead{engine.LeadApprove, engine.LeadInbox},
	}
	taken := run("", "nginx-r12", "nginx", "12", engine.WordPreempted, 3*time.Minute, 0,
		with(stage("staging", engine.StageFailed, 2, 5), func(s *engine.StageView) { s.Taken = 1 }),
		with(stage("canary", engine.StageComing, 0, 5), func(s *engine.StageView) {
			s.Before = []engine.GateView{approval(engine.GateComing, 0)}
		}),
		with(stage("prod", engine.StageComing, 0, 10), func(s *engine.StageView) {
			s.Before = []engine.GateView{approval(engine.GateComing, 0)}
		}), cleanUp(engine.StageComing, 0, 0))
	taken.Terminal = true
	taken.TakenBy = engine.NewID(engine.KindClusterStagedUpdateRun, "", "example-run", "")
	taken.Why = engine.Diagnosis{
		What: txt("example-run took cluster member6 with snapshot 13 while this run was updating it."),
		Heal: txt("No: a preempted run never goes on."), Next: txt("Look at example-run; f goes there."),
	}
	failed := run("", "edge-r1", "edge", "4", engine.WordFailed, 2*time.Hour, 1,
		stage("one", engine.StageDone, 3, 3), stage("two", engine.StageFailed, 1, 3), cleanUp(engine.StageComing, 0, 0))
	failed.Terminal = true
	failed.Why.What = txt("The placement policy changed while the run was going: the clusters picked now are other ones.")
	init := run("", "search-r3", "search", "1", engine.WordInitFailed, 26*time.Minute, -1)
	init.Terminal, init.Started = true, time.Time{}
	init.Why = engine.Diagnosis{What: txt("Snapshot index 1 does not exist."), Heal: txt("No."), Next: txt("Make a new run with an index that exists: 0.")}
	gate := run("", "pay-api-r41", "pay-api", "41", engine.WordApproval, 12*time.Minute, 1,
		with(stage("staging", engine.StageDone, 4, 4), func(s *engine.StageView) {
			s.After = []engine.GateView{approval(engine.GatePassed, 2*time.Hour)}
			s.Started, s.Ended = ago(80*time.Minute), ago(60*time.Minute)
		}),
		with(stage("canary", engine.StageGate, 6, 6), func(s *engine.StageView) {
			g := approval(engine.GateOpen, 12*time.Minute)
			g.Request, g.Generation, g.Name = engine.NewID(engine.KindClusterApprovalRequest, "", "pay-api-r41-after-canary", "req"), 1, txt("pay-api-r41-after-canary")
			s.After = []engine.GateView{g, wait(engine.GateRunning, time.Hour, 18*time.Minute)}
		}),
		with(stage("prod", engine.StageComing, 0, 8), func(s *engine.StageView) { s.AtOnce, s.Concurrency = 3, txt("40%%") }),
		cleanUp(engine.StageComing, 0, 0))
	gate.Why = engine.Diagnosis{
		What: txt("Stage canary is done; an approval is asked for before prod starts."), Heal: txt("Not by itself: a person has to approve."),
		Next: txt("A approves; prod then starts 3 of its 8 clusters at once."),
	}
	notObserved := run("", "dns-r8", "dns", "3", engine.WordNotObserved, 40*time.Second, 0, stage("all", engine.StageUpdating, 1, 3), cleanUp(engine.StageComing, 0, 0))
	notObserved.Generation = 3
	stopping := run("", "mesh-r2", "mesh", "6", engine.WordStopping, 50*time.Second, 0,
		with(stage("canary", engine.StageStopping, 2, 6), func(s *engine.StageView) { s.Updating = 2 }),
		stage("prod", engine.StageComing, 0, 6), cleanUp(engine.StageComing, 0, 0))
	stopping.StopWanted = true
	waiting := run("", "core-dns-r3", "core-dns", "3", engine.WordWaiting, 46*time.Minute, 0,
		with(stage("canary", engine.StageGate, 10, 10), func(s *engine.StageView) {
			s.After = []engine.GateView{wait(engine.GateRunning, time.Hour, 14*time.Minute+5*time.Second)}
		}), stage("prod", engine.StageComing, 0, 30), cleanUp(engine.StageComing, 0, 0))
	waiting.Until = t0.Add(14*time.Minute + 5*time.Second)
	waiting.Why = engine.Diagnosis{What: txt("The wait of 1h after stage canary runs."), Heal: txt("Yes: it goes on by itself when the wait is over."), Next: txt("Nothing to do.")}
	running := run("", "cert-mgr-r9", "cert-mgr", "9", engine.WordRunning, 2*time.Minute, 2,
		with(stage("staging", engine.StageDone, 10, 10), func(s *engine.StageView) {
			s.After = []engine.GateView{approval(engine.GatePassed, time.Hour)}
			s.Started, s.Ended = ago(80*time.Minute), ago(70*time.Minute)
		}),
		with(stage("canary", engine.StageDone, 20, 20), func(s *engine.StageView) {
			s.After = []engine.GateView{approval(engine.GatePassed, 20*time.Minute)}
			s.Started, s.Ended = ago(70*time.Minute), ago(40*time.Minute)
		}),
		with(stage("prod", engine.StageUpdating, 13, 30), func(s *engine.StageView) { s.Updating, s.AtOnce, s.Concurrency = 3, 3, txt("10%%") }),
		with(cleanUp(engine.StageComing, 0, 2), func(*engine.StageView) {}))
	running.Why = engine.Diagnosis{What: txt("3 clusters of stage prod are updating."), Heal: txt("Nothing is wrong."), Next: txt("Nothing to do.")}
	slow := run("", "cache-r5", "cache", "2", engine.WordRunning, 3*time.Minute, 0,
		with(stage("canary", engine.StageUpdating, 1, 4), func(s *engine.StageView) { s.Updating = 1 }), cleanUp(engine.StageComing, 0, 0))
	slow.Slow = true
	fresh := run("", "new-r1", "new", "0", engine.WordPending, 3*time.Second, -1)
	ready := run("", "fluent-r2", "fluent", "2", engine.WordReady, 6*time.Minute, -1,
		with(stage("dev", engine.StageComing, 0, 4), func(s *engine.StageView) { s.After = []engine.GateView{approval(engine.GateComing, 0)} }),
		with(stage("qa", engine.StageComing, 0, 4), func(s *engine.StageView) { s.After = []engine.GateView{wait(engine.GateComing, 30*time.Minute, 0)} }),
		stage("prod", engine.StageComing, 0, 4), cleanUp(engine.StageComing, 0, 0))
	ready.State, ready.Started = txt("Initialize"), time.Time{}
	stopped := run("", "ingress-r5", "ingress", "5", engine.WordStopped, 26*time.Hour, 1,
		with(stage("dev", engine.StageDone, 6, 6), func(s *engine.StageView) { s.After = []engine.GateView{approval(engine.GatePassed, 30*time.Hour)} }),
		with(stage("canary", engine.StageStopped, 2, 7), func(s *engine.StageView) { s.After = []engine.GateView{approval(engine.GateComing, 0)} }),
		stage("prod", engine.StageComing, 0, 7), cleanUp(engine.StageComing, 0, 0))
	stopped.StopWanted, stopped.State = true, txt("Stop")
	noRun := &engine.RunView{ID: placement("", "billing"), Word: engine.WordNoRun, Since: ago(5 * time.Hour), Placement: placement("", "billing"), Index: txt("4"), At: -1}
	deleting := run("", "old-r1", "old", "1", engine.WordDeleting, 4*time.Second, 0, stage("all", engine.StageUpdating, 1, 3), cleanUp(engine.StageComing, 0, 0))
	unknown := &engine.RunView{ID: id("team-b", "huge-r7"), Word: engine.WordUnknown, Partial: true, At: -1}
	unreadable := &engine.RunView{ID: id("", "garbage"), Word: engine.WordUnreadable, At: -1, Since: ago(time.Hour)}
	done := run("", "example-run-0", "example-placement", "0", engine.WordDone, 2*time.Hour, -1,
		with(stage("staging", engine.StageDone, 5, 5), func(s *engine.StageView) { s.After = []engine.GateView{approval(engine.GatePassed, 3*time.Hour)} }),
		with(stage("canary", engine.StageDone, 3, 3), func(s *engine.StageView) { s.After = []engine.GateView{wait(engine.GatePassed, time.Hour, 0)} }),
		stage("prod", engine.StageDone, 4, 4), cleanUp(engine.StageDone, 1, 1))
	done.Terminal = true
	return []*engine.RunView{
		stuck, broken, taken, failed, init, gate, notObserved, unreadable, stopping, waiting, running, slow, fresh, ready, stopped, noRun, deleting, unknown, done,
	}
}

// sample returns a live snapshot with a run for every word.
func sample() *engine.Snapshot {
	s := &engine.Snapshot{
		Seq: 1, At: t0,
		Hub:        engine.Hub{Context: txt("hub-prod-weu"), Server: txt("https://hub-prod-weu.hcp.westeurope.azmk8s.io:443"), User: txt("oncall@contoso.com")},
		Link:       engine.Link{State: engine.LinkLive, Heard: ago(2 * time.Second), Since: ago(time.Hour)},
		Scope:      engine.Scope{Namespaces: txt("all namespaces"), ClusterRuns: true, Runs: setsRead(engine.CoverComplete, engine.CoverComplete)},
		Runs:       sampleRuns(),
		Complete:   true,
		StuckAfter: 5 * time.Minute,
	}
	count(s)
	return s
}

// setsRead are the sets of runs of a session that asked for all of them.
func setsRead(cluster, namespaced engine.CoverState) []engine.RunSet {
	return []engine.RunSet{
		{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "", ""), State: cluster},
		{ID: engine.NewID(engine.KindStagedUpdateRun, "", "", ""), State: namespaced},
	}
}

// count fills Need from the runs.
func count(s *engine.Snapshot) {
	s.Need = nil
	for _, v := range s.Runs {
		if !v.NeedsAttention() {
			continue
		}
		if i := slices.IndexFunc(s.Need, func(n engine.Need) bool { return n.Word == v.Word && n.Late == v.Late }); i >= 0 {
			s.Need[i].Count++
			continue
		}
		s.Need = append(s.Need, engine.Need{Word: v.Word, Late: v.Late, Count: 1})
	}
}

// find returns the sample's run with a name.
func find(s *engine.Snapshot, name string) *engine.RunView {
	for _, v := range s.Runs {
		if v.ID.Name().String() == name {
			return v
		}
	}
	return nil
}

// detail opens a run in a snapshot: clusters with plausible ladders.
func detail(s *engine.Snapshot, v *engine.RunView) *engine.Detail {
	d := &engine.Detail{Run: v, Bindings: engine.Coverage{State: engine.CoverComplete}}
	up := func(since time.Duration) engine.Rung {
		return engine.Rung{State: engine.RungTrue, Since: ago(since), Reason: txt("AllWorkSynced")}
	}
	n := 1
	for _, st := range v.Stages {
		var cs []engine.ClusterView
		for i := range st.Total {
			c := engine.ClusterView{Name: txt("member%d", n), Member: engine.NewID(engine.KindMemberCluster, "", fmt.Sprintf("member%d", n), "")}
			n++
			began := 14*time.Minute + time.Duration(st.Total-i)*time.Minute
			switch {
			case i < st.Stuck:
				began = 14*time.Minute + 13*time.Second
				c.State, c.Why = engine.ClusterStuck, txt("Deployment test-namespace/nginx-deployment: ManifestNotAvailableYet")
			case i < st.Stuck+st.Taken:
				c.State, c.TakenBy, c.TakenAt = engine.ClusterTaken, v.TakenBy, ago(3*time.Minute)
			case i < st.Stuck+st.Taken+st.Updating:
				began = 40*time.Second + time.Duration(i)*70*time.Second
				if c.State = engine.ClusterUpdating; v.Slow {
					c.State, began = engine.ClusterSlow, 3*time.Minute
				}
			case i < st.Stuck+st.Taken+st.Updating+st.Done:
				c.State, c.Ended = engine.ClusterDone, ago(began-time.Duration(35+i*7)*time.Second)
			default:
				if index, _ := strconv.Atoi(v.Index.String()); index > 0 {
					c.Bound, c.Index, c.Foreign = true, txt("%d", index-1), txt("on snapshot %d, available", index-1)
				}
				cs = append(cs, c)
				continue
			}
			if st.Deletion {
				c.State = engine.ClusterRemoved
			}
			c.Started, c.StuckAt, c.Bound, c.Index = ago(began), ago(began).Add(s.StuckAfter), true, v.Index
			c.Ladder = engine.Ladder{RolloutStarted: up(began), Overridden: up(began), WorkSynchronized: up(began - time.Second), Applied: up(began - 2*time.Second)}
			c.Ladder.Available = up(began - 10*time.Second)
			if c.State != engine.ClusterDone {
				c.Ladder.Available = engine.Rung{State: engine.RungFalse, Since: ago(began), Reason: txt("NotAllWorkAreAvailable"), Why: txt("Work object example-placement-work is not yet available")}
			}
			if c.State == engine.ClusterStuck {
				c.Failing = []engine.ManifestView{{
					What: txt("Deployment test-namespace/nginx-deployment"), Cond: txt("Available"), Reason: txt("ManifestNotAvailableYet"),
					Why: txt("Manifest is trackable but not available yet"), Since: ago(began),
				}}
			}
			cs = append(cs, c)
		}
		d.Clusters = append(d.Clusters, cs)
	}
	return d
}

// fakeSource hands out snapshots that a test puts into it.
type fakeSource struct {
	snaps chan *engine.Snapshot
	reply func(enginepage.Question) enginepage.Answer

	mu     sync.Mutex
	wanted []engine.Focus
	sent   []act.Intent
}

func newFake() *fakeSource { return &fakeSource{snaps: make(chan *engine.Snapshot, 1)} }

func (f *fakeSource) Next(ctx context.Context) (*engine.Snapshot, error) {
	select {
	case s := <-f.snaps:
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *fakeSource) Want(w engine.Focus) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wanted = append(f.wanted, w)
}

func (f *fakeSource) Ask(_ context.Context, q enginepage.Question) enginepage.Answer {
	return f.reply(q)
}

func (f *fakeSource) Do(_ context.Context, i act.Intent) act.Outcome {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = append(f.sent, i)
	return act.Outcome{Intent: i, Result: act.ResultApplied, What: txt("The hub took it."), At: t0}
}
