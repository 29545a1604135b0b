package keymark

import (
	"regexp"
	"testing"
)

// What is not a name in braces stays as it is.
func TestIn(t *testing.T) {
	inBraces := regexp.MustCompile(`\{([a-z-]+)(?::([^}]*))?\}`)
	for _, constant := range []string{
		"", "no mark", "read the log ({logs})", "{diagnose:first command} or {fixes-first}", "{a:}", "{}", "{:x}", "{A}", "{a b}",
		"{a {b} c}", "{a", "{a:b", "a}", "{{a}}", "{a:{b}}", "{name} {", "{\"status\":{\"a\":1}}", "{a:b:c}", "{ä}", "{1}{b}",
	} {
		want := inBraces.ReplaceAllString(constant, begin+"$1"+middle+"$2"+middle+end)
		if got := In(constant); got != want {
			t.Errorf("%q is %q, want %q", constant, got, want)
		}
	}
}
