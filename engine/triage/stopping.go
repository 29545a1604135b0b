package triage

import (
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/triage/trouble"
	"github.com/stagewatch/stagewatch/engine/world"
)

func (k *finder) stopping() finding {
	v, s := k.View, k.View.Current()
	flying, starts := v.Updating+v.Stuck, "clusters"
	if s != nil && s.Deletion {
		flying, starts = s.Updating, "deletions"
	}
	var f finding
	switch {
	case s != nil && s.Deletion && flying == 0 && s.State == engine.StageStopped && len(s.Coming)+s.ComingMore > 0:
		// docs/kubefleet.md#stop: a stop before the removals begin never reaches Stopped.
		what := engine.Lit("The deletion stage has not started: the run was stopped after its last stage")
		if s.Done > 0 {
			what = engine.Textf("The run was stopped in the deletion stage with %d of %s done, and no other is started", s.Done, engine.Count(s.Total, "deletion"))
		}
		f = k.simply(&catalogue.StoppingRemoval, engine.Textf("%s. The controller never reports such a run as stopped.", what), placement.RunProgressing)
		from := engine.Count(s.Total-s.Done, "cluster")
		if len(s.Coming) == s.Total-s.Done && len(s.Coming) <= 3 {
			from = engine.Textf("%s (%s)", from, engine.Enumerate(s.Coming, 3))
		}
		f.Steps = []engine.Text{engine.Textf("Resume the run ({run}): it deletes the resources from %s, then finishes.", from)}
	case k.HeldOne() != nil:
		f = k.held(k.HeldOne())
	case flying == 0:
		f = k.simply(&catalogue.StoppingIdle, catalogue.NoneStarts(v, engine.Lit("Stop was requested; no cluster is updating"), engine.Lit(" and none is started"), starts), placement.RunProgressing)
	case k.View.Late && !k.View.NeverStops():
		f = k.simply(&catalogue.StoppingIdle, engine.Text{}, placement.RunProgressing)
	default:
		landed := k.landedNames()
		f = k.simply(&catalogue.StoppingWhileUpdating, catalogue.NoneStarts(v, engine.Textf("Stop was requested in %s; %s still updating", engine.StageName(s), engine.Are(flying-len(landed), "cluster")), engine.Lit(", none is started"), "clusters"), placement.RunProgressing)
		if s.Deletion {
			k.deletionStops(&f, s, flying)
		} else if len(landed) == flying {
			f.What = catalogue.NoneStarts(v, engine.Textf("Stop was requested in %s; the %s of %s %s finished", engine.StageName(s), subject.Agree(flying, "update", "updates"), engine.Enumerate(landed, 3), subject.Agree(flying, "has", "have")), engine.Lit(", and no other cluster is started"), "clusters")
			f.RecoveryText = engine.Lit("Recovers automatically: the run stops at the controller's next check.")
			f.Steps = slices.Concat(catalogue.Landed.Steps.Texts(), f.Steps[1:])
		} else if len(landed) > 0 {
			f.What = engine.Textf("%s The %s of %s %s finished; the controller has not recorded %s yet.", f.What, subject.Agree(len(landed), "update", "updates"), engine.Enumerate(landed, 3), subject.Agree(len(landed), "has", "have"), subject.Agree(len(landed), "it", "them"))
		}
		if cl, t := k.worst(func(cl *world.CaseCluster, t *trouble.Trouble) bool {
			return t.Hard || cl.State == engine.ClusterSlow && (!s.Deletion || !cl.Landed) // what is gone is said already
		}); cl != nil {
			f.cluster, f.below = cl, t.Path
			f.What = engine.Textf("%s %s", t.Sentence(), f.What)
			f.Also = append(f.Also, t.Finding())
			f.Evidence = append(f.Evidence, t.Evidence...)
			d := t.Diagnosis()
			if f.Steps = append(d.Steps, f.Steps...); catalogue.EndsRun(t.Cause) && d.Recovery == engine.RecoveryByNewRun {
				f.Steps, f.NextActions = append(d.Steps, catalogue.FailsStopping.Text()), d.NextActions
			}
			if t.Hard {
				f.Recovery, f.RecoveryText = d.Recovery, d.RecoveryText
			}
		}
	}
	if v.At >= 0 {
		f.Evidence = append(f.Evidence, subject.StageProof(k.Subject, v.At)...)
	}
	return f
}

