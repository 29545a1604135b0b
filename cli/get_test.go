//go:build linux || darwin

package cli_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/stagewatch/stagewatch/cli/exit"
)

// TestGet prints the runs of the tour in every form of get.
func TestGet(t *testing.T) {
	t.Parallel()
	env := append(os.Environ(), "KUBECONFIG="+tour(t).kubeconfig, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	run := func(args ...string) (string, string, int) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), stagewatch(t), args...)
		cmd.Env = env
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			t.Fatal(err)
		}
		return string(out), errs.String(), cmd.ProcessState.ExitCode()
	}
	get := func(args ...string) string {
		t.Helper()
		out, errs, code := run(append([]string{"get"}, args...)...)
		if code != exit.OK {
			t.Fatalf("get %q: exit code %d, %s", args, code, errs)
		}
		return out
	}
	lines := func(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

	// Other runs come and go on this hub.
	const ofCluster, ofNamespace = "clusterstagedupdaterun.placement.kubernetes-fleet.io/", "stagedupdaterun.placement.kubernetes-fleet.io/"
	names := []string{ofCluster + "payments-api-r18", ofNamespace + "team-payments/payouts-r21", ofCluster + "search-r12"}
	all := lines(get("-o", "name"))
	for _, name := range all {
		if !strings.HasPrefix(name, ofCluster) && !strings.HasPrefix(name, ofNamespace) {
			t.Errorf("name %q, want that of kubectl", name)
		}
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			t.Errorf("no %s in %q", name, all)
		}
		if out := get("-o", "jsonpath={.runs[*].name}", name); !strings.HasSuffix(name, "/"+out) {
			t.Errorf("get %s returns %s", name, out)
		}
	}
	sorted := func(s []string) []string { return slices.Sorted(slices.Values(s)) }
	// What is printed before and after has to be the same.
	for {
		before := sorted(lines(get("-o", "name")))
		old, _, _ := run("-o", "name")
		if after := sorted(lines(get("-o", "name"))); !slices.Equal(before, after) {
			continue
		}
		if !slices.Equal(sorted(lines(old)), before) {
			t.Errorf("stagewatch -o name prints %q, get -o name %q", lines(old), before)
		}
		break
	}
	// Two RUNs, each once, in the order of the arguments.
	two := []string{names[2], names[0]}
	if got := lines(get("-o", "name", two[0], two[1], two[0])); !slices.Equal(got, two) {
		t.Errorf("get %q: %q", two, got)
	}
	if _, errs, code := run("get", names[0], "nope-r1"); code != exit.NotFound || !strings.Contains(errs, `run "nope-r1" not found`) {
		t.Errorf("a RUN that does not exist: exit code %d, %s", code, errs)
	}
	// A kind alone is the list of its runs, as in kubectl.
	for _, tt := range []struct {
		kinds               string
		cluster, namespaced bool
	}{{"csur", true, false}, {"stagedupdateruns", false, true}, {"csur,sur", true, true}} {
		got := lines(get(tt.kinds, "-o", "name"))
		of := func(kind string) bool {
			return slices.ContainsFunc(got, func(name string) bool { return strings.HasPrefix(name, kind) })
		}
		if of(ofCluster) != tt.cluster || of(ofNamespace) != tt.namespaced {
			t.Errorf("get %s: %q", tt.kinds, got)
		}
	}
	if out, errs, code := run("get", "csur", "-n", "nowhere", "-o", "name"); code != exit.OK || !strings.Contains(out, ofCluster) {
		t.Errorf("get csur of a namespace that does not exist: exit code %d, %s", code, errs)
	}
	for _, tt := range [][2]string{{"csur,sur", "error: csur,sur includes cluster runs, and --namespaced-only excludes them"}, {"csur,pods", `error: run "csur,pods" not found in any namespace`}} {
		if _, errs, code := run("get", "--namespaced-only", tt[0]); code == exit.OK || !strings.Contains(errs, tt[1]) {
			t.Errorf("get --namespaced-only %s: exit code %d, %s", tt[0], code, errs)
		}
	}
	// YAML has the keys of JSON, JSONPath reads them, JSON lines are the runs.
	type document struct {
		Runs []struct{ Kind, Namespace, Name, State, Placement string }
	}
	var fromYAML document
	if err := yaml.UnmarshalStrict([]byte(get(two[0], "-o", "yaml")), &map[string]any{}); err != nil {
		t.Error(err)
	}
	if err := yaml.Unmarshal([]byte(get(two[0], two[1], "-o", "yaml")), &fromYAML); err != nil || len(fromYAML.Runs) != 2 || fromYAML.Runs[0].State == "" {
		t.Errorf("yaml: %+v, %v", fromYAML, err)
	}
	for _, template := range []string{`{range .runs[*]}{.kind}/{.name}{"\n"}{end}`, `{range .runs[*]}{.kind}/{.name}{.nothing}{"\n"}{end}`} {
		want := []string{fromYAML.Runs[0].Kind + "/" + fromYAML.Runs[0].Name, fromYAML.Runs[1].Kind + "/" + fromYAML.Runs[1].Name}
		if got := lines(get(two[0], two[1], "-o", "jsonpath="+template)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", template, got, want)
		}
	}
	if got := get(two[0], "-o", "jsonpath=.runs[0].name"); got != fromYAML.Runs[0].Name {
		t.Errorf("a path without braces: %q", got)
	}
	for _, line := range lines(get(two[0], two[1], "-o", "jsonl")) {
		var r struct{ Name, State string }
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Name == "" || r.State == "" {
			t.Errorf("%s: %+v, %v", line, r, err)
		}
	}
	// Labels are columns behind the others, in a plain and in a wide table.
	for _, form := range []string{"table", "wide"} {
		plain, labelled := lines(get("-o", form))[0], lines(get("-o", form, "-L", "nobody,example.com/tier", "--sort-by", "tier"))
		if got := strings.Fields(labelled[0]); !slices.Equal(got, append(strings.Fields(plain), "NOBODY", "TIER")) || !strings.HasSuffix(labelled[1], " -") {
			t.Errorf("%s with labels: %q, %q", form, got, labelled[1])
		}
	}
	if got := get("-o", "markdown", "-L", "example.com/tier"); !strings.Contains(got, "| TIER |\n") {
		t.Errorf("markdown with a label: %q", got)
	}
	// The API server selects; what it cannot select is wrong usage.
	one := fromYAML.Runs[0].Name
	if got := get("--field-selector", "metadata.name="+one, "-o", "jsonpath={.runs[*].name}"); !slices.Contains(strings.Fields(got), one) || strings.Contains(got, fromYAML.Runs[1].Name) {
		t.Errorf("field selector: %q", got)
	}
	if out, errs, code := run("get", "-l", "nobody=has-it"); code != exit.OK || len(lines(out)) != 1 || !strings.HasSuffix(errs, "note: no run matches the selector\n") {
		t.Errorf("a label that no run has: %q, %q", out, errs)
	}
	if _, errs, code := run("get", "-l", "nobody=has-it", "-o", "json"); code != exit.OK || strings.Contains(errs, "note: no run") {
		t.Errorf("a document that says it itself: %q", errs)
	}
	if _, errs, code := run("get", "--field-selector", "spec.state=Run"); code != exit.Usage || !strings.Contains(errs, "spec.state") || !strings.Contains(errs, "metadata.name, metadata.namespace") {
		t.Errorf("a field that cannot be selected: exit code %d, %s", code, errs)
	}
	lastFirst := func(a, b string) int { return strings.Compare(b, a) }
	// Runs come and go on this hub: what two commands print is compared by the name of the run.
	strategies, printed := []string{}, map[string][]string{}
	for _, line := range lines(get("--sort-by", "-strategy", "-o", `jsonpath={range .runs[*]}{.name}={.strategy}{"\n"}{end}`)) {
		name, strategy, _ := strings.Cut(line, "=")
		strategies, printed[name] = append(strategies, strategy), append(printed[name], strategy)
	}
	if len(slices.Compact(slices.Clone(strategies))) < 2 || !slices.IsSortedFunc(strategies, lastFirst) {
		t.Errorf("sorted by strategy, the last first: %q", strategies)
	}
	// --context takes the alias of a context; JSON has its name.
	env = append(env, "STAGEWATCH_CONTEXTS={stagewatch-demo: {alias: here}}")
	if got := get(two[0], "--context", "here", "-o", "jsonpath={.runs[0].hub}"); got != "stagewatch-demo" {
		t.Errorf("by its alias: %q", got)
	}
	if _, errs, code := run("get", "--context", "hree"); code != exit.NotFound || !strings.Contains(errs, `hint: did you mean "here"? contexts: `) {
		t.Errorf("a misspelt alias: exit code %d, %s", code, errs)
	}
	// Columns that the configuration chooses; what an object does not have is "-".
	env = append(env, `STAGEWATCH_COLUMNS=[run, "jsonpath:Wants:.spec.state", "jsonpath:None:.spec.none", "jsonpath:Uses:.spec.stagedRolloutStrategyName"]`)
	table := lines(get("--sort-by", "-uses"))
	if heads := strings.Fields(table[0]); !slices.Equal(heads, []string{"RUN", "WANTS", "NONE", "USES"}) {
		t.Errorf("heads %q", heads)
	}
	var uses []string
	compared := 0
	for _, row := range table[1:] {
		cells := strings.Fields(row)
		if len(cells) != 4 || cells[2] != "-" {
			t.Errorf("row %q", row)
			continue
		}
		if cells[3] != "-" {
			uses = append(uses, cells[3])
		}
		if of, ok := printed[cells[0]]; ok {
			if compared++; !slices.Contains(of, strings.TrimPrefix(cells[3], "-")) {
				t.Errorf("row %q, strategy %q", row, of)
			}
		}
	}
	if compared < 3 || !slices.IsSortedFunc(uses, lastFirst) {
		t.Errorf("%d runs compared, strategies %q, want the last first", compared, uses)
	}
	if wide := strings.Fields(lines(get("-o", "wide"))[0]); !slices.Equal(wide[:4], []string{"RUN", "WANTS", "NONE", "USES"}) || !slices.Contains(wide, "STRATEGY") {
		t.Errorf("wide heads %q", wide)
	}
	if _, errs, code := run("get", "--sort-by", "uzes"); code != exit.Usage || !strings.Contains(errs, `did you mean "uses"?`) {
		t.Errorf("an unknown column: exit code %d, %s", code, errs)
	}
}
