package triage

import (
	"cmp"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/triage/trouble"
	"github.com/stagewatch/stagewatch/engine/world"
)

// deleting explains a run that is being deleted, by what holds it.
func (k *finder) deleting() finding {
	finalizers, of, since := k.Case.Run.Finalizers, subject.Object(k.View.ID), k.Case.Clock(k.View.Since)
	others := placement.ForeignFinalizers(finalizers)
	var f finding
	switch {
	case len(others) > 0:
		f = k.simply(&catalogue.DeletingHeld, engine.Textf("%s %s the deletion of the run, requested at %s.", subject.FinalizerNames(others), subject.Block(len(others)), since), "")
		f.Steps = subject.ReleaseSteps(others, of)
		if len(others) < len(finalizers) {
			f.What = engine.Textf("%s The controller has not removed its own finalizer yet.", f.What)
		}
	case k.View.Late:
		f = k.simply(&catalogue.DeletingLate, engine.Textf("The controller has not finished the deletion of the run, requested at %s.", since), "")
	default:
		f = k.simply(&catalogue.Deleting, engine.Textf("Deletion of the run was requested at %s; its approval requests are deleted too, bindings stay.", since), "")
		f.Steps = catalogue.Steps(engine.Lit("Wait for the controller."))
	}
	if k.View.Updating+k.View.Stuck > 0 {
		f.Steps = append(f.Steps, engine.Lit("Started clusters continue to update; the others stay on their old snapshot."))
	}
	if cl, t := k.worst(func(_ *world.CaseCluster, t *trouble.Trouble) bool { return t.Hard || t.Failing }); cl != nil {
		f.What = engine.Textf("%s A cluster that the run started fails, which the deletion does not change: %s", f.What, t.Sentence())
		f.Evidence = append(f.Evidence, t.Evidence...)
	}
	f.Evidence = append(f.Evidence, engine.Evidence{Object: of, Field: engine.Lit("metadata.deletionTimestamp"), Value: engine.Lit("set"), Since: k.View.Since},
		subject.Field(of, engine.Lit("metadata.finalizers"), engine.Clean(cmp.Or(strings.Join(finalizers, ", "), "none"))))
	return f
}

// overdue turns a finding into that of a run whose next step is the controller's
// and overdue.
func (k *finder) overdue(f finding) finding {
	v, since := k.View, k.Case.Progressed()
	switch v.Word {
	case engine.WordWaiting:
		since = v.Until
	case engine.WordPending:
		since = v.Created
	}
	what, s := k.nextStep(), v.Current()
	where := engine.Textf("since %s", k.Case.Clock(since))
	if s != nil {
		where = engine.Textf("%s, %s", subject.InStage(s), where)
	}
	late := k.simply(&catalogue.ControllerLate, engine.Textf("The controller %s (%s).", what, where), placement.RunProgressing)
	late.Evidence = append(late.Evidence, f.Evidence...)
	late.Since, late.cluster, late.below = since, f.cluster, f.below
	return late
}

// nextStep says what the controller has not done.
func (k *finder) nextStep() engine.Text {
	v, s := k.View, k.View.Current()
	for i := range k.Case.Clusters {
		if cl := &k.Case.Clusters[i]; cl.Landed {
			return engine.Textf("has not recorded that cluster %s has finished", cl.Name)
		}
	}
	switch {
	case v.Word == engine.WordWaiting:
		return engine.Lit("has not continued after the timed wait")
	case v.Word == engine.WordStopping:
		return engine.Lit("has not reported the run as stopped")
	case v.Word == engine.WordPending:
		return engine.Lit("has not initialized the run")
	case s == nil:
		return engine.Lit("has not finished the run")
	case s.Deletion:
		return engine.Lit("has not deleted the bindings of clusters that are no longer picked")
	case !subject.NextGate(s).IsZero():
		return engine.Textf("has not reached %s", subject.NextGate(s))
	case len(s.Coming) > 0:
		return engine.Textf("has not started cluster %s", s.Coming[0])
	}
	return engine.Lit("has not finished the stage")
}

// lateCauses are those of a run that needs nothing but the controller's next step.
var lateCauses = map[engine.Cause]bool{
	catalogue.BetweenLooks.Cause: true, catalogue.Updating.Cause: true, catalogue.Landed.Cause: true, catalogue.DeletionInProgress.Cause: true,
	catalogue.TimedWait.Cause: true, catalogue.StoppingIdle.Cause: true, catalogue.Initializing.Cause: true, catalogue.StuckUnnamed.Cause: true,
}
