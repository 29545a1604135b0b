// Package watch is the client of a hub: it watches and reads objects, and sends
// the write requests of confirmed intents. No other package talks to a hub.
//
// A Session is connected to one hub. Reflectors list and watch the sets of objects
// that the screen needs and store the latest version of each object in an inbox.
// One goroutine, the feed, owns the engine.World. It folds the inbox into the
// World at most ten times a second, the first time at once, and puts the resulting
// engine.Snapshot into a mailbox of one. A slow reader skips Snapshots but always
// gets the newest.
//
// A Session retries until it is closed. Every Snapshot contains the freshness of
// its data. The only requests are reads, self reviews, server dry runs
// (dryRun=All) and the one write request of a confirmed Intent
// (docs/architecture.md#data-flow).
package watch
