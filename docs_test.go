package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sources returns the text of every file of the repository that a person
// writes, by path.
func sources(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "bin" || d.Name() == "dist"):
			return filepath.SkipDir
		case d.IsDir(), !d.Type().IsRegular():
			return nil
		}
		switch filepath.Ext(path) {
		case ".png", ".sum":
			return nil
		}
		b, err := os.ReadFile(path)
		if err == nil {
			all[filepath.ToSlash(path)] = string(b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// testNames returns the tests of each package directory.
func testNames(all map[string]string) map[string]map[string]bool {
	tests := map[string]map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)
	for file, text := range all {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		dir := path.Dir(file)
		if tests[dir] == nil {
			tests[dir] = map[string]bool{}
		}
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			tests[dir][m[1]] = true
		}
	}
	return tests
}

// TestDocsNameTestsThatExist checks each test that a page of docs names: as
// package.TestName, or without a package for one of engine/drive.
func TestDocsNameTestsThatExist(t *testing.T) {
	const usual = "engine/drive"
	all := sources(t)
	tests := testNames(all)
	named := regexp.MustCompile("`(?:([a-z0-9/]+)\\.)?((?:Test|Benchmark|Fuzz)[A-Z0-9]\\w*)`")
	for _, page := range []struct {
		file  string
		least int
	}{{"docs/kubefleet.md", 200}, {"docs/promises.md", 40}} {
		found := named.FindAllStringSubmatch(all[page.file], -1)
		if len(found) < page.least {
			t.Errorf("%s names %d tests, want at least %d", page.file, len(found), page.least)
		}
		for _, m := range found {
			dir := m[1]
			switch dir {
			case "package": // the form itself
				continue
			case "":
				dir = usual
			}
			if !tests[dir][m[2]] {
				t.Errorf("%s: package %s has no test %s", page.file, dir, m[2])
			}
		}
	}
}

// anchors returns what a link into a page may name: its explicit ids, and its
// headings as a forge turns them into ids.
func anchors(page string) map[string]bool {
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(`<a id="([^"]+)">`).FindAllStringSubmatch(page, -1) {
		ids[m[1]] = true
	}
	tag := regexp.MustCompile(`<[^>]*>`)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		id := strings.ToLower(strings.TrimSpace(tag.ReplaceAllString(m[1], "")))
		id = regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(id, "")
		ids[strings.ReplaceAll(id, " ", "-")] = true
	}
	return ids
}

// TestCitedPagesExist checks each page and anchor of docs that a comment, a test
// or another page names.
func TestCitedPagesExist(t *testing.T) {
	all := sources(t)
	cited := regexp.MustCompile(`\bdocs/([a-z]+\.md)((?:(?:, )?#[a-z0-9_-]+)*)`)
	linked := regexp.MustCompile(`\]\(([a-z]+\.md)?(?:#([a-z0-9_-]+))?\)`)
	n := 0
	check := func(file, page, anchor string) {
		text, ok := all[page]
		switch {
		case !ok:
			t.Errorf("%s: there is no page %s", file, page)
		case anchor != "" && !anchors(text)[anchor]:
			t.Errorf("%s: %s has no anchor #%s", file, page, anchor)
		}
	}
	for file, text := range all {
		for _, m := range cited.FindAllStringSubmatch(text, -1) {
			n++
			check(file, "docs/"+m[1], "")
			for anchor := range strings.FieldsFuncSeq(m[2], func(r rune) bool { return r == '#' || r == ',' || r == ' ' }) {
				check(file, "docs/"+m[1], anchor)
			}
		}
		if path.Dir(file) != "docs" || path.Ext(file) != ".md" {
			continue
		}
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			page := file
			if m[1] != "" {
				page = "docs/" + m[1]
			}
			check(file, page, m[2])
		}
	}
	if n < 20 {
		t.Errorf("%d citations found, want at least 20", n)
	}
}

// TestContributingIsShort: who reads it wants to begin.
func TestContributingIsShort(t *testing.T) {
	raw, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(raw), "\n"); n > 60 {
		t.Errorf("CONTRIBUTING.md has %d lines, at most 60 are allowed", n)
	}
}

// TestNoPaperIsCited fails for a comment, a test or a page that cites a document
// which is not in the repository, such as "design" with a section number.
func TestNoPaperIsCited(t *testing.T) {
	// A citation may be broken by the end of a comment's line.
	broken := regexp.MustCompile(`\n[\t ]*(?://|#)? ?`)
	paper := regexp.MustCompile(`\b(?:facts|design|ux|promises?|language|style)(?:\.md)?,? (?:section |part )?(?:§ ?)?(?:[0-9]+(?:\.[0-9]+)*\b|I[0-9]+\b|[A-Z][,;:.)])`)
	for file, text := range sources(t) {
		if file == "docs_test.go" {
			continue // its own patterns
		}
		for _, m := range paper.FindAllString(broken.ReplaceAllString(text, " "), -1) {
			t.Errorf("%s cites %q, which a reader cannot open: explain it, or cite a page of docs", file, m)
		}
	}
}

// TestArchitectureNamesWhatExists checks the files, packages and functions that
// docs/architecture.md names.
func TestArchitectureNamesWhatExists(t *testing.T) {
	const page = "docs/architecture.md"
	all := sources(t)
	dirs, funcs := map[string]bool{".": true}, map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (?:\((?:\w+ )?\*?(\w+)\) )?(\w+)\(`)
	for file, text := range all {
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			dirs[dir] = true
		}
		if path.Ext(file) != ".go" {
			continue
		}
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			funcs[m[2]] = true
			funcs[m[1]+"."+m[2]] = true
			funcs[path.Base(path.Dir(file))+"."+m[2]] = true
		}
	}
	prose := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(all[page], "")
	n := 0
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(prose, -1) {
		name := m[1]
		switch {
		case regexp.MustCompile(`^[\w./-]+\.(go|md|yaml)$`).MatchString(name):
			// A file without a directory is in the one named before it.
			if n++; strings.Contains(name, "/") && all[name] == "" {
				t.Errorf("%s: there is no file %s", page, name)
			}
		case regexp.MustCompile(`^(api|engine|watch|keymap|ui|cli|demo)(/[a-z0-9]+)*$`).MatchString(name):
			if n++; !dirs[name] {
				t.Errorf("%s: there is no package %s", page, name)
			}
		case regexp.MustCompile(`^[A-Za-z]+\.[A-Za-z]+$`).MatchString(name):
			if n++; !funcs[name] {
				t.Errorf("%s: there is no function %s", page, name)
			}
		}
	}
	if n < 80 {
		t.Errorf("%s names %d files, packages and functions: does the test still read it?", page, n)
	}
}
