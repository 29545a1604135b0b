package watch

import "github.com/stagewatch/stagewatch/engine"

// entry is an object of a set, decoded as far as the World needs it. It is
// immutable: the value inside is shared with the World.
type entry struct {
	id engine.ID
	// version is the resourceVersion.
	version string
	// value is *placement.StagedUpdateRun, *placement.ApprovalRequest,
	// *engine.Placement, *engine.Binding or *engine.Member; nil when broken is set.
	value any
	// broken says why the object could not be decoded.
	broken string
}

// objectKey names an object within its set, whatever its UID.
type objectKey struct{ namespace, name string }

func (e *entry) key() objectKey {
	ns, name, _ := e.id.Raw()
	return objectKey{ns, name}
}
