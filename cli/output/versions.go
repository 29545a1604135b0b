package output

import (
	"fmt"
	"io"
	"runtime"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
)

// versionDocument is what version prints; its keys are stable.
type versionDocument struct {
	Client struct {
		Version  string `json:"version"`
		Go       string `json:"go"`
		Platform string `json:"platform"`
	} `json:"client"`
	Hubs []servedDocument `json:"hubs,omitempty"`
}

type servedDocument struct {
	Context    engine.Text    `json:"context"`
	Server     engine.Text    `json:"server"`
	Kubernetes engine.Text    `json:"kubernetes,omitzero"`
	API        engine.Text    `json:"api,omitzero"`
	Kinds      []kindDocument `json:"kinds,omitempty"`
	Error      engine.Text    `json:"error,omitzero"`
}

type kindDocument struct {
	Kind     engine.Text   `json:"kind"`
	Versions []engine.Text `json:"versions"`
}

// VersionForms are the values of --output for version.
func VersionForms() []string { return []string{Text, JSON, YAML, JSONPath} }

// ServedBy is what a hub serves, and why that could not be read; empty when it was.
type ServedBy struct {
	watch.Served
	Err engine.Text
}

// WriteVersions prints the version of the program, and what hubs serve.
func WriteVersions(w io.Writer, version string, hubs []ServedBy, form string) error {
	var d versionDocument
	d.Client.Version, d.Client.Go, d.Client.Platform = version, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	for _, h := range hubs {
		one := servedDocument{Context: h.Hub.Context, Server: h.Hub.Server, Kubernetes: h.Kubernetes, API: h.Used, Error: h.Err}
		for _, k := range h.Kinds {
			versions := k.Versions
			if versions == nil {
				versions = []engine.Text{}
			}
			one.Kinds = append(one.Kinds, kindDocument{k.Kind, versions})
		}
		d.Hubs = append(d.Hubs, one)
	}
	if form != Text {
		return writeDocument(w, d, form)
	}
	b := &textPage{}
	b.line("stagewatch %s, %s %s", d.Client.Version, d.Client.Go, d.Client.Platform)
	for i := range d.Hubs {
		h := &d.Hubs[i]
		b.line("")
		b.line("%s   %s", h.Context, h.Server)
		rows := []string{"  Kubernetes\t" + Cell(h.Kubernetes), "  KubeFleet API in use\t" + Cell(h.API)}
		b.table(rows)
		if !h.Error.IsZero() {
			b.line("  not read: %s", h.Error.String())
			continue
		}
		rows = []string{"  KIND\tVERSIONS"}
		for _, k := range h.Kinds {
			served := Cell(engine.Join(k.Versions, ", "))
			if len(k.Versions) == 0 {
				served = "not served"
			}
			rows = append(rows, fmt.Sprintf("  %s\t%s", k.Kind, served))
		}
		b.line("")
		b.table(rows)
	}
	_, err := b.WriteTo(w)
	return err
}
