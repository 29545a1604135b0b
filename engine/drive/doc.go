// Package drive is the state machine of staged update runs, of both scopes:
// what initializes, validates, executes, stops and deletes a run, with the
// conditions, texts, orders and waits of upstream's controller.
//
// Reconcile takes one run one pass further:
//
//	decision := drive.Reconcile(input, timing, now, do)
//
// The Input holds the objects that upstream reads from its caches. Everything
// upstream sends to the API server is an Effect, one request each, asked for
// in upstream's order; so are the reads whose answer decides: an approval
// request that exists already, the resources that a placement selects, and a
// binding that would end the run. The Answer, an error included, decides what
// follows. The Decision says when to look again.
//
// The package does no I/O, starts no goroutine and reads no clock. It never
// changes what an Input points to. A loop around it needs to know only:
//
//   - which requests an Op is (Op.Verb), sent with the resourceVersion that the
//     object carries, and as the cluster-scoped kind when its namespace is empty;
//   - when a change asks for a pass: RunChanged, ApprovalChanged,
//     ApprovalDeleted, and creation and deletion of runs;
//   - when to look again: Decision.Schedule, given the failures so far.
//
// An Input may be a little old, as upstream's caches are: writes of bindings
// and of the run carry resourceVersions and fail when they are, and a binding
// that would end the run is looked at again.
//
// MakePlan rehearses the same rules for a run that exists or is only imagined:
// it goes on after a refusal and writes nothing. MakeForecast plays them forward
// from the present, over copies.
package drive
