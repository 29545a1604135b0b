package output

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Context is a kubeconfig context as contexts prints it; its keys are stable.
type Context struct {
	Name engine.Text `json:"name"`
	// Raw is the name as the kubeconfig spells it.
	Raw string `json:"-"`
	// Alias is that of the configuration.
	Alias     engine.Text `json:"alias,omitzero"`
	Current   bool        `json:"current,omitempty"`
	Cluster   engine.Text `json:"cluster,omitzero"`
	Server    engine.Text `json:"server,omitzero"`
	User      engine.Text `json:"user,omitzero"`
	Namespace engine.Text `json:"namespace,omitzero"`
	// Hub is "known" for a context that served the hub API to a screen, "likely" for one
	// whose name says so.
	Hub       string    `json:"hub,omitempty"`
	LastUsed  time.Time `json:"lastUsed,omitzero"`
	Protected bool      `json:"protected,omitempty"`
	ReadOnly  bool      `json:"readOnly,omitempty"`
	// Status is what the API server returned to --check: hub, not-a-hub, forbidden,
	// unreachable, not-asked or failed.
	Status     string      `json:"status,omitempty"`
	Kubernetes engine.Text `json:"kubernetes,omitzero"`
	Error      engine.Text `json:"error,omitzero"`
}

// contextsDocument is what contexts prints.
type contextsDocument struct {
	Contexts []Context `json:"contexts"`
}

// ContextForms are the values of --output for contexts.
func ContextForms() []string { return []string{Table, Name, JSON, YAML, JSONPath} }

// WriteContexts prints contexts; checked is set when their status was asked for.
func WriteContexts(w io.Writer, all []Context, checked, headers bool, now time.Time, form string) error {
	switch form {
	case Name:
		for i := range all {
			if _, err := fmt.Fprintln(w, all[i].Name.String()); err != nil {
				return err
			}
		}
		return nil
	case "", Table:
	default:
		return writeDocument(w, contextsDocument{all}, form)
	}
	b := &textPage{}
	var rows []string
	add := func(current, name, alias, cluster, namespace, hub, writes, used, status string) {
		row := fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", current, name, alias, cluster, namespace, hub, writes, used)
		if checked {
			row += "\t" + status
		}
		rows = append(rows, row)
	}
	if headers {
		add("CURRENT", "NAME", "ALIAS", "CLUSTER", "NAMESPACE", "HUB", "WRITES", "LAST USED", "STATUS")
	}
	for i := range all {
		c := &all[i]
		current, used := "", engine.Text{}
		if c.Current {
			current = "*"
		}
		if !c.LastUsed.IsZero() {
			used = engine.Textf("%s ago", engine.Age(now.Sub(c.LastUsed)))
		}
		add(current, c.Name.String(), Cell(c.Alias), Cell(c.Cluster), Cell(c.Namespace), Cell(engine.Clean(c.Hub)), c.writes(), Cell(used), c.status())
	}
	if len(rows) > 0 {
		b.table(rows)
	}
	_, err := b.WriteTo(w)
	return err
}

// writes says which writes the configuration allows.
func (c *Context) writes() string {
	switch {
	case c.ReadOnly:
		return "read-only"
	case c.Protected:
		return "protected"
	}
	return "-"
}

// status is the status in words, with what belongs to it.
func (c *Context) status() string {
	word := engine.Clean(strings.ReplaceAll(c.Status, "-", " "))
	switch {
	case !c.Error.IsZero() && strings.HasPrefix(c.Error.String(), c.Status):
		return Cell(c.Error)
	case !c.Error.IsZero():
		return engine.Textf("%s: %s", word, c.Error).String()
	case !c.Kubernetes.IsZero():
		return engine.Textf("%s, Kubernetes %s", word, c.Kubernetes).String()
	}
	return Cell(word)
}
