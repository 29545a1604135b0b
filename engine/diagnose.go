package engine

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// diagnose fills Why: what happened, whether it heals by itself, and what a
// person can do. Sentences carry times of day in UTC and never ages.
func (r *reader) diagnose(v *RunView) {
	d := &v.Why
	switch v.Word {
	case WordDeleting:
		d.What = Textf("The run is being deleted since %s; its approval requests go with it, bindings stay as they are.", r.clock(v.Since))
		d.Heal = Lit("Yes: the hub removes it as soon as it has cleaned up.")
		if v.Updating+v.Stuck > 0 {
			d.Next = Lit("Nothing to do here. Clusters that were started go on updating; those that were not stay on their old version.")
		} else {
			d.Next = Lit("Nothing to do.")
		}
	case WordInitFailed:
		r.diagnoseFailure(v, r.init.message, "The run could not be initialized, for a reason that is not known here.")
		d.Heal = Lit("No: a run that could not be initialized is never tried again.")
	case WordPreempted:
		r.diagnosePreempted(v)
	case WordFailed:
		r.diagnoseFailure(v, r.succ.message, "The hub gave the run up, for a reason that is not known here.")
		d.Heal = Lit("No: a failed run is final. Clusters that it updated keep the new version.")
	case WordDone:
		d.What = Textf("All stages are done: %d of %d clusters have snapshot %s.", v.Done, v.Total, orDash(v.Index))
		d.Heal, d.Next = Lit("Nothing to heal."), Lit("Nothing to do.")
	case WordUnheard:
		r.diagnoseUnheard(v)
	case WordNew:
		d.What = Textf("The run was created at %s and is not initialized yet.", r.clock(v.Created))
		d.Heal = Lit("Yes, when the hub's controller gets to it; it handles one run after the other.")
		d.Next = Lit("Wait a moment. If it stays so, see whether the hub agent runs with staged update runs enabled.")
		if r.init.message != "" {
			d.Quote = Clean(r.init.message)
		}
	case WordNotAccepted:
		r.diagnoseNotAccepted(v)
	case WordStuck:
		r.diagnoseStuck(v)
	case WordStopping:
		r.diagnoseStopping(v)
	case WordStopped:
		d.What = Textf("The run is stopped in %s: %s of %d clusters are done, nothing is in flight.", stageName(v.Current()), num(v.Done), v.Total)
		d.Heal = Lit("No: it waits until a person resumes it.")
		d.Next = Textf("Run it to go on%s", goesOnWith(v))
	case WordApproval:
		r.diagnoseApproval(v)
	case WordWaiting:
		d.What = Textf("All clusters of %s are done; the stage waits %s before it ends, until %s.", stageName(v.Current()), waitOf(v), r.clock(v.Until))
		d.Heal = Lit("Yes: the run goes on by itself when the time is over.")
		d.Next = Lit("Nothing to do.")
	case WordReady:
		d.What = Lit("The run is initialized and waits to be started: its state is Initialize.")
		d.Heal = Lit("No: it waits until a person starts it.")
		d.Next = Textf("Run it%s", goesOnWith(v))
	default:
		r.diagnoseRunning(v)
	}
}

func (r *reader) diagnoseFailure(v *RunView, message string, unclear literal) {
	d := &v.Why
	d.Quote = Clean(message)
	if f, what, ok := explain(message); ok {
		d.What, d.Next = what, f.next
		return
	}
	d.What = Lit(unclear)
	if message == "" {
		d.What = Textf("%s The hub gave no message.", Lit(unclear))
	}
	d.Next = Lit("Read the hub's message, remove its cause, then make a new run.")
}

func (r *reader) diagnosePreempted(v *RunView) {
	d := &v.Why
	cluster, stage, b := r.takenCluster()
	if r.succ.truth == no {
		d.Quote = Clean(r.succ.message)
		if cluster == "" {
			cluster, stage = group(patPreempted, r.succ.message, "cluster"), group(patPreempted, r.succ.message, "stage")
		}
	}
	by, index := Lit("another run or by hand"), ""
	if !v.TakenBy.IsZero() {
		by = Textf("run %s", v.TakenBy.Name())
	}
	if b != nil {
		index = snapshotIndex(b.SnapshotName)
	}
	d.What = Textf("Cluster %s in stage %s was taken by %s", cluster, stage, by)
	if index != "" {
		d.What = Textf("%s with snapshot %s", d.What, index)
	}
	if v.Taken > 1 {
		d.What = Textf("%s, and %s more of this run", d.What, count(v.Taken-1, "cluster"))
	}
	d.What = Textf("%s; this run rolls out snapshot %s.", d.What, orDash(v.Index))
	if r.terminal {
		d.Heal = Lit("No: the hub has given this run up for good.")
	} else {
		d.Heal = Lit("No: the hub gives this run up for good when it looks at the cluster next.")
	}
	winner := r.w.Runs[v.TakenBy]
	switch {
	case v.TakenBy.IsZero():
		d.Next = Lit("See who changed the cluster's binding; then make a new run if this snapshot is still wanted.")
	case winner != nil && ended(winner):
		d.Next = Textf("Run %s has ended; make a new run if this snapshot is still wanted.", v.TakenBy.Name())
	default:
		d.Next = Textf("Let run %s finish, or stop it and make a new run if this snapshot is still wanted.", v.TakenBy.Name())
	}
}

