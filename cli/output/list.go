package output

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/engine/runref"
)

// The forms of --output.
const (
	Table    = "table"
	Wide     = "wide"
	Markdown = "markdown"
	JSON     = "json"
	Name     = "name"
	YAML     = "yaml"
	// JSONPath is followed by a template.
	JSONPath = "jsonpath="
	// JSONLines prints each run as one line of JSON.
	JSONLines = "jsonl"
	// Text is that of commands that print no table.
	Text = "text"
)

// WriteList prints the rows in the form that --output asks for. A table has the chosen columns,
// unless there are none.
func WriteList(w io.Writer, s *engine.Snapshot, sc runref.Scope, rows []*engine.RunView, chosen []column.Column, form string, headers bool) error {
	switch form {
	case JSONLines:
		for _, r := range rows {
			if err := writeLine(w, runDocumentOf(s, r)); err != nil {
				return err
			}
		}
		return nil
	case Name:
		for _, r := range rows {
			if r.Word == engine.WordNoRun {
				continue
			}
			if _, err := fmt.Fprintln(w, sc.Kubectl(r.ID)); err != nil {
				return err
			}
		}
		return nil
	case Markdown:
		return WriteMarkdownTable(w, s, rows, chosen)
	case "", Table, Wide:
		return WriteTable(w, s, rows, chosen, form == Wide, headers)
	}
	return writeDocument(w, DocumentOf(s, rows), form)
}

// writeJSON prints what scripts read.
func writeJSON(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(document)
}

// namedRuns is how many runs a note names; the JSON names all.
const namedRuns = 5

// EmptyNotes says that a table has no rows; chosen means that a selector has left rows out.
func EmptyNotes(rows []*engine.RunView, form string, chosen bool) []engine.Text {
	switch {
	case len(rows) > 0 || form != "" && form != Table && form != Wide && form != Markdown:
		return nil
	case chosen:
		return []engine.Text{engine.Lit("no run matches the selector")}
	}
	return []engine.Text{engine.Lit("there are no runs")}
}

// MissingNotes says what rows depend on and was not read: one line a reason.
func MissingNotes(s *engine.Snapshot, rows []*engine.RunView) []engine.Text {
	var reasons []engine.Text
	runs, of := map[engine.Text][]engine.Text{}, map[engine.Text][]engine.Text{}
	for _, r := range rows {
		for _, g := range s.Missing[r.ID] {
			if runs[g.Why] == nil {
				reasons = append(reasons, g.Why)
			}
			if name := r.ID.Title(); !slices.Contains(runs[g.Why], name) {
				runs[g.Why] = append(runs[g.Why], name)
			}
			if !slices.Contains(of[g.Why], g.What) {
				of[g.Why] = append(of[g.Why], g.What)
			}
		}
	}
	var out []engine.Text
	for _, why := range reasons {
		verb := engine.Lit("was")
		if len(runs[why]) > 1 {
			verb = engine.Lit("were")
		}
		out = append(out, engine.Textf("%s (%s) %s read without %s: %s", engine.Count(len(runs[why]), "run"), engine.Enumerate(runs[why], namedRuns), verb, engine.Enumerate(of[why], 3), why))
	}
	return out
}
