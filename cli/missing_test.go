package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/runref"
)

// TestMissingResourcesAreReported: what a row depends on and was not read is in the JSON of the run and in a
// note, and complete says so.
func TestMissingResourcesAreReported(t *testing.T) {
	type read struct {
		Complete bool
		Missing  []struct {
			Kind, Name, Resource, Reason string
			Forbidden                    bool
		}
		Runs []struct {
			Name    string
			Missing []struct{ Resource, Reason string }
		}
	}
	of := func(s *engine.Snapshot, rows []*engine.RunView) (read, string) {
		t.Helper()
		var out, errs bytes.Buffer
		if err := output.WriteList(&out, s, runref.Scope{}, rows, nil, output.JSON, false); err != nil {
			t.Fatal(err)
		}
		var d read
		if err := json.Unmarshal(out.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		noteMissing(&errs, s, rows)
		return d, errs.String()
	}
	s := sample()
	if d, notes := of(s, s.Runs); !d.Complete || notes != "" || strings.Contains(d.Runs[0].Name, "missing") {
		t.Errorf("nothing is missing: complete %v, %q", d.Complete, notes)
	}
	no := engine.Lit("forbidden: no right")
	s.Missing = map[engine.ID][]engine.Gap{
		s.Runs[0].ID: {{What: engine.Lit("bindings of placement web"), Why: no, Forbidden: true}, {What: engine.Lit("member clusters"), Why: no, Forbidden: true}},
		s.Runs[2].ID: {{What: engine.Lit("bindings of placement dns"), Why: engine.Lit("not read in time")}},
	}
	d, notes := of(s, s.Runs)
	if d.Complete || len(d.Runs[0].Missing) != 2 || d.Runs[0].Missing[0].Resource != "bindings of placement web" || d.Runs[0].Missing[0].Reason != no.String() || d.Runs[1].Missing != nil {
		t.Errorf("%+v", d)
	}
	if len(d.Missing) != 3 || d.Missing[2].Kind != s.Runs[2].ID.Kind().String() || d.Missing[2].Name != s.Runs[2].ID.RawName() || d.Missing[2].Resource != "bindings of placement dns" ||
		d.Missing[2].Forbidden || !d.Missing[0].Forbidden {
		t.Errorf("missing of the list: %+v", d.Missing)
	}
	if want := "note: 1 run (" + s.Runs[0].ID.Title().String() + ") was read without bindings of placement web and member clusters: forbidden: no right\nnote: 1 run (" + s.Runs[2].ID.Title().String() + ") was read without bindings of placement dns: not read in time\n"; notes != want {
		t.Errorf("notes %q", notes)
	}
	// Only the run that was asked for counts.
	if d, notes := of(s, s.Runs[1:2]); !d.Complete || d.Missing != nil || notes != "" {
		t.Errorf("one run with all it needs: complete %v, %q", d.Complete, notes)
	}
	// A scope that may not be listed leaves the list incomplete.
	s = sample()
	s.Scope.Runs = []engine.RunSet{{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "", ""), State: engine.CoverForbidden}}
	if d, _ := of(s, s.Runs); d.Complete || len(d.Missing) != 1 || d.Missing[0].Kind != "ClusterStagedUpdateRun" || d.Missing[0].Name != "" || d.Missing[0].Resource != "runs" || !d.Missing[0].Forbidden {
		t.Errorf("without the cluster runs: complete %v, missing %+v", d.Complete, d.Missing)
	}
}