// ended reports whether the hub never moves the run again (facts 3.7).
func ended(run *placement.StagedUpdateRun) bool {
	c := run.Status.Conditions
	done := find(c, placement.RunSucceeded).truth
	return done == yes || done == no || find(c, placement.RunInitialized).truth == no
}

// takenCluster returns the first cluster that was taken, with its stage.
func (r *reader) takenCluster() (cluster, stage string, b *Binding) {
	for i := range r.stages {
		for j := range r.stages[i].clusters {
			if c := &r.stages[i].clusters[j]; c.state == ClusterTaken {
				return c.name, r.stages[i].status.StageName, c.binding
			}
		}
	}
	return "", "", nil
}

func (r *reader) diagnoseUnheard(v *RunView) {
	d := &v.Why
	if len(r.run.Status.Conditions) == 0 {
		d.What = Lit("The hub's controller has written nothing about this run yet.")
		d.Next = Lit("See whether the hub agent runs and has staged update runs enabled; its log tells errors that it retries without a word here.")
	} else {
		d.What = Textf("The run was changed (generation %d) and the hub's controller has not reacted: it has seen generation %d.", v.Generation, v.Observed)
		d.Next = Lit("See whether the hub agent runs; another run that keeps it busy delays this one too.")
	}
	d.Heal = Lit("Yes, as soon as the controller gets to it; a healthy one needs less than a second.")
}

func (r *reader) diagnoseNotAccepted(v *RunView) {
	d, g := &v.Why, v.gate(GateNotAccepted)
	d.What = Textf("The approval %s %s was given for generation %d of its request, but the request has generation %d: the hub ignores it, silently.",
		beforeAfter(g), stageName(v.Current()), g.Sent, g.Generation)
	d.Heal = Lit("No: the hub waits for an approval with the right observedGeneration.")
	d.Next = Lit("Approve again: the same key writes the right generation.")
	if r.stopWanted() {
		d.Next = Lit("Approve again: the same key writes the right generation. The run is stopped too and has to be resumed.")
	}
}

func (r *reader) diagnoseStuck(v *RunView) {
	d := &v.Why
	if r.hubSaysStuck() {
		d.Quote = Clean(r.prog.message)
	}
	var names []Text
	var first *clusterRead
	stage := -1
	landed := true
	for i := range r.stages {
		for j := range r.stages[i].clusters {
			c := &r.stages[i].clusters[j]
			if c.state != ClusterStuck {
				continue
			}
			names = append(names, Clean(c.name))
			landed = landed && c.landed
			if first == nil || troubled(c) && !troubled(first) {
				first = c
			}
			if stage < 0 {
				stage = i
			}
		}
	}
	if first == nil {
		d.What = Lit("The hub says that the run is stuck and names no cluster that is still being updated.")
		d.Heal = Lit("Yes: the hub takes the word back by itself when the clusters have finished.")
		d.Next = Lit("Open the run and look at its clusters.")
		return
	}
	where := Clean(r.stages[stage].status.StageName)
	if len(names) == 1 {
		d.What = Textf("%s in stage %s has not finished; it was started at %s", names[0], where, r.clock(first.start.since))
	} else {
		d.What = Textf("%s in stage %s have not finished; %s was started at %s", enumerate(names, 3), where, Clean(first.name), r.clock(first.start.since))
	}
	t := r.troubleOf(first)
	if len(names) > 1 && !t.what.IsZero() {
		d.What = Textf("%s: on %s %s.", d.What, Clean(first.name), t.what)
	} else if !t.what.IsZero() {
		d.What = Textf("%s: %s.", d.What, t.what)
	} else {
		d.What = Textf("%s.", d.What)
	}
	switch {
	case landed:
		d.Heal = Lit("Yes: the clusters have finished by now; the hub notices when it looks again, within 17 minutes at most.")
		d.Next = Lit("Wait.")
	case !t.heal.IsZero():
		d.Heal, d.Next = t.heal, t.next
	default:
		d.Heal = Textf("Yes, if the cause is on the member: the same run goes on when the cluster is repaired. A wrong manifest needs a new run, since this one keeps snapshot %s.", orDash(v.Index))
		d.Next = Lit("Open the run: the cluster's conditions and failing manifests tell where it hangs.")
	}
	if r.stopWanted() {
		d.Next = Textf("%s The run is asked to stop and waits for these clusters.", d.Next)
	}
}

