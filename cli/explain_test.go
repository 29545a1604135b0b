package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/watch"
)

// explained is a stuck run whose texts try to become something else.
func explained() *watch.Explained {
	s := sample()
	at := s.At.Add(-14 * time.Minute)
	v := *s.Runs[0]
	v.Why = engine.Diagnosis{
		Cause: "workload-not-ready", Recovery: engine.RecoveryOnMember, What: engine.Lit("member2 in stage prod has not finished."),
		RecoveryText: engine.Lit("Yes, on the member."), Quote: engine.Clean("<b>*bold*</b> | [link](https://evil.example) \x1b[31m www.evil.example"),
		Steps:    []engine.Text{engine.Lit("Look at the pods."), engine.Lit("Fix the member.")},
		Path:     []engine.Hop{{Level: engine.Lit("run"), Name: engine.Lit("web-r4"), State: engine.Lit("STUCK"), Since: at}},
		Evidence: []engine.Evidence{{Object: engine.Lit("ClusterResourceBinding b"), Field: engine.Lit("status.conditions[Available]"), Value: engine.Lit("False"), Since: at}},
		Commands: []engine.Text{engine.Lit("kubectl get pods"), engine.Lit("echo '```' # a fence")},
	}
	detail := &engine.Detail{Run: &v, Bindings: engine.Coverage{State: engine.CoverForbidden, Why: engine.Lit("no right")}, Clusters: make([][]engine.ClusterView, len(v.Stages))}
	detail.Clusters[1] = []engine.ClusterView{{
		Name: engine.Lit("member2"), State: engine.ClusterStuck, Started: at, Why: engine.Lit("not ready"),
		Diagnosis: engine.Diagnosis{Cause: "workload-not-ready", What: engine.Lit("not ready")},
	}}
	s.Runs[0] = &v
	return &watch.Explained{Snapshot: s, Run: &v, Detail: detail, Plan: plan.Plan{
		Refusals: []plan.Refusal{{Message: engine.Lit("a refusal"), Final: true}},
	}}
}

func TestExplain(t *testing.T) {
	for output, file := range map[string]string{output.Text: "explain.txt", output.Markdown: "explain.md", output.JSON: "explain.json"} {
		t.Run(output, func(t *testing.T) {
			var b bytes.Buffer
			if err := writeExplained(&b, explained(), output); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(b.String(), "\x1b\r") {
				t.Errorf("steers the terminal: %q", b.String())
			}
			golden(t, file, b.String())
		})
	}
}

func TestExplainJSONReadsBack(t *testing.T) {
	var b bytes.Buffer
	if err := writeExplained(&b, explained(), output.JSON); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Run struct {
			State, Cause, Recovery string
			Commands               []string
		}
		Clusters []struct{ Name, Stage, Cause string }
		Missing  []struct{ Resource string }
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Run.State != "stuck" || got.Run.Cause != "workload-not-ready" || got.Run.Recovery != "member-fix" || len(got.Run.Commands) != 2 {
		t.Errorf("run: %+v", got.Run)
	}
	if len(got.Clusters) != 1 || got.Clusters[0].Name != "member2" || got.Clusters[0].Stage != "prod" {
		t.Errorf("clusters: %+v", got.Clusters)
	}
	if len(got.Missing) != 1 || got.Missing[0].Resource != "bindings" {
		t.Errorf("missing: %+v", got.Missing)
	}
}

func TestEscaped(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"web-r4 is fine: 3/4", "web-r4 is fine: 3/4"},
		{"- a list", `\- a list`},
		{"1. a number", `1\. a number`},
		{"# a heading", `\# a heading`},
		{"<img src=x>", `\<img src=x\>`},
		{"a | b", `a \| b`},
		{"https://evil.example", `https\://evil.example`},
		{"see www.evil.example", `see www\.evil.example`},
		{"@team `code` [a](b)", "\\@team \\`code\\` \\[a\\](b)"},
	} {
		if got := output.Escaped(tt.in); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.in, got, tt.want)
		}
	}
}
