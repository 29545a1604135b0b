package observe

import (
	"slices"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// onHub is the Snapshot of a hub with one run of each word.
func onHub(name string, words ...engine.Word) *engine.Snapshot {
	hub := engine.NewHubName(name, "")
	s := &engine.Snapshot{
		At: time.Unix(1e9, 0), Hub: engine.Hub{Name: hub, Context: engine.Clean(name)}, Complete: true, Link: engine.Link{State: engine.LinkLive},
		Scope: engine.Scope{Namespaces: engine.Lit("all namespaces"), Runs: []engine.RunSet{{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "", ""), State: engine.CoverComplete}}},
	}
	for _, w := range words {
		s.Runs = append(s.Runs, &engine.RunView{ID: hub.ID(engine.KindClusterStagedUpdateRun, "", w.String(), "u"), Word: w, At: -1})
	}
	return s
}

// TestMerge checks that the runs of all hubs stand in one order and are counted together,
// and that each is still that of its hub.
func TestMerge(t *testing.T) {
	a := onHub("a", engine.WordStuck, engine.WordRunning)
	b := onHub("b", engine.WordStuck, engine.WordApproval)
	b.Skew, b.WritesOff = time.Minute, engine.Lit("read-only")
	b.Scope.Notes = []engine.Text{engine.Lit("members are hidden")}
	s := Merge(nil, []*engine.Snapshot{a, b}, engine.NewHubName("b", ""))
	var got []string
	for _, v := range s.Runs {
		got = append(got, v.Word.String()+" "+v.ID.Hub().Raw())
	}
	if want := []string{"STUCK a", "STUCK b", "APPROVAL b", "RUNNING a"}; !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
	if len(s.Need) != 2 || s.Need[0].Count != 2 {
		t.Errorf("needs attention: %v", s.Need)
	}
	if !s.Complete || s.Link.State != engine.LinkLive || s.Skew != time.Minute || !s.WritesOff.IsZero() || s.Scope.NoHub {
		t.Errorf("%+v", s)
	}
	if len(s.Scope.Notes) != 1 || s.Scope.Notes[0].String() != "b: members are hidden" {
		t.Errorf("notes %v", s.Scope.Notes)
	}
	for _, set := range s.Scope.Runs {
		if set.ID.Hub().IsZero() {
			t.Error("a set of runs is of no hub")
		}
	}
	for _, v := range s.Runs {
		if own := s.Of(v.ID); own != a && own != b || own.Find(v.ID) != v {
			t.Errorf("%s: the Snapshot of its hub does not have it", v.ID.Title())
		}
	}
	if next := Merge(s, []*engine.Snapshot{a, b}, engine.HubName{}); next.Seq != s.Seq+1 || next.Skew != 0 {
		t.Errorf("Seq %d after %d, skew %s", next.Seq, s.Seq, next.Skew)
	}
}

// TestMergeOfAHubInTrouble checks that the list says of a hub in trouble what it is, and
// keeps the runs of the others.
func TestMergeOfAHubInTrouble(t *testing.T) {
	a, b := onHub("a", engine.WordRunning), onHub("b")
	b.Complete, b.Link = false, engine.Link{State: engine.LinkRefused, Err: engine.Lit("forbidden")}
	for _, hubs := range [][]*engine.Snapshot{{a, b}, {b, a}} {
		s := Merge(nil, hubs, engine.HubName{})
		if s.Complete || len(s.Runs) != 1 || s.Link.State != engine.LinkRefused || s.Link.Err.String() != "b: forbidden" {
			t.Errorf("complete %v, %d runs, %+v", s.Complete, len(s.Runs), s.Link)
		}
	}
	b.At = time.Time{}
	for _, hubs := range [][]*engine.Snapshot{{a, b}, {b, a}} {
		for _, looked := range []engine.HubName{{}, a.Hub.Name, b.Hub.Name} {
			if s := Merge(nil, hubs, looked); !s.At.Equal(a.At) {
				t.Errorf("the time is %s, want that of the hub that was read", s.At)
			}
		}
	}
	if b.Link.Err.String() != "forbidden" {
		t.Error("the Snapshot of a hub was changed")
	}
}
