package runlist

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
)

// A list that a hub never ends is cut off at a bound: then nothing loads any more.
func TestAListThatIsCutOffDoesNotLoad(t *testing.T) {
	state := func(cluster, namespaced engine.CoverState) *engine.Snapshot {
		s := situation.Snapshot()
		s.Complete = false
		s.Scope.Runs = []engine.RunSet{
			{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "", ""), State: cluster},
			{ID: engine.NewID(engine.KindStagedUpdateRun, "", "", ""), State: namespaced},
		}
		s.Scope.Notes = []engine.Text{engine.Lit("cluster runs are incomplete: truncated at 0 objects")}
		return s
	}
	for _, tt := range []struct {
		name                string
		cluster, namespaced engine.CoverState
		counts, empty       string
	}{
		{"cut off", engine.CoverTruncated, engine.CoverComplete, "runs, more exist", "No run was read: the list is too long. cluster runs are incomplete: truncated at 0 objects"},
		{"the other one loads", engine.CoverTruncated, engine.CoverLoading, " so far", "Loading runs"},
		{"loading", engine.CoverLoading, engine.CoverComplete, " so far", "Loading runs"},
	} {
		s := state(tt.cluster, tt.namespaced)
		if got := listed(t, s, 120, 30).Counts(); !strings.HasSuffix(got, tt.counts) {
			t.Errorf("%s: counts %q", tt.name, got)
		}
		s.Runs = nil
		if got := strings.Join(strings.Fields(ansi.Strip(listed(t, s, 120, 30).View())), " "); !strings.Contains(got, tt.empty) {
			t.Errorf("%s: empty list %q", tt.name, got)
		}
	}
	s := state(engine.CoverForbidden, engine.CoverForbidden)
	s.Runs = nil
	if got := listed(t, s, 120, 30).Counts(); got != "no runs read" {
		t.Errorf("not permitted: counts %q", got)
	}
}
