package trouble

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// withPods adds what the member itself returned about the workload that does not
// become available. Where it names a cause, that is the cause.
func (t *Trouble) withPods() {
	r := t.k.Case.Report(t.k.Cluster.Name)
	if t.Entry == nil {
		return
	}
	if r == nil || !r.Why.IsZero() {
		t.leaveUnread()
	}
	if r == nil {
		return
	}
	t.read = r.Read()
	if t.Cause == catalogue.OwnedByOthers {
		t.withOwners(r)
		return
	}
	if !catalogue.LeavesOpen(t.Cause) {
		t.read.Why = engine.Text{} // nothing is missing
		return
	}
	if !r.Why.IsZero() {
		return
	}
	if m := t.k.Manifest; m != nil && world.WorkloadResource(m.Kind) != "" {
		w := r.Workload(m.Kind, m.Namespace, m.Name)
		switch {
		case w == nil: // the hub's Works or bindings were not read, or name more than were asked for
			t.read.Why = engine.Textf("%s %s/%s was not among the workloads read", m.Kind, m.Namespace, m.Name)
		case !w.Why.IsZero():
			t.read.Why = w.Why
		}
		if !t.read.Why.IsZero() {
			t.leaveUnread()
			return
		}
	}
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if m := t.k.Manifest; m != nil && (m.Kind != w.Kind || m.Namespace != w.Namespace || m.Name != w.Name) {
			continue
		}
		if p := w.Trouble(); p != nil {
			t.pods(r, w, p)
			return
		}
		if t.k.Manifest != nil && w.Settled() {
			t.read.Says = t.marked(engine.Lit("all its pods are ready on the member now"))
			t.besides(t.read.Says)
			if len(t.k.Cluster.Binding.Failed) == 1 {
				t.recovered = true
				t.steps = []engine.Text{t.marked(engine.Textf("Wait until the agent of %s reports that %s is available.", t.k.Cluster.Name, subject.Workload(w))), agentLate}
			}
			t.Evidence = append(t.Evidence, t.podEvidence(r, subject.Workload(w), engine.Lit("status"), engine.Textf("%d of %s ready", w.Ready, engine.Count(w.Replicas, "pod"))))
		}
	}
}

// leaveUnread names what the cause leaves open and the member can tell.
func (t *Trouble) leaveUnread() {
	switch m := t.k.Manifest; {
	case m == nil:
	case t.Cause == catalogue.OwnedByOthers:
		t.unread = engine.Textf("owners on %s", t.k.Cluster.Name)
	case catalogue.LeavesOpen(t.Cause) && world.WorkloadResource(m.Kind) != "":
		t.unread, t.podsUnread = engine.Textf("pods on %s", t.k.Cluster.Name), true
	}
}

// pods makes the pods of a workload the cause.
func (t *Trouble) pods(r *world.MemberReport, w *world.MemberWorkload, p *world.PodTrouble) {
	t.k.Workload, t.k.Pod = w, p
	t.read.Says = t.marked(subject.PodSays(p))
	// The pods take the place of what the hub says of the manifest.
	t.lead, t.named, t.detail = engine.Textf("%s is not available", subject.Workload(w)), false, t.read.Says
	if n := len(t.k.Cluster.Binding.Failed); n > 1 {
		t.besides(engine.Textf("%s failed too", engine.Count(n-1, "more manifest")))
	}
	if e := catalogue.PodCauseOf(p); e != nil {
		t.Entry, t.recoveryText, t.steps = e, t.fill(e.RecoveryText.Text()), nil
		if !p.Tried.IsZero() {
			t.recoveryText = engine.Textf("%s The last try was at %s.", t.recoveryText, t.k.Case.Clock(p.Tried))
		}
	}
	if p.Reason == world.PodsMissing {
		t.steps = []engine.Text{recreated, agentLate}
		t.recovered = len(t.k.Cluster.Binding.Failed) == 1
		t.Evidence = slices.Insert(t.Evidence, 0, t.podEvidence(r, subject.Workload(w), engine.Lit("metadata.name"), engine.Lit("no such object now")))
		return
	}
	switch {
	case p.Pod != "":
		value, field := engine.Clean(p.Reason), engine.Lit("status")
		if p.Container != "" {
			field = engine.Textf("container %s", p.Container)
		}
		if p.Message != "" {
			value = engine.Textf("%s: %s", value, engine.Message(p.Message))
		}
		of := engine.Textf("Pod %s/%s", w.Namespace, p.Pod)
		t.Evidence = slices.Insert(t.Evidence, 0, t.podEvidence(r, of, field, value))
		if p.Log != "" {
			t.Evidence = slices.Insert(t.Evidence, 1, t.podEvidence(r, of, engine.Lit("last log line"), engine.Clean(p.Log)))
		}
		t.Path = append(t.Path, engine.Hop{Level: engine.Lit("pod"), Name: engine.Textf("%s/%s", w.Namespace, p.Pod), State: t.marked(engine.Clean(p.Reason))})
	default:
		value := engine.Clean(p.Reason)
		if p.Message != "" {
			value = engine.Textf("%s: %s", value, engine.Message(p.Message))
		}
		t.Evidence = slices.Insert(t.Evidence, 0, t.podEvidence(r, subject.Workload(w), engine.Lit("pods"), value))
	}
}

// marked adds that the context is not proven to lead to the member.
func (t *Trouble) marked(x engine.Text) engine.Text {
	if t.read.Identity.Verdict == engine.Verified {
		return x
	}
	return engine.Textf("%s (%s)", x, t.read.Identity.Verdict)
}

// fill puts names in place of the placeholders of a step or recovery.
func (t *Trouble) fill(x engine.Text) engine.Text {
	return t.marked(x.Fill(
		catalogue.PlaceholderWorkload, subject.Workload(t.k.Workload).String(), catalogue.PlaceholderImage, t.k.Pod.Image, catalogue.PlaceholderPod, t.k.Pod.Pod,
		catalogue.PlaceholderMember, t.k.Cluster.Name, catalogue.PlaceholderSource, t.k.Source().String(), catalogue.PlaceholderSnapshot, engine.OrUnknown(t.k.View.Index).String()))
}

// podEvidence is Evidence that was read from the member.
func (t *Trouble) podEvidence(r *world.MemberReport, of, name, value engine.Text) engine.Evidence {
	return engine.Evidence{
		Object: t.marked(engine.Textf("%s on %s", of, r.Member)), Field: name, Value: value,
	}
}
