package link

import (
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
)

// TestSetsAreNamedInOneOrder checks that the texts which name sets name each kind once, two kinds
// at most, and the same ones in each frame: those of watches that fail, of lists that are not
// answered, and of what is stale.
func TestSetsAreNamedInOneOrder(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	sets := map[Source]world.CoverKey{
		"a/runs":   {Kind: engine.KindStagedUpdateRun, Namespace: "a"},
		"b/runs":   {Kind: engine.KindStagedUpdateRun, Namespace: "b"},
		"requests": world.CoverAll(engine.KindApprovalRequest),
		"cluster":  world.CoverAll(engine.KindClusterStagedUpdateRun),
		"members":  world.CoverAll(engine.KindMemberCluster),
	}
	late := client.Failure{Kind: client.Unreachable, Late: true, Err: engine.Lit("late"), Hint: engine.Lit("check the network")}
	for range 30 { // maps have no order
		l := New(at, true, func() {})
		l.Load()
		for s, key := range sets {
			l.Open(s, key, at, func(bool, time.Time) {})
			l.Proves(s, at)
		}
		is := func(what string, got engine.Text, want string) {
			t.Helper()
			if got.String() != want {
				t.Fatalf("%s: %q, want %q", what, got, want)
			}
		}
		view := func() engine.Link {
			v, _ := l.View(at.Add(time.Second), 0)
			return v
		}
		why := func(s Source) engine.Text { return engine.Textf("of %s", engine.Clean(string(s))) }
		l.OK(sourceProbe, at.Add(time.Second))
		for s := range sets {
			if s != "members" {
				l.Fail(s, late, at.Add(time.Second))
			}
		}
		is("lists", view().Err, "no answer in time: approvalrequests, clusterstagedupdateruns and 1 more kind")
		for _, s := range []Source{"a/runs", "b/runs"} {
			l.Polls(s, why(s))
		}
		is("lists of two kinds", view().Err, "no answer in time: approvalrequests, clusterstagedupdateruns")
		for _, s := range []Source{"requests", "cluster"} {
			l.Polls(s, why(s))
		}
		is("watches", view().Polled, "watches of approvalrequests, clusterstagedupdateruns and 1 more kind fail: of requests")
		l.Polls("members", why("members"))
		is("all watches", view().Polled, "all watches fail: of requests")
		l.Polls("requests", engine.Text{})
		l.Polls("cluster", engine.Text{})
		is("watches of two kinds", view().Polled, "watches of memberclusters, stagedupdateruns fail: of members")
		l.Missing("members")
		is("watches of two namespaces", view().Polled, "watches of stagedupdateruns fail: of a/runs")
		l.OK(sourceProbe, at.Add(12*time.Second))
		v, _ := l.View(at.Add(12*time.Second), 0)
		is("stale", v.Err, "no confirmation of approvalrequests, clusterstagedupdateruns and 1 more kind")
	}
}
