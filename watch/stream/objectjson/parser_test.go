package objectjson

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestTextsAreThoseOfJSON compares texts with encoding/json: of escapes, surrogates, broken
// ones, letters, control characters and bytes that are not UTF-8, whole and cut off.
func TestTextsAreThoseOfJSON(t *testing.T) {
	parts := []string{
		`\n`, `\t`, `\r`, `\b`, `\f`, `\/`, `\"`, `\\`, `\u00e9`, `\u00E9`, `\u20ac`, `\u0000`, `\ud83d\ude00`, `\ud83d`, `\ude00x`, `\u12`, `\uzzzz`, `\x`,
		"a", "words ", "é", "€", "😀", "\n", "\x00", "\x7f", "\xff", "\xc3", "\u2028", "\ufffd", strings.Repeat("long ", 20),
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		var b strings.Builder
		for range random.IntN(8) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		raw := `"` + b.String() + `"`
		if random.IntN(10) == 0 {
			raw = raw[:random.IntN(len(raw))]
		}
		var want string
		wantErr := json.Unmarshal([]byte(raw), &want)
		p := newParser([]byte(raw))
		got := p.text()
		if p.err == nil && p.i != len(raw) {
			p.fail("end")
		}
		if (p.err != nil) != (wantErr != nil) || wantErr == nil && got != want {
			t.Fatalf("%q: %q, %v; want %q, %v", raw, got, p.err, want, wantErr)
		}
		newParser([]byte(raw)).raw()
	}
}
