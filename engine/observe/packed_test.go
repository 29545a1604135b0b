package observe

import (
	"reflect"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/world"
)

// A run that is packed looks as if it were whole, in the list and opened.
func TestObservePacked(t *testing.T) {
	packed := 0
	for name, s := range situation.All(t) {
		w, id := s.World(t, "")
		w.Focus.Run = id
		now := situation.Moment(t, s.Now)
		whole, next := Observe(nil, w, world.Changed{}, now)
		for id, run := range w.Runs {
			if p := world.Pack(run); p != nil {
				packed++
				w.Runs[id], w.Packed[id] = p.Run, p
			}
		}
		got, again := Observe(nil, w, world.Changed{}, now)
		if !next.Equal(again) || !reflect.DeepEqual(got, whole) {
			t.Errorf("%s:\npacked %+v\nwhole  %+v", name, got, whole)
		}
	}
	if packed < 3 {
		t.Errorf("%d situations have a run that is packed", packed)
	}
}

// What a pass returns does not change when the next one uses its memory again.
func TestViewsDoNotUseTheRoom(t *testing.T) {
	all := situation.All(t)
	observe := func(name string) *engine.Snapshot {
		s := all[name]
		w, _ := s.World(t, "")
		for id, run := range w.Runs {
			if p := world.Pack(run); p != nil {
				w.Runs[id], w.Packed[id] = p.Run, p
			}
		}
		got, _ := Observe(nil, w, world.Changed{}, situation.Moment(t, s.Now))
		return got
	}
	before := map[string]*engine.Snapshot{}
	for name := range all {
		before[name] = observe(name)
	}
	for name := range all {
		if again := observe(name); !reflect.DeepEqual(again, before[name]) {
			t.Errorf("%s: %+v became %+v", name, again, before[name])
		}
	}
}
