package ask

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
