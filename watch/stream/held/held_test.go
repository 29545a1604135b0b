package held

import (
	"iter"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/internal/memory"
	"github.com/stagewatch/stagewatch/watch/store"
)

// run is an object of a set; broken makes it larger.
func run(name, version, broken string) *store.Object {
	return &store.Object{ID: engine.NewHubName("hub", "").ID(engine.KindStagedUpdateRun, "shop", name, ""), Version: version, Broken: broken}
}

// listed are the objects of a list, which take room as they come.
func listed(h *Set, objects ...*store.Object) (list iter.Seq2[*store.Object, int64], weight int64) {
	for _, o := range objects {
		w := h.Weigh(o, 0)
		h.Take(w)
		weight += w
	}
	return func(yield func(*store.Object, int64) bool) {
		for _, o := range objects {
			if !yield(o, h.Weigh(o, 0)) {
				return
			}
		}
	}, weight
}

// A set takes as much room as its objects weigh, whatever it goes through.
func TestASetTakesItsWeight(t *testing.T) {
	room := memory.NewRoom()
	h := New(room)
	fits := func(what string, objects int) {
		t.Helper()
		weight := int64(0)
		for _, o := range h.objects {
			weight += o.weight
		}
		if h.Objects() != objects || h.Weight() != weight || room.Used() != weight {
			t.Errorf("%s: %d objects of %d bytes, which are counted as %d and take %d", what, h.Objects(), weight, h.Weight(), room.Used())
		}
	}
	h.Put(run("a", "1", ""), 0)
	h.Put(run("a", "2", "it has grown"), 100)
	h.Put(run("b", "3", ""), 0)
	fits("put", 2)
	h.Remove(run("a", "2", ""))
	h.Remove(run("never", "2", ""))
	fits("removed", 1)
	list, weight := listed(h, run("b", "3", ""), run("c", "4", ""), run("c", "5", "the same name"))
	h.Replace(list, weight, "3")
	fits("replaced", 2)
	room.SetMost(room.Used())
	if h.Put(run("d", "6", ""), 0) {
		t.Error("an object without room is noted")
	}
	fits("full", 2)
	h.Clear()
	fits("cleared", 0)
}

// A list and the versions of a list contradict a set if the hub has gone back to an older state. Versions do not tell
// which objects were deleted.
func TestASetIsCompared(t *testing.T) {
	for _, tt := range []struct {
		name     string
		now      []*store.Object
		differ   string
		ofSet    bool
		contrary bool
	}{
		{"nothing has changed", []*store.Object{run("a", "5", ""), run("b", "9", "")}, "", true, false},
		{"one has changed and one is new", []*store.Object{run("a", "11", ""), run("b", "9", ""), run("c", "12", "")}, "ac", true, false},
		{"one was deleted", []*store.Object{run("a", "5", "")}, "", false, false},
		{"one was deleted and one is new", []*store.Object{run("a", "5", ""), run("c", "12", "")}, "c", false, false},
		{"one is older", []*store.Object{run("a", "4", ""), run("b", "9", "")}, "a", false, true},
		{"one was not there and is old", []*store.Object{run("a", "5", ""), run("b", "9", ""), run("c", "10", "")}, "c", false, true},
		{"all were deleted", nil, "", false, false},
	} {
		h := New(memory.NewRoom())
		h.Put(run("a", "5", ""), 0)
		h.Put(run("b", "9", ""), 0)
		c, differ := h.Compare("10"), ""
		for _, o := range tt.now {
			ns, name, _ := o.ID.Raw()
			if c.Differs(ns, name, o.Version) {
				differ += name
			}
		}
		if differ != tt.differ || c.IsOfSet() != tt.ofSet {
			t.Errorf("%s: %q differ, and that is all: %v", tt.name, differ, c.IsOfSet())
		}
		list, weight := listed(h, tt.now...)
		if h.Replace(list, weight, "10") != tt.contrary {
			t.Errorf("%s: a list contradicts the set: %v", tt.name, !tt.contrary)
		}
	}
	h := New(memory.NewRoom())
	h.Put(run("a", "no number", ""), 0)
	if c := h.Compare("10"); c.Differs("shop", "a", "no number") || c.IsOfSet() {
		t.Error("versions that are no numbers are compared")
	}
}
