package rows

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	r := &Source{Source: servedOnce{}, Context: "weu", Log: &log}
	for i := range 3 {
		if s, err := r.Next(t.Context()); s == nil || err != nil {
			t.Fatal(err)
		}
		if i == 0 && log.Len() > 0 {
			t.Error("the first Snapshot waited for the disk")
		}
	}
	if got := log.String(); !strings.HasPrefix(got, "write list of hubs: ") || strings.Count(got, "\n") != 1 {
		t.Errorf("logged %q", got)
	}
}

// A screen that opens after a login has the rows of the one before, stale and by the words of its
// own connection, until its session has some or may not read them.
func TestRowsStayUntilTheHubIsRead(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	hub := engine.Hub{Name: engine.NewHubName("weu", ""), Server: engine.Lit("https://hub.example")}
	run := &engine.RunView{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "web", "1")}
	full := engine.Snapshot{At: at, Hub: hub, Runs: []*engine.RunView{run}, Complete: true, Link: engine.Link{State: engine.LinkLive, Heard: at}}
	failed := engine.Snapshot{At: at.Add(time.Minute), Hub: hub, WritesOff: engine.Lit("the login failed"), Link: engine.Link{State: engine.LinkRefused, LoginFailed: true, Err: engine.Lit("exit status 4")}}
	loading := engine.Snapshot{At: at.Add(time.Minute), Hub: hub, WritesOff: engine.Lit("loading")}
	rejected, elsewhere, none := failed, failed, full
	rejected.Link.LoginFailed = false
	elsewhere.Hub.Server = engine.Lit("https://other.example")
	none.Runs = nil
	gone := loading
	gone.Link.State = engine.LinkReconnecting
	for name, tt := range map[string]struct {
		next []engine.Snapshot
		rows int // of the last one
		link engine.LinkState
	}{
		"the login fails":         {[]engine.Snapshot{loading, failed}, 1, engine.LinkRefused},
		"loading":                 {[]engine.Snapshot{loading}, 1, engine.LinkStale},
		"unreachable":             {[]engine.Snapshot{gone}, 1, engine.LinkReconnecting},
		"the login works":         {[]engine.Snapshot{failed, full}, 1, engine.LinkLive},
		"no permission":           {[]engine.Snapshot{rejected}, 0, engine.LinkRefused},
		"another server":          {[]engine.Snapshot{elsewhere}, 0, engine.LinkRefused},
		"all runs are deleted":    {[]engine.Snapshot{none, gone}, 0, engine.LinkReconnecting},
		"failed twice, no screen": {[]engine.Snapshot{failed, failed}, 1, engine.LinkRefused},
	} {
		kept := &Kept{}
		show := func(all ...engine.Snapshot) (last *engine.Snapshot) {
			r := &Source{Kept: kept} // a session
			for i := range all {
				last = r.complete(&all[i])
			}
			return last
		}
		if got := show(full); got.Link.State != engine.LinkLive || len(got.Link.Stale) > 0 {
			t.Errorf("%s: the first session shows %+v", name, got)
		}
		got, want := show(tt.next...), tt.next[len(tt.next)-1]
		if len(got.Runs) != tt.rows || got.Link.State != tt.link || !got.At.Equal(want.At) || got.WritesOff != want.WritesOff {
			t.Errorf("%s: %+v", name, got)
		}
		if old := tt.rows > 0 && tt.link != engine.LinkLive; old && (!got.Link.StaleFor(run) || !got.Link.Heard.Equal(at) || got.Link.Err.IsZero() && tt.link != engine.LinkReconnecting) {
			t.Errorf("%s: old rows are not stale: %+v", name, got.Link)
		}
	}
}
