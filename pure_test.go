package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestWhatIsNotRacedStartsNoGoroutine holds that nothing in the directories that the race
// step of .ci/run leaves out, tests included, runs concurrently: the detector cannot find
// anything in one goroutine. The demo and what links its hub are left out for another
// reason, their time.
func TestWhatIsNotRacedStartsNoGoroutine(t *testing.T) {
	run, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	skipped := regexp.MustCompile(`(?m)^not_raced='(.+)'$`).FindSubmatch(run)
	if skipped == nil {
		t.Fatal(".ci/run does not say what is not raced")
	}
	notRaced := regexp.MustCompile(string(skipped[1]))
	files := 0
	for file, text := range sources(t) {
		dir := "/" + path.Dir(file)
		if path.Ext(file) != ".go" || !notRaced.MatchString(dir) || strings.HasPrefix(dir, "/demo") {
			continue
		}
		files++
		for _, at := range concurrency(t, file, text) {
			t.Errorf("%s: what .ci/run does not race starts no goroutine; move this elsewhere, or have the package raced", at)
		}
	}
	if files == 0 {
		t.Error("no files")
	}
}

func TestConcurrencyIsFound(t *testing.T) {
	for body, want := range map[string]int{
		"go f()": 1, "group.Go(f)": 1, "t.Parallel()": 1, "context.AfterFunc(ctx, f)": 1, "time.AfterFunc(d, f)": 1, "f(); x.Run(f)": 0,
	} {
		if got := concurrency(t, "x.go", "package x\nfunc y() { "+body+" }"); len(got) != want {
			t.Errorf("%s: found %v, want %d", body, got, want)
		}
	}
}

// concurrency returns the places of a Go file that start a goroutine.
func concurrency(t *testing.T, path, source string) []token.Position {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []token.Position
	ast.Inspect(file, func(n ast.Node) bool {
		starts := false
		switch n := n.(type) {
		case *ast.GoStmt:
			starts = true
		case *ast.CallExpr:
			if called, ok := n.Fun.(*ast.SelectorExpr); ok {
				switch called.Sel.Name {
				case "Go", "Parallel", "RunParallel", "AfterFunc":
					starts = true
				}
			}
		}
		if starts {
			found = append(found, set.Position(n.Pos()))
		}
		return true
	})
	return found
}
