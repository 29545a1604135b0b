package output

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// TestWritePage prints a page with every part that a page may have.
func TestWritePage(t *testing.T) {
	now := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	hub := engine.Hub{Context: engine.Lit("hub-a"), Server: engine.Lit("https://hub"), User: engine.Lit("jane")}
	a := &page.Answer{At: now, Sections: []page.Section{{
		Title: engine.Lit("changes"), Name: engine.Lit("web"), Note: engine.Lit("two"), Head: []engine.Text{engine.Lit("LINE"), engine.Lit("SINCE")},
		Rows: []page.Row{
			{Cells: []page.Cell{{Mark: page.MarkAdded, Text: engine.Lit("  replicas: 3")}, {Since: now.Add(-time.Minute)}}, Note: engine.Lit("approve it ({approve})")},
			{Cells: []page.Cell{{Mark: page.MarkGone, Text: engine.Clean("a\x1bb")}, {}}, Run: engine.NewID(engine.KindStagedUpdateRun, "shop", "r1", "")},
		},
	}}}
	for form, want := range map[string][]string{
		Text:     {"CHANGES web   two", "  +   replicas: 3   1m", "approve it (stagewatch approve)", "  - a"},
		Markdown: {"# changes web", "| LINE | SINCE |", "replicas: 3 | 1m"},
		JSON: {
			`"context": "hub-a"`, `"user": "jane"`, `"at": "2026-11-23T10:00:00Z"`, `"title": "changes"`, `"name": "web"`, `"columns": [`,
			`"change": "added"`, `"change": "removed"`, `"since": "2026-11-23T09:59:00Z"`, `"note": "approve it (stagewatch approve)"`, `"namespace": "shop"`,
		},
		YAML: {"context: hub-a\n", "\n  - cells:\n", "change: added\n"},
		JSONPath + "{.user} {.sections[0].rows[1].run.name}": {"jane r1"},
	} {
		var b bytes.Buffer
		if err := WritePage(&b, a, hub, form); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%s lacks %q:\n%s", form, w, b.String())
			}
		}
		if lines := strings.Split(b.String(), "\n"); form == Text && (len(lines) < 5 || utf8.RuneCountInString(strings.TrimSuffix(lines[2], "1m")) != utf8.RuneCountInString(strings.TrimSuffix(lines[4], "-"))) {
			t.Errorf("rows with a note between them are not in line:\n%s", b.String())
		}
		if strings.ContainsAny(b.String(), "\x1b\r") {
			t.Errorf("%s steers the terminal: %q", form, b.String())
		}
	}
}
