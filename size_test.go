package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sorted are the calls of slices.SortFunc and slices.SortStableFunc, with the type of the elements.
var sorted = regexp.MustCompile(`slices\.Sort(?:Stable)?Func\([^,\n]+, func\(\w+, \w+ ([^)\n]+)\) int`)

// The compiler makes all of slices.SortFunc anew for each type of struct, 27 KB of the binary, and
// once for all pointers. Package sort has one sort for all types, which allocates a little
// (docs/performance.md#binary).
func TestListsOfStructsShareTheirSort(t *testing.T) {
	shared := regexp.MustCompile(`^(\*.+|string|T)$`) // T are pointers
	calls := 0
	for _, dir := range []string{"api", "cli", "engine", "keymap", "ui", "watch"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(filepath.ToSlash(path), "watch/faults/") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, call := range sorted.FindAllSubmatch(text, -1) {
				calls++
				if of := string(call[1]); !shared.MatchString(of) {
					t.Errorf("%s: sort lists of %s with sort.Slice or sort.SliceStable", path, of)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if calls == 0 {
		t.Error("no call was found")
	}
}
