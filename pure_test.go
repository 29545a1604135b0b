package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"testing"
)

// TestTheEngineStartsNoGoroutine holds that nothing in the engine tree, tests
// included, runs concurrently. Therefore the race step of .ci/run leaves the
// tree out: the detector cannot find anything in one goroutine.
func TestTheEngineStartsNoGoroutine(t *testing.T) {
	files := 0
	err := filepath.WalkDir("engine", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		files++
		for _, at := range concurrency(t, path, nil) {
			t.Errorf("%s: the engine tree starts no goroutine; move this elsewhere, or have .ci/run race the package", at)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
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

// concurrency returns the places of a Go file that start a goroutine. A nil
// source means the file itself.
func concurrency(t *testing.T, path string, source any) []token.Position {
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
