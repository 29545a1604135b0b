package hook

import (
	"bufio"
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
	case "close": // while the program and its child run
		r := New()
		go r.Run(context.Background(), []string{"sh", "-c", `{ echo $$; sleep 3600; } > "$0" & wait`, os.Args[1]}, 1)
		in, err := os.Open(os.Args[1])
		if err != nil {
			panic(err)
		}
		group, err := bufio.NewReader(in).ReadString('\n')
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString(group)
		r.Close()
	}
}

// TestRun gives the program the JSON on stdin and its arguments as they are: no shell reads
// them.
func TestRun(t *testing.T) {
	t.Setenv(asProgram, "copy")
	to := filepath.Join(t.TempDir(), "out")
	arg := "$(touch x); `id` *"
	if err := New().Run(t.Context(), []string{os.Args[0], to, arg}, map[string]string{"text": "a\nb"}); err != nil {
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
	err := New().Run(t.Context(), []string{os.Args[0]}, 1)
	if err == nil || !strings.HasSuffix(err.Error(), ": exit status 3: no route to pager") {
		t.Errorf("%v", err)
	}
	if err := New().Run(t.Context(), []string{filepath.Join(t.TempDir(), "none")}, 1); err == nil {
		t.Error("no error for a program that does not exist")
	}
}

// TestRunEnds ends a program with its context, after the limit, and when the runner is closed.
func TestRunEnds(t *testing.T) {
	t.Setenv(asProgram, "hang")
	for _, tt := range []struct {
		name string
		end  func(r *Runner, cancel func())
		want string
	}{
		{"context", func(_ *Runner, cancel func()) { cancel() }, ""},
		{"closed", func(r *Runner, _ func()) { r.Close() }, ""},
		{"limit", func(*Runner, func()) {}, " did not end within 50ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := New()
			if tt.want != "" {
				r.limit = 50 * time.Millisecond
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, func() { tt.end(r, cancel) })
			if err := r.Run(ctx, []string{os.Args[0]}, 1); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("%v", err)
			}
			r.Close()
			if err := r.Run(t.Context(), []string{os.Args[0]}, 1); err == nil {
				t.Error("runs after it was closed")
			}
		})
	}
}
