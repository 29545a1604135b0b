package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/job"
)

const twoContexts = `apiVersion: v1
kind: Config
current-context: prod
contexts:
- name: prod
  context: {cluster: prod, user: oncall, namespace: shop}
- name: test
  context: {cluster: test, user: me}
clusters:
- name: prod
  cluster: {server: "https://prod.example:6443"}
- name: test
  cluster: {server: "https://test.example:6443"}
users:
- name: oncall
  user: {token: sEcReT-canary}
- name: me
  user: {token: sEcReT-canary}
`

// withKubeconfig makes a kubeconfig the one that is found without any flag.
func withKubeconfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", path)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	return path
}

func TestExitCodesOfTheCommandLine(t *testing.T) {
	cases := []struct {
		name   string
		config string
		args   []string
		code   int
		says   string
	}{
		{name: "help", config: twoContexts, args: []string{"--help"}, code: exit.OK},
		{name: "version", config: twoContexts, args: []string{"--version"}, code: exit.OK},
		{name: "unknown flag", config: twoContexts, args: []string{"--nope"}, code: exit.Usage, says: "unknown flag"},
		{name: "unknown profile", config: twoContexts, args: []string{"version", "--client", "--profile", "disk=x"}, code: exit.Usage, says: `invalid --profile "disk=x"`},
		{name: "two runs", config: twoContexts, args: []string{"a", "b"}, code: exit.Usage, says: "accepts at most 1 argument, got 2"},
		{name: "help for an unknown command", config: twoContexts, args: []string{"help", "explan"}, code: exit.Usage, says: `unknown command "explan"`},
		{name: "help for an unknown command after a flag", config: twoContexts, args: []string{"--kubeconfig", "F", "help", "explan"}, code: exit.Usage, says: `unknown command "explan"`},
		{name: "help for an unknown command after a switch", config: twoContexts, args: []string{"--read-only", "help", "explan"}, code: exit.Usage, says: `unknown command "explan"`},
		{name: "completion of an unknown shell after a flag", config: twoContexts, args: []string{"--kubeconfig", "F", "completion", "bashh"}, code: exit.Usage, says: `unknown shell "bashh"`},
		{name: "help for two commands", config: twoContexts, args: []string{"help", "explain", "x"}, code: exit.Usage, says: "accepts at most 1 argument, got 2"},
		{name: "help for a command", config: twoContexts, args: []string{"help", "explain"}, code: exit.OK},
		{name: "completion for an unknown shell", config: twoContexts, args: []string{"completion", "csh"}, code: exit.Usage, says: `unknown shell "csh"`},
		{name: "completion without a shell", config: twoContexts, args: []string{"completion"}, code: exit.Usage, says: "accepts 1 argument, got 0"},
		{name: "completion", config: twoContexts, args: []string{"completion", "bash"}, code: exit.OK},
		{name: "stuck threshold of a plan", config: twoContexts, args: []string{"plan", "r", "--stuck-after", "0s"}, code: exit.Usage, says: "--stuck-after must be positive"},
		{name: "stuck threshold of an act", config: twoContexts, args: []string{"stop", "r", "--stuck-after", "0s"}, code: exit.Usage, says: "--stuck-after must be positive"},
		{name: "slashes", config: twoContexts, args: []string{"a/b/c"}, code: exit.Usage, says: "invalid run"},
		{name: "empty namespace", config: twoContexts, args: []string{"/b"}, code: exit.Usage, says: "invalid run"},
		{name: "other namespace", config: twoContexts, args: []string{"-n", "x", "a/b"}, code: exit.Usage, says: "is not in namespace"},
		{name: "output", config: twoContexts, args: []string{"-o", "xml"}, code: exit.Usage, says: "--output"},
		{name: "output of get", config: twoContexts, args: []string{"get", "-o", "ymal"}, code: exit.Usage, says: `invalid --output "ymal"`},
		{name: "template of get", config: twoContexts, args: []string{"get", "-o", "jsonpath={.runs[*"}, code: exit.Usage, says: `invalid JSONPath "{.runs[*"`},
		{name: "empty template of get", config: twoContexts, args: []string{"get", "-o", "jsonpath="}, code: exit.Usage, says: "the template is empty"},
		{name: "selector of get", config: twoContexts, args: []string{"get", "-l", "a=(b"}, code: exit.Usage, says: `invalid label selector "a=(b"`},
		{name: "label column of get", config: twoContexts, args: []string{"get", "-L", ""}, code: exit.Usage, says: "a label of --label-columns is empty"},
		{name: "label columns of get", config: twoContexts, args: []string{"get", "-L", "team, "}, code: exit.Usage, says: "a label of --label-columns is empty"},
		{name: "field selector of get", config: twoContexts, args: []string{"get", "--field-selector", "name"}, code: exit.Usage, says: `invalid field selector "name"`},
		{name: "column of get", config: twoContexts, args: []string{"get", "--sort-by", "plcement"}, code: exit.Usage, says: `unknown column "plcement"`},
		{name: "second RUN of get", config: twoContexts, args: []string{"get", "a", "b/c/d"}, code: exit.Usage, says: "invalid run"},
		{name: "watch of get", config: twoContexts, args: []string{"get", "-w", "-o", "yaml"}, code: exit.Usage, says: `invalid --output "yaml" for --watch`},
		{name: "colour", config: twoContexts, args: []string{"--color", "red"}, code: exit.Usage, says: "--color"},
		{name: "stuck after nothing", config: twoContexts, args: []string{"--stuck-after", "0s"}, code: exit.Usage, says: "--stuck-after"},
		{name: "request timeout", config: twoContexts, args: []string{"--request-timeout", "soon"}, code: exit.Usage, says: "--request-timeout"},
		{name: "no kubeconfig", config: "", args: nil, code: exit.Usage, says: "is empty: it has no clusters and no contexts"},
		{name: "a context of an empty kubeconfig", config: "", args: []string{"--context", "prod"}, code: exit.Usage, says: "is empty: it has no clusters and no contexts"},
		{name: "contexts of an empty kubeconfig", config: "", args: []string{"--context", "prod,test"}, code: exit.Usage, says: "is empty: it has no clusters and no contexts"},
		{name: "a pattern for an empty kubeconfig", config: "", args: []string{"--all-contexts=p*"}, code: exit.Usage, says: "is empty: it has no clusters and no contexts"},
		{name: "kubeconfig missing", config: twoContexts, args: []string{"--kubeconfig", "/nowhere/config"}, code: exit.Usage, says: "does not exist"},
		{name: "kubeconfig broken", config: "clusters: {", args: nil, code: exit.Usage, says: "is not valid"},
		{name: "no current context", config: strings.Replace(twoContexts, "current-context: prod\n", "", 1), code: exit.Usage, says: "has no current context"},
		{name: "context without a cluster", config: strings.Replace(twoContexts, "{cluster: prod, user: oncall, namespace: shop}", "{user: oncall}", 1), code: exit.Usage, says: `context "prod" names no cluster`},
		{name: "cluster missing", config: strings.Replace(twoContexts, "{cluster: prod, user", "{cluster: gone, user", 1), code: exit.Usage, says: `names cluster "gone", which`},
		{name: "user missing", config: strings.Replace(twoContexts, "user: oncall, name", "user: gone, name", 1), code: exit.Usage, says: `names user "gone", which`},
		{name: "a verb of kubectl", config: twoContexts, args: []string{"describe", "runs"}, code: exit.Usage, says: `unknown command "describe"`},
		{name: "an unknown command of a command", config: twoContexts, args: []string{"config", "frobnicate"}, code: exit.Usage, says: `unknown command "frobnicate" for "stagewatch config"`},
		{name: "a mistyped command", config: twoContexts, args: []string{"explan", "web"}, code: exit.Usage, says: `unknown command "explan"`},
		{name: "a RUN too many", config: twoContexts, args: []string{"explain", "a", "b"}, code: exit.Usage, says: "accepts 1 argument, got 2"},
		{name: "context missing", config: twoContexts, args: []string{"--context", "pord"}, code: exit.NotFound, says: "no context"},
		{name: "a pattern without =", config: twoContexts, args: []string{"get", "--all-contexts", "prod-*"}, code: exit.Usage, says: `invalid RUN "prod-*"`},
		{name: "all bindings of a RUN", config: twoContexts, args: []string{"owners", "--all", "web"}, code: exit.Usage, says: "--all takes no RUN"},
		{name: "negative grace", config: twoContexts, args: []string{"wait", "web", "--grace", "-1s"}, code: exit.Usage, says: "--timeout and --grace must not be negative"},
		{name: "log file", config: twoContexts, args: []string{"--log-file", "/nowhere/log"}, code: exit.Usage, says: "log file"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			withKubeconfig(t, c.config)
			var out, errs bytes.Buffer
			if code := Main(c.args, strings.NewReader(""), &out, &errs); code != c.code {
				t.Errorf("exit code %d, want %d; stderr %s", code, c.code, errs.String())
			}
			if c.code == exit.OK {
				if errs.Len() > 0 {
					t.Errorf("stderr: %s", errs.String())
				}
				return
			}
			lines := strings.Split(strings.TrimSuffix(errs.String(), "\n"), "\n")
			if len(lines) != 2 || !strings.HasPrefix(lines[0], "error: ") || !strings.HasPrefix(lines[1], "hint: ") && !strings.HasPrefix(lines[1], "usage: stagewatch ") {
				t.Fatalf("want one line and a hint, got:\n%s", errs.String())
			}
			if !strings.Contains(lines[0], c.says) {
				t.Errorf("says %q, want %q in it", lines[0], c.says)
			}
			if strings.Contains(errs.String(), "canary") {
				t.Error("a secret is on stderr")
			}
		})
	}
}

