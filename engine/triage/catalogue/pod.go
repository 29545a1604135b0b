package catalogue

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// podCause is one reason for which the pods of a workload do not become ready on
// a member.
type podCause struct {
	Entry
	// reasons are any of them; pattern has to match the message as well, and a
	// nil pattern matches anything.
	reasons []string
	pattern *Pattern
}

// Causes that rules name.
const (
	WorkloadNotReady engine.Cause = "workload-not-ready"
	// OverrideSnapshotGone is an override snapshot that was deleted.
	OverrideSnapshotGone engine.Cause = "override-snapshot-missing"
	// MemberNamespaceTerminating is a member whose namespace on the hub is being deleted.
	MemberNamespaceTerminating engine.Cause = "member-namespace-terminating"
	NotAvailable               engine.Cause = "not-available"
	// notDecodable is a manifest that the member's agent cannot decode.
	notDecodable engine.Cause = "manifest-not-decodable"
	// KindMissing is a kind that the member does not serve.
	KindMissing engine.Cause = "kind-missing"
	// PlacementsConflict is an object that two placements place.
	PlacementsConflict engine.Cause = "placements-conflict"
	OwnedByOthers      engine.Cause = "owned-by-others"
	NamespaceMissing   engine.Cause = "namespace-missing"
	// NamespaceTerminating is a namespace that the member deletes.
	NamespaceTerminating engine.Cause = "namespace-terminating"
	DriftBlocks          engine.Cause = "drift-blocks-apply"
	TakeoverDiffers      engine.Cause = "takeover-blocked-by-differences"
	PodImageName         engine.Cause = "pod-image-name-invalid"
	PodImagePull         engine.Cause = "pod-image-pull-failed"
	PodCrashLoop         engine.Cause = "pod-crash-loop"
)

// The placeholders of steps and recoveries. The diagnosis names what they stand for.
const (
	PlaceholderWorkload = "WORKLOAD"
	PlaceholderImage    = "IMAGE"
	PlaceholderPod      = "POD"
	PlaceholderMember   = "MEMBER"
	PlaceholderObject   = "OBJECT" // that a manifest is about
	PlaceholderSnapshot = "SNAPSHOT"
	PlaceholderSource   = "SOURCE" // the manifest, and the overrides of the cluster
)

var podCommands = []Command{ShowPodOnMember, ShowPodLogOnMember, ShowOnMember, ShowPodsOnMember, ShowUsedOverrides, ShowBinding}

// podsRetried makes the controller of a workload create its pods at once after a fix: it retries
// with a backoff of up to 1000 s, and at once when the workload changes. The member's agent compares no
// annotation with kubernetes.io/ in its key: any other would count as drift with FullComparison
// (workapplier, discardFieldsIrrelevantInComparisonFrom).
const podsRetried engine.Literal = "If no pod is created soon after the fix, set annotation kubernetes.io/change-cause of WORKLOAD on MEMBER to a new value (kubectl annotate --overwrite): its controller then retries immediately. Fleet does not report this annotation as drift."

