// Package store has the latest version of each object of a hub. Streams deliver into
// the Inbox without ever blocking; one goroutine, the Feed, owns the engine.World, folds
// the Inbox into it at most ten times a second and publishes engine.Snapshots.
package store
