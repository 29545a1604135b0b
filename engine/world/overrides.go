package world

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// OverrideUse compares the override snapshot that a run uses with the latest one.
type OverrideUse struct {
	Kind            engine.Kind
	Namespace, Used string
	// Latest is empty when there is none: the override was deleted.
	Latest string
}

// Name returns the name of the override: that of a snapshot ends with its index.
func (o OverrideUse) Name() string { return overrideName(o.Used) }

func overrideName(snapshot string) string {
	if i := strings.LastIndexByte(snapshot, '-'); i > 0 {
		return snapshot[:i]
	}
	return snapshot
}

// SameOverride reports whether two override snapshots are of one override.
func SameOverride(a, b string) bool { return overrideName(a) == overrideName(b) }

// OverrideTitles names the overrides of snapshots as OverrideNames lists them: those are what a
// person changes.
func OverrideTitles(snapshots []string) []engine.Text {
	out := make([]engine.Text, len(snapshots))
	for i, s := range snapshots {
		out[i] = engine.Clean(overrideName(s))
	}
	return out
}

// Title names the override, with its namespace.
func (o OverrideUse) Title() engine.Text {
	if o.Namespace != "" {
		return engine.Textf("%s/%s", o.Namespace, o.Name())
	}
	return engine.Clean(o.Name())
}

// Object names the override for Evidence.
func (o OverrideUse) Object() engine.Text {
	return engine.Textf("%s %s", strings.TrimSuffix(o.Kind.String(), "Snapshot"), o.Title())
}

// Says is what became of the override since the run was initialized.
func (o OverrideUse) Says() engine.Text {
	name, used := o.Title(), engine.Clean(o.Used)
	switch o.Latest {
	case o.Used:
		return engine.Textf("Override %s is unchanged since this run was initialized: %s is its latest snapshot.", name, used)
	case "":
		return engine.Textf("Override %s was deleted after this run was initialized. This run keeps override snapshot %s; a new run ({clone}) does not use the override.", name, used)
	}
	return engine.Textf("Override %s changed since this run was initialized: its latest snapshot is %s. This run keeps %s; create a new run ({clone}) to use the latest.", name, engine.Clean(o.Latest), used)
}
