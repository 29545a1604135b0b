package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/keymap"
)

// namesKey matches what in a text could be a key of the default keymap.
var namesKey = regexp.MustCompile(`\b(esc|enter|tab|pgdn|pgup|shift-tab|ctrl-[a-z])\b|\bspace (changes|marks)\b|` +
	`(^|[ ;:,(])(A (approves|acts|and)\b|[B-Zb-z?=!%/]( (and|or|lists?|acts?|shows?|resumes?|runs|approves?|copies|opens|reads|turns|again|marks|clears|confirms|starts?|ends)\b|: [a-z]))|` +
	` \([A-Za-z?=!]\)|\b[Pp]ress [A-Za-z]\b|\bfor [A-Z]\b|\bafter [^\w\s{]\.`)

// noKeys are texts that look as if they named a key of the screen, and do not.
var noKeys = []string{
	"enable the mouse; hold shift to select text in the terminal; % toggles the mouse", // the help of a flag
	"print the list, then a line for each change, until ctrl-c",                        // the key of the shell
}

// TestTextsNameNoKey: texts name actions in braces, which keys and commands replace, since keys
// can be bound to other actions.
func TestTextsNameNoKey(t *testing.T) {
	mark := regexp.MustCompile(`\{([a-z-]+)(?::[^}]*)?\}`)
	actions := append(keymap.Names(), "member", "undoes", "deletes-run", "fixes-first", "other-object", "takes-hub", "waits", "labels-cluster") // those behind member are not shown
	marks := 0
	for _, p := range goList(t, "-json=ImportPath,Dir,GoFiles", "./engine/...", "./watch/...", "./ui/...", "./cli/...") {
		for _, name := range p.GoFiles {
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, p.Dir+"/"+name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				text := ""
				switch call, ok := n.(*ast.CallExpr); {
				case strings.HasSuffix(p.ImportPath, "/triage/catalogue"): // tables of constants, which no call makes Texts
					text = literal(n)
				case ok && isText(call):
					text = literal(call.Args[0])
				}
				for _, m := range mark.FindAllStringSubmatch(text, -1) {
					if marks++; !slices.Contains(actions, m[1]) {
						t.Errorf("%s: {%s} is no action", set.Position(n.Pos()), m[1])
					}
				}
				if s := literal(n); namesKey.MatchString(s) && !strings.Contains(s, `\`) && !strings.Contains(s, "(?") && !slices.Contains(noKeys, s) {
					t.Errorf("%s names a key: %q; write its action in braces", set.Position(n.Pos()), s)
				}
				return true
			})
		}
	}
	if marks < 250 {
		t.Errorf("only %d actions were found in texts", marks)
	}
}

// isText reports whether a call makes a Text of a constant.
func isText(call *ast.CallExpr) bool {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	return (name == "Lit" || name == "Textf") && len(call.Args) > 0
}

// literal returns the value of a string literal, empty for anything else.
func literal(n ast.Node) string {
	if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
		s, _ := strconv.Unquote(l.Value)
		return s
	}
	return ""
}
