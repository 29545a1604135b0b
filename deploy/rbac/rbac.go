// Package rbac contains the roles for users of stagewatch, as they are applied with
// kubectl. The demo's viewer and approver have these rights.
package rbac

import _ "embed"

// Viewer is the role of a user who only looks, Approver what a user who approves has
// in addition. Both are YAML streams of RBAC objects.
var (
	//go:embed viewer.yaml
	Viewer string
	//go:embed approver.yaml
	Approver string
)
