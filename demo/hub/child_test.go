package hub_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/hub"
)

// childRole is the environment variable that makes the test program a hub
// process of its own.
const childRole = "STAGEWATCH_HUB_TEST_CHILD"

// child is what such a process does: it prints one line on stdout and lives
// until its stdin ends.
func child(role string) int {
	line, err := map[string]func() (string, error){
		"serve": serveNoisily,
		"leak":  startAndStop,
		"idle":  func() (string, error) { return "", nil },
	}[role]()
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println(line)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return 1
	}
	return 0
}

// serveNoisily starts a hub and does what makes servers write to stderr. It
// returns the hub's directory.
func serveNoisily() (string, error) {
	ctx := context.Background()
	h, err := hub.Start(ctx, hub.Options{})
	if err != nil {
		return "", err
	}
	if err := h.InstallCRDs(ctx, widgetCRD); err != nil {
		return "", err
	}
	client, err := rest.HTTPClientFor(h.AdminConfig())
	if err != nil {
		return "", err
	}
	h.HandleMembers(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a broken member") }))
	get := func(path string) {
		response, err := client.Get(h.URL() + path)
		if err != nil {
			return // that is what a panic looks like from outside
		}
		defer response.Body.Close()
	}
	get("/members/one/api")
	h.SetIntercept(func(http.Handler) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a broken middleware") })
	})
	get("/api")
	h.SetIntercept(nil)
	address := strings.TrimPrefix(h.URL(), "https://")
	if c, err := tls.Dial("tcp", address, &tls.Config{}); err == nil {
		return "", errors.Join(errors.New("an unknown certificate was trusted"), c.Close())
	}
	plain, err := net.Dial("tcp", address)
	if err != nil {
		return "", err
	}
	if _, err := plain.Write([]byte("not TLS\r\n\r\n")); err != nil {
		return "", err
	}
	if err := plain.Close(); err != nil {
		return "", err
	}
	h.CutConnections()
	if err := h.RestartAPI(ctx); err != nil {
		return "", err
	}
	return h.Dir(), nil
}

// startAndStop returns the stacks of the goroutines that a hub left behind, on
// one line, or "none".
func startAndStop() (string, error) {
	h, err := hub.Start(context.Background(), hub.Options{KeepRequests: 10})
	if err != nil {
		return "", err
	}
	if err := h.InstallCRDs(context.Background(), widgetCRD); err != nil {
		return "", err
	}
	if err := h.RestartAPI(context.Background()); err != nil {
		return "", err
	}
	if err := h.Stop(); err != nil {
		return "", err
	}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); <-time.After(10 * time.Millisecond) {
		if leftover() == "" {
			return "none", nil
		}
	}
	return strings.ReplaceAll(leftover(), "\n", "|"), nil
}

// leftover is the stacks of all goroutines but this one, and but the clock that
// the API server's health check starts once per program.
func leftover() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	all := strings.Split(string(stacks), "\n\n")
	return strings.Join(slices.DeleteFunc(all[1:], func(s string) bool {
		return strings.Contains(s, "healthz.(*log).Check")
	}), "\n\n")
}

// spawn starts such a process and returns the line it prints, its stderr so
// far, and a function that kills it.
func spawn(t *testing.T, role string) (line string, stderr *bytes.Buffer, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role)
	stderr = &bytes.Buffer{}
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	kill = func() {
		if killed {
			return
		}
		killed = true
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Error("the child ended by itself")
		}
		if err := stdin.Close(); err != nil && !strings.Contains(err.Error(), "closed") {
			t.Error(err)
		}
	}
	t.Cleanup(kill)
	line, err = bufio.NewReader(stdout).ReadString('\n')
	if err != nil || strings.HasPrefix(line, "error:") {
		t.Fatalf("child said %q: %v", line, err)
	}
	return strings.TrimSpace(line), stderr, kill
}

func TestKilledHubIsSweptAndWasSilent(t *testing.T) {
	dir, stderr, kill := spawn(t, "serve")
	h := started(t, hub.Options{})
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("a living hub's directory was swept: %v", err)
	}
	if err := h.Stop(); err != nil {
		t.Fatal(err)
	}
	kill()
	if stderr.Len() > 0 {
		t.Errorf("on stderr: %s", stderr)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("a killed hub left nothing to sweep: %v", err)
	}
	started(t, hub.Options{})
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("directory of the killed hub: %v, want it gone", err)
	}
}

// TestEtcdClientLoggerIsSilencedInTime looks at the order in which packages are
// initialised: the API server makes its etcd client's logger then.
func TestEtcdClientLoggerIsSilencedInTime(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"=idle", "GODEBUG=inittrace=1")
	trace, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, trace)
	}
	ours := bytes.Index(trace, []byte("init github.com/stagewatch/stagewatch/demo/hub/internal/etcdlog "))
	theirs := bytes.Index(trace, []byte("init k8s.io/apiserver/pkg/storage/storagebackend/factory "))
	if ours < 0 || theirs < 0 || ours > theirs {
		t.Errorf("our package is initialised at %d, the API server's at %d", ours, theirs)
	}
}

func TestStopLeavesNoGoroutine(t *testing.T) {
	left, _, kill := spawn(t, "leak")
	kill()
	if left != "none" {
		t.Errorf("left behind: %s", strings.ReplaceAll(left, "|", "\n"))
	}
}
