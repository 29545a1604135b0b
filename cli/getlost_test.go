//go:build linux || darwin

package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
)

// forwarder passes connections on to a server until it is cut.
type forwarder struct {
	to    string
	mu    sync.Mutex
	off   bool
	conns []net.Conn
}

func (f *forwarder) serve(l net.Listener) {
	for {
		in, err := l.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", f.to)
		f.mu.Lock()
		f.conns = append(f.conns, in)
		if err == nil {
			f.conns = append(f.conns, out)
		}
		if f.off || err != nil {
			f.closeAll()
		} else {
			go io.Copy(in, out) // ends with the connections
			go io.Copy(out, in) // ends with the connections
		}
		f.mu.Unlock()
	}
}

func (f *forwarder) closeAll() {
	for _, c := range f.conns {
		c.Close()
	}
	f.conns = nil
}

// set cuts all connections, or lets new ones pass.
func (f *forwarder) set(off bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.off = off
	f.closeAll()
}

// TestGetWatchWithoutTheHub takes the hub away from get -w and gives it back: stderr says
// so, and no run is listed again.
func TestGetWatchWithoutTheHub(t *testing.T) {
	t.Parallel()
	f, path := behindForwarder(t)
	cmd := exec.CommandContext(t.Context(), stagewatch(t), "get", "-w", "-o", "jsonl")
	cmd.Env = append(os.Environ(), "KUBECONFIG="+path, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	out, errs := &watched{}, &watched{}
	cmd.Stdout, cmd.Stderr = out, errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.see(t, `"change":"added"`)
	f.set(true)
	errs.see(t, `connection to the hub lost: `)
	f.set(false)
	errs.see(t, `reconnected to the hub`)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		var c struct {
			Change string
			Run    struct{ Kind, Namespace, Name string }
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		id := c.Run.Kind + "/" + c.Run.Namespace + "/" + c.Run.Name
		if c.Change == "added" && listed[id] || c.Change == "deleted" && !listed[id] {
			t.Errorf("%s is %s again", id, c.Change)
		}
		listed[id] = c.Change != "deleted"
	}
	if strings.Count(errs.String(), "reconnected to the hub") != 1 {
		t.Errorf("stderr: %s", errs.String())
	}
}

// behindForwarder returns a kubeconfig that reaches the tour through a forwarder.
func behindForwarder(t *testing.T) (*forwarder, string) {
	t.Helper()
	raw, err := os.ReadFile(tour(t).kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	server := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(string(raw))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil || server == "" {
		t.Fatalf("server %q, %v", server, err)
	}
	f := &forwarder{to: server}
	go f.serve(l)
	t.Cleanup(func() {
		l.Close()
		f.set(true)
	})
	path := filepath.Join(t.TempDir(), "config")
	text := strings.ReplaceAll(string(raw), server, l.Addr().String())
	text = strings.ReplaceAll(text, "stagewatch-demo", "forwarded-demo")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return f, path
}

// TestGetWatchOfSeveralHubs follows two hubs, one of which does not answer at first and is
// lost later: stderr says so, the runs of the other are listed, and the exit code is 8 unless
// --partial is set.
func TestGetWatchOfSeveralHubs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		flags []string
		code  int
	}{{nil, exit.Unreachable}, {[]string{"--partial"}, exit.OK}} {
		t.Run(strings.Join(tt.flags, " "), func(t *testing.T) {
			t.Parallel()
			f, path := behindForwarder(t)
			f.set(true)
			cmd := exec.CommandContext(t.Context(), stagewatch(t), append([]string{"get", "-w", "-o", "json", "--context", "forwarded-demo,stagewatch-demo"}, tt.flags...)...)
			cmd.Env = append(os.Environ(), "KUBECONFIG="+path+":"+tour(t).kubeconfig, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
			out, errs := &watched{}, &watched{}
			cmd.Stdout, cmd.Stderr = out, errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			errs.see(t, "hub forwarded-demo does not answer: ")
			out.see(t, `"change":"added","run":{"hub":"stagewatch-demo"`)
			f.set(false)
			errs.see(t, "reconnected to hub forwarded-demo\n")
			out.see(t, `"change":"added","run":{"hub":"forwarded-demo"`)
			f.set(true)
			errs.see(t, "connection to hub forwarded-demo lost: ")
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != tt.code {
				t.Errorf("%v, want exit code %d; stderr: %s", err, tt.code, errs)
			}
			if (tt.code != exit.OK) != strings.Contains(errs.String(), "error: hub forwarded-demo has not been read since ") {
				t.Errorf("stderr: %s", errs)
			}
		})
	}
}

// watched is the output of a program that is running.
type watched struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(b)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

func (w *watched) see(t *testing.T, what string) {
	t.Helper()
	deadline := time.After(3 * patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(w.String(), what) {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("no %q in %s", what, w)
		}
	}
}

// silentServer accepts connections and says nothing.
func silentServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}
