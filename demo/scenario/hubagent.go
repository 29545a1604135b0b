package scenario

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stagewatch/stagewatch/demo/controller"
)

// Where the hub's controller runs, as the upstream chart has it
// (charts/hub-agent).
const (
	agentNamespace = "fleet-system"
	agentName      = "hub-agent"
	agentPod       = agentName + "-6f7c9d5b8d-x2k4p"
)

// hubAgent makes the pod of the hub's controller, whose log the hub serves.
func (s *seed) hubAgent(ctx context.Context) error {
	if err := s.namespace(ctx, agentNamespace, nil); err != nil {
		return err
	}
	now := metav1.Now().UTC().Format("2006-01-02T15:04:05Z")
	image := "ghcr.io/kubefleet-dev/kubefleet/hub-agent:v0.2.0"
	pod := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{
			"name": agentPod, "namespace": agentNamespace,
			"labels": map[string]any{"app.kubernetes.io/name": agentName, "app.kubernetes.io/instance": agentName},
		},
		"spec": map[string]any{"containers": []any{map[string]any{"name": agentName, "image": image}}, "nodeName": "hub-node-1"},
		"status": map[string]any{
			"phase": "Running", "startTime": now,
			"conditions": []any{map[string]any{"type": "Ready", "status": "True", "lastTransitionTime": now}},
			"containerStatuses": []any{map[string]any{
				"name": agentName, "image": image, "imageID": "", "ready": true, "started": true, "restartCount": int64(0),
				"state": map[string]any{"running": map[string]any{"startedAt": now}},
			}},
		},
	}}
	_, err := s.world.Hub.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Namespace(agentNamespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create pod %s: %w", agentPod, err)
	}
	return nil
}

// podLogs serves the controller's log as the log of its pod; no other pod of the
// hub has a log.
func podLogs(l *controller.Log) func(namespace, pod, container string) []byte {
	return func(namespace, pod, container string) []byte {
		if namespace != agentNamespace || pod != agentPod || container != "" && container != agentName {
			return nil
		}
		return l.Text()
	}
}
