package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui"
)

// servedOnce is a source whose only snapshot has a kind of run complete.
type servedOnce struct{ ui.Source }

func (servedOnce) Next(context.Context) (*engine.Snapshot, error) {
	return &engine.Snapshot{Scope: engine.Scope{Runs: []engine.RunSet{{State: engine.CoverComplete}}}}, nil
}

// A list of hubs that cannot be written is logged; the screen goes on.
func TestAListOfHubsThatCannotBeWrittenIsLogged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", file)
	var log strings.Builder
	r := &rememberer{Source: servedOnce{}, context: "weu", log: &log}
	for range 2 {
		if s, err := r.Next(t.Context()); s == nil || err != nil {
			t.Fatal(err)
		}
	}
	if got := log.String(); !strings.HasPrefix(got, "write list of hubs: ") || strings.Count(got, "\n") != 1 {
		t.Errorf("logged %q", got)
	}
}
