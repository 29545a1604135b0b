package observe

import (
	"reflect"
	"testing"

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
