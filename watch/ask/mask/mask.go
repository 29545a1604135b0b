// Package mask hides the values of Secrets in objects before they are shown.
package mask

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// salt makes hashes of masked values useless outside this process: they only show
// whether two values on the screen are equal.
var salt = sync.OnceValue(func() []byte {
	b := make([]byte, 32)
	rand.Read(b) // never fails: it ends the program instead
	return b
})

// secretInText matches the manifest of a Secret that stands as text within
// another object, as in the ConfigMaps that older hubs take for envelopes. Such
// a text is masked as a whole.
var secretInText = regexp.MustCompile(`(?m)["']?kind["']?\s*:\s*["']?Secret["']?\s*([,}#]|$)`)

// lastApplied is where kubectl apply leaves a second copy of a whole object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Secrets replaces the values of every Secret within a decoded JSON value
// by their length and a hash (docs/architecture.md#hub-text). Resource snapshots
// and Works contain whole manifests, bindings and Works their drifts, and
// overrides the patched values.
func Secrets(v any) {
	switch v := v.(type) {
	case map[string]any:
		if v["kind"] == "Secret" {
			maskSecret(v)
		}
		if id, ok := v["identifier"].(map[string]any); v["kind"] == "Secret" || ok && id["kind"] == "Secret" {
			maskFields(v, "valueInHub", "valueInMember")
		}
		if selectsSecrets(v["resourceSelectors"]) || selectsSecrets(v["clusterResourceSelectors"]) {
			maskFields(v["policy"], "value")
		}
		for field, inner := range v {
			if text, ok := inner.(string); ok && secretInText.MatchString(text) {
				v[field] = Value(text, false)
				continue
			}
			Secrets(inner)
		}
	case []any:
		for _, inner := range v {
			Secrets(inner)
		}
	}
}

// selectsSecrets reports whether an override's selectors select a Secret, or a
// namespace with all that is in it.
func selectsSecrets(selectors any) bool {
	list, ok := selectors.([]any)
	return ok && slices.ContainsFunc(list, func(s any) bool {
		m, ok := s.(map[string]any)
		return ok && (m["kind"] == "Secret" || m["kind"] == "Namespace")
	})
}

// maskFields replaces what stands in the fields of these names, at any depth.
func maskFields(v any, names ...string) {
	switch v := v.(type) {
	case map[string]any:
		for field, inner := range v {
			if slices.Contains(names, field) {
				v[field] = Value(inner, false)
				continue
			}
			maskFields(inner, names...)
		}
	case []any:
		for _, inner := range v {
			maskFields(inner, names...)
		}
	}
}

func maskSecret(secret map[string]any) {
	for _, field := range []string{"data", "stringData"} {
		values, ok := secret[field].(map[string]any)
		if !ok {
			if _, there := secret[field]; there {
				secret[field] = "masked" // not what a Secret has there: show nothing of it
			}
			continue
		}
		for name, value := range values {
			values[name] = Value(value, field == "data")
		}
	}
	meta, ok := secret["metadata"].(map[string]any)
	if !ok {
		return
	}
	if notes, ok := meta["annotations"].(map[string]any); ok {
		if _, there := notes[lastApplied]; there {
			notes[lastApplied] = "masked: a copy of the Secret"
		}
	}
}

// Value replaces a value by its length and a hash; encoded says that it is in base64, as in a Secret.
func Value(value any, encoded bool) string {
	s, ok := value.(string)
	if !ok {
		return "masked"
	}
	plain := []byte(s)
	if encoded {
		if b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(s)); err == nil {
			plain = b
		}
	}
	mac := hmac.New(sha256.New, salt())
	mac.Write(plain) // a hash never fails to write
	return fmt.Sprintf("masked: %d bytes, #%s", len(plain), hex.EncodeToString(mac.Sum(nil))[:8])
}
