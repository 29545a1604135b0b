// Package watch is the only package that talks to a hub: streams in, questions
// answered, intents out.
//
// A Session keeps one hub in view. Reflectors list and watch the sets of
// objects that the screen needs and put what they hear into an inbox, in which
// the latest version of an object replaces the one before. One goroutine, the
// feed, owns the engine.World: it folds the inbox into it, at most ten times a
// second and the first time at once, and leaves the finished engine.Snapshot in
// a mailbox of one. A screen that is slow misses Snapshots, never the newest.
//
// A session never gives up by itself: whatever the hub does, the Snapshots go
// on and say how fresh the data is. Nothing but reads, self reviews, requests
// that the hub only rehearses (dryRun=All) and the one request of a confirmed
// Intent leaves it.
package watch
