package printed

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

func TestRead(t *testing.T) {
	raw := `{"columnDefinitions":[{"name":"Name"},{"name":"Placement"},{"name":"Resource-Snapshot-Index"},{"name":"Initialized"},{"name":"Succeeded"}],
		"rows":[{"cells":["a","p","1","True",null],"object":{"metadata":{"name":"a","uid":"u","creationTimestamp":"2026-11-20T10:00:00Z"}}},
		{"cells":["b"],"object":{"metadata":{"name":"b","uid":"v","namespace":"ns"}}},{"cells":[],"object":{}}]}`
	table, err := read(engine.KindStagedUpdateRun, []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	rows := table.runs(engine.HubName{}, engine.KindStagedUpdateRun)
	if len(rows) != 2 {
		t.Fatalf("rows %v", rows)
	}
	a := rows[engine.NewID(engine.KindStagedUpdateRun, "", "a", "u")]
	// A hub from before the column has no Progressing
	// (docs/kubefleet.md#versions).
	if a.Placement != "p" || a.Index != "1" || a.Initialized != "True" || a.Progressing != "" || a.Succeeded != "" || a.Created.IsZero() {
		t.Errorf("row %+v", a)
	}
	if _, ok := rows[engine.NewID(engine.KindStagedUpdateRun, "ns", "b", "v")]; !ok {
		t.Errorf("rows %v", rows)
	}
	if _, err := read(engine.KindStagedUpdateRun, []byte(`[]`)); err == nil {
		t.Error("a list was read as a table")
	}
}

// The hub is in every ID that is made of what a hub sent.
func TestRowsHaveTheirHub(t *testing.T) {
	hub := engine.NewHubName("prod", "")
	table, err := read(engine.KindClusterStagedUpdateRun, []byte(`{"rows":[{"object":{"metadata":{"name":"x"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	rows := table.runs(hub, engine.KindClusterStagedUpdateRun)
	for id := range rows {
		if id.Hub() != hub {
			t.Errorf("the printed row %v has hub %q", id, id.Hub().Text())
		}
	}
	if len(rows) != 1 {
		t.Errorf("%d rows", len(rows))
	}
}
