package ask

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stagewatch/stagewatch/engine"
)

// TestYAMLEscapesControlCharacters checks that an object with characters that YAML does not
// admit is shown, with these escaped.
func TestYAMLEscapesControlCharacters(t *testing.T) {
	for in, want := range map[string]string{
		"a\x01b": `"a\x01b"`, "a\x1b[2Jb": `"a\e[2Jb"`, "a\x7fb": `"a\x7Fb"`, "a\u0085b": `"a\Nb"`, "a\u009bb": `"a\x9Bb"`,
		"a\ufffeb": `"a\uFFFEb"`, "a\uffffb": `"a\uFFFFb"`, "plain": "plain", "\u00e9": "\u00e9",
	} {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"key": in, in: "value"}}}
		lines, err := yamlLines(o)
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		var all strings.Builder
		for _, l := range lines {
			all.WriteString(l.String() + "\n")
		}
		if got := all.String(); !strings.Contains(got, "  key: "+want+"\n") {
			t.Errorf("%q is shown as\n%s", in, got)
		}
	}
}

// TestSecretsAreMasked looks for the values in everything that is shown.
func TestSecretsAreMasked(t *testing.T) {
	var o map[string]any
	if err := json.Unmarshal([]byte(`{"apiVersion":"v1","kind":"List","metadata":{"name":"x","managedFields":[{"manager":"m"}]},"items":[
		{"kind":"Secret","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"data\":\"aHVudGVyMg==\"}"}},
		 "data":{"a":"aHVudGVyMg==","b":"aHVudGVyMg==","c":"b3RoZXI="},"stringData":{"d":"hunter2","e":7}},
		{"kind":"Secret","data":"aHVudGVyMg=="},{"kind":"ConfigMap","data":{"open":"yes"}}]}`), &o); err != nil {
		t.Fatal(err)
	}
	lines, err := yamlLines(&unstructured.Unstructured{Object: o})
	if err != nil {
		t.Fatal(err)
	}
	text := engine.Join(lines, "\n").String()
	for _, secret := range []string{"aHVudGVyMg", "hunter2", "b3RoZXI"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is shown:\n%s", secret, text)
		}
	}
	hash := func(name string) string {
		_, after, _ := strings.Cut(text, "\n    "+name+": ")
		line, _, _ := strings.Cut(after, "\n")
		return line
	}
	if hash("a") != hash("b") || hash("a") == hash("c") || !strings.Contains(hash("a"), "7 bytes") || !strings.Contains(text, "open: ") {
		t.Errorf("a %q, b %q, c %q:\n%s", hash("a"), hash("b"), hash("c"), text)
	}
}