// landedNames are the clusters whose update, or deletion, has finished and is not recorded.
func (k *finder) landedNames() (names []engine.Text) {
	for i := range k.Case.Clusters {
		if cl := &k.Case.Clusters[i]; cl.Landed {
			names = append(names, engine.Clean(cl.Name))
		}
	}
	return names
}

// deletionStops says what a run that is stopping in its deletion stage waits for: flying deletions are started and not recorded as done.
func (k *finder) deletionStops(f *finding, s *engine.StageView, flying int) {
	gone := k.landedNames()
	f.What = catalogue.NoneStarts(k.View, engine.Textf("Stop was requested in the deletion stage; resources are still being deleted from %s", engine.Count(flying-len(gone), "cluster")), engine.Lit(", and no other deletion starts"), "deletions")
	if len(gone) == flying {
		f.What = engine.Textf("Stop was requested in the deletion stage; the deletion from %s is done, and the controller has not recorded it yet.", engine.Enumerate(gone, 3))
	}
	f.RecoveryText, f.Steps = engine.Lit("Recovers automatically: the run stops when these deletions are done."), catalogue.Steps(engine.Lit("Wait until the deletions are done: a stop does not undo them."), engine.Lit("To continue the run instead, resume it ({run})."))
	switch left := len(s.Coming) + s.ComingMore; {
	case left > 0 && k.View.Observed != k.View.Generation:
		f.Recovery, f.RecoveryText = engine.RecoveryUnknown, engine.Lit("Unknown: if deletions are left when the controller observes the stop, a person must resume the run.")
	case left > 0: // docs/kubefleet.md#stop
		f.Recovery, f.RecoveryText = engine.RecoveryByPerson, engine.Textf("Needs a person: %s not started, and the controller reports the run as stopped only when none is left.", engine.Are(left, "deletion"))
		f.Steps = catalogue.Steps(engine.Lit("Resume the run ({run}): it starts the deletions that are left, then finishes."))
	}
}

// held explains a stopping run by a cluster that another run or a person changed.
func (k *finder) held(cl *world.CaseCluster) finding {
	of := k.About(cl)
	t := k.TroubleOf(cl)
	f := finding{Diagnosis: of.heldDiagnosis(&t), cluster: cl, below: t.Path}
	if others := k.View.Updating + k.View.Stuck - 1; others > 0 {
		f.What = engine.Textf("%s %s updating too.", f.What, engine.Are(others, "more cluster"))
	}
	f.Evidence = append(f.Evidence, k.RunCondition(placement.RunProgressing)...)
	return f
}

// alsoHeld names, of a stopping run that is explained by another cluster, one that another run
// or a person changed: a resume fails the run.
func (k *finder) alsoHeld(f *finding, by *world.CaseCluster) {
	cl := k.HeldOne()
	if !k.View.StopWanted || cl == nil || subject.IsHeld(by) {
		return
	}
	of := k.About(cl)
	e := &catalogue.ChangedWhileStopping
	if cl.PreemptedBy != "" {
		e = &catalogue.HeldWhileStopping
	}
	says := engine.Textf("Cluster %s is %s", cl.Name, subject.Holder(k.Subject, cl))
	if subject.Recreated(cl.Binding) {
		says = engine.Textf("The binding of cluster %s was deleted and created again", cl.Name)
	}
	f.What = engine.Textf("%s %s: the run fails if it is resumed before that cluster has finished.", f.What, says)
	f.Also = append(f.Also, e.Finding())
	f.Evidence = append(f.Evidence, subject.TakenProof(of.Subject)...)
}

// heldFails reports whether the update that holds the finder's cluster fails: what only takes
// its time counts from the stuck threshold on.
func (k *finder) heldFails(t *trouble.Trouble) bool {
	if t.Entry == nil || k.Cluster.Landed || !t.Hard && !t.Failing {
		return false
	}
	late := k.Cluster.PreemptedAt.Add(k.Case.StuckAfter)
	if t.Hard || !k.Case.Now.Before(late) {
		return true
	}
	k.Case.LookAgain(late)
	return false
}

