// Package shell writes command lines for a POSIX shell: every word is quoted that needs it.
package shell

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// CompactJSON returns v as JSON in one line, "" when it cannot be marshalled.
func CompactJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "" // strings, numbers, maps and slices always marshal
	}
	return string(b)
}

// Kubectl returns a kubectl command, with the hub's kubeconfig, context and connection
// flags as they were named and, when it is not empty, a namespace.
func Kubectl(hub engine.Hub, namespace string, args ...string) engine.Text {
	words := []string{"kubectl"}
	if f := hub.Kubeconfig.String(); f != "" {
		words = append(words, "--kubeconfig", Quote(f))
	}
	if c := hub.Context.String(); c != "" {
		words = append(words, "--context", Quote(c))
	}
	if f := hub.Flags.String(); f != "" {
		words = append(words, f)
	}
	if namespace != "" {
		words = append(words, "-n", Quote(namespace))
	}
	for _, a := range args {
		words = append(words, Quote(a))
	}
	return engine.Clean(strings.Join(words, " "))
}

// QuoteWords quotes words, for engine.Hub.Flags.
func QuoteWords(words []string) engine.Text {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return engine.Clean(strings.Join(quoted, " "))
}

// Quote quotes a word.
func Quote(s string) string {
	plain := s != "" && s[0] != '-' || strings.HasPrefix(s, "--")
	for _, c := range s {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("-_./:=@%+,", c):
		default:
			plain = false
		}
	}
	if plain || slices.Contains(shortFlags, s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// shortFlags are the only words beginning with one dash that are not data.
var shortFlags = []string{"-A", "-p", "-l", "-L", "-o", "-c", "-f", "-"}
