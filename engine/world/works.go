package world

import (
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// HubAnswer is the answer to an engine.HubReadOf.
type HubAnswer struct {
	Works     []Work
	Overrides []OverrideUse
	Manifest  *HubManifest
	// Gap is set when they could not be read.
	Gap *engine.Gap
}

// HubManifest is a workload on the hub, the source of new resource snapshots.
type HubManifest struct {
	Missing bool
	Changed time.Time // when anything but its status was last written
	Images  []string  // of its containers, init containers included
}

// Work is what a diagnosis keeps of a Work. Strings are raw.
type Work struct {
	ID engine.ID
	// Placement is the key of the placement that the labels name.
	Placement engine.ID
	// Binding is the name in the label, "" on older hubs.
	Binding    string
	Deleting   time.Time
	Finalizers []string
	// Objects are those that the member's agent has reported on.
	Objects []placement.WorkResourceIdentifier
}

// Title names the Work for a sentence.
func (w *Work) Title() engine.Text {
	return engine.Textf("Work %s/%s", w.ID.RawNamespace(), w.ID.RawName())
}

// Applies reports whether the Work applies the object of a failed manifest.
func (w *Work) Applies(m *placement.FailedResourcePlacement) bool {
	return slices.ContainsFunc(w.Objects, func(o placement.WorkResourceIdentifier) bool {
		return o.Group == m.Group && o.Kind == m.Kind && o.Namespace == m.Namespace && o.Name == m.Name
	})
}

// HubAnswer returns the answer to a HubReadOf; nil while it is not read.
func (c *Case) HubAnswer(of engine.HubReadOf) *HubAnswer {
	if c.Nearby == nil {
		return nil
	}
	return c.Nearby.Answers[of]
}
