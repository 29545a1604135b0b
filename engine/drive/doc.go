// Package drive implements the rules of the upstream controller of staged update
// runs, in both scopes: validation, execution, stop and deletion of a run, with
// upstream's conditions, messages, orders and waits
// (docs/kubefleet.md#state-machine). What happens before the first stage is in
// package initialize; what a pass reads, requests and answers in package pass.
//
// Reconcile executes one pass of one run:
//
//	decision := drive.Reconcile(input, timing, now, do)
//
// The Input contains the objects that upstream reads from its caches. Each request
// that upstream sends to the API server is one Effect, passed to do in upstream's
// order. So are the reads whose result must not be stale: an approval request that
// exists already, the resources that a placement selects, and a binding that would
// fail the run. The Answer or error of do determines what follows. The Decision
// says when the next pass is due.
//
// The package does no I/O, starts no goroutine and reads no clock. It never
// changes what an Input points to. A loop around it must know only:
//
//   - the request of an Op (Op.Verb), sent with the resourceVersion that the
//     object carries, and as the cluster-scoped kind when its namespace is empty;
//   - the changes that trigger a pass: RunChanged, ApprovalChanged,
//     ApprovalDeleted, and creation and deletion of runs;
//   - the time of the next pass: Decision.Schedule, given the failures so far.
//
// An Input may lag behind the API server, as upstream's caches do: writes of
// bindings and of the run carry resourceVersions and then fail with a conflict, and
// a binding that would fail the run is read again.
package drive
