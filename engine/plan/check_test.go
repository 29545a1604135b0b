package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

func TestChecksOfAPlan(t *testing.T) {
	many := make([]Refusal, 22)
	for i := range many {
		many[i] = Refusal{Message: engine.Textf("m%d", i), Final: true}
	}
	stages := []Stage{{Name: engine.Lit("canary"), AtOnce: 1, Clusters: []Cluster{{Name: engine.Lit("a")}}}}
	for _, tt := range []struct {
		name string
		plan Plan
		want []string // the first ones
		of   int
	}{
		{"a new snapshot in parts", Plan{Refusals: []Refusal{{Message: engine.Lit("parts"), Final: true, Hint: engine.Lit("Create a second run.")}}}, []string{
			"failed the run fails initialization: parts (final)", "warning Create a second run.",
		}, 2},
		{"a hint of several", Plan{Refusals: []Refusal{{Message: engine.Lit("b1"), Hint: engine.Lit("Wait.")}, {Message: engine.Lit("b2"), Hint: engine.Lit("Wait.")}, {Message: engine.Lit("b3"), Hint: engine.Lit("Wait.")}, {Message: engine.Lit("x"), Final: true}}}, []string{
			"failed the controller retries initialization, 1 of 4: b1 (retried automatically)", "failed and 2 more reasons like it", "warning Wait.", "failed 4 of 4: x (final)",
		}, 4},
		{"retried", Plan{Refusals: []Refusal{{Message: engine.Lit("old binding")}}}, []string{"failed the controller retries initialization: old binding (retried automatically)"}, 1},
		{"a version that is not preferred", Plan{Stages: stages, Warnings: []engine.Text{engine.Lit("retried for up to 30 s")}}, []string{
			"passed possible: 1 cluster in 1 stage", "passed it starts with a in stage canary", "warning retried for up to 30 s",
		}, 3},
		{"more than anybody reads", Plan{Refusals: many, Unknown: []engine.Gap{{What: engine.Lit("members"), Why: engine.Lit("no")}}}, []string{
			"failed the run fails initialization, 1 of 22: m0 (final)", "failed 2 of 22: m1 (final)",
		}, 22},
		{"not read", Plan{Unknown: []engine.Gap{{What: engine.Lit("members"), Why: engine.Lit("no")}, {What: engine.Lit("bindings")}}}, []string{
			"unknown members not read, so failing checks may be missing: no",
		}, 1},
	} {
		var got []string
		for _, c := range tt.plan.Checks() {
			state := map[engine.CheckState]string{engine.CheckPassed: "passed", engine.CheckFailed: "failed", engine.CheckWarning: "warning", engine.CheckUnknown: "unknown"}[c.State]
			got = append(got, fmt.Sprintf("%s %s", state, c.What))
		}
		if len(got) != tt.of || !slices.Equal(got[:min(len(got), len(tt.want))], tt.want) {
			t.Errorf("%s: %d checks: %q", tt.name, len(got), got)
		}
	}
}

// A run that is started, resumed or approved has the checks of what it will fail for and
// of what it deletes, and none when nothing speaks against it.
func TestRunChecks(t *testing.T) {
	text := func(p Plan) string {
		var out []engine.Text
		for _, c := range p.RunChecks() {
			out = append(out, engine.Textf("%d %s", c.State, c.What))
		}
		return engine.Join(out, "\n").String()
	}
	if got := text(Plan{Initialized: true}); got != "" {
		t.Errorf("nothing to check: %q", got)
	}
	deletes := Plan{Initialized: true, Warnings: []engine.Text{engine.Lit("placement web is being deleted")}, Deletions: []engine.Text{engine.Lit("old-1"), engine.Lit("old-2")}}
	got := text(deletes)
	for _, want := range []string{"placement web is being deleted", "after the last stage, the run deletes the resources from 2 clusters: old-1 and old-2"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	deletes.Refusals = []Refusal{{Message: engine.Lit("the number of clusters has changed"), Final: true}}
	if got := text(deletes); !strings.Contains(got, "the run fails: the number of clusters has changed") || !strings.Contains(got, "old-1") {
		t.Errorf("a refusal: %q", got)
	}
	deletes.Initialized = false
	if got := text(deletes); !strings.Contains(got, "the run fails initialization: ") {
		t.Errorf("before initialization: %q", got)
	}
}

// The effect of an act on a run that the controller does not continue replaces that of
// the act; only a final failure makes a resume impossible.
func TestEffectOfARejectedRun(t *testing.T) {
	for _, tt := range []struct {
		initialized, final bool
		want               string
	}{
		{true, true, "The run fails at the controller's next check: no cluster is started."},
		{true, false, "The run does not continue until the failed check passes: no cluster is started."},
		{false, true, "The run fails initialization: no cluster is started."},
		{false, false, "The controller retries initialization until the failed check passes: no cluster is started."},
	} {
		p := Plan{Initialized: tt.initialized, Refusals: []Refusal{{Message: engine.Lit("no"), Final: tt.final}}}
		if got := p.Effect().String(); got != tt.want || p.Fails() != tt.final {
			t.Errorf("initialized %v, final %v: %q, fails %v", tt.initialized, tt.final, got, p.Fails())
		}
	}
	if p := (Plan{Initialized: true}); !p.Effect().IsZero() || p.Fails() {
		t.Errorf("nothing fails: %q", p.Effect())
	}
}

// A run that is created in state Initialize starts nothing before a person starts it.
func TestBeginsOfARunThatWaits(t *testing.T) {
	p := Plan{Stages: []Stage{{Name: engine.Lit("canary"), AtOnce: 1, Clusters: []Cluster{{Name: engine.Lit("a")}}}}}
	for state, want := range map[string]string{
		"Run": "it starts with a in stage canary", "": "it starts with a in stage canary",
		"Initialize": "when started, it begins with a in stage canary",
	} {
		if p.State = engine.Clean(state); p.Begins().String() != want {
			t.Errorf("state %q: %q, want %q", state, p.Begins(), want)
		}
	}
}

// TestDeletionsThatAreDoneAreNotAnnounced checks the warnings of a run that is resumed after
// its deletions.
func TestDeletionsThatAreDoneAreNotAnnounced(t *testing.T) {
	for deleted, warned := range []int{1, 0} {
		p := Plan{Initialized: true, Deletions: []engine.Text{engine.Lit("a")}, Deleted: deleted}
		if got := p.RunChecks(); len(got) != warned {
			t.Errorf("%d of 1 deleted: %v", deleted, got)
		}
	}
}
