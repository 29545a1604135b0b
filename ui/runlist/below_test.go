package runlist

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
)

// sharing is the sample with so many runs more that are stuck on one cluster.
func sharing(n int) *engine.Snapshot {
	s := situation.Snapshot()
	situation.Find(s, "nginx-r12").Why.Member = engine.NewID(engine.KindMemberCluster, "", "member9", "")
	for i := range n {
		v := *situation.Find(s, "example-run")
		v.ID = situation.RunID("", situation.Text("more-%d", i).String())
		s.Runs = append(s.Runs, &v)
	}
	return s
}

// TestBelowTheRows fills the room below the rows of a list beside a run with what the runs have
// in common and what happened last; many rows leave room for the first alone.
func TestBelowTheRows(t *testing.T) {
	view := func(l *List, h int, alone bool) string {
		l.Arrange(100, h, false, alone)
		out := ansi.Strip(l.View())
		if n := strings.Count(out, "\n") + 1; n > h {
			t.Errorf("%d lines in %d", n, h)
		}
		return out
	}
	few := view(listed(t, sharing(1), 100, 44), 44, false)
	for _, want := range []string{"IN COMMON", "2 runs  cluster:member1  example-run, more-0", "LATEST", "22:20:59  example-run             stuck", "22:18:12  pay-api-r41             approval requested"} {
		if !strings.Contains(few, want) {
			t.Errorf("few rows: %q is not shown:\n%s", want, few)
		}
	}
	earlier := sharing(1)
	earlier.Runs[len(earlier.Runs)-1].Kept = &engine.Kept{}
	if got := view(listed(t, earlier, 100, 44), 44, false); !strings.Contains(got, "2 runs (1 read earlier)  cluster:member1  example-run, more-0") {
		t.Errorf("of one run it was read earlier:\n%s", got)
	}
	if strings.Contains(few, "1 run ") {
		t.Errorf("one run shares nothing:\n%s", few)
	}
	if strings.Index(few, "22:18:12") > strings.Index(few, "22:20:59") {
		t.Error("the moments are not in order")
	}
	l := listed(t, sharing(60), 100, 44)
	many := view(l, 44, false)
	if !strings.Contains(many, "61 runs  cluster:member1  example-run, more-0, more-1") || strings.Contains(many, "LATEST") {
		t.Errorf("many rows:\n%s", many)
	}
	l.Scroll(100)
	if end := view(l, 44, false); !strings.Contains(end, "more-59") || !strings.Contains(end, "61 runs") {
		t.Errorf("the last row and what is in common are not both shown:\n%s", end)
	}
	if low := view(listed(t, sharing(60), 100, 25), 25, false); strings.Contains(low, "IN COMMON") {
		t.Errorf("a low list has no room for it:\n%s", low)
	}
	if alone := view(listed(t, sharing(1), 100, 44), 44, true); strings.Contains(alone, "IN COMMON") {
		t.Errorf("the list alone has the reasons there:\n%s", alone)
	}
	unread := sharing(2)
	for _, v := range unread.Runs {
		if v.Why.Bindings = v.ID.RawName() == "more-0"; v.Why.Bindings {
			v.Read = false
		}
	}
	if got := view(listed(t, unread, 100, 44), 44, false); !strings.Contains(got, "IN COMMON (bindings of 1 run not read)") {
		t.Errorf("the bindings of one run were not read:\n%s", got)
	}
	l = listed(t, sharing(1), 100, 44)
	l.SetFilter("nginx")
	if one := view(l, 44, false); strings.Contains(one, "IN COMMON") || strings.Contains(one, "22:20:59") || !strings.Contains(one, "LATEST") {
		t.Errorf("a filter lists one run:\n%s", one)
	}
}

// TestClustersOfSeveralHubs: clusters of two hubs with one name are two.
func TestClustersOfSeveralHubs(t *testing.T) {
	var runs []*engine.RunView
	for _, name := range []string{"a", "b", "c"} {
		v := *situation.Find(situation.Snapshot(), "example-run")
		v.ID = situation.RunID("", name)
		if name != "c" {
			v.ID = v.ID.On(engine.NewHubName("hub-prod", ""))
		}
		runs = append(runs, &v)
	}
	got := inCommon(runs, true)
	if len(got) != 1 || got[0].filter.String() != "hub:hub-prod cluster:member1" || len(got[0].runs) != 2 {
		t.Errorf("got %+v", got)
	}
}

// TestCausesThatMembersHaveAreNotInCommon: runs whose pods were not read may have different
// causes, although the hub says the same of them.
func TestCausesThatMembersHaveAreNotInCommon(t *testing.T) {
	var runs []*engine.RunView
	for _, name := range []string{"a", "b", "c"} {
		v := *situation.Find(situation.Snapshot(), "example-run")
		v.ID, v.Why.Member, v.Why.Cause = situation.RunID("", name), engine.ID{}, engine.Cause("workload-not-ready")
		runs = append(runs, &v)
	}
	if got := inCommon(runs, false); len(got) != 1 || len(got[0].runs) != 3 {
		t.Fatalf("known causes: %+v", got)
	}
	runs[1].Word, runs[1].Why.Bindings, runs[1].Read = engine.WordStuck, true, false
	if got := inCommon(runs, false); len(got) != 1 || len(got[0].runs) != 2 {
		t.Errorf("the bindings of one were not read: %+v", got)
	}
	runs[2].Why.Unread, runs[2].Why.Recovery = engine.Lit("pods on c3"), engine.RecoveryUnknown
	if got := inCommon(runs, false); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}
