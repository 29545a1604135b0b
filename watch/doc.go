// Package watch is the face of the only packages that talk to a hub. A Session is one
// hub, kept in view until it is closed: Next returns the latest Snapshot, Want says what
// is on the screen, Ask reads on demand, Do carries out a confirmed Intent. Once, List,
// OnceRun, Explain, OpenList, OpenLive and Plan are the same for commands without a screen.
//
// The parts are in packages of their own: client (requests), stream (list and watch),
// store (the latest objects and their Snapshots), act (writes) and ask (reads). A Session
// creates and connects them.
//
// A Session retries until it is closed. Every Snapshot contains the freshness of its
// data. The only requests are reads, self reviews, server dry runs (dryRun=All) and the
// one write request of a confirmed Intent (docs/architecture.md#data-flow).
package watch
