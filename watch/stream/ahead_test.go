package stream

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/stream/incoming"
)

// What was read ahead of the first list is not replaced by an older version, from the list or a watch.
func TestNewest(t *testing.T) {
	at := func(version string) *incoming.Object {
		return incoming.Decode(engine.NewHubName("hub", ""), engine.KindClusterStagedUpdateRun, []byte(`{"metadata":{"name":"web","uid":"u","resourceVersion":"`+version+`"}}`))
	}
	ahead := at("12")
	s := &stream{aheads: map[engine.ID]*incoming.Object{ahead.ID: ahead}}
	for version, want := range map[string]string{"9": "12", "12": "12", "13": "13", "?": "?"} {
		if got := s.newest(at(version)); got.Version != want {
			t.Errorf("version %s after 12: shows %s, want %s", version, got.Version, want)
		}
	}
	s.aheads[ahead.ID] = nil // is being read
	if got := s.newest(at("9")); got.Version != "9" {
		t.Errorf("shows version %s while nothing was read ahead", got.Version)
	}
}
