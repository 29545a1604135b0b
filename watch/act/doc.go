// Package act carries out confirmed Intents: it checks permissions and preconditions,
// sends the one write request, and determines the outcome when its answer is lost. A
// write is recorded in the audit log before and after; a rehearsal sends the same
// request as a server dry run.
package act
