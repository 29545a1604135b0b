package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/job"
)

// TestConfigCommand shows and checks a configuration without a hub.
func TestConfigCommand(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("STAGEWATCH_THEME", "mono")
	path := filepath.Join(dir, program, "config.yaml")
	run := func(args ...string) (code int, out, errs string) {
		var o, e strings.Builder
		code = Main(append([]string{"config"}, args...), strings.NewReader(""), &o, &e)
		return code, o.String(), e.String()
	}
	if code, out, errs := run("path"); code != exit.OK || out != path+"\n" || errs != "" {
		t.Errorf("path: %d, %q, %q", code, out, errs)
	}
	if code, _, errs := run("validate"); code != exit.OK || !strings.Contains(errs, "note: "+path+" does not exist") {
		t.Errorf("validate without a file: %d, %q", code, errs)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("mouse: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := run("validate"); code != exit.OK || out+errs != "" {
		t.Errorf("validate: %d, %q, %q", code, out, errs)
	}
	if code, out, errs := run("print"); code != exit.OK || !strings.Contains(out, "mouse: true # "+path+"\n") || !strings.Contains(out, "theme: mono # STAGEWATCH_THEME\n") {
		t.Errorf("print: %d, %q, %q", code, out, errs)
	}
	if code, out, errs := run("schema"); code != exit.OK || out != readFile(t, "../docs/config.schema.json") {
		t.Errorf("schema: %d, %q", code, errs)
	}
	wrong := filepath.Join(dir, "wrong.yaml")
	if err := os.WriteFile(wrong, []byte("mose: true\ntheme: drakula\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := run("validate", wrong)
	if want := "error: unknown key \"mose\" in line 1: did you mean \"mouse\"?\nerror: unknown theme \"drakula\" in line 2: did you mean \"dracula\"?\n"; code != exit.Usage || out != "" || errs != want {
		t.Errorf("validate of a wrong file: %d, %q", code, errs)
	}
	if err := os.WriteFile(wrong, []byte("themes: {mine: {base: nord, colours: {problem: '#5e6370'}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs = run("validate", wrong)
	if want := "warning: Theme mine: problem has a contrast of 2.08 on the background, 2.36 on bar, 1.84 on cursor. Readable text needs a contrast of at least 4.5.\n"; code != exit.OK || out != "" || errs != want {
		t.Errorf("validate of a theme that cannot be read: %d, %q", code, errs)
	}
	_, shown, _ := strings.Cut(readFile(t, "../docs/configuration.md"), "## Make a theme\n\n```yaml\n")
	shown, _, _ = strings.Cut(shown, "```")
	if err := os.WriteFile(wrong, []byte(shown), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := run("validate", wrong); code != exit.OK || out != "" || errs != "" || !strings.Contains(shown, "themes:") {
		t.Errorf("validate of the theme in the documentation: %d, %q, %q", code, errs, shown)
	}
	for _, args := range [][]string{{}, {"prnt"}, {"validate", "a", "b"}, {"validate", filepath.Join(dir, "none")}, {"path", "x"}} {
		if code, _, errs := run(args...); code != exit.Usage {
			t.Errorf("%v: %d, %q", args, code, errs)
		}
	}
	t.Setenv("STAGEWATCH_THEME", "nope")
	if code, _, errs := run("validate"); code != exit.Usage || !strings.Contains(errs, `error: STAGEWATCH_THEME: unknown theme "nope"`) {
		t.Errorf("validate of a variable: %d, %q", code, errs)
	}
	if code, _, errs := run("validate", wrong); code != exit.OK {
		t.Errorf("validate of a file beside a wrong variable: %d, %q", code, errs)
	}
}

// TestAFlagOverridesTheConfiguration turns off what the file turns on, and on what a variable
// turns off.
func TestAFlagOverridesTheConfiguration(t *testing.T) {
	withKubeconfig(t, twoContexts)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("STAGEWATCH_MOUSE", "true")
	for _, tt := range []struct {
		args          []string
		mouse, notify bool
	}{{nil, true, false}, {[]string{"--mouse=false", "--notify"}, false, true}} {
		o := job.Options{Color: "auto", StuckAfter: job.StuckAfterDefault}
		f := pflag.NewFlagSet(program, pflag.ContinueOnError)
		bindRoot(&o, f)
		if err := f.Parse(tt.args); err != nil {
			t.Fatal(err)
		}
		o.Changed = f.Changed
		j, err := o.Job(nil)
		if err != nil {
			t.Fatal(err)
		}
		if j.Config.Mouse != tt.mouse || j.Config.Notify != tt.notify {
			t.Errorf("%v: mouse %v, notify %v", tt.args, j.Config.Mouse, j.Config.Notify)
		}
	}
}
