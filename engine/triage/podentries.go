package triage

import (
	"regexp"
	"slices"

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

var podCommands = []command{cShowPodOnMember, cShowPodLogOnMember, cShowOnMember, cShowPodsOnMember, cShowBinding}

// podCauses are the reasons of pods, read from the member itself. The first that
// fits counts.
var podCauses = []podCause{
	{
		entry: entry{
			cause: podImageName, title: "The image name of a pod is invalid",
			sign:    "a pod on the member waits with `InvalidImageName`",
			actions: []engine.Lead{engine.LeadClone, engine.LeadDiff, engine.LeadMember}, recovery: engine.HealNewRun, hard: true,
			recoveryText: engine.Lit("Needs a new run: no node can pull an image with an invalid name, and this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Fix image name IMAGE of WORKLOAD on the hub, in the manifest or in the override that sets it, then create a new run (C)."),
			),
			commands: podCommands,
		},
		reasons: []string{"InvalidImageName"},
	},
	{
		entry: entry{
			cause: podImagePull, title: "The image of a pod cannot be pulled",
			sign:    "a pod on the member waits with `ErrImagePull`, `ImagePullBackOff` or `ErrImageNeverPull`",
			actions: []engine.Lead{engine.LeadMember, engine.LeadDiff, engine.LeadClone}, recovery: engine.HealMember, hard: true,
			recoveryText: engine.Lit("After a fix on the member: push the image, or fix the registry or its credentials; the kubelet retries. Another image needs a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Push image IMAGE, or fix the registry or its pull secret on MEMBER. If the image is wrong, fix WORKLOAD on the hub and create a new run (C)."),
			),
			commands: podCommands,
		},
		reasons: []string{"ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "RegistryUnavailable", "ImageInspectError"},
	},
	{
		entry: entry{
			cause: engine.NewCause("pod-config-missing"), title: "A pod lacks a ConfigMap, a Secret or a volume",
			sign:    "a pod on the member waits with `CreateContainerConfigError`, or its events have `FailedMount` or `FailedAttachVolume`",
			actions: onWorkload, recovery: engine.HealMember, hard: true,
			recoveryText: engine.Lit("After a fix on the member: the missing object has to exist there. A fix to the manifest needs a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Create what pod POD lacks on MEMBER, or place it too. If WORKLOAD names the wrong object, fix it on the hub and create a new run (C)."),
			),
			commands: podCommands,
		},
		reasons: []string{"CreateContainerConfigError", "FailedMount", "FailedAttachVolume"},
	},
	{
		entry: entry{
			cause: podCrashLoop, title: "A container of a pod crashes",
			sign:    "a pod on the member waits with `CrashLoopBackOff`, or its container ended with `Error`, `OOMKilled`, `StartError` or `ContainerCannotRun`",
			actions: onWorkload, recovery: engine.HealMember, hard: true,
			recoveryText: engine.Lit("After a fix on the member (configuration, a dependency): the kubelet retries. A fix to the manifest or image needs a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Read the log of pod POD (m). Fix what it lacks on MEMBER, or fix WORKLOAD on the hub and create a new run (C)."),
			),
			commands: podCommands,
		},
		reasons: []string{"CrashLoopBackOff", "Error", "OOMKilled", "RunContainerError", "CreateContainerError", "StartError", "ContainerCannotRun", "PostStartHookError"},
	},
	{
		entry: entry{
			cause: engine.NewCause("pod-unschedulable"), title: "A pod cannot be scheduled",
			sign:    "a pod on the member has PodScheduled False (`Unschedulable`, `SchedulingGated`), or its events have `FailedScheduling`",
			actions: onWorkload, recovery: engine.HealMember,
			recoveryText: engine.Lit("After a fix on the member: capacity, node labels or taints, volumes. Other requests or constraints need a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Add capacity on MEMBER, or fix the node labels, taints or volumes that the scheduler names. If WORKLOAD asks for too much, fix it on the hub and create a new run (C)."),
			),
			commands: append([]command{cShowNodesOnMember}, podCommands...),
		},
		reasons: []string{"Unschedulable", "FailedScheduling", "SchedulingGated"},
	},
	{
		entry: entry{
			cause: engine.NewCause("pods-exceed-quota"), title: "A quota on the member rejects the pods",
			sign:    "the workload on the member has ReplicaFailure or a `FailedCreate` event with `exceeded quota`",
			actions: onWorkload, recovery: engine.HealMember, hard: true,
			recoveryText: engine.Lit("After a fix on the member: its quota has to allow the pods; the workload controller retries. Smaller requests need a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Raise the quota on MEMBER or free part of it. If WORKLOAD asks for too much, fix it on the hub and create a new run (C)."),
			),
			commands: append([]command{cShowQuotaOnMember}, podCommands...),
		},
		reasons: []string{"FailedCreate"}, pattern: regexp.MustCompile(`(?i)exceeded quota|quota exceeded|must specify (?:limits|requests)`),
	},
	{
		entry: entry{
			cause: engine.NewCause("pods-denied"), title: "An admission webhook or policy on the member denies the pods",
			sign:    "the workload on the member has ReplicaFailure or a `FailedCreate` event with `admission webhook … denied the request`, `violates PodSecurity` or a ValidatingAdmissionPolicy",
			actions: onWorkload, recovery: engine.HealMember, hard: true,
			recoveryText: engine.Lit("After a fix on the member: the webhook or policy has to admit the pods; the workload controller retries. A fix to the manifest needs a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Change the policy on MEMBER, or fix WORKLOAD on the hub and create a new run (C)."),
			),
			commands: podCommands,
		},
		reasons: []string{"FailedCreate"}, pattern: regexp.MustCompile(`(?i)admission webhook|ValidatingAdmissionPolicy|violates PodSecurity|denied the request|failed calling webhook|LimitRange|(?:maximum|minimum) (?:cpu|memory) usage`),
	},
	{
		entry: entry{
			cause: engine.NewCause("pods-not-created"), title: "The member does not create the pods",
			sign:    "the workload on the member has ReplicaFailure or a `FailedCreate` event with any other message",
			actions: onWorkload, recovery: engine.HealMember, hard: true,
			recoveryText: engine.Lit("After a fix on the member (a service account, permissions). A fix to the manifest needs a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Read the message of WORKLOAD (m). Fix MEMBER, or fix WORKLOAD on the hub and create a new run (C)."),
			),
			commands: podCommands,
		},
		reasons: []string{"FailedCreate"},
	},
	{
		entry: entry{
			cause: engine.NewCause("pod-not-ready"), title: "A pod runs and does not become ready",
			sign:    "a pod on the member is Running and not Ready, with or without an `Unhealthy` event",
			actions: onWorkload, recovery: engine.HealMember,
			recoveryText: engine.Lit("After a fix on the member (a dependency), or when the pod has had the time it needs. A wrong probe or image needs a new run: this run stays on snapshot SNAPSHOT."),
			steps: lits(
				engine.Lit("Read the readiness probe's events and the log of pod POD (m). Fix what it waits for on MEMBER, or fix WORKLOAD on the hub and create a new run (C)."),
			),
			commands: podCommands,
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
