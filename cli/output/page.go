package output

import (
	"io"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// pageDocument is a page in JSON; its keys are stable.
type pageDocument struct {
	Context  engine.Text       `json:"context"`
	Server   engine.Text       `json:"server"`
	User     engine.Text       `json:"user"`
	At       time.Time         `json:"at"`
	Sections []sectionDocument `json:"sections"`
}

type sectionDocument struct {
	Hub     engine.Text   `json:"hub,omitzero"`
	Title   engine.Text   `json:"title"`
	Name    engine.Text   `json:"name,omitzero"`
	Note    engine.Text   `json:"note,omitzero"`
	Columns []engine.Text `json:"columns,omitempty"`
	Rows    []rowDocument `json:"rows"`
}

type rowDocument struct {
	Cells []cellDocument `json:"cells"`
	Note  engine.Text    `json:"note,omitzero"`
	// Run is the run that the row is about.
	Run *identity `json:"run,omitempty"`
}

type cellDocument struct {
	Text engine.Text `json:"text,omitzero"`
	// Change is "added" or "removed" for a line of a diff.
	Change string    `json:"change,omitempty"`
	At     time.Time `json:"at,omitzero"`
	Since  time.Time `json:"since,omitzero"`
}

// PageForms are the values of --output for a page.
func PageForms() []string { return []string{Text, Markdown, JSON, YAML, JSONPath} }

// WritePage prints a page in one of PageForms.
func WritePage(w io.Writer, a *page.Answer, hub engine.Hub, form string) error {
	return WriteAnswer(w, a, hub, form, func() any { return pageDocumentOf(a, hub) })
}

// WriteAnswer is WritePage for a page that has a document of its own.
func WriteAnswer(w io.Writer, a *page.Answer, hub engine.Hub, form string, document func() any) error {
	switch form {
	case Text:
		return WriteSections(w, a)
	case Markdown:
		return WriteMarkdown(w, a, hub)
	}
	return writeDocument(w, document(), form)
}

func pageDocumentOf(a *page.Answer, hub engine.Hub) pageDocument {
	d := pageDocument{Context: hub.Context, Server: hub.Server, User: hub.User, At: a.At.UTC(), Sections: []sectionDocument{}}
	for i := range a.Sections {
		s := &a.Sections[i]
		section := sectionDocument{Hub: s.Hub.Context(), Title: s.Title, Name: s.Name, Note: s.Note, Columns: s.Head, Rows: []rowDocument{}}
		for j := range s.Rows {
			r := &s.Rows[j]
			row := rowDocument{Note: r.Note, Cells: make([]cellDocument, 0, len(r.Cells))}
			if !r.Run.IsZero() {
				id := identityOf(r.Run)
				row.Run = &id
			}
			for k := range r.Cells {
				c := &r.Cells[k]
				row.Cells = append(row.Cells, cellDocument{Text: c.Text, Change: changes[c.Mark], At: utc(c.At), Since: utc(c.Since)})
			}
			section.Rows = append(section.Rows, row)
		}
		d.Sections = append(d.Sections, section)
	}
	return d
}

// changes are the marks of a diff in JSON.
var changes = map[page.Mark]string{page.MarkAdded: "added", page.MarkGone: "removed"}
