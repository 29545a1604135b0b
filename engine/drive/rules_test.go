package drive_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestRulesPage holds that every test that docs/rules.md names exists.
func TestRulesPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, pattern := range []string{"*_test.go", filepath.Join("..", "..", "demo", "fleet", "*_test.go")} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	have := map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`func ((?:Test|Benchmark)\w+)\(`).FindAllSubmatch(source, -1) {
			have[string(m[1])] = true
		}
	}
	named := regexp.MustCompile("`((?:Test|Benchmark)\\w+)`").FindAllSubmatch(page, -1)
	if len(named) < 50 {
		t.Errorf("the page names %d tests", len(named))
	}
	for _, m := range named {
		if !have[string(m[1])] {
			t.Errorf("no test %s", m[1])
		}
	}
}
