package competing

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// WaitsForOther reports whether Decide says not to start a run that is not started, as long as
// the other has not finished.
func WaitsForOther(k *subject.Subject, r *world.CompetingRun) bool {
	return k.View.Word == engine.WordReady && !r.Stuck && (r.Initialize || !r.Stopped)
}

// Decide is the step of two competing runs, by which of them are stopped already and which
// can be stopped: the API server rejects Stop for a run in state Initialize.
func Decide(k *subject.Subject, r *world.CompetingRun) engine.Text {
	v, name := k.View, r.ID.Name()
	fixed := k.Case.Run != nil && k.Case.Run.Spec.State == placement.StateInitialize // this run cannot be stopped
	back := subject.RolledBack(&engine.RunView{Index: r.Index}, v.Index)
	switch {
	case v.Word == engine.WordReady && r.Stuck && back:
		return goesBack(engine.Lit("Start this run ({run})"), v, r)
	case v.Word == engine.WordReady && r.Stuck:
		return engine.Textf("Run %s is stuck. If it needs a new run, start this run ({run}) as its replacement. Otherwise, do not start this run until %s has finished.", name, name)
	case v.Word == engine.WordReady && r.Initialize:
		return engine.Textf("Do not start this run before %s has finished. Delete it ({delete}) if %s is to continue instead.", name, name)
	case v.Word == engine.WordReady && r.Stopped:
		return engine.Textf("Decide which run continues. To start this run ({run}), leave %s stopped until this run has finished. To resume %s instead, delete this run ({delete}).", name, name)
	case v.Word == engine.WordReady:
		return engine.Textf("Do not start this run before %s has finished. To start it instead, stop %s first. If this run is not wanted, delete it ({delete}).", name, name)
	case v.StopWanted && r.Stuck && !r.Stopped && back:
		return goesBack(engine.Lit("Resume this run ({run})"), v, r)
	case v.StopWanted && r.Stuck && !r.Stopped:
		return engine.Textf("Run %s is stuck. If it needs a new run, resume this run ({run}) as its replacement. Otherwise, do not resume this run until %s has finished.", name, name)
	case v.StopWanted && r.Stopped:
		return engine.Textf("First decide which run continues: resume this one or %s; resume the other only after the first has finished.", name)
	case v.StopWanted && r.Initialize:
		return engine.Textf("Before you resume this run, let %s finish, or delete it.", name)
	case v.StopWanted:
		return engine.Textf("Before you resume this run, let %s finish, or stop it.", name)
	case v.Word != engine.WordStuck && r.Stuck && !r.Stopped && back:
		return goesBack(engine.Lit("Let this run continue"), v, r)
	case v.Word != engine.WordStuck && r.Stuck && !r.Stopped:
		return engine.Textf("Run %s is stuck. If it needs a new run, let this run continue as its replacement. Otherwise, let this run wait until %s has finished.", name, name)
	case r.Stopped && fixed:
		return engine.Textf("First decide which run continues. Either do not resume %s until this run has finished, or delete this run ({delete}): it is in state Initialize and cannot be stopped.", name)
	case r.Stopped:
		return engine.Textf("First decide which run continues: do not resume %s before this run has finished, or stop this one.", name)
	case fixed && r.Initialize:
		return engine.Textf("First decide which run continues: delete this one ({delete}) or %s, or let one finish before the other. In state Initialize neither can be stopped.", name)
	case fixed:
		return engine.Textf("First decide which run continues: stop %s or delete this one ({delete}), or let one finish before the other. In state Initialize this run cannot be stopped.", name)
	case r.Initialize:
		return engine.Textf("First decide which run continues: stop this one or delete %s, or let one finish before the other. In state Initialize %s cannot be stopped.", name, name)
	}
	return engine.Textf("First decide which run continues: stop this one or %s, or let one finish before the other.", name)
}

// goesBack is the step of a run beside a stuck one with a newer snapshot: it is a rollback, not a
// replacement.
func goesBack(verb engine.Text, v *engine.RunView, r *world.CompetingRun) engine.Text {
	name := r.ID.Name()
	return engine.Textf("Run %s is stuck with the newer snapshot %s. %s only if the older snapshot %s is wanted: it preempts %s, which then fails. Otherwise, fix what blocks %s first.", name, r.Index, verb, engine.OrUnknown(v.Index), name, name)
}
