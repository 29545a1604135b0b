//go:build linux || darwin

package cli_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/stagewatch/stagewatch/cli/exit"
)

// twoHubs writes a kubeconfig with the contexts hub-tour and hub-incidents, and hub-dead
// and other-dead, where nothing answers.
func twoHubs(t *testing.T) string {
	t.Helper()
	var config struct {
		Contexts []map[string]any `json:"contexts"`
		Clusters []map[string]any `json:"clusters"`
		Users    []map[string]any `json:"users"`
	}
	out := map[string]any{"apiVersion": "v1", "kind": "Config", "current-context": "hub-tour"}
	var contexts, clusters, users []map[string]any
	for name, d := range map[string]*served{"tour": tour(t), "incidents": incidents(t)} {
		raw, err := os.ReadFile(d.kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(raw, &config); err != nil {
			t.Fatal(err)
		}
		for _, c := range config.Contexts {
			if c["name"] == "stagewatch-demo" {
				of := c["context"].(map[string]any)
				contexts = append(contexts, map[string]any{"name": "hub-" + name, "context": map[string]any{"cluster": name + of["cluster"].(string), "user": name + of["user"].(string)}})
			}
		}
		for _, l := range []struct{ from, to *[]map[string]any }{{&config.Clusters, &clusters}, {&config.Users, &users}} {
			for _, c := range *l.from {
				c = maps.Clone(c)
				c["name"] = name + c["name"].(string)
				*l.to = append(*l.to, c)
			}
		}
	}
	clusters = append(clusters, map[string]any{"name": "dead", "cluster": map[string]any{"server": deadAddress(t)}})
	contexts = append(contexts, map[string]any{"name": "hub-dead", "context": map[string]any{"cluster": "dead", "user": users[0]["name"]}})
	contexts = append(contexts, map[string]any{"name": "other-dead", "context": map[string]any{"cluster": "dead", "user": users[0]["name"]}})
	out["contexts"], out["clusters"], out["users"] = contexts, clusters, users
	raw, err := yaml.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSeveralHubsOnTheScreen checks that the runs of all hubs are in one list although one
// hub does not answer, that the header says so, and that a run is acted on at its hub.
func TestSeveralHubsOnTheScreen(t *testing.T) {
	t.Parallel()
	config := twoHubs(t)
	s := start(t, 138, 50, nil, stagewatch(t), "--kubeconfig", config, "--all-contexts=hub-*")
	s.see(`hub-dead RECONNECTING.*hub-incidents ● live.*hub-tour ● live`)
	s.see(`STUCK +hub-incidents `)
	s.see(`hub-dead: no data yet, writes are off`)
	s.keys("/hub:tour search-r12\r")
	s.see(`STUCK +hub-tour +search-r12`)
	s.keys("\r")
	s.see(`Runs › hub-tour › search-r12`)
	s.keys("S")
	s.see(`context +hub-tour +as `)
	s.see(`--context hub-tour patch `)
	s.see(`server dry run passed`)
	s.keys("\x1b")
	s.gone(`server dry run`)
	leave(t, s)
}

// TestOneOfSeveralHubs checks that :ctx leads from several hubs to the one that it names, also to
// the first of them.
func TestOneOfSeveralHubs(t *testing.T) {
	t.Parallel()
	s := start(t, 138, 50, nil, stagewatch(t), "--kubeconfig", twoHubs(t), "--context", "hub-tour,hub-incidents")
	s.see(`hub-tour ● live.*hub-incidents ● live|hub-incidents ● live.*hub-tour ● live`)
	s.keys(":ctx hub-tour\r")
	s.see(`hub-tour +admin .* live`)
	leave(t, s)
}

// TestSeveralHubsWithoutAScreen checks the commands that print: what they read of several
// hubs, what they say of one that does not answer, and on which hub a run is found.
func TestSeveralHubsWithoutAScreen(t *testing.T) {
	t.Parallel()
	config, bin := twoHubs(t), stagewatch(t)
	s := start(t, 138, 50, nil, bin, "--kubeconfig", config, "--context", "hub-incidents")
	s.see(`live +\d+s`)
	s.keys("/approval-before-stage-r2\r")
	s.see(`APPROVAL +approval-before-stage-r2`) // runs reach it some time after the hub has started
	leave(t, s)
	for _, tt := range []struct {
		name, args string
		code       int
		out, errs  string
	}{
		{"a table", "get --context hub-tour,hub-incidents", exit.OK, "HUB", ""},
		{"a run of one of them", "get --context hub-tour,hub-incidents search-r12", exit.OK, "hub-tour", ""},
		{"names", "get --context hub-tour,hub-incidents -o name", exit.OK, "search-r12", ""},
		{"one does not answer", "get --all-contexts=hub-*", exit.Unreachable, "search-r12", "hub hub-dead was not read: "},
		{"that is accepted", "get --all-contexts=hub-* --partial", exit.OK, "search-r12", "note: hub hub-dead was not read: "},
		{"none answers", "get --context hub-dead,hub-dead2", exit.NotFound, "", "no context \"hub-dead2\""},
		{"explain finds the hub", "explain --context hub-tour,hub-incidents search-r12", exit.OK, "search-r12", "--context hub-tour "},
		{"explain does not know", "explain --all-contexts=hub-* search-r12", exit.Unreachable, "", "hub hub-dead was not read"},
		{"stop does not know", "stop --all-contexts=hub-* search-r12 --dry-run", exit.Unreachable, "", "hint: name the run's hub with --context\n"},
		{"stop finds the hub", "stop --context hub-tour,hub-incidents search-r12 --dry-run", exit.OK, "note: search-r12 is on hub hub-tour", "context   hub-tour"},
		{"approvals of both", "approvals --context hub-tour,hub-incidents", exit.OK, "hub-incidents: OPEN ", ""},
		{"approvals, one does not answer", "approvals --all-contexts=hub-*", exit.Unreachable, "hub-dead: not read", "error: hub hub-dead was not read: "},
		{"that is accepted", "approvals --all-contexts=hub-* --partial -o json", exit.OK, `"hub": "hub-tour"`, "note: hub hub-dead was not read: "},
		{"none of two answers", "get --context hub-dead,other-dead --partial", exit.Unreachable, "", "error: hub hub-dead was not read: the hub is unreachable: "},
		{"nor the other", "get --context other-dead,hub-dead --partial", exit.Unreachable, "", "; hub hub-dead was not read: "},
		{"approvals, none answers", "approvals --all-contexts=hub-d*", exit.Unreachable, "", "error: "},
		{"in none", "explain --context hub-tour,hub-incidents nosuch", exit.NotFound, "", "not found"},
		{"plan of a new run", "plan --context hub-tour,hub-incidents --placement a --strategy b", exit.Usage, "", "this command supports only one hub"},
		{"two ways to name them", "get --context hub-tour --all-contexts", exit.Usage, "", "cannot be used together"},
		{"of one hub", "get --all-contexts=hub-* --server https://127.0.0.1:1", exit.Usage, "", "apply to one hub only"},
		{"no match", "get --all-contexts=nosuch*", exit.NotFound, "", "no context that matches"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			cmd := exec.CommandContext(t.Context(), bin, append([]string{"--kubeconfig", config}, strings.Fields(tt.args)...)...)
			words := strings.Fields(tt.args)
			cmd.Args = append([]string{bin, words[0], "--kubeconfig", config}, words[1:]...)
			cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
			cmd.Stdout, cmd.Stderr = &out, &errs
			_ = cmd.Run() // the code is checked
			if got := cmd.ProcessState.ExitCode(); got != tt.code || !strings.Contains(out.String(), tt.out) && !strings.Contains(errs.String(), tt.out) || !strings.Contains(out.String()+errs.String(), tt.errs) {
				t.Errorf("exit code %d, want %d\n%s\n%s", got, tt.code, out.String(), errs.String())
			}
		})
	}
}

// TestHubsOfTheConfiguration checks that the hubs of config.yaml are listed without a flag,
// that --context names one of them, and that JSON says of each run which hub has it and of
// a hub that was not read why.
func TestHubsOfTheConfiguration(t *testing.T) {
	t.Parallel()
	config, dir := twoHubs(t), t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "stagewatch"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "stagewatch", "config.yaml"), []byte("hubs: [hub-tour, 'hub-d*']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	kubeconfig := config // in the environment
	list := func(args ...string) (hubs map[string]int, complete bool, missing string) {
		cmd := exec.CommandContext(t.Context(), stagewatch(t), append([]string{"get", "-o", "json"}, args...)...)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+dir, "KUBECONFIG="+kubeconfig)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Complete bool
			Missing  []struct{ Hub, Reason string }
			Runs     []struct{ Hub string }
		}
		if err := json.Unmarshal(out, &d); err != nil {
			t.Fatal(err)
		}
		hubs = map[string]int{}
		for _, r := range d.Runs {
			hubs[r.Hub]++
		}
		for _, m := range d.Missing {
			if m.Hub == "hub-dead" {
				missing = m.Reason
			}
		}
		return hubs, d.Complete, missing
	}
	hubs, complete, missing := list("--partial")
	if hubs["hub-tour"] < 20 || len(hubs) != 1 || complete || !strings.Contains(missing, "unreachable") {
		t.Errorf("runs of %v, complete %v, missing: %q", hubs, complete, missing)
	}
	if hubs, _, _ := list("--context", "hub-incidents"); hubs["hub-incidents"] < 30 || len(hubs) != 1 {
		t.Errorf("with --context: runs of %v", hubs)
	}
	kubeconfig = filepath.Join(t.TempDir(), "none")
	if hubs, complete, missing := list("--partial", "--kubeconfig", config); hubs["hub-tour"] < 20 || len(hubs) != 1 || complete || !strings.Contains(missing, "unreachable") {
		t.Errorf("with --kubeconfig: runs of %v, complete %v, missing: %q", hubs, complete, missing)
	}
}
