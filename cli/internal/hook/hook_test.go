package hook

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asProgram makes the test binary the program of a hook.
const asProgram = "STAGEWATCH_TEST_HOOK"

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "":
		os.Exit(m.Run())
	case "copy":
		in, err := io.ReadAll(os.Stdin)
		if err == nil {
			err = os.WriteFile(os.Args[1], []byte(os.Args[2]+"\n"+string(in)), 0o600)
		}
		if err != nil {
			panic(err)
		}
	case "fail":
		os.Stderr.WriteString(strings.Repeat("noise\n", 5000) + "no route to pager\n\n")
		os.Exit(3)
	case "hang":
		time.Sleep(time.Hour)
	}
}

// TestRun gives the program the JSON on stdin and its arguments as they are: no shell reads
// them.
func TestRun(t *testing.T) {
	t.Setenv(asProgram, "copy")
	to := filepath.Join(t.TempDir(), "out")
	arg := "$(touch x); `id` *"
	if err := Run(t.Context(), []string{os.Args[0], to, arg}, map[string]string{"text": "a\nb"}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(to)
	if want := arg + "\n{\"text\":\"a\\nb\"}\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestRunFails names the program and the last line of its stderr.
func TestRunFails(t *testing.T) {
	t.Setenv(asProgram, "fail")
	err := Run(t.Context(), []string{os.Args[0]}, 1)
	if err == nil || !strings.HasSuffix(err.Error(), ": exit status 3: no route to pager") {
		t.Errorf("%v", err)
	}
	if err := Run(t.Context(), []string{filepath.Join(t.TempDir(), "none")}, 1); err == nil {
		t.Error("no error for a program that does not exist")
	}
}

// TestRunEnds ends a program with its context, and after the limit.
func TestRunEnds(t *testing.T) {
	t.Setenv(asProgram, "hang")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := Run(ctx, []string{os.Args[0]}, 1); err == nil {
		t.Error("no error at the end of the context")
	}
	if err := run(t.Context(), 50*time.Millisecond, []string{os.Args[0]}, 1); err == nil || !strings.HasSuffix(err.Error(), " did not end within 50ms") {
		t.Errorf("%v", err)
	}
}
