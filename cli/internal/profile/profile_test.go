package profile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
)

// All profiles are complete at the end, and readable for their owner only.
func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	cpu, heap, events := filepath.Join(dir, "cpu"), filepath.Join(dir, "heap"), filepath.Join(dir, "trace")
	if err := os.WriteFile(heap, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Start("cpu=" + cpu + ",heap=" + heap + ",trace=" + events)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	gzip := []byte{0x1f, 0x8b}
	for file, begins := range map[string][]byte{cpu: gzip, heap: gzip, events: []byte("go 1.")} {
		got, err := os.ReadFile(file)
		if err != nil || !bytes.HasPrefix(got, begins) {
			t.Errorf("%s: %q, %v", file, got[:min(len(got), 10)], err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
}

// A process that ends at once has its profiles, too.
func TestAbandonedProfiles(t *testing.T) {
	dir := t.TempDir()
	cpu, heap, events := filepath.Join(dir, "cpu"), filepath.Join(dir, "heap"), filepath.Join(dir, "trace")
	p, err := Start("cpu=" + cpu + ",heap=" + heap + ",trace=" + events)
	if err != nil {
		t.Fatal(err)
	}
	p.Abandon(time.Minute)
	for _, file := range []string{cpu, heap, events} {
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
	if err := p.Stop(); err != nil { // they are complete
		t.Error(err)
	}
}

// A value that is not understood starts nothing: the next profile can start.
func TestWrongProfiles(t *testing.T) {
	dir := t.TempDir()
	for value, says := range map[string]string{
		"":                         `invalid --profile ""`,
		"cpu":                      `invalid --profile "cpu"`,
		"disk=x":                   `invalid --profile "disk=x"`,
		"cpu=" + dir + "/a,heap":   `invalid --profile "heap"`,
		"heap=" + dir + "/no/file": "no such file or directory",
	} {
		_, err := Start(value)
		var f *exit.Failure
		if !errors.As(err, &f) || f.Code != exit.Usage || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", value, err)
		}
	}
	p, err := Start("cpu=" + dir + "/b")
	if err != nil {
		t.Fatalf("a wrong value left a profile running: %v", err)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
}
