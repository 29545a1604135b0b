package members

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// kindAppliedWork is the kind that a member agent creates on its member for each
// Work that it applies.
const kindAppliedWork = "AppliedWork"

// appliedWork is the AppliedWork of a Work, as the member agent creates it: it
// has the Work's name, and names the Work with its namespace on the hub.
func appliedWork(w *placement.Work) map[string]any {
	return map[string]any{
		"apiVersion": placement.GroupVersion.String(), "kind": kindAppliedWork,
		"metadata": map[string]any{
			"name": w.Name, "uid": "applied-" + string(w.UID), "creationTimestamp": w.CreationTimestamp.UTC().Format(time.RFC3339),
		},
		"spec": map[string]any{"workName": w.Name, "workNamespace": w.Namespace},
	}
}

// agent is the Deployment of a member's agent, with the environment that the
// upstream chart gives it (charts/member-agent/templates/deployment.yaml).
func (m *API) agent(member string) map[string]any {
	labels := map[string]any{"app.kubernetes.io/name": "member-agent"}
	env := func(name, value string) any { return map[string]any{"name": name, "value": value} }
	running := 1
	if m.agents.Silent[member] {
		running = 0
	}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{
			"name": "member-agent", "namespace": "fleet-system", "labels": labels, "uid": "member-agent-" + member,
			"creationTimestamp": metav1.NewTime(m.agents.started).UTC().Format(time.RFC3339),
		},
		"spec": map[string]any{
			"replicas": 1, "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec": map[string]any{"containers": []any{
					map[string]any{"name": "member-agent", "image": "ghcr.io/kubefleet-dev/kubefleet/member-agent:v0.2.0", "env": []any{
						env("HUB_SERVER_URL", m.hub), env("MEMBER_CLUSTER_NAME", member), env("TLS_INSECURE", "false"),
					}},
					map[string]any{"name": "refresh-token", "image": "ghcr.io/kubefleet-dev/kubefleet/refresh-token:v0.2.0"},
				}},
			},
		},
		"status": map[string]any{"replicas": 1, "updatedReplicas": 1, "readyReplicas": running, "availableReplicas": running},
	}
}
