// Package store has the latest version of each object of a hub. Streams deliver into
// the Inbox without ever blocking; one goroutine, the Feed, owns the engine.World, folds
// the Inbox into it ten times a second on average and publishes engine.Snapshots.
package store
