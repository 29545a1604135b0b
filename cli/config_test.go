package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/internal/contexts"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/engine"
)

func TestMemberContext(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "kubeconfig")
	kubeconfig := `
apiVersion: v1
kind: Config
current-context: hub
clusters:
- {name: c, cluster: {server: "https://member.example"}}
- {name: h, cluster: {server: "https://hub.example"}}
users: [{name: u, user: {token: secret}}]
contexts:
- {name: hub, context: {cluster: h, user: u}}
- {name: eu-1, context: {cluster: c, user: u}}
- {name: broken, context: {cluster: nowhere, user: u}}
`
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, member string
		members      map[string]string
		context, why string
	}{
		{name: "the same name", member: "eu-1", context: "eu-1"},
		{name: "a mapping", member: "europe", members: map[string]string{"europe": "eu-1"}, context: "eu-1"},
		{name: "none is guessed", member: "eu-2", why: "the kubeconfig has no context eu-2"},
		{name: "a mapping to nothing", member: "eu-1", members: map[string]string{"eu-1": "gone"}, why: "context gone is configured for this member, but the kubeconfig has no such context"},
		{name: "a broken context", member: "broken", why: "context broken: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := &job.Job{Conn: &contexts.Connection{File: file, Context: "hub"}, Config: config.Config{Members: tt.members}}
			found, why := j.Members().Find(tt.member, engine.Text{})
			context, cfg := found.Name, found.Config
			if context != tt.context || (cfg != nil) != (tt.context != "") || !strings.Contains(why.String(), tt.why) || (tt.why == "") != why.IsZero() {
				t.Errorf("got %q, %v, %q", context, cfg, why)
			}
			if cfg != nil && found.Agreed != (tt.members != nil) {
				t.Errorf("agreed: %v", found.Agreed)
			}
			if cfg != nil && cfg.Host != "https://member.example" {
				t.Errorf("leads to %s", cfg.Host)
			}
			if strings.Contains(why.String(), "secret") {
				t.Errorf("tells a secret: %q", why)
			}
		})
	}
}

func TestAChosenContextIsRemembered(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	kubeconfig := `{"apiVersion": "v1", "kind": "Config", "current-context": "hub",
"clusters": [{"name": "c", "cluster": {"server": "https://member.example"}}, {"name": "h", "cluster": {"server": "https://hub.example"}}],
"users": [{"name": "u", "user": {"token": "secret"}}],
"contexts": [{"name": "hub", "context": {"cluster": "h", "user": "u"}}, {"name": "hub-viewer", "context": {"cluster": "h", "user": "u"}}, {"name": "aks-eu", "context": {"cluster": "c", "user": "u"}}, {"name": "eu-1", "context": {"cluster": "c", "user": "u"}}, {"name": "z-eu-1", "context": {"cluster": "c", "user": "u"}}]}`
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	m := contexts.Members{File: file, Hub: "hub"}
	if names := m.Names("eu-1"); len(names) != 3 || names[0] != engine.Lit("eu-1") || names[1] != engine.Lit("z-eu-1") || names[2] != engine.Lit("aks-eu") {
		t.Fatalf("choices: %v", names)
	}
	if found, _ := m.Find("eu-1", engine.Text{}); found.Name != "eu-1" || found.Agreed {
		t.Fatalf("before: %+v", found)
	}
	if found, why := m.Find("eu-1", engine.Lit("aks-eu")); found.Name != "aks-eu" || found.Config == nil || !found.Agreed {
		t.Fatalf("chosen: %+v, %q", found, why)
	}
	if found, _ := m.Find("eu-1", engine.Text{}); found.Name != "eu-1" {
		t.Errorf("remembered before it worked: %+v", found)
	}
	if err := m.Remember("eu-1", "aks-eu"); err != nil {
		t.Fatal(err)
	}
	if found, why := m.Find("eu-1", engine.Text{}); found.Name != "aks-eu" || !found.Agreed {
		t.Errorf("remembered: %+v, %q", found, why)
	}
	// A remembered context that the kubeconfig no longer has gives way to the others.
	renamed := contexts.Members{File: filepath.Join(t.TempDir(), "kubeconfig"), Hub: "hub"}
	if err := os.WriteFile(renamed.File, []byte(strings.ReplaceAll(kubeconfig, `"aks-eu"`, `"aks-eu-2"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, why := renamed.Find("eu-1", engine.Text{}); found.Name != "eu-1" || found.Agreed || !why.IsZero() {
		t.Errorf("after it was renamed: %+v, %q", found, why)
	}
	if err := os.WriteFile(renamed.File, []byte(strings.ReplaceAll(strings.ReplaceAll(kubeconfig, `"aks-eu"`, `"aks-eu-2"`), `"eu-1"`, `"eu-2"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, why := renamed.Find("eu-1", engine.Text{}); why != engine.Lit("the kubeconfig has neither context aks-eu, which was chosen for this member, nor eu-1") {
		t.Errorf("none is left: %q", why)
	}
	// Of another hub's member of that name nothing was said.
	other := contexts.Members{File: file, Hub: "another"}
	if found, _ := other.Find("eu-1", engine.Text{}); found.Name != "eu-1" {
		t.Errorf("on another hub: %+v", found)
	}
	path := filepath.Join(state, "stagewatch", "members.json")
	raw, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(raw), "secret") || !strings.Contains(string(raw), "aks-eu") {
		t.Errorf("the file holds %s, %v", raw, err)
	}
	for _, want := range []string{"aks-eu", ""} {
		if forgotten, err := m.Forget("eu-1"); forgotten != want || err != nil {
			t.Errorf("forgets %q, %v, want %q", forgotten, err, want)
		}
	}
	if found, _ := m.Find("eu-1", engine.Text{}); found.Name != "eu-1" || found.Agreed {
		t.Errorf("after forgetting: %+v", found)
	}
	if err := os.WriteFile(path, []byte("rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := m.Remember("eu-1", "aks-eu"); err == nil {
		t.Error("writes into a broken file")
	}
}