// parse runs the flags of a command line as far as the job.
func parse(t *testing.T, args ...string) *job.Job {
	t.Helper()
	var o job.Options
	cmd := newCommand(&terminal{})
	cmd.ResetFlags()
	bindRoot(&o, cmd.Flags())
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	o.NamespaceGiven = cmd.Flags().Changed("namespace")
	j, err := o.Job(cmd.Flags().Args())
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestScope(t *testing.T) {
	type want struct {
		namespace, fallback string
		clusterRuns         bool
		run                 string
	}
	cases := []struct {
		name string
		args []string
		want want
	}{
		{name: "default is everything", want: want{fallback: "shop", clusterRuns: true}},
		{name: "one namespace keeps cluster runs", args: []string{"-n", "web"}, want: want{namespace: "web", fallback: "web", clusterRuns: true}},
		{name: "one namespace only", args: []string{"-n", "web", "--namespaced-only"}, want: want{namespace: "web", fallback: "web"}},
		{name: "all namespaces only", args: []string{"--namespaced-only"}, want: want{fallback: "shop"}},
		{name: "all wins", args: []string{"-n", "web", "-A"}, want: want{fallback: "web", clusterRuns: true}},
		{name: "other context", args: []string{"--context", "test"}, want: want{fallback: "default", clusterRuns: true}},
		{name: "cluster run", args: []string{"r1"}, want: want{fallback: "shop", clusterRuns: true, run: "r1"}},
		{name: "run with namespace", args: []string{"web/r1"}, want: want{fallback: "web", clusterRuns: true, run: "web/r1"}},
		{name: "run, one namespace only", args: []string{"-n", "web", "--namespaced-only", "r1"}, want: want{namespace: "web", fallback: "web", run: "web/r1"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			withKubeconfig(t, twoContexts)
			j := parse(t, c.args...)
			got := want{j.Namespace, j.Fallback, j.Settings.ClusterRuns, strings.TrimPrefix(j.Run.Namespace()+"/"+j.Run.Raw(), "/")}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if !j.Settings.NamespacedRuns {
				t.Error("namespaced runs are not asked for")
			}
		})
	}
}

func TestConnection(t *testing.T) {
	withKubeconfig(t, twoContexts)
	t.Run("the request timeout never reaches the client", func(t *testing.T) {
		j := parse(t, "--request-timeout", "17s")
		if j.Conn.REST.Timeout != 0 || j.Conn.Timeout != 17*time.Second {
			t.Errorf("client %s, command %s", j.Conn.REST.Timeout, j.Conn.Timeout)
		}
		if j := parse(t, "--request-timeout", "0"); j.Conn.Timeout != 0 {
			t.Errorf("0 means no limit, got %s", j.Conn.Timeout)
		}
	})
	t.Run("kubectl's flags win over the file", func(t *testing.T) {
		j := parse(t, "--server", "https://other.example", "--user", "me", "--token", "x", "--as", "eve")
		if j.Conn.REST.Host != "https://other.example" || j.Conn.User != "me" || j.Conn.REST.Impersonate.UserName != "eve" {
			t.Errorf("host %s, user %s, as %s", j.Conn.REST.Host, j.Conn.User, j.Conn.REST.Impersonate.UserName)
		}
	})
	t.Run("names for the screen", func(t *testing.T) {
		j := parse(t)
		if j.Conn.Context != "prod" || j.Conn.User != "oncall" || j.Conn.Namespace != "shop" {
			t.Errorf("context %s, user %s, namespace %s", j.Conn.Context, j.Conn.User, j.Conn.Namespace)
		}
	})
	t.Run("a list of files", func(t *testing.T) {
		t.Setenv("KUBECONFIG", "/nowhere/config"+string(os.PathListSeparator)+os.Getenv("KUBECONFIG"))
		if j := parse(t); j.Conn.Context != "prod" {
			t.Errorf("context %q", j.Conn.Context)
		}
	})
}

func TestReadOnlyIsASetting(t *testing.T) {
	withKubeconfig(t, twoContexts)
	if j := parse(t); !j.Settings.ReadOnly.IsZero() || j.Settings.StuckAfter != 5*time.Minute {
		t.Errorf("settings %+v", j.Settings)
	}
	if j := parse(t, "--read-only", "--stuck-after", "20s"); j.Settings.ReadOnly.IsZero() || j.Settings.StuckAfter != 20*time.Second {
		t.Errorf("settings %+v", j.Settings)
	}
}

func TestCompletionKnowsContextsAndValues(t *testing.T) {
	withKubeconfig(t, twoContexts)
	for args, want := range map[string][]string{
		"__complete --context ":  {"prod", "test"},
		"__complete --context p": {"prod"},
		"__complete --output ":   {"table", "wide", "json", "name"},
		"__complete --color a":   {"auto", "always"},
	} {
		var out, errs bytes.Buffer
		if code := Main(strings.Split(args, " "), strings.NewReader(""), &out, &errs); code != exit.OK {
			t.Fatalf("%s: exit code %d, %s", args, code, errs.String())
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w+"\n") {
				t.Errorf("%s: got %q, want %s in it", args, out.String(), w)
			}
		}
	}
}

