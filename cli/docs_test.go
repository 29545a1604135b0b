package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// What the texts tell to type exists.
func TestDocsNameFlagsThatExist(t *testing.T) {
	known, commands := map[string]bool{}, map[string]bool{"completion": true} // which cobra adds
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		commands[c.Name()] = true
		for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newCommand(&terminal{}))
	// Those of the demo, which cannot be linked here: they are declared with
	// their name as a word of its own.
	demo, err := filepath.Glob("../demo/*.go")
	if err != nil || len(demo) == 0 {
		t.Fatalf("the demo's sources: %v, %v", demo, err)
	}
	var source strings.Builder
	for _, path := range demo {
		source.WriteString(readFile(t, path))
	}
	docs, err := filepath.Glob("../docs/*.md")
	if err != nil || len(docs) == 0 {
		t.Fatalf("the docs: %v, %v", docs, err)
	}
	flag := regexp.MustCompile(`(?:^|[\s\[|(\x60])--([a-z][a-z-]+)`)
	command := regexp.MustCompile(`(?m)^stagewatch ([a-z]+) [A-Z]`)
	for _, path := range append(docs, "../README.md") {
		if filepath.Base(path) == "causes.md" {
			continue // names flags of the hub's controller
		}
		text := readFile(t, path)
		flags := flag.FindAllStringSubmatch(text, -1)
		for _, m := range flags {
			if !known[m[1]] && !strings.Contains(source.String(), strconv.Quote(m[1])) && m[1] != "help" {
				t.Errorf("%s: there is no flag --%s", path, m[1])
			}
		}
		for _, m := range command.FindAllStringSubmatch(text, -1) {
			if !commands[m[1]] {
				t.Errorf("%s: there is no command %s", path, m[1])
			}
		}
		if path == "../README.md" && len(flags) < 10 {
			t.Errorf("only %d flags were found in %s: does the test still read it?", len(flags), path)
		}
	}
}

// The README tells every key, word and exit code that there is.
func TestReadmeIsWhole(t *testing.T) {
	readme := readFile(t, "../README.md")
	section := func(title string) string {
		_, after, found := strings.Cut(readme, "\n## "+title+"\n")
		if !found {
			t.Fatalf("no section %s", title)
		}
		text, _, _ := strings.Cut(after, "\n## ")
		return text
	}
	told := func(in, what string) {
		if !strings.Contains(in, what) {
			t.Errorf("%s is not told", what)
		}
	}
	keys := section("Keys")
	keymapOf := keymap.Default()
	for _, scope := range []keymap.Scope{keymap.ScopeRuns, keymap.ScopeRun, keymap.ScopeSheet, keymap.ScopePage} {
		for _, e := range keymapOf.In(scope) {
			told(keys, "`"+strings.Fields(e.Key.Help().Key)[0]+"`")
		}
	}
	words := section("The states")
	for w := engine.WordDeleting; w <= engine.WordUnreadable; w++ {
		told(words, w.String())
	}
	codes := section("Use it on a hub")
	for _, code := range []int{exit.OK, exit.Failed, exit.Usage, exit.NotFound, exit.Forbidden, exit.Unreachable, exit.Interrupted} {
		told(codes, "\n| "+strconv.Itoa(code)+" |")
	}
	told(codes, fmt.Sprintf("\n| %d, %d, %d, %d |", exit.Stuck, exit.Approval, exit.Stopped, exit.Timeout))
	for _, c := range newCommand(&terminal{}).Commands() {
		told(readme, "stagewatch "+c.Name()+" ")
	}
}

// A clone whose old run stays is not told as if nothing had been made.
func TestKept(t *testing.T) {
	made := engine.NewID(engine.KindStagedUpdateRun, "shop", "pay-r3", "u")
	err := kept(made, &exit.Failure{Code: exit.Forbidden, What: engine.Lit("cannot delete pay-r2: you may not"), Hint: engine.Lit("ask")})
	var f *exit.Failure
	if !errors.As(err, &f) || f.Code != exit.Forbidden || f.Hint != engine.Lit("ask") ||
		f.What.String() != "shop/pay-r3 is created; deleting the old run: cannot delete pay-r2: you may not" {
		t.Errorf("%+v", err)
	}
	if err := kept(made, nil); err != nil {
		t.Error(err)
	}
	if other := errors.New("write outcome: broken pipe"); !errors.Is(kept(made, other), other) {
		t.Error("another error is lost")
	}
}
