package statedir

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

type record struct{ Act, Note string }

func TestAudit(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	for _, act := range []string{"stop", "delete"} {
		if err := Default().AppendAudit(record{Act: act, Note: "two\nlines"}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "stagewatch", "audit.jsonl")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	var r record
	if len(lines) != 2 || json.Unmarshal([]byte(lines[1]), &r) != nil || r.Act != "delete" || r.Note != "two\nlines" {
		t.Errorf("got %q", lines)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if Default().AppendAudit(record{}) == nil {
		t.Error("a log that cannot be written is no error")
	}
}

// TestHubs keeps the contexts that served the hub API with the time of the last use, and
// reads the list of names that earlier versions wrote.
func TestHubs(t *testing.T) {
	d := Dir(t.TempDir())
	if err := os.WriteFile(filepath.Join(string(d), "hubs.json"), []byte(`["old"]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"gone", "weu", "weu", "prod-Hub"} {
		if err := d.RememberHub(n, time.Unix(1e9, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.Hubs(); !slices.Equal(got, []string{"prod-Hub", "weu", "gone", "old"}) {
		t.Errorf("hubs %v", got)
	}
	if got := d.KnownHubs(); !got[0].LastUsed.Equal(time.Unix(1e9, 0)) || !got[3].LastUsed.IsZero() {
		t.Errorf("hubs %v", got)
	}
	for i := range MaxHubs {
		if err := d.RememberHub(string(rune('a'+i)), time.Unix(2e9, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.Hubs(); len(got) != MaxHubs || slices.Contains(got, "weu") {
		t.Errorf("hubs %v", got)
	}
}

// Without a home directory nothing is read, and a choice that cannot be kept is
// an error.
func TestNoHome(t *testing.T) {
	var d Dir
	if d.Hubs() != nil || d.MemberContext("hub", "eu-1") != "" {
		t.Error("read something")
	}
	if err := d.ChooseMember("hub", "eu-1", "aks"); err == nil {
		t.Error("a choice was kept")
	}
	if err := d.AppendAudit(record{}); err == nil {
		t.Error("an audit record was kept")
	}
}

// TestChooseMember checks that a choice is kept for one hub and member, can be
// removed, and that a file that holds null is an empty one.
func TestChooseMember(t *testing.T) {
	d := Dir(t.TempDir())
	if err := os.WriteFile(filepath.Join(string(d), "members.json"), []byte("null"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.ChooseMember("hub", "eu-1", "aks"); err != nil {
		t.Fatal(err)
	}
	if got, other := d.MemberContext("hub", "eu-1"), d.MemberContext("another", "eu-1"); got != "aks" || other != "" {
		t.Errorf("chosen %q, on another hub %q", got, other)
	}
	if err := d.ChooseMember("hub", "eu-1", ""); err != nil || d.MemberContext("hub", "eu-1") != "" {
		t.Errorf("not removed: %v", err)
	}
}
