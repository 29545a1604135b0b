package output

import (
	"bytes"
	stdjson "encoding/json"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/jsonpath"
)

// ListForms are the values of --output for a list, as completion offers them.
func ListForms() []string {
	return []string{Table, Wide, Name, JSON, YAML, JSONPath, JSONLines, Markdown}
}

// WatchForms are those that --watch can print.
func WatchForms() []string { return []string{Table, Wide, Name, JSON, JSONLines} }

// CheckForm refuses a value of --output that is not one of the forms, or a JSONPath
// template that cannot be parsed.
func CheckForm(value string, forms []string) engine.Refusal {
	name := value
	template, isPath := strings.CutPrefix(value, JSONPath)
	if isPath {
		name = JSONPath
	}
	if !slices.Contains(forms, name) {
		hint := engine.Textf("%suse %s", engine.DidYouMean(name, forms), strings.Join(forms, ", "))
		if slices.Contains(ListForms(), name) && slices.Contains(forms, JSONLines) { // a document
			hint = engine.Textf("use %s or %s for one object a line, or %s, %s or %s", JSON, JSONLines, Table, Wide, Name)
		}
		return engine.Refusal{Why: engine.Textf("invalid --output %q", engine.Clean(value)), Hint: hint}
	}
	if isPath {
		if _, err := jsonpath.Parse(template); err != nil {
			return engine.Refusal{Why: engine.Textf("invalid JSONPath %q: %s", engine.Clean(template), engine.Clean(err.Error())), Hint: pathHint(forms)}
		}
	}
	return engine.Refusal{}
}

// pathHint says how to write a JSONPath: of a list for the forms of a list.
func pathHint(forms []string) engine.Text {
	example := "{.KEY}"
	if slices.Contains(forms, Wide) {
		example = "{.runs[*].name}"
	}
	return engine.Textf("write a template such as jsonpath='%s'; the keys are those of -o json", example)
}

// writeDocument prints a document in one of the forms that show the keys of -o json.
func writeDocument(w io.Writer, document any, form string) error {
	template, isPath := strings.CutPrefix(form, JSONPath)
	if form == JSON {
		return writeJSON(w, document)
	}
	var raw bytes.Buffer
	if err := writeJSON(&raw, document); err != nil {
		return err
	}
	if !isPath {
		out, err := yaml.JSONToYAML(raw.Bytes())
		if err != nil {
			return err
		}
		_, err = w.Write(out)
		return err
	}
	p, err := jsonpath.Parse(template)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(raw.Bytes(), &value); err != nil { // numbers stay whole
		return err
	}
	return p.Execute(w, value)
}

// writeLine prints a document as one line.
func writeLine(w io.Writer, document any) error {
	enc := stdjson.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(document)
}
