package incoming

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

// contents are texts of an annotation, as JSON, that cost a decoder more than letters.
func contents(bytes int) map[string]string {
	nested := strings.Repeat(`{\"a\":[`, bytes/8)
	return map[string]string{
		"letters":  `"` + strings.Repeat("letters ", bytes/8) + `"`,
		"newlines": `"` + strings.Repeat(`\n`, bytes/2) + `"`,
		"quotes":   `"` + strings.Repeat(`\"`, bytes/2) + `"`,
		"escapes":  `"` + strings.Repeat(`\u00e9`, bytes/6) + `"`,
		"UTF-8":    `"` + strings.Repeat("é", bytes/2) + `"`,
		"deep":     `{"a":[` + strings.Repeat(strings.Repeat(`{"a":[`, 1000)+strings.Repeat(`]}`, 1000)+",", bytes/8000) + `1]}`,
		"nested":   `"` + nested + `"`,
	}
}

// decoders are the ways in which objects are read, by name.
func decoders() map[string]func(raw []byte) error {
	lists := func(raw []byte) error {
		list := fmt.Appendf(nil, `{"metadata":{"resourceVersion":"1"},"items":[%s]}`, raw)
		_, err := readAll(bytes.NewReader(list), engine.KindClusterResourceBinding, mostObjects, func(*Object) {})
		return err
	}
	of := func(kind engine.Kind) func([]byte) error {
		return func(raw []byte) error {
			if o := Decode(engine.HubName{}, kind, raw); o.Broken != "" {
				return errors.New(o.Broken)
			}
			return nil
		}
	}
	return map[string]func([]byte) error{
		"run": of(engine.KindClusterStagedUpdateRun), "binding": of(engine.KindClusterResourceBinding),
		"placement": of(engine.KindClusterResourcePlacement), "member": of(engine.KindMemberCluster),
		"approval": of(engine.KindClusterApprovalRequest),
		"list":     lists,
		"cut": func(raw []byte) error {
			_, err := client.NewJSONStream(bytes.NewReader(raw)).Value()
			return err
		},
		"generic": func(raw []byte) error {
			_, err := client.Decode(raw)
			if errors.As(err, new(*client.SizeError)) {
				return nil // what is deep costs no more than to find that out
			}
			return err
		},
	}
}

func withContent(content string) []byte {
	if content[0] == '{' {
		return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"X","metadata":{"name":"a","uid":"u"},"other":%s}`, content)
	}
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"X","metadata":{"name":"a","uid":"u","annotations":{"a":%s}},"status":{"conditions":[{"type":"T","message":%s}]}}`, content, content)
}

// TestContents checks that every content is what JSON says.
func TestContents(t *testing.T) {
	for name, content := range contents(20000) {
		raw := withContent(content)
		if !json.Valid(raw) {
			t.Errorf("%s: not JSON", name)
		}
		for decoder, decode := range decoders() {
			if err := decode(raw); err != nil {
				t.Errorf("%s of %s: %v", decoder, name, err)
			}
		}
	}
}

// BenchmarkContents is the time per byte of every decoder for every content
// (docs/promises.md#contents).
func BenchmarkContents(b *testing.B) {
	for decoder, decode := range decoders() {
		for name, content := range contents(261 << 10) {
			raw := withContent(content)
			b.Run(decoder+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(raw)))
				for b.Loop() {
					if err := decode(raw); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestLongTexts reads texts for which a decoder that is not linear in their bytes needs
// longer than the deadline of a test binary.
func TestLongTexts(t *testing.T) {
	all := contents(4 << 20)
	for _, name := range []string{"newlines", "quotes"} {
		raw := withContent(all[name])
		for _, decoder := range []string{"run", "list"} {
			if err := decoders()[decoder](raw); err != nil {
				t.Errorf("%s of %s: %v", decoder, name, err)
			}
		}
	}
}
