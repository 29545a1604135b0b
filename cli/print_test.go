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

	"github.com/stagewatch/stagewatch/engine"
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
	csur, sur := engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun
	crp := func(name string) engine.ID { return engine.NewID(engine.KindClusterResourcePlacement, "", name, "") }
	return &engine.Snapshot{
		At: at, Complete: true,
		Hub:   engine.Hub{Context: engine.Lit("prod"), Server: engine.Lit("https://prod.example"), User: engine.Lit("oncall")},
		Scope: engine.Scope{Namespaces: engine.Lit("all namespaces"), ClusterRuns: true, Notes: []engine.Text{engine.Lit("bindings: not permitted")}},
		Runs: []*engine.RunView{
			{
				ID: engine.NewID(csur, "", "web-r4", "u1"), Word: engine.WordStuck, Since: at.Add(-14*time.Minute - 13*time.Second),
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
				ID: engine.NewID(sur, "shop", "pay-r1", "u2"), Word: engine.WordNotAccepted, Since: at.Add(-31 * time.Minute),
				Placement: engine.NewID(engine.KindResourcePlacement, "shop", "pay", ""), Index: engine.Lit("7"),
				Stages: []engine.StageView{{Name: engine.Lit("dev"), Total: 4}}, Total: 4,
			},
			{
				ID: engine.NewID(csur, "", "dns-r9", "u3"), Word: engine.WordRunning, Slow: true, Since: at.Add(-3 * time.Hour), Placement: crp("dns"), Index: engine.Lit("9"),
				Stages: []engine.StageView{{Name: engine.Lit("all"), Total: 4, Done: 4, State: engine.StageDone}, {Name: engine.Lit("gone"), Deletion: true}},
				At:     1, Total: 4, Done: 4, TakenBy: engine.NewID(csur, "", "other", ""),
			},
			{ID: engine.NewID(csur, "", "pay-r1", "u4"), Word: engine.WordUnknown, Partial: true, At: -1, Placement: crp("pay")},
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
		{"table.golden", outputTable, true},
		{"bare.golden", outputTable, false},
		{"wide.golden", outputWide, true},
		{"name.golden", outputName, true},
		{"json.golden", outputJSON, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := write(&out, s, s.Runs, c.output, c.headers); err != nil {
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
		if got := `"` + script(w.String()) + `"`; got != string(want) {
			t.Errorf("%s: got %s, want %s", w, got, want)
		}
	}
}

func TestFindRun(t *testing.T) {
	s := sample()
	cases := []struct {
		name, namespace string
		ref             runRef
		want            string // title of the row
		kind            engine.Kind
		code            int
	}{
		{name: "cluster run", ref: runRef{"", "web-r4"}, want: "web-r4", kind: engine.KindClusterStagedUpdateRun},
		{name: "cluster run before a namespaced one", namespace: "shop", ref: runRef{"", "pay-r1"}, want: "pay-r1", kind: engine.KindClusterStagedUpdateRun},
		{name: "namespaced", ref: runRef{"shop", "pay-r1"}, want: "shop/pay-r1", kind: engine.KindStagedUpdateRun},
		{name: "other namespace", ref: runRef{"web", "pay-r1"}, code: ExitNotFound},
		{name: "a placement is no run", ref: runRef{"", "billing"}, code: ExitNotFound},
		{name: "none", ref: runRef{"", "nope"}, code: ExitNotFound},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { findOne(t, s, c.ref, c.namespace, c.want, c.kind, c.code) })
	}

	part := &engine.Snapshot{Scope: engine.Scope{Hidden: true}}
	t.Run("it may be where this user may not look", func(t *testing.T) {
		findOne(t, part, runRef{"", "r"}, "a", "", 0, ExitForbidden)
	})
	t.Run("the namespace that was named is seen", func(t *testing.T) {
		findOne(t, part, runRef{"a", "r"}, "a", "", 0, ExitNotFound)
	})

	two := &engine.Snapshot{Runs: []*engine.RunView{
		{ID: engine.NewID(engine.KindStagedUpdateRun, "a", "r", "")}, {ID: engine.NewID(engine.KindStagedUpdateRun, "b", "r", "")},
	}}
	t.Run("the namespace in use decides", func(t *testing.T) {
		findOne(t, two, runRef{"", "r"}, "b", "b/r", engine.KindStagedUpdateRun, 0)
	})
	t.Run("two of the name", func(t *testing.T) { findOne(t, two, runRef{"", "r"}, "c", "", 0, ExitUsage) })
	two.Runs = two.Runs[:1]
	t.Run("the only one of the name", func(t *testing.T) {
		findOne(t, two, runRef{"", "r"}, "c", "a/r", engine.KindStagedUpdateRun, 0)
	})
}

func findOne(t *testing.T, s *engine.Snapshot, ref runRef, namespace, want string, kind engine.Kind, code int) {
	t.Helper()
	r, err := findRun(s, ref, namespace)
	if code != 0 {
		var f *failure
		if !errors.As(err, &f) || f.code != code || f.hint.IsZero() {
			t.Errorf("got %+v, %v", r, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.ID.Title().String() != want || r.ID.Kind() != kind {
		t.Errorf("got %s %s", r.ID.Kind(), r.ID.Title())
	}
}

func TestAges(t *testing.T) {
	at := time.Date(2026, 3, 2, 22, 30, 0, 0, time.UTC)
	cases := []struct {
		in   time.Duration
		want string
	}{
		{-3 * time.Second, "0s"},
		{59*time.Second + 900*time.Millisecond, "59s"},
		{time.Minute + 5*time.Second, "1m05s"},
		{14*time.Minute + 13*time.Second, "14m"},
		{3*time.Hour + 7*time.Minute, "3h07m"},
		{50 * time.Hour, "2d"},
	}
	for _, c := range cases {
		if got := ageOf(at, at.Add(-c.in)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
	if got := ageOf(at, time.Time{}); got != "-" {
		t.Errorf("unknown: got %s", got)
	}
}
