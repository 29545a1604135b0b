//go:build linux || darwin

package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// --info says what the program reads and uses, in words and as JSON, and no credential.
func TestInfo(t *testing.T) {
	t.Parallel()
	file := tour(t).kubeconfig
	config, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tokens := regexp.MustCompile(`token: (\S+)`).FindAllStringSubmatch(string(config), -1)
	if len(tokens) == 0 {
		t.Fatal("the kubeconfig has no token")
	}
	info := func(args ...string) (string, string) {
		cmd := exec.CommandContext(t.Context(), stagewatch(t), append([]string{"--info"}, args...)...)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+file, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
		var errs strings.Builder
		cmd.Stderr = &errs
		out, _ := cmd.Output() // the errors are checked
		for _, token := range tokens {
			if strings.Contains(string(out)+errs.String(), token[1]) {
				t.Errorf("%q prints a token", args)
			}
		}
		return string(out), errs.String()
	}
	text, errs := info()
	for _, want := range []string{"stagewatch ", "memory ", "goroutines ", "https://127.0.0.1", "live", "STREAM", "clusterstagedupdateruns", "clusterresourceplacements", "KiB"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s%s", want, text, errs)
		}
	}
	var d struct {
		HeapBytes, TotalBytes, Goroutines int
		Hubs                              []struct {
			Runs    int
			Streams []struct {
				Resource string
				Bytes    int
				Age      *int `json:"ageMilliseconds"`
			}
		}
	}
	out, errs := info("-o", "json")
	if err := json.Unmarshal([]byte(out), &d); err != nil || len(d.Hubs) != 1 {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	if h := d.Hubs[0]; d.HeapBytes == 0 || d.TotalBytes < d.HeapBytes || d.Goroutines == 0 || h.Runs == 0 || len(h.Streams) < 4 || h.Streams[0].Bytes < 1000 || h.Streams[0].Age == nil {
		t.Errorf("%+v", d)
	}
	if _, errs := info("-o", "table"); !strings.Contains(errs, "error: --info cannot be printed as table") {
		t.Errorf("as table: %s", errs)
	}
}
