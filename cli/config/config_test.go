package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

func TestConfig(t *testing.T) {
	tests := []struct {
		name, in, context string
		want              contextConfig
		err               string
	}{
		{name: "empty", context: "a"},
		{name: "a name", in: "contexts:\n  a: {protected: true}\n", context: "a", want: contextConfig{Protected: true}},
		{name: "another name", in: "contexts:\n  a: {protected: true}\n", context: "ab"},
		{name: "a pattern", in: "contexts:\n  hub-prod-*: {protected: true}\n", context: "hub-prod-weu", want: contextConfig{Protected: true}},
		{name: "a pattern over a slash", in: "contexts:\n  \"*prod*\": {readOnly: true}\n", context: "arn:aws/prod-1", want: contextConfig{ReadOnly: true}},
		{
			name: "all that match", in: "contexts:\n  \"*\": {readOnly: true}\n  hub: {readOnly: false, protected: true}\n",
			context: "hub", want: contextConfig{ReadOnly: true, Protected: true},
		},
		{name: "a misspelt key", in: "contexts:\n  a:\n    protcted: true\n", err: `unknown key "protcted" in line 3: did you mean "protected"?`},
		{name: "an unknown key", in: "context: {}\n", err: `unknown key "context" in line 1: did you mean "contexts"?`},
		{name: "no boolean", in: "contexts:\n  a: {readOnly: maybe}\n", err: "line 2"},
		{name: "twice", in: "contexts:\n  a: {}\n  a: {}\n", err: "line 3"},
		{name: "no YAML", in: "contexts: [", err: "line 1"},
		{name: "two documents", in: "contexts: {}\n---\ncontexts: {}\n", err: "more than one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse("FILE", []byte(tt.in))
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if err != nil {
				if strings.Contains(err.Error(), "config.") {
					t.Errorf("%q names Go types", err)
				}
				return
			}
			if got := c.of(tt.context); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			var s engine.Settings
			c.Apply(&s, tt.context)
			if s.Protected != tt.want.Protected || s.ReadOnly.IsZero() == tt.want.ReadOnly || s.Raisable != tt.want.ReadOnly {
				t.Errorf("settings %+v", s)
			}
			// The flag overrides the file.
			s = engine.Settings{ReadOnly: engine.Lit("--read-only")}
			if c.Apply(&s, tt.context); s.Raisable || s.ReadOnly != engine.Lit("--read-only") {
				t.Errorf("with --read-only: settings %+v", s)
			}
		})
	}
}

func TestConfigFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	if _, err := Load(); err != nil {
		t.Fatalf("no file: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, directory), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, directory, "config.yaml")
	if err := os.WriteFile(path, []byte("contexts:\n  a:\n    writable: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load()
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("got %v", err)
	}
}

func TestMemberContextOfTheConfiguration(t *testing.T) {
	c, err := Parse("config.yaml", []byte("members:\n  eu-1: aks-eu-one\n  \"eu-*\": \"aks-{member}\"\n  \"*\": \"any-{member}-admin\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ member, want string }{
		{"eu-1", "aks-eu-one"}, {"eu-2", "aks-eu-2"}, {"us-1", "any-us-1-admin"},
	} {
		if got, whence := c.MemberContext(tt.member); got != tt.want || whence == "" {
			t.Errorf("%s: %q, %q, want %q", tt.member, got, whence, tt.want)
		}
	}
	if got, whence := (Config{}).MemberContext("eu-1"); got != "eu-1" || whence != "" {
		t.Errorf("without a configuration: %q, %q", got, whence)
	}
}

// TestContextColour checks that the colour of a context's name counts, else that of the longest key, and that
// only a name has an alias.
func TestContextColour(t *testing.T) {
	c, err := Parse("config.yaml", []byte("contexts: {'*': {colour: green}, 'aks-*': {colour: red}, aks-weu: {colour: blue, alias: weu}, '*-eus-prod': {favourite: true, colour: yellow}, z: {alias: zed}}"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"kind": "green", "aks-x": "red", "aks-weu": "blue", "aks-eus-prod": "yellow"} {
		if got := c.ContextColour(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if !c.Favourite("aks-eus-prod") || c.Favourite("aks-weu") {
		t.Error("favourites")
	}
	var s engine.Settings
	c.Apply(&s, "aks-weu")
	if s.Alias != "weu" || c.ContextAlias("aks-x") != "" || c.Aliases()["zed"] != "z" || len(c.Aliases()) != 2 {
		t.Errorf("alias %q, all %v", s.Alias, c.Aliases())
	}
}
