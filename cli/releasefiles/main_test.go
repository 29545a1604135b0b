package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli"
)

// TestReleaseFiles checks that each command has a man page that names its flags,
// and each shell its completion.
func TestReleaseFiles(t *testing.T) {
	dir := t.TempDir()
	root := cli.Command()
	t.Setenv("SOURCE_DATE_EPOCH", "1193900000") // November 2007
	if err := write(dir, root); err != nil {
		t.Fatal(err)
	}
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() && cmd != root {
			return
		}
		page := read(t, filepath.Join(dir, "man", strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"))
		if !strings.Contains(page, "SYNOPSIS") || !strings.Contains(page, "Nov 2007") {
			t.Errorf("man page of %q lacks its synopsis or date:\n%.400s", cmd.CommandPath(), page)
		}
		// A man page keeps the lines of a block that is indented by four and apart from the text.
		before := ""
		for line := range strings.SplitSeq(cmd.Long, "\n") {
			in, was := strings.HasPrefix(line, " "), strings.HasPrefix(before, " ")
			if in && !strings.HasPrefix(line, "    ") || in != was && line != "" && before != "" {
				t.Errorf("the help of %q has a list that a man page joins: %q", cmd.CommandPath(), line)
			}
			before = line
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(root)
	for _, shell := range []string{"bash", "zsh", "fish", "ps1"} {
		if text := read(t, filepath.Join(dir, "completions", "stagewatch."+shell)); !strings.Contains(text, "stagewatch") {
			t.Errorf("completion for %s does not name the program", shell)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
