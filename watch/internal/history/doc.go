// Package history runs sessions against an API server with faults, in compressed time,
// and checks what their Snapshots said (docs/promises.md).
package history
