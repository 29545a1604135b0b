package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var camel = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`)

func TestTryIdents(t *testing.T) {
	seen := map[string]int{}
	filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasPrefix(path, "api/") {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		check := func(id *ast.Ident) {
			words := strings.ToLower(strings.Join(camel.FindAllString(id.Name, -1), " "))
			for i := range retired {
				if retiredPatterns[i].MatchString(words) {
					k := id.Name + " : " + retired[i].term
					seen[k]++
					if seen[k] == 1 {
						t.Log(path, k)
					}
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				check(n.Name)
			case *ast.TypeSpec:
				check(n.Name)
			case *ast.ValueSpec:
				for _, id := range n.Names {
					check(id)
				}
			case *ast.Field:
				for _, id := range n.Names {
					check(id)
				}
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					for _, l := range n.Lhs {
						if id, ok := l.(*ast.Ident); ok {
							check(id)
						}
					}
				}
			}
			return true
		})
		return nil
	})
}
