package triage

import (
	"regexp"
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// podCause is one reason for which the pods of a workload do not become ready on
// a member.
type podCause struct {
	entry
	// reasons are any of them; pattern has to match the message as well, and a
	// nil pattern matches anything.
	reasons []string
	pattern *regexp.Regexp
}

// Causes that rules name.
var (
	workloadNotReady = engine.NewCause("workload-not-ready")
	notAvailable     = engine.NewCause("not-available")
	ownedByOthers    = engine.NewCause("owned-by-others")
	podImageName     = engine.NewCause("pod-image-name-invalid")
	podImagePull     = engine.NewCause("pod-image-pull-failed")
	podCrashLoop     = engine.NewCause("pod-crash-loop")
)

// The placeholders of steps and recoveries. The diagnosis names what they stand for.
const (
	holdWorkload = "WORKLOAD"
	holdImage    = "IMAGE"
	holdPod      = "POD"
	holdMember   = "MEMBER"
	holdSnapshot = "SNAPSHOT"
)

var podCommands = []command{showPodOnMember, showPodLogOnMember, showOnMember, showPodsOnMember, showBinding}

// podCauses are the reasons of pods, read from the member itself. The first that
// fits counts.
var podCauses = []podCause{
	{
		entry: entry{
			cause: podImageName, title: "The image name of a pod is invalid",
			seen:  "a pod on the member waits with `InvalidImageName`",
			leads: []engine.Lead{engine.LeadClone, engine.LeadDiff, engine.LeadMember}, heals: engine.HealNewRun, hard: true,
			heal: engine.Lit("Needs a new run: no node can pull an image with an invalid name, and this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Fix image name IMAGE of WORKLOAD on the hub, in the manifest or in the override that sets it, then create a new run (C)."),
			),
			shows: podCommands,
		},
		reasons: []string{"InvalidImageName"},
	},
	{
		entry: entry{
			cause: podImagePull, title: "The image of a pod cannot be pulled",
			seen:  "a pod on the member waits with `ErrImagePull`, `ImagePullBackOff` or `ErrImageNeverPull`",
			leads: []engine.Lead{engine.LeadMember, engine.LeadDiff, engine.LeadClone}, heals: engine.HealMember, hard: true,
			heal: engine.Lit("After a fix on the member: push the image, or fix the registry or its credentials; the kubelet retries. Another image needs a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Push image IMAGE, or fix the registry or its pull secret on MEMBER. If the image is wrong, fix WORKLOAD on the hub and create a new run (C)."),
			),
			shows: podCommands,
		},
		reasons: []string{"ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "RegistryUnavailable", "ImageInspectError"},
	},
	{
		entry: entry{
			cause: engine.NewCause("pod-config-missing"), title: "A pod lacks a ConfigMap, a Secret or a volume",
			seen:  "a pod on the member waits with `CreateContainerConfigError`, or its events have `FailedMount` or `FailedAttachVolume`",
			leads: onWorkload, heals: engine.HealMember, hard: true,
			heal: engine.Lit("After a fix on the member: the missing object has to exist there. A fix to the manifest needs a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Create what pod POD lacks on MEMBER, or place it too. If WORKLOAD names the wrong object, fix it on the hub and create a new run (C)."),
			),
			shows: podCommands,
		},
		reasons: []string{"CreateContainerConfigError", "FailedMount", "FailedAttachVolume"},
	},
	{
		entry: entry{
			cause: podCrashLoop, title: "A container of a pod crashes",
			seen:  "a pod on the member waits with `CrashLoopBackOff`, or its container ended with `Error`, `OOMKilled`, `StartError` or `ContainerCannotRun`",
			leads: onWorkload, heals: engine.HealMember, hard: true,
			heal: engine.Lit("After a fix on the member (configuration, a dependency): the kubelet retries. A fix to the manifest or image needs a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Read the log of pod POD (m). Fix what it lacks on MEMBER, or fix WORKLOAD on the hub and create a new run (C)."),
			),
			shows: podCommands,
		},
		reasons: []string{"CrashLoopBackOff", "Error", "OOMKilled", "RunContainerError", "CreateContainerError", "StartError", "ContainerCannotRun", "PostStartHookError"},
	},
	{
		entry: entry{
			cause: engine.NewCause("pod-unschedulable"), title: "A pod cannot be scheduled",
			seen:  "a pod on the member has PodScheduled False (`Unschedulable`, `SchedulingGated`), or its events have `FailedScheduling`",
			leads: onWorkload, heals: engine.HealMember,
			heal: engine.Lit("After a fix on the member: capacity, node labels or taints, volumes. Other requests or constraints need a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Add capacity on MEMBER, or fix the node labels, taints or volumes that the scheduler names. If WORKLOAD asks for too much, fix it on the hub and create a new run (C)."),
			),
			shows: append([]command{showNodesOnMember}, podCommands...),
		},
		reasons: []string{"Unschedulable", "FailedScheduling", "SchedulingGated"},
	},
	{
		entry: entry{
			cause: engine.NewCause("pods-exceed-quota"), title: "A quota on the member rejects the pods",
			seen:  "the workload on the member has ReplicaFailure or a `FailedCreate` event with `exceeded quota`",
			leads: onWorkload, heals: engine.HealMember, hard: true,
			heal: engine.Lit("After a fix on the member: its quota has to allow the pods; the workload controller retries. Smaller requests need a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Raise the quota on MEMBER or free part of it. If WORKLOAD asks for too much, fix it on the hub and create a new run (C)."),
			),
			shows: append([]command{showQuotaOnMember}, podCommands...),
		},
		reasons: []string{"FailedCreate"}, pattern: regexp.MustCompile(`(?i)exceeded quota|quota exceeded|must specify (?:limits|requests)`),
	},
	{
		entry: entry{
			cause: engine.NewCause("pods-denied"), title: "An admission webhook or policy on the member denies the pods",
			seen:  "the workload on the member has ReplicaFailure or a `FailedCreate` event with `admission webhook … denied the request`, `violates PodSecurity` or a ValidatingAdmissionPolicy",
			leads: onWorkload, heals: engine.HealMember, hard: true,
			heal: engine.Lit("After a fix on the member: the webhook or policy has to admit the pods; the workload controller retries. A fix to the manifest needs a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Change the policy on MEMBER, or fix WORKLOAD on the hub and create a new run (C)."),
			),
			shows: podCommands,
		},
		reasons: []string{"FailedCreate"}, pattern: regexp.MustCompile(`(?i)admission webhook|ValidatingAdmissionPolicy|violates PodSecurity|denied the request|failed calling webhook|LimitRange|(?:maximum|minimum) (?:cpu|memory) usage`),
	},
	{
		entry: entry{
			cause: engine.NewCause("pods-not-created"), title: "The member does not create the pods",
			seen:  "the workload on the member has ReplicaFailure or a `FailedCreate` event with any other message",
			leads: onWorkload, heals: engine.HealMember, hard: true,
			heal: engine.Lit("After a fix on the member (a service account, permissions). A fix to the manifest needs a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Read the message of WORKLOAD (m). Fix MEMBER, or fix WORKLOAD on the hub and create a new run (C)."),
			),
			shows: podCommands,
		},
		reasons: []string{"FailedCreate"},
	},
	{
		entry: entry{
			cause: engine.NewCause("pod-not-ready"), title: "A pod runs and does not become ready",
			seen:  "a pod on the member is Running and not Ready, with or without an `Unhealthy` event",
			leads: onWorkload, heals: engine.HealMember,
			heal: engine.Lit("After a fix on the member (a dependency), or when the pod has had the time it needs. A wrong probe or image needs a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Read the readiness probe's events and the log of pod POD (m). Fix what it waits for on MEMBER, or fix WORKLOAD on the hub and create a new run (C)."),
			),
			shows: podCommands,
		},
		reasons: []string{engine.PodNotReady},
	},
}

