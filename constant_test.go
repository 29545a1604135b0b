package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// constantTypes are the types of package engine whose values are constants of the program, safe for a terminal. Any
// string can be converted to them.
var constantTypes = []string{"Cause", "Literal"}

// Nothing but a string literal is converted to a Cause or a Literal: a text of a hub is never one.
func TestConstantTypesAreConstants(t *testing.T) {
	constants := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		of, others := conversions(f, filepath.ToSlash(filepath.Dir(path)) == "engine")
		constants += of
		for _, n := range others {
			t.Errorf("%s: only a string literal may become a constant of package engine", set.Position(n.Pos()))
		}
		return nil
	})
	if err != nil || constants == 0 {
		t.Fatalf("%d conversions of constants: %v", constants, err)
	}
}

// conversions counts the conversions of string literals to a constant type, and returns those of anything else and
// the other names of such a type, which would hide conversions. inEngine is true for a file of package engine.
func conversions(f *ast.File, inEngine bool) (constants int, others []ast.Node) {
	names := map[string]bool{} // of package engine in this file; "" without a qualifier
	if inEngine {
		names[""] = true
	}
	for _, i := range f.Imports {
		if path, _ := strconv.Unquote(i.Path.Value); path != module+"/engine" {
			continue
		}
		switch {
		case i.Name == nil:
			names["engine"] = true
		case i.Name.Name == ".":
			names[""] = true
		default:
			names[i.Name.Name] = true
		}
	}
	isConstant := func(typ ast.Expr) bool {
		switch typ := ast.Unparen(typ).(type) {
		case *ast.Ident:
			return names[""] && slices.Contains(constantTypes, typ.Name)
		case *ast.SelectorExpr:
			x, ok := typ.X.(*ast.Ident)
			return ok && names[x.Name] && slices.Contains(constantTypes, typ.Sel.Name)
		}
		return false
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if !isConstant(n.Fun) {
				break
			}
			if l, ok := n.Args[0].(*ast.BasicLit); ok && l.Kind == token.STRING {
				constants++
			} else {
				others = append(others, n)
			}
		case *ast.TypeSpec:
			if n.Assign.IsValid() && isConstant(n.Type) {
				others = append(others, n)
			}
		}
		return true
	})
	return constants, others
}

func TestConversionsAreFound(t *testing.T) {
	const imports = "import \"" + module + "/engine\"\n"
	for _, tt := range []struct {
		source            string
		inEngine          bool
		constants, others int
	}{
		{imports + `var x = engine.Cause("stuck")`, false, 1, 0},
		{imports + "var x = engine.Literal(`Wait.`)", false, 1, 0},
		{imports + `var x = engine.Cause(y)`, false, 0, 1},
		{imports + `var x = []engine.Literal{engine.Literal(y.Message)}`, false, 0, 1},
		{imports + `var x = (engine.Literal)("a" + y)`, false, 0, 1},
		{imports + `type words = engine.Literal`, false, 0, 1},
		{imports + `var x = engine.Clean(y)`, false, 0, 0},
		{"import e \"" + module + "/engine\"\nvar x = e.Literal(\n\ty,\n)", false, 0, 1},
		{"import . \"" + module + "/engine\"\nvar x = Cause(y)", false, 0, 1},
		{`var x, z = Literal(y), Cause("stuck")`, true, 1, 1},
		{`var x = Cause(y)`, false, 0, 0}, // a function of another package
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+tt.source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if constants, others := conversions(f, tt.inEngine); constants != tt.constants || len(others) != tt.others {
			t.Errorf("%s: %d and %d", tt.source, constants, len(others))
		}
	}
}
