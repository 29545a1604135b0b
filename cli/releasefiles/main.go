// Command releasefiles writes what a package installs beside the binary: man pages
// (DIR/man) and shell completions (DIR/completions). The release build runs it.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/stagewatch/stagewatch/cli"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "releasefiles:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: releasefiles DIR")
	}
	return write(args[0], cli.Command())
}

// write fills dir. The man pages carry the time SOURCE_DATE_EPOCH, without it the present.
func write(dir string, cmd *cobra.Command) error {
	man, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, d := range []string{man, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return fmt.Errorf("create directory: %w", err)
		}
	}
	if err := doc.GenManTree(cmd, &doc.GenManHeader{Section: "1", Source: cmd.Name()}, man); err != nil {
		return fmt.Errorf("write man pages: %w", err)
	}
	name := filepath.Join(completions, cmd.Name())
	for _, err := range []error{
		cmd.GenBashCompletionFileV2(name+".bash", true), cmd.GenZshCompletionFile(name + ".zsh"),
		cmd.GenFishCompletionFile(name+".fish", true), cmd.GenPowerShellCompletionFileWithDesc(name + ".ps1"),
	} {
		if err != nil {
			return fmt.Errorf("write completion: %w", err)
		}
	}
	return nil
}
