package cli

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/internal/contexts"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/statedir"
)

// TestTheViewIsRemembered keeps the view of each context until it is no longer shown or
// configured. Several hubs in one list have a view of their own.
func TestTheViewIsRemembered(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	screenOf := func(name string, views ...string) *screen {
		j := &screen{Job: &job.Job{Conn: &contexts.Connection{Context: name}}}
		for _, v := range views {
			j.Config.Views = append(j.Config.Views, config.View{Name: v})
		}
		return j
	}
	j := screenOf("hub-a", "mine", "yours")
	j.rememberView(io.Discard) // nothing was shown
	if _, err := os.Stat(filepath.Join(state, "stagewatch", "views.json")); err == nil {
		t.Error("a file is written without a view")
	}
	j.viewed("yours")
	j.viewed("mine")
	j.rememberView(io.Discard)
	several := screenOf("hub-b", "mine")
	several.Others = []*job.Job{screenOf("hub-a").Job}
	several.viewed("yours")
	several.rememberView(io.Discard)
	for _, tt := range []struct {
		name   string
		screen *screen
		want   string
	}{
		{"the same context", screenOf("hub-a", "mine"), "mine"},
		{"another context", screenOf("hub-b", "mine"), ""},
		{"no longer configured", screenOf("hub-a", "yours"), ""},
		{"several hubs, not configured", several, ""},
	} {
		if got := tt.screen.lastView(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := statedir.Default().View("hub-a,hub-b"); got != "yours" {
		t.Errorf("of both hubs: %q", got)
	}
	j.viewed("")
	j.rememberView(io.Discard)
	if got := screenOf("hub-a", "mine").lastView(); got != "" {
		t.Errorf("after it was left: %q", got)
	}
}