func onPods() []*entry {
	var out []*entry
	for i := range podCauses {
		out = append(out, &podCauses[i].entry)
	}
	return out
}

// podEntry finds the entry of a trouble, nil for reasons without one.
func podEntry(p *engine.PodTrouble) *entry {
	for i := range podCauses {
		c := &podCauses[i]
		if slices.Contains(c.reasons, p.Reason) && (c.pattern == nil || c.pattern.MatchString(p.Message)) {
			return &c.entry
		}
	}
	return nil
}

// messageLimit is how much of a message from a member WHY quotes.
const messageLimit = 110

// withPods adds what the member itself returned about the workload that does not
// become available. Where it names a cause, that is the cause.
func (t *trouble) withPods() {
	r := t.k.c.Report(t.k.cluster.Name)
	if t.entry == nil || r == nil {
		return
	}
	t.read = r.Read()
	if t.cause == ownedByOthers {
		t.withOwners(r)
		return
	}
	if !leavesOpen(t.cause) {
		t.read.Why = engine.Text{} // nothing is missing
		return
	}
	if !r.Why.IsZero() {
		return
	}
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if m := t.k.manifest; m != nil && (m.Kind != w.Kind || m.Namespace != w.Namespace || m.Name != w.Name) {
			continue
		}
		if p := w.Trouble(); p != nil {
			t.pods(r, w, p)
			return
		}
		if t.k.manifest != nil && w.Settled() {
			t.read.Says = t.marked(engine.Lit("all its pods are ready on the member now"))
			t.besides(t.read.Says)
			t.evidence = append(t.evidence, t.podEvidence(r, workload(w), engine.Lit("status"), engine.Textf("%d of %d pods ready", w.Ready, w.Replicas)))
		}
	}
}

