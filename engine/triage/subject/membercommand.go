package subject

import (
	"regexp"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// showAppliedWorksOnMember prints what holds the deletion on the member: an
// AppliedWork has the name of its Work.
func showAppliedWorksOnMember(k *Subject) engine.Text {
	if k.Cluster == nil {
		return engine.Text{}
	}
	return k.member("", "get", "appliedworks", "-o", finalizerColumns)
}

// showOnMember shows the failing object where it is; one that could not be created is
// nowhere.
func showOnMember(k *Subject) engine.Text {
	m := k.Manifest
	if k.Cluster == nil || m == nil || m.Kind == "" || m.Name == "" || strings.Contains(m.Condition.Message, "failed to create") {
		return engine.Text{}
	}
	return k.member(m.Namespace, "describe", kindOf(m), m.Name)
}

// showKindOnMember lists the kinds of the failing object's group that the member
// serves.
func showKindOnMember(k *Subject) engine.Text {
	if k.Cluster == nil || k.Manifest == nil || k.Manifest.Group == "" {
		return engine.Text{}
	}
	return k.member("", "api-resources", "--api-group="+k.Manifest.Group)
}

// kindOf names the kind of a manifest for kubectl.
func kindOf(m *placement.FailedResourcePlacement) string {
	if m.Group == "" {
		return strings.ToLower(m.Kind)
	}
	return strings.ToLower(m.Kind) + "." + m.Group
}

// showOwnersOnMember prints who owns the failing object on the member, and who
// writes its fields: the controller's message names neither.
func showOwnersOnMember(k *Subject) engine.Text {
	m := k.Manifest
	if k.Cluster == nil || m == nil || m.Kind == "" || m.Name == "" {
		return engine.Text{}
	}
	return k.member(m.Namespace, "get", kindOf(m), m.Name, "-o",
		`jsonpath={range .metadata.ownerReferences[*]}owner: {.kind} {.name}{"\n"}{end}{range .metadata.managedFields[*]}manager: {.manager}{"\n"}{end}`, "--show-managed-fields")
}

func showPodsOnMember(k *Subject) engine.Text {
	if k.Cluster == nil || k.Manifest == nil || k.Manifest.Namespace == "" {
		return engine.Text{}
	}
	return k.member(k.Manifest.Namespace, "get", "pods", "-o", "wide")
}

// showPodOnMember shows the pod that the diagnosis is about.
func showPodOnMember(k *Subject) engine.Text {
	if k.Pod == nil || k.Pod.Pod == "" {
		return engine.Text{}
	}
	return k.member(k.Workload.Namespace, "describe", "pod", k.Pod.Pod)
}

// showPodLogOnMember shows the log of its container, of the last one that ended
// when it was restarted.
func showPodLogOnMember(k *Subject) engine.Text {
	if k.Pod == nil || k.Pod.Pod == "" || k.Pod.Ended == "" && k.Pod.Reason != world.PodNotReady {
		return engine.Text{}
	}
	args := []string{"logs", k.Pod.Pod, "--tail=50"}
	if k.Pod.Container != "" {
		args = append(args, "-c", k.Pod.Container)
	}
	if k.Pod.Restarts > 0 {
		args = append(args, "--previous")
	}
	return k.member(k.Workload.Namespace, args...)
}

func showNodesOnMember(k *Subject) engine.Text {
	if k.Cluster == nil {
		return engine.Text{}
	}
	return k.member("", "get", "nodes")
}

func showQuotaOnMember(k *Subject) engine.Text {
	if k.Cluster == nil || k.Manifest == nil || k.Manifest.Namespace == "" {
		return engine.Text{}
	}
	return k.member(k.Manifest.Namespace, "describe", "resourcequotas")
}

func showLimitsOnMember(k *Subject) engine.Text {
	if k.Cluster == nil || k.Manifest == nil || k.Manifest.Namespace == "" {
		return engine.Text{}
	}
	return k.member(k.Manifest.Namespace, "describe", "resourcequotas,limitranges")
}

func showNamespaceOnMember(k *Subject) engine.Text {
	if k.Cluster == nil || k.Manifest == nil || k.Manifest.Namespace == "" {
		return engine.Text{}
	}
	return k.member("", "get", "namespaces", k.Manifest.Namespace, "-o", "yaml")
}

func showNamespacesOnMember(k *Subject) engine.Text {
	if k.Cluster == nil {
		return engine.Text{}
	}
	return k.member("", "get", "namespaces")
}

// showAdmissionOnMember lists what can deny the failing object or its pods: webhooks, policies, or the
// Pod Security level of its namespace, by the message.
func showAdmissionOnMember(k *Subject) engine.Text {
	if k.Cluster == nil || k.Manifest == nil {
		return engine.Text{}
	}
	says, ns := k.Manifest.Condition.Message, k.Manifest.Namespace
	if k.Pod != nil { // the pods are denied, not the manifest
		says = k.Pod.Message
	}
	switch {
	case strings.Contains(says, "ValidatingAdmissionPolicy"):
		return k.member("", "get", "validatingadmissionpolicies,validatingadmissionpolicybindings")
	case strings.Contains(says, "violates PodSecurity") && ns != "":
		return k.member("", "get", "namespaces", ns, "--show-labels")
	}
	return k.member("", "get", "validatingwebhookconfigurations,mutatingwebhookconfigurations")
}

// denied is what an API server says to a user without a permission.
var denied = regexp.MustCompile(`User "([^"]+)" cannot (\w+) resource "([^"]+)"(?: in API group "([^"]*)")?(?: in the namespace "([^"]+)")?`)

// showPermissionOnMember asks whether the user of the message has the permission now.
func showPermissionOnMember(k *Subject) engine.Text {
	if k.Cluster == nil || k.Manifest == nil {
		return engine.Text{}
	}
	said := denied.FindStringSubmatch(k.Manifest.Condition.Message)
	if said == nil {
		return engine.Text{}
	}
	resource := said[3]
	if said[4] != "" {
		resource += "." + said[4]
	}
	return k.member(said[5], "auth", "can-i", said[2], resource, "--as="+said[1])
}

func showAgentOnMember(k *Subject) engine.Text {
	if k.Cluster == nil {
		return engine.Text{}
	}
	return k.member(hubNamespace, "get", "pods")
}