// TestHelpListsConnectionFlagsApart reads the help of every command: each flag stands in one
// section, and those of everyday use among the command's own.
func TestHelpListsConnectionFlagsApart(t *testing.T) {
	help := func(args ...string) string {
		var out, errs strings.Builder
		if code := Main(append(args, "--help"), strings.NewReader(""), &out, &errs); code != exit.OK || errs.Len() > 0 {
			t.Fatalf("%s --help: exit code %d, %s", args, code, errs.String())
		}
		return out.String()
	}
	for _, cmd := range Command().Commands() {
		text := help(cmd.Name())
		own, apart, found := strings.Cut(text, "\nConnection flags:\n")
		if cmd.Flags().Lookup("token") == nil || cmd.Flags().Lookup("token").Hidden {
			if found {
				t.Errorf("%s has no connection, and its help has connection flags", cmd.Name())
			}
			continue
		}
		for _, flag := range []string{"--context ", "--namespace ", "--kubeconfig ", "--log-file "} {
			if strings.Count(own, "  "+flag)+strings.Count(own, " -n, "+flag) != 1 || strings.Contains(apart, flag) {
				t.Errorf("%s: %q is not once among the flags of the command, and only there:\n%s", cmd.Name(), flag, text)
			}
		}
		for _, flag := range []string{" --token ", " --server ", " --as-group ", " --cluster "} {
			if strings.Count(apart, flag) != 1 || strings.Contains(own, flag) {
				t.Errorf("%s: %q is not once among the connection flags, and only there:\n%s", cmd.Name(), flag, text)
			}
		}
	}
	root := help()
	look, act, other := strings.Index(root, "\nLook:\n"), strings.Index(root, "\nAct:\n"), strings.Index(root, "\nAdditional Commands:\n")
	if approve := strings.Index(root, "\n  approve "); look < 0 || act < look || approve < act || other < approve || !strings.Contains(root[look:act], "\n  explain ") {
		t.Errorf("the commands are not listed by what they are for:\n%s", root)
	}
}

