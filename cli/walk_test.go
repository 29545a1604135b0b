//go:build linux || darwin

package cli_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestWalk does what the table of docs/walk.md says, on a hub with its incidents: the keys lead to a screen
// that names cause and remedy, with the names of run and placement hidden.
func TestWalk(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../docs/walk.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(raw), "\n|---|---|---|---|\n")
	if !ok {
		t.Fatal("docs/walk.md has no table")
	}
	rows := strings.Split(strings.TrimSpace(table), "\n")
	if len(rows) < 40 {
		t.Fatalf("%d incidents", len(rows))
	}
	// The incidents do not touch each other: several screens go through them at once. Each
	// incident is walked at 120x36, and at one of the other sizes.
	for i, size := range [][2]int{{80, 24}, {160, 50}, {120, 36}, {120, 36}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			s := start(t, size[0], size[1], nil, stagewatch(t), "--kubeconfig", incidents(t).kubeconfig, "--stuck-after", "20s")
			s.see(`live +\d+s +\d+ runs`)
			for at, row := range rows {
				if at%2 == i%2 {
					walk(t, s, row)
				}
			}
			leave(t, s)
		})
	}
}

// read returns the text of a screen as one reads it: pane by pane.
func read(screen string) string {
	lines := strings.Split(screen, "\n")
	at := -1 // where the second pane begins
	for _, l := range lines {
		for _, corners := range []string{"┓╭", "╮┏", "╮╭"} {
			if left, _, ok := strings.Cut(l, corners); ok && at < 0 {
				at = len([]rune(left)) + 1
			}
		}
	}
	var panes [2][]string
	for _, l := range lines {
		cells := []rune(l)
		from := min(len(cells), max(at, 0))
		panes[0] = append(panes[0], strings.Fields(string(cells[:from]))...)
		panes[1] = append(panes[1], strings.Fields(strings.Trim(string(cells[from:]), "│┃ "))...)
	}
	return strings.Join(append(panes[0], panes[1]...), " ")
}

// walk goes to the incident of a row of the table and back.
func walk(t *testing.T, s *session, row string) {
	t.Helper()
	cells := strings.Split(strings.Trim(row, "| "), " | ")
	if len(cells) != 4 {
		t.Fatalf("row %q", row)
	}
	name, keys := cells[0], strings.Fields(strings.Trim(cells[1], "`"))
	if len(keys) > 9 {
		t.Errorf("%s takes %d keys", name, len(keys))
	}
	// The cursor is put on the run, of cluster scope where there is one of each.
	filter := "run:=" + name + "-r2 kind:cluster"
	switch name {
	case "no-run":
		filter = "state:no-run placement:=" + name
	case "namespace-missing":
		filter = "run:=" + name + "-r2"
	}
	s.keys("/" + filter + "\r")
	s.see(`[^0-9]1 (of \d+ runs|placement)`)
	for _, k := range keys {
		switch k {
		case "none":
		case "enter":
			s.keys("\r")
		default:
			s.keys(k)
		}
	}
	hide := strings.NewReplacer(name+"-r2", "RUN", name, "NAME")
	cause, remedy := hide.Replace(cells[2]), hide.Replace(cells[3])
	s.until(name+": "+cause+" … "+remedy, patience, func(screen string) bool {
		text := hide.Replace(read(screen))
		return strings.Contains(text, cause) && strings.Contains(text, remedy)
	})
	if cells[1] != "none" {
		s.keys("\x1b")
		s.see(`· filter run:=`)
	}
	s.keys("\x1b")
	s.gone(`· filter `)
}
