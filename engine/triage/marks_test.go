package triage

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var textConstant = regexp.MustCompile(`(?:Lit|Textf)\("((?:[^"\\]|\\.)*)"`)

// A step that fixes the cause before it offers a new run, deletes the run, or is for who meant
// another object has the mark by which diagnoses order and leave out steps.
func TestStepsAreMarked(t *testing.T) {
	kinds := []struct {
		mark  string
		words *regexp.Regexp
	}{
		{"{deletes-run}", regexp.MustCompile(`^(?:\{[a-z-]+\})?Delete this run \(\{delete\}\)`)},
		{"{fixes-first}", regexp.MustCompile(`(?:[Tt]hen|and) create a new run(?: \(\{clone\}\))`)},
		{"{other-object}", regexp.MustCompile(`if you meant it, `)},
	}
	found := map[string]int{}
	err := filepath.WalkDir(".", func(file string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		b, err := os.ReadFile(file)
		for _, m := range textConstant.FindAllStringSubmatch(string(b), -1) {
			for _, kind := range kinds {
				if kind.words.MatchString(m[1]) {
					found[kind.mark]++
					if !strings.HasPrefix(m[1], kind.mark) && !strings.HasPrefix(m[1], "{deletes-run}") {
						t.Errorf("%s: the step has no %s: %s", file, kind.mark, m[1])
					}
					break
				}
			}
		}
		return err
	})
	if err != nil || found["{deletes-run}"] < 5 || found["{fixes-first}"] < 80 || found["{other-object}"] < 3 {
		t.Errorf("%v, steps: %v", err, found)
	}
}