// TestMistypedFlagIsSuggested names the nearest flag of the command.
func TestMistypedFlagIsSuggested(t *testing.T) {
	for args, want := range map[string]string{
		"get --contxt x":      "error: unknown flag: --contxt\nhint: did you mean \"--context\"? stagewatch get --help lists all flags\n",
		"approve --dryrun":    "hint: did you mean \"--dry-run\"? stagewatch approve --help lists all flags\n",
		"get --fr":            "error: unknown flag: --fr\nhint: stagewatch get --help lists all flags\n",
		"--sort-by age":       "hint: did you mean \"stagewatch get --sort-by\"? stagewatch --help lists all flags\n",
		"explain --watch-now": "error: unknown flag: --watch-now\nhint: stagewatch explain --help lists all flags\n",
	} {
		var errs strings.Builder
		if code := Main(strings.Split(args, " "), strings.NewReader(""), &strings.Builder{}, &errs); code != exit.Usage || !strings.HasSuffix(errs.String(), want) {
			t.Errorf("%s: exit code %d, %q, want %q", args, code, errs.String(), want)
		}
	}
}

// TestInvalidConfiguration ends with the code of a usage error and names the keys.
func TestInvalidConfiguration(t *testing.T) {
	withKubeconfig(t, twoContexts)
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	path := filepath.Join(dir, program, "config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("writable: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	if code := Main([]string{"-o", "json"}, strings.NewReader(""), &strings.Builder{}, &errs); code != exit.Usage {
		t.Errorf("exit code %d, want %d", code, exit.Usage)
	}
	for _, want := range []string{"error: invalid configuration " + path + ": unknown key \"writable\" in line 1: use contexts, hubs, ", "hint: stagewatch config validate lists all errors"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("no %q in:\n%s", want, &errs)
		}
	}
}

// A command that ends well or with an error completes its profiles.
func TestProfileOfACommand(t *testing.T) {
	withKubeconfig(t, twoContexts)
	for file, args := range map[string][]string{"well": {"version", "--client"}, "error": {"version", "--client", "-o", "nope"}} {
		path := filepath.Join(t.TempDir(), file)
		var out, errs strings.Builder
		code := Main(append(args, "--profile", "heap="+path), strings.NewReader(""), &out, &errs)
		if (code == exit.OK) != (file == "well") {
			t.Errorf("%s: code %d, %s", file, code, errs.String())
		}
		if got, err := os.ReadFile(path); err != nil || len(got) == 0 {
			t.Errorf("%s: a profile of %d bytes, %v", file, len(got), err)
		}
	}
}
