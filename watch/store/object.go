package store

import "github.com/stagewatch/stagewatch/engine"

// Object is an object of a set, decoded as far as the World needs it. It is
// immutable: the value inside is shared with the World.
type Object struct {
	ID engine.ID
	// Version is the resourceVersion.
	Version string
	// Value is *placement.StagedUpdateRun, *placement.ApprovalRequest,
	// *engine.Placement, *engine.Binding or *engine.Member; nil when broken is set.
	Value any
	// Paths are the values of the JSONPaths among Settings.Fields.
	Paths []string
	// Broken says why the object could not be decoded.
	Broken string
	// Replaces is set for an object that takes the place of one of the same version, too.
	Replaces bool
}

// objectKey names an object within its set, whatever its UID.
type objectKey struct{ namespace, name string }

func (e *Object) key() objectKey {
	ns, name, _ := e.ID.Raw()
	return objectKey{ns, name}
}
