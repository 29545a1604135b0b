package config

import (
	"os"
	"regexp"
	"testing"
)

// TestExamplesAreValid reads the configurations that the README and docs/configuration.md show.
func TestExamplesAreValid(t *testing.T) {
	n := 0
	for _, page := range []string{"../../README.md", "../../docs/configuration.md"} {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(raw, -1) {
			n++
			if _, err := Parse(page, m[1]); err != nil {
				t.Errorf("%v in\n%s", err, m[1])
			}
		}
	}
	if n < 4 {
		t.Errorf("only %d examples were found", n)
	}
}
