package triage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

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
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Without" { // a part of a step
					return false
				}
			}
			l, ok := n.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(l.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, kind := range kinds {
				if kind.words.MatchString(text) {
					found[kind.mark]++
					if !strings.HasPrefix(text, kind.mark) && !strings.HasPrefix(text, "{deletes-run}") {
						t.Errorf("%s: the step has no %s: %s", file, kind.mark, text)
					}
					break
				}
			}
			return true
		})
		return nil
	})
	if err != nil || found["{deletes-run}"] < 5 || found["{fixes-first}"] < 80 || found["{other-object}"] < 3 {
		t.Errorf("%v, steps: %v", err, found)
	}
}