// PodCauses are the reasons of pods, read from the member itself. The first that
// fits counts.
var PodCauses = []podCause{
	{
		Entry: Entry{
			Cause: PodImageName, Title: "The image name of a pod is invalid", Short: "invalid image name",
			Sign:    "a pod on the member waits with `InvalidImageName`",
			actions: []engine.NextAction{engine.NextClone, engine.NextDiff, engine.NextMember}, Recovery: engine.RecoveryByNewRun, Hard: true,
			RecoveryText: "Needs a new run: no node can pull an image with an invalid name, and this run stays on snapshot SNAPSHOT.",
			Steps: Literals{
				"{fixes-first}Fix image name IMAGE of WORKLOAD on the hub, in SOURCE, then create a new run ({clone}).",
			},
			Commands: podCommands,
		},
		reasons: []string{"InvalidImageName"},
	},
	{
		Entry: Entry{
			Cause: PodImagePull, Title: "The image of a pod cannot be pulled", Short: "image cannot be pulled",
			Sign:    "a pod on the member waits with `ErrImagePull`, `ImagePullBackOff` or `ErrImageNeverPull`",
			actions: []engine.NextAction{engine.NextMember, engine.NextDiff, engine.NextClone}, Recovery: engine.RecoveryOnMember, Hard: true,
			RecoveryText: "After a fix on the member: push the image, or fix the registry or its credentials; the kubelet retries within 5 minutes. Another image needs a new run: this run stays on snapshot SNAPSHOT.",
			Steps: Literals{
				"{fixes-first}Push image IMAGE if the registry does not have it, or fix the access of MEMBER to the registry (pull secret, firewall). If the image is wrong, fix WORKLOAD on the hub and create a new run ({clone}).",
			},
			Commands: podCommands,
		},
		reasons: []string{"ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "RegistryUnavailable", "ImageInspectError"},
	},
	{
		Entry: Entry{
			Cause: "pod-config-missing", Title: "A pod lacks a ConfigMap, a Secret or a volume", Short: "pod lacks a ConfigMap or Secret",
			Sign:    "a pod on the member waits with `CreateContainerConfigError`, or its events have `FailedMount` or `FailedAttachVolume`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, Hard: true,
			RecoveryText: "After a fix on the member: the missing object has to exist there. A fix to the manifest needs a new run: this run stays on snapshot SNAPSHOT.",
			Steps: Literals{
				"{fixes-first}Create the object that pod POD needs on MEMBER, or add it to the placement. If WORKLOAD names the wrong object, fix it on the hub and create a new run ({clone}).",
			},
			Commands: podCommands,
		},
		reasons: []string{"CreateContainerConfigError", "FailedMount", "FailedAttachVolume"},
	},
	{
		Entry: Entry{
			Cause: PodCrashLoop, Title: "A container of a pod crashes", Short: "container crashes",
			Sign:    "a pod on the member waits with `CrashLoopBackOff`, or its container ended with `Error`, `OOMKilled`, `StartError` or `ContainerCannotRun`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, Hard: true,
			RecoveryText: "After a fix on the member (configuration, a dependency): the kubelet retries within 5 minutes. A fix to the manifest or image needs a new run: this run stays on snapshot SNAPSHOT.",
			Steps: Literals{
				"{fixes-first}Read the log of pod POD ({member}). Fix the cause on MEMBER, or fix WORKLOAD on the hub and create a new run ({clone}).",
			},
			Commands: podCommands,
		},
		reasons: []string{"CrashLoopBackOff", "Error", "OOMKilled", "RunContainerError", "CreateContainerError", "StartError", "ContainerCannotRun", "PostStartHookError"},
	},
	{
		Entry: Entry{
			Cause: "pod-unschedulable", Title: "A pod cannot be scheduled", Short: "pod cannot be scheduled",
			Sign:    "a pod on the member has PodScheduled False (`Unschedulable`, `SchedulingGated`), or its events have `FailedScheduling`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember,
			RecoveryText: "After a fix on the member: capacity, node labels or taints, volumes. Other requests or constraints need a new run: this run stays on snapshot SNAPSHOT.",
			Steps: Literals{
				"{fixes-first}Add capacity on MEMBER, or fix the node labels, taints or volumes that the scheduler names. If WORKLOAD requests too much, fix it on the hub and create a new run ({clone}).",
			},
			Commands: []Command{ShowNodesOnMember, ShowPodOnMember, ShowPodLogOnMember, ShowOnMember, ShowPodsOnMember, ShowUsedOverrides, ShowBinding},
		},
		reasons: []string{"Unschedulable", "FailedScheduling", "SchedulingGated"},
	},
	{
		Entry: Entry{
			Cause: "pod-not-assigned", Title: "No scheduler has assigned the pod to a node", Short: "no scheduler assigns the pod",
			Sign:    "a pod on the member is Pending without a node, and no scheduler has reported a reason",
			actions: onWorkload, Recovery: engine.RecoveryOnMember,
			RecoveryText: "After a fix on the member: a scheduler has to assign the pod to a node. Another schedulerName in the manifest needs a new run: this run stays on snapshot SNAPSHOT.",
			Steps: Literals{
				"{fixes-first}Check that the scheduler of MEMBER is running, and that it is the one in spec.schedulerName of the pods. If WORKLOAD names another, fix it on the hub and create a new run ({clone}).",
			},
			Commands: podCommands,
		},
		reasons: []string{world.PodNotAssigned},
	},
	{
		Entry: Entry{
			Cause: "pods-exceed-quota", Title: "A quota on the member rejects the pods", Short: "quota denied pods",
			Sign:    "the workload on the member has ReplicaFailure or a `FailedCreate` event with `exceeded quota`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, Hard: true,
			RecoveryText: "After a fix on the member: its quota has to allow the pods; the workload controller then retries within 17 minutes. Smaller requests need a new run: this run stays on snapshot SNAPSHOT.",
			Steps: Literals{
				"{fixes-first}Raise the quota on MEMBER or free part of it. If WORKLOAD requests too much, fix it on the hub and create a new run ({clone}).",
				podsRetried,
			},
			Commands: []Command{ShowQuotaOnMember, ShowPodOnMember, ShowPodLogOnMember, ShowOnMember, ShowPodsOnMember, ShowUsedOverrides, ShowBinding},
		},
		reasons: []string{"FailedCreate"}, pattern: &Pattern{expr: `(?i)exceeded quota|quota exceeded`},
	},
	{
		Entry: Entry{
			Cause: "pods-rejected-by-limits", Title: "A LimitRange, or a quota that requires limits, rejects the pods on the member", Short: "limits of pods rejected",
			Sign:    "the workload on the member has ReplicaFailure or a `FailedCreate` event with `failed quota: … must specify …`, `maximum … usage per …`, `minimum … usage per …` or `… max limit to request ratio …`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, Hard: true,
			RecoveryText: "After a fix on the member: its LimitRange or its quota has to allow the pods; the workload controller then retries within 17 minutes. Other requests and limits need a new run: this run stays on snapshot SNAPSHOT.",
			Steps: Literals{
				"{fixes-first}Set the requests and limits of WORKLOAD on the hub as the message requires, then create a new run ({clone}). Or change the LimitRange or the quota on MEMBER.",
				"If a quota requires limits that the pods do not set, a LimitRange with default values in the namespace sets them. More quota does not help.",
				podsRetried,
			},
			Commands: []Command{ShowLimitsOnMember, ShowPodOnMember, ShowPodLogOnMember, ShowOnMember, ShowPodsOnMember, ShowUsedOverrides, ShowBinding},
		},
		reasons: []string{"FailedCreate"}, pattern: &Pattern{expr: `must specify |` + outsideLimits},
	},
	{
		Entry: Entry{
			Cause: "pods-violate-pod-security", Title: "The Pod Security level of the namespace rejects the pods", Short: "PodSecurity denied pods",
			Sign:    "the workload on the member has ReplicaFailure or a `FailedCreate` event with `violates PodSecurity`",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, Hard: true,
			RecoveryText: "After a fix on the member: the Pod Security level of the namespace has to allow the pods; the workload controller then retries within 17 minutes. A fix to the manifest needs a new run: this run stays on snapshot SNAPSHOT.",
			Steps: Literals{
				"{fixes-first}Set the securityContext of WORKLOAD on the hub as the message requires, then create a new run ({clone}).",
				"{fixes-first}Or set label pod-security.kubernetes.io/enforce of its namespace on MEMBER to a less strict level: this run then continues. If the placement contains the namespace, change the label on the hub, then create a new run ({clone}).",
				podsRetried,
			},
			Commands: []Command{ShowAdmissionOnMember, ShowPodOnMember, ShowPodLogOnMember, ShowOnMember, ShowPodsOnMember, ShowUsedOverrides, ShowBinding},
		},
		reasons: []string{"FailedCreate"}, pattern: &Pattern{expr: `violates PodSecurity`},
	},
	{
		Entry: Entry{
			Cause: "pods-webhook-unreachable", Title: "An admission webhook on the member does not answer, so pods are not created", Short: "webhook does not answer",
			Sign:    "the workload on the member has ReplicaFailure or a `FailedCreate` event with `failed calling webhook`",
			actions: []engine.NextAction{engine.NextMember}, Recovery: engine.RecoveryOnMember, Hard: true,
			RecoveryText: "After a fix on the member: the webhook has to answer; the workload controller then retries within 17 minutes. Nothing is wrong with the manifest.",
			Steps: Literals{
				"Restore the webhook that the message names: its pods, Service and certificate on MEMBER. If it was removed, delete its webhook configuration.",
				podsRetried,
			},
			Commands: []Command{ShowAdmissionOnMember, ShowPodOnMember, ShowPodLogOnMember, ShowOnMember, ShowPodsOnMember, ShowUsedOverrides, ShowBinding},
		},
		reasons: []string{"FailedCreate"}, pattern: &Pattern{expr: `(?i)failed calling webhook|failed to call webhook`},
	},
	{
		Entry: Entry{
			Cause: "pods-denied", Title: "An admission webhook or policy on the member denies the pods", Short: "admission denied pods",
			Sign:    "the workload on the member has ReplicaFailure or a `FailedCreate` event with `admission webhook … denied the request` or a ValidatingAdmissionPolicy",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, Hard: true,
			RecoveryText: "After a fix on the member: the webhook or policy has to admit the pods; the workload controller then retries within 17 minutes. A fix to the manifest needs a new run: this run stays on snapshot SNAPSHOT.",
			Steps: Literals{
				"{fixes-first}Change the webhook or policy on MEMBER, or fix WORKLOAD on the hub and create a new run ({clone}).",
				podsRetried,
			},
			Commands: []Command{ShowAdmissionOnMember, ShowPodOnMember, ShowPodLogOnMember, ShowOnMember, ShowPodsOnMember, ShowUsedOverrides, ShowBinding},
		},
		reasons: []string{"FailedCreate"}, pattern: &Pattern{expr: `(?i)admission webhook|ValidatingAdmissionPolicy|denied the request`},
	},
	{
		Entry: Entry{
			Cause: "pods-not-created", Title: "The member does not create the pods", Short: "pods are not created",
			Sign:    "the workload on the member has ReplicaFailure or a `FailedCreate` event with any other message",
			actions: onWorkload, Recovery: engine.RecoveryOnMember, Hard: true,
			RecoveryText: "After a fix on the member (a service account, permissions); the workload controller then retries within 17 minutes. A fix to the manifest needs a new run: this run stays on snapshot SNAPSHOT.",
			Steps: Literals{
				"{fixes-first}Read the message of WORKLOAD ({member}). Fix MEMBER, or fix WORKLOAD on the hub and create a new run ({clone}).",
				podsRetried,
			},
			Commands: podCommands,
		},
		reasons: []string{"FailedCreate"},
	},
	{
		Entry: Entry{
			Cause: "pod-not-ready", Title: "A pod runs and does not become ready", Short: "pod is not ready",
			Sign:    "a pod on the member is Running and not Ready, with or without an `Unhealthy` event",
			actions: onWorkload, Recovery: engine.RecoveryOnMember,
			RecoveryText: "After a fix on the member (a dependency), or when the pod has had enough time to start. A wrong probe or image needs a new run: this run stays on snapshot SNAPSHOT.",
			Steps: Literals{
				"{fixes-first}Read the readiness probe's events and the log of pod POD ({member}). Fix what it waits for on MEMBER, or fix WORKLOAD on the hub and create a new run ({clone}).",
			},
			Commands: podCommands,
		},
		reasons: []string{world.PodNotReady},
	},
	{
		Entry: Entry{
			Cause: "pod-starting", Title: "A pod is starting", Short: "pod is starting",
			Sign:    "a pod on the member is Pending or waits with `ContainerCreating` or `PodInitializing`, and neither its status nor its events give a reason",
			actions: []engine.NextAction{engine.NextMember}, Recovery: engine.RecoveryAutomatic,
			RecoveryText: "Recovers automatically when the pod becomes ready. Pulling a large image takes minutes.",
			Steps: Literals{
				"Wait until pod POD on MEMBER is ready. If that takes longer than usual, read its events ({member}).",
			},
			Commands: podCommands,
		},
		reasons: []string{"ContainerCreating", "PodInitializing", "Pending"},
	},
}

// OnPods lists the causes in the pods of a member cluster.
func OnPods() []*Entry {
	var out []*Entry
	for i := range PodCauses {
		out = append(out, &PodCauses[i].Entry)
	}
	return out
}

// PodCauseOf finds the entry of a trouble, nil for reasons without one.
func PodCauseOf(p *world.PodTrouble) *Entry {
	for i := range PodCauses {
		c := &PodCauses[i]
		if slices.Contains(c.reasons, p.Reason) && (c.pattern == nil || c.pattern.matches(p.Message)) {
			return &c.Entry
		}
	}
	return nil
}