// leavesOpen reports whether a cause says that a workload is not available, and
// not why.
func leavesOpen(c engine.Cause) bool {
	switch c {
	case workloadNotReady, notAvailable, nothingReported.cause:
		return true
	}
	return false
}

// pods makes the pods of a workload the cause.
func (t *trouble) pods(r *engine.MemberReport, w *engine.MemberWorkload, p *engine.PodTrouble) {
	t.k.workload, t.k.pod = w, p
	t.read.Says = t.marked(podSays(p))
	// The pods take the place of what the hub says of the manifest.
	t.lead, t.named, t.detail = engine.Textf("%s is not available", workload(w)), false, t.read.Says
	if n := len(t.k.cluster.Binding.Failed); n > 1 {
		t.besides(engine.Textf("%s failed too", engine.Count(n-1, "more manifest")))
	}
	if e := podEntry(p); e != nil {
		t.entry, t.heal, t.steps = e, t.fill(e.heal), nil
	}
	switch {
	case p.Pod != "":
		value := engine.Clean(p.Reason)
		if p.Message != "" {
			value = engine.Textf("%s: %s", value, p.Message)
		}
		of := engine.Textf("Pod %s/%s", w.Namespace, p.Pod)
		t.evidence = slices.Insert(t.evidence, 0, t.podEvidence(r, of, engine.Textf("container %s", p.Container), value))
		if p.Log != "" {
			t.evidence = slices.Insert(t.evidence, 1, t.podEvidence(r, of, engine.Lit("last log line"), engine.Clean(p.Log)))
		}
		t.path = append(t.path, engine.Hop{Level: engine.Lit("pod"), Name: engine.Textf("%s/%s", w.Namespace, p.Pod), State: t.marked(engine.Clean(p.Reason))})
	default:
		value := engine.Clean(p.Reason)
		if p.Message != "" {
			value = engine.Textf("%s: %s", value, p.Message)
		}
		t.evidence = slices.Insert(t.evidence, 0, t.podEvidence(r, workload(w), engine.Lit("pods"), value))
	}
}

func workload(w *engine.MemberWorkload) engine.Text {
	return engine.Textf("%s %s/%s", w.Kind, w.Namespace, w.Name)
}

// podSays is what keeps pods from becoming ready, in a clause.
func podSays(p *engine.PodTrouble) engine.Text {
	switch p.Reason {
	case engine.PodsMissing:
		return engine.Lit("it does not exist on the member")
	case engine.PodsNone:
		return engine.Lit("it has no pods")
	}
	if p.Count == 0 {
		if p.Total > 0 {
			return engine.Textf("only %d pods, %s: %s", p.Total, p.Reason, engine.Clip(p.Message, messageLimit))
		}
		return engine.Textf("no pods, %s: %s", p.Reason, engine.Clip(p.Message, messageLimit))
	}
	reason := engine.Clean(p.Reason)
	if p.Reason == engine.PodNotReady {
		reason = engine.Lit("not ready")
	}
	says := engine.Textf("%d of %d pods %s", p.Count, p.Total, reason)
	if p.Ended != "" && p.Ended != p.Reason {
		says = engine.Textf("%s (%s)", says, p.Ended)
	}
	if p.Restarts > 0 {
		says = engine.Textf("%s, %s", says, engine.Count(p.Restarts, "restart"))
	}
	e := podEntry(p)
	switch {
	case e != nil && e.cause == podCrashLoop && p.Log != "":
		says = engine.Textf(`%s, last log line "%s"`, says, engine.Clip(p.Log, messageLimit))
	case e != nil && (e.cause == podImageName || e.cause == podImagePull) && p.Image != "":
		says = engine.Textf("%s, image %s", says, p.Image)
	case p.Message != "":
		says = engine.Textf("%s, %s", says, engine.Clip(p.Message, messageLimit))
	}
	if p.Other > 0 {
		says = engine.Textf("%s; %d more not ready", says, p.Other)
	}
	return says
}

// marked adds that the context is not proven to lead to the member.
func (t *trouble) marked(x engine.Text) engine.Text {
	if t.read.Identity.Verdict == engine.Verified {
		return x
	}
	return engine.Textf("%s (%s)", x, t.read.Identity.Verdict)
}

// fill puts names in place of the placeholders of a step or recovery.
func (t *trouble) fill(x engine.Text) engine.Text {
	names := strings.NewReplacer(
		holdWorkload, workload(t.k.workload).String(), holdImage, t.k.pod.Image, holdPod, t.k.pod.Pod,
		holdMember, t.k.cluster.Name, holdSnapshot, engine.OrUnknown(t.k.v.Index).String())
	return t.marked(engine.Clean(names.Replace(x.String())))
}

// podEvidence is Evidence that was read from the member.
func (t *trouble) podEvidence(r *engine.MemberReport, of, name, value engine.Text) engine.Evidence {
	return engine.Evidence{
		Object: t.marked(engine.Textf("%s on %s", of, r.Member)), Field: name, Value: value,
	}
}