func (r *reader) diagnoseStopping(v *RunView) {
	d := &v.Why
	flying := v.Updating + v.Stuck
	s := v.Current()
	if s != nil && s.Deletion {
		flying = s.Updating
	}
	switch {
	case s != nil && s.Deletion && flying == 0 && s.State == StageStopped:
		// facts 3.6: a stop before the removals begin never reaches Stopped.
		d.What = Lit("All stages are done and the removal from clusters that are no longer picked has not begun; the hub never reports such a run as stopped.")
		d.Heal = Lit("No: it stays so until a person resumes it.")
		d.Next = Lit("Run it to remove the placement from those clusters and finish.")
	case flying == 0:
		d.What = Lit("Stop was asked for; nothing is in flight and nothing new is started.")
		d.Heal = Lit("Yes: the hub reports the run as stopped shortly.")
		d.Next = Lit("Wait, or run it again.")
	default:
		d.What = Textf("Stop was asked for in %s; %s still in flight, nothing new is started.", stageName(s), are(flying, "cluster"))
		d.Heal = Lit("Yes: the run is stopped when those have finished.")
		d.Next = Lit("Wait, or run it again.")
	}
}

func (r *reader) diagnoseApproval(v *RunView) {
	d, g := &v.Why, v.gate(GateOpen)
	if g.Before {
		d.What = Textf("%s waits for an approval before its first cluster is updated.", capital(stageName(v.Current())))
	} else {
		d.What = Textf("All clusters of %s are done; the stage waits for an approval.", stageName(v.Current()))
	}
	for _, w := range v.Current().After {
		if w.State == GateRunning && !w.Until.IsZero() {
			d.What = Textf("%s A timed wait runs beside it, until %s.", d.What, r.clock(w.Until))
		}
	}
	d.Heal = Lit("No: it waits until a person approves.")
	switch {
	case g.request != nil && g.request.foreign:
		d.What = Textf("%s The request %s exists but is for another run or stage, on which the hub gives the run up.", d.What, g.Name)
		d.Next = Lit("Delete that approval request; the hub makes a new one.")
	case g.Request.IsZero():
		d.Next = Textf("The approval request %s is not there: the hub makes it again shortly.", g.Name)
	default:
		d.Next = Textf("Approve it%s", approvalStarts(v))
	}
}

func (r *reader) diagnoseRunning(v *RunView) {
	d := &v.Why
	s := v.Current()
	frozen := r.run.Spec.State == placement.StateInitialize && r.begun()
	switch {
	case s == nil:
		d.What = Lit("All stages are done; the hub is about to finish the run.")
	case s.Deletion:
		d.What = Textf("All stages are done; the placement is removed from %s that it no longer picks: %d of %d done.", count(s.Total, "cluster"), s.Done, s.Total)
	case s.State == StageComing:
		d.What = Textf("%s is about to begin.", capital(stageName(s)))
	case v.gate(GateSent) != nil:
		d.What = Textf("The approval of %s is given; the hub has not accepted it yet.", stageName(s))
	default:
		d.What = Textf("%s: %s updating, %d of %d are done.", capital(stageName(s)), are(s.Updating, "cluster"), s.Done, s.Total)
	}
	d.Heal, d.Next = Lit("Nothing to heal."), Lit("Nothing to do.")
	if v.Slow {
		r.diagnoseSlow(v)
	}
	if frozen {
		d.What = Textf("%s Its state is Initialize although stages have begun: a hub from before v0.2 ignores that and goes on; a newer one holds the run.", d.What)
		d.Next = Lit("If nothing moves, run it.")
	}
}

func (r *reader) diagnoseSlow(v *RunView) {
	d := &v.Why
	for i := range r.stages {
		for j := range r.stages[i].clusters {
			c := &r.stages[i].clusters[j]
			if c.state != ClusterSlow {
				continue
			}
			d.What = Textf("%s in stage %s is slow: started at %s, the hub calls it stuck after %s",
				Clean(c.name), Clean(r.stages[i].status.StageName), r.clock(c.start.since), r.clock(c.stuckAt))
			t := r.troubleOf(c)
			switch {
			case c.landed:
				d.What = Textf("%s in stage %s has finished; the hub has not looked yet.", Clean(c.name), Clean(r.stages[i].status.StageName))
				d.Heal, d.Next = Lit("Yes: the hub looks again by itself."), Lit("Wait.")
			case t.what.IsZero():
				d.What = Textf("%s.", d.What)
				d.Heal, d.Next = Lit("Not known yet."), Lit("Open the run: the cluster's conditions tell where it hangs.")
			default:
				d.What = Textf("%s: %s.", d.What, t.what)
				d.Heal, d.Next = t.heal, t.next
			}
			return
		}
	}
}