// heldDiagnosis explains the finder's cluster, which another run or a person changed while this
// run is stopping. The cluster's trouble is that of what its binding has now.
func (k *finder) heldDiagnosis(t *trouble.Trouble) engine.Diagnosis {
	cl, e := k.Cluster, &catalogue.ChangedWhileStopping
	by, has := engine.Capital(subject.Changer(k.Subject, cl)), engine.Lit("another snapshot")
	if cl.PreemptedBy != "" {
		e = &catalogue.HeldWhileStopping
	}
	d := k.Diagnosis(e)
	changes := subject.Changes(k.Subject, cl)
	if len(changes) > 0 {
		has = changes[0]
	} else {
		changes = []engine.Text{has}
	}
	d.What = engine.Textf("%s holds cluster %s%s (%s); this run rolls out snapshot %s and is stopping.", by, cl.Name, subject.With(changes), k.StandingTaken(cl), engine.OrUnknown(k.View.Index))
	if subject.Recreated(cl.Binding) {
		d.What = engine.Textf("The binding of cluster %s was deleted and created again (%s), without a snapshot; this run rolls out snapshot %s and is stopping.", cl.Name, k.Standing(cl.PreemptedAt), engine.OrUnknown(k.View.Index))
		d.Also = append(d.Also, catalogue.BindingRecreated.Finding())
	}
	d.RecoveryText = engine.Textf("Recovers automatically: the run stops when cluster %s has finished with %s.", cl.Name, has)
	d.Steps = []engine.Text{engine.Textf("Wait until cluster %s has finished. Resuming this run ({run}) earlier makes it fail: it is preempted on that cluster.", cl.Name)}
	if cl.Landed {
		d.What = engine.Textf("%s Cluster %s has finished with %s: %s.", d.What, cl.Name, has, k.NextCheck())
		d.RecoveryText = engine.Textf("Recovers automatically: cluster %s has finished with %s, and the run stops at the controller's next check.", cl.Name, has)
		d.Steps[0] = engine.Lit("Wait for the controller's next check. Resuming this run ({run}) earlier makes it fail: it is preempted on that cluster.")
	}
	if t.Entry == &catalogue.RolloutNotStarted { // the work generator ignores such a binding
		d.Recovery, d.RecoveryText = engine.RecoveryByNewRun, engine.Textf("Needs a new run: cluster %s does not finish without a RolloutStarted condition, and this run fails when it is resumed.", cl.Name)
		d.Steps = []engine.Text{engine.Textf("{deletes-run}Delete this run ({delete}), then create a new run ({clone}): it starts cluster %s again.", cl.Name)}
		d.Also = append(d.Also, t.Finding())
		d.Evidence = slices.Concat(subject.TakenProof(k.Subject), t.Evidence, k.Started(), d.Evidence)
		d.Since = cl.PreemptedAt
		return d
	}
	if k.heldFails(t) {
		d.What = engine.Textf("%s %s", d.What, t.Sentence())
		d.Recovery, d.RecoveryText = engine.RecoveryByPerson, engine.Textf("Needs a person: the update of cluster %s to %s fails, and the run cannot stop until that update finishes.", cl.Name, has)
		d.Steps = slices.Insert(d.Steps, 0, engine.Textf("Find out why %s does not finish on cluster %s: its diagnosis names the cause.", has, cl.Name))
		if cl.PreemptedBy != "" {
			d.Steps[0] = engine.Textf("Open run %s and fix what keeps %s from finishing on cluster %s.", cl.PreemptedBy, has, cl.Name)
		}
		d.Also = append(d.Also, t.Finding())
	}
	d.Steps = append(d.Steps, engine.Textf("If cluster %s should have snapshot %s, create a new run ({clone}) after this one has stopped: a resume does not update it again.", cl.Name, engine.OrUnknown(k.View.Index)))
	d.Evidence = slices.Concat(subject.TakenProof(k.Subject), t.Evidence, k.Started(), d.Evidence)
	d.Since = cl.PreemptedAt
	return d
}
