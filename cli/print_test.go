package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/engine/runref"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// sample is a Snapshot with one row of each sort a table has to tell apart.
func sample() *engine.Snapshot {
	at := time.Date(2026, 3, 2, 22, 30, 0, 0, time.UTC)
	hub := engine.NewHubName("prod", "")
	csur, sur := engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun
	crp := func(name string) engine.ID { return hub.ID(engine.KindClusterResourcePlacement, "", name, "") }
	return &engine.Snapshot{
		At: at, Complete: true,
		Hub:   engine.Hub{Name: hub, Context: engine.Lit("prod"), Server: engine.Lit("https://prod.example"), User: engine.Lit("oncall")},
		Scope: engine.Scope{Namespaces: engine.Lit("all namespaces"), ClusterRuns: true, Notes: []engine.Text{engine.Lit("bindings: not permitted")}},
		Runs: []*engine.RunView{
			{
				ID: hub.ID(csur, "", "web-r4", "u1"), Word: engine.WordStuck, Since: at.Add(-14*time.Minute - 13*time.Second),
				Placement: crp("web"), Strategy: engine.Lit("slow"), Index: engine.Lit("4"), State: engine.Lit("Run"), Generation: 2, Observed: 2,
				Stages: []engine.StageView{
					{Name: engine.Lit("canary"), State: engine.StageDone, Total: 2, Done: 2},
					{
						Name: engine.Lit("prod"), State: engine.StageStuck, Total: 4, Done: 1, Updating: 1, Stuck: 1,
						After: []engine.GateView{
							{State: engine.GateNotAccepted, Name: engine.Lit("web-r4-after-prod"), Since: at.Add(-time.Minute)},
							{Timed: true, State: engine.GateComing},
						},
					},
					{Name: engine.Lit("deletion"), Deletion: true},
				},
				At: 1, Done: 3, Total: 6, Updating: 1, Stuck: 1,
				Why: engine.Diagnosis{What: engine.Lit("prod-2 is not available"), Quote: engine.Clean("a \x1b[31mred\x1b[m message")},
			},
			{
				ID: hub.ID(sur, "shop", "pay-r1", "u2"), Word: engine.WordNotAccepted, Since: at.Add(-31 * time.Minute),
				Placement: hub.ID(engine.KindResourcePlacement, "shop", "pay", ""), Index: engine.Lit("7"),
				Stages: []engine.StageView{{Name: engine.Lit("dev"), Total: 4}}, Total: 4,
			},
			{
				ID: hub.ID(csur, "", "dns-r9", "u3"), Word: engine.WordRunning, Slow: true, Since: at.Add(-3 * time.Hour), Placement: crp("dns"), Index: engine.Lit("9"),
				Stages: []engine.StageView{{Name: engine.Lit("all"), Total: 4, Done: 4, State: engine.StageDone}, {Name: engine.Lit("gone"), Deletion: true}},
				At:     1, Total: 4, Done: 4, PreemptedBy: hub.ID(csur, "", "other", ""),
			},
			{ID: hub.ID(csur, "", "pay-r1", "u4"), Word: engine.WordUnknown, Partial: true, At: -1, Placement: crp("pay")},
			{ID: crp("billing"), Word: engine.WordNoRun, Since: at.Add(-50 * time.Hour), Placement: crp("billing"), At: -1, Total: 6},
		},
	}
}

func TestPrintedForms(t *testing.T) {
	s := sample()
	for _, c := range []struct {
		name, output string
		headers      bool
	}{
		{"table.golden", output.Table, true},
		{"bare.golden", output.Table, false},
		{"wide.golden", output.Wide, true},
		{"markdown.golden", output.Markdown, true},
		{"name.golden", output.Name, true},
		{"json.golden", output.JSON, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := output.WriteList(&out, s, runref.Scope{}, s.Runs, nil, c.output, c.headers); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name, out.String())
			if strings.ContainsAny(out.String(), "\x1b\x07") {
				t.Error("a terminal would be steered by this")
			}
		})
	}
}

// The words of JSON are those of the screen, lower case and with "-".
func TestJSONWords(t *testing.T) {
	for w := engine.WordUnknown; w <= engine.WordNoRun; w++ {
		want, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		if got := `"` + column.Script(w.String()) + `"`; got != string(want) {
			t.Errorf("%s: got %s, want %s", w, got, want)
		}
	}
}

// Each outcome of a lookup has its exit code, and a note says what was left out.
func TestFindRun(t *testing.T) {
	set := func(kind engine.Kind, state engine.CoverState) engine.RunSet {
		return engine.RunSet{ID: engine.NewID(kind, "", "", ""), State: state}
	}
	csur, sur := engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun
	all := []engine.RunSet{set(csur, engine.CoverComplete), set(sur, engine.CoverComplete)}
	half := []engine.RunSet{set(csur, engine.CoverComplete), set(sur, engine.CoverForbidden)}
	lost := []engine.RunSet{set(csur, engine.CoverComplete), set(sur, engine.CoverFailed)}
	for _, c := range []struct {
		name, arg, namespace string
		sets                 []engine.RunSet
		want                 engine.ID
		code                 int
		note                 string
	}{
		{name: "cluster run", arg: "web-r4", sets: all, want: engine.NewHubName("prod", "").ID(csur, "", "web-r4", "u1")},
		{name: "a name of both scopes", arg: "pay-r1", sets: all, code: exit.Usage},
		{name: "a name of both scopes in -n", arg: "pay-r1", namespace: "shop", sets: all, want: engine.NewHubName("prod", "").ID(sur, "shop", "pay-r1", "u2")},
		{name: "csur", arg: "csur/pay-r1", namespace: "shop", sets: all, want: engine.NewHubName("prod", "").ID(csur, "", "pay-r1", "u4")},
		{name: "cluster run in -n", arg: "web-r4", namespace: "shop", sets: all, code: exit.NotFound},
		{name: "a placement is no run", arg: "billing", sets: all, code: exit.NotFound},
		{name: "may not be listed", arg: "nope", sets: half, code: exit.Forbidden},
		{name: "could not be read", arg: "nope", sets: lost, code: exit.Unreachable},
		{name: "found where one may look", arg: "web-r4", sets: half, want: engine.NewHubName("prod", "").ID(csur, "", "web-r4", "u1"), note: "note: \"web-r4\" may name more runs: this user may not list namespaced runs\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sample()
			s.Scope.Runs = c.sets
			j := &job.Job{Scope: runref.Scope{Namespace: c.namespace}}
			if err := j.Parse([]string{c.arg}); err != nil {
				t.Fatal(err)
			}
			var errs bytes.Buffer
			v, err := j.Find(s, &errs)
			var f *exit.Failure
			if errors.As(err, &f) && (f.Code != c.code || f.Hint.IsZero()) || c.code != 0 && f == nil || c.code == 0 && (err != nil || v.ID != c.want) {
				t.Errorf("got %+v, %v, want code %d", v, err, c.code)
			}
			if errs.String() != c.note {
				t.Errorf("stderr %q", errs.String())
			}
		})
	}
}
