package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// retired lists the terms that no text of the program uses any more, with the
// term to use. Add a line for each further one. A term matches as whole words,
// whatever their case.
var retired = []struct{ term, use string }{
	{"to come", "pending"},
	{"known here", "unknown, or what was not read"},
	{"is not here", "not found"},
	{"for good", "permanently"},
	{"gives? up|gave up|given up", "fails, is no longer retried"},
	{"ails|deeds?|misfits?", "in trouble, change, mismatch"},
	{"by (?:itself|themselves)", "automatically"},
	{"anew", "again"},
	{"silently", "is ignored"},
	{"mind", "warning"},
	{"twins?", "equivalent kubectl command"},
	{"asked itself", "member queries"},
	{"would take (?:it|him)", "server dry run passed"},
	{"fight(?:s|ing)? over", "competing runs"},
	{"needs (?:you|somebody)", "needs attention"},
	{"stuck mark", "stuck threshold, time to stuck"},
	{"taken by", "preempted by"},
	{"takes? clusters? from", "preempts"},
	{"asks? about", "selects by"},
	{"tells? of|tells? what|these would tell|foretold", "shows, has"},
	{"held back|hold back|holds? writes", "blocked"},
	{"goes there", "opens it"},
	{"looked at it yet|has not looked", "has not observed"},
	{"nobody|somebody is", "stdin is not a terminal, or the passive"},
	{"no terminal", "not a terminal"},
	{"takes? the marks? away|takes? them away", "clears"},
	{"drops? (?:it|the filter)", "clears"},
	{"the one before|stage before|match before", "previous"},
	{"nothing is called that", "unknown command"},
	{"out of reach", "unreachable"},
	{"trying again and again", "reconnecting"},
	{"as it should", "(leave out)"},
	{"behind it", "(leave out)"},
	{"login program", "credential plugin"},
	{"for those who read it later", "reason, recorded in the audit log"},
	{"without a word", "is ignored"},
	{"the way down", "chain of causes"},
	{"why it is where it is", "diagnosis"},
	{"is mended", "is fixed"},
	{"without effect", "ignored"},
	{"in flight", "updating"},
}

// quoted are texts that are not ours, or that are not for a person: a literal
// that holds one of them may hold a retired term too.
var quoted = []string{
	"expected behavior which can be recovered by itself", // upstream's error class
}

// foreign are paths whose literals are texts of others: the controller's own
// messages, the API types and the objects of the demo.
func foreign(path string) bool {
	for _, p := range []string{"api/", "demo/", "tools/"} {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	// engine/drive writes upstream's messages into conditions.
	return strings.HasPrefix(path, "engine/drive/")
}

// retiredIn returns the retired terms of a text, with the term to use.
func retiredIn(text string) []string {
	for _, q := range quoted {
		if strings.Contains(text, q) {
			return nil
		}
	}
	var out []string
	for i := range retired {
		if m := retiredPatterns[i].FindString(text); m != "" {
			out = append(out, strconv.Quote(m)+": use "+retired[i].use)
		}
	}
	return out
}

var retiredPatterns = func() []*regexp.Regexp {
	out := make([]*regexp.Regexp, len(retired))
	for i, r := range retired {
		out[i] = regexp.MustCompile(`(?i)\b(?:` + r.term + `)\b`)
	}
	return out
}()

// The texts of the program use the standard terms only.
func TestTextsHaveNoRetiredTerm(t *testing.T) {
	read := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return filepath.SkipDir
		}
		path = filepath.ToSlash(path)
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || foreign(path) {
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		read++
		ast.Inspect(file, func(n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(l.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range retiredIn(text) {
				t.Errorf("%s: %q has %s", fset.Position(l.Pos()), text, r)
			}
			return true
		})
		return nil
	})
	if err != nil || read < 100 {
		t.Fatalf("%d files: %v", read, err)
	}
}

func TestRetiredTermsAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"the hub has given up": true,
		"Still to come: a":     true,
		"2 clusters in flight": true,
		"reminder":             false,
		"outcome":              false,
		"FOR GOOD":             true,
		"expected behavior which can be recovered by itself: x": false,
	} {
		if got := len(retiredIn(text)) > 0; got != want {
			t.Errorf("%q: %v", text, retiredIn(text))
		}
	}
}

// nameWords splits a declared name into lower-case words: HTTPServer is "http server".
func nameWords(name string) string {
	parted := regexp.MustCompile(`([a-z0-9])([A-Z])`).ReplaceAllString(name, "$1 $2")
	parted = regexp.MustCompile(`([A-Z])([A-Z][a-z])`).ReplaceAllString(parted, "$1 $2")
	return strings.ToLower(strings.ReplaceAll(parted, "_", " "))
}

// The names that the program and its tests declare use the standard terms only.
func TestNamesHaveNoRetiredTerm(t *testing.T) {
	read := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "api" || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		read++
		ast.Inspect(file, func(n ast.Node) bool {
			var names []*ast.Ident
			switch n := n.(type) {
			case *ast.FuncDecl:
				names = []*ast.Ident{n.Name}
			case *ast.TypeSpec:
				names = []*ast.Ident{n.Name}
			case *ast.Field: // of a struct, and parameters
				names = n.Names
			case *ast.ValueSpec:
				names = n.Names
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					for _, left := range n.Lhs {
						if name, ok := left.(*ast.Ident); ok {
							names = append(names, name)
						}
					}
				}
			}
			for _, name := range names {
				if found := retiredIn(nameWords(name.Name)); found != nil {
					t.Errorf("%s: %s has %s", fset.Position(name.Pos()), name.Name, found)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || read < 100 {
		t.Fatalf("%d files: %v", read, err)
	}
}

func TestNameWords(t *testing.T) {
	for name, want := range map[string]string{"HTTPServer": "http server", "stoppingInFlight": "stopping in flight", "TestA_b": "test a b", "OfANewRun": "of a new run"} {
		if got := nameWords(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
