package initialize

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// resource is one selected object as a resource snapshot stores it.
type resource struct {
	kind            schema.GroupVersionKind
	namespace, name string
	// raw is the object's JSON without a trailing newline.
	raw []byte
}

// size is what an object counts in the split: upstream's encoder ends it with
// a newline.
func (r *resource) size() int { return len(r.raw) + 1 }

func (r *resource) envelope() bool {
	return r.kind.Group == placement.Group &&
		(r.kind.Kind == string(placement.EnvelopeCluster) || r.kind.Kind == string(placement.EnvelopeNamespaced))
}

// storedForms returns objects in the form and order of a resource snapshot.
func storedForms(objects []*unstructured.Unstructured) ([]resource, error) {
	resources := make([]resource, len(objects))
	for i, u := range objects {
		raw, err := storedForm(u)
		if err != nil {
			return nil, malformed(u, err)
		}
		resources[i] = resource{u.GroupVersionKind(), u.GetNamespace(), u.GetName(), raw}
	}
	sort.SliceStable(resources, func(i, j int) bool { return compareResources(resources[i], resources[j]) < 0 })
	for i := 1; i < len(resources); i++ {
		if r := &resources[i]; compareResources(resources[i-1], *r) == 0 {
			return nil, pass.UserError("found duplicate resource {Group:%s Version:%s Kind:%s Name:%s Namespace:%s Envelope:<nil>}",
				r.kind.Group, r.kind.Version, r.kind.Kind, r.name, r.namespace)
		}
	}
	return resources, nil
}

// kindOrder is the order in which kinds are stored; all others follow
// (docs/kubefleet.md#new-snapshot, E).
var kindOrder = func() map[string]int {
	order := map[string]int{}
	for i, kind := range []string{
		"PriorityClass", "Namespace", "NetworkPolicy", "ResourceQuota", "LimitRange", "PodDisruptionBudget",
		"ServiceAccount", "Secret", "ConfigMap", "StorageClass", "PersistentVolume", "PersistentVolumeClaim",
		"CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "Service",
		"DaemonSet", "Pod", "ReplicationController", "ReplicaSet", "Deployment", "HorizontalPodAutoscaler",
		"StatefulSet", "Job", "CronJob", "IngressClass", "Ingress", "APIService",
		"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration",
	} {
		order[kind] = i + 1
	}
	return order
}()

func compareResources(a, b resource) int {
	x, y := kindOrder[a.kind.Kind], kindOrder[b.kind.Kind]
	switch {
	case x != 0 && y != 0:
		return cmp.Or(cmp.Compare(x, y), strings.Compare(a.kind.GroupVersion().String(), b.kind.GroupVersion().String()), compareNames(a, b))
	case x != 0:
		return -1
	case y != 0:
		return 1
	default:
		return cmp.Or(strings.Compare(a.kind.String(), b.kind.String()), compareNames(a, b))
	}
}

func compareNames(a, b resource) int {
	return strings.Compare(pass.Key(a.namespace, a.name), pass.Key(b.namespace, b.name))
}

// hash is the content hash of selected resources
// (docs/kubefleet.md#new-snapshot, F).
func hash(resources []resource) string {
	sum := sha256.New()
	sum.Write([]byte(`{"selectedResources":[`))
	for i := range resources {
		if i > 0 {
			sum.Write([]byte{','})
		}
		sum.Write(resources[i].raw)
	}
	sum.Write([]byte(`]}`))
	return hex.EncodeToString(sum.Sum(nil))
}

// partSize is how many bytes of resources one snapshot object holds
// (docs/kubefleet.md#constants).
const partSize = 800 << 10

// split distributes resources over the objects of a snapshot group: the master
// first, then the parts. There is always a master.
func split(resources []resource) [][]resource {
	var parts [][]resource
	first, sum := 0, 0
	for i := range resources {
		if n := resources[i].size(); i > first && sum+n > partSize {
			parts = append(parts, resources[first:i])
			first, sum = i, n
		} else {
			sum += n
		}
	}
	return append(parts, resources[first:])
}

// storedForm returns an object without what belongs to the hub alone, as JSON
// (docs/kubefleet.md#new-snapshot, D).
func storedForm(u *unstructured.Unstructured) ([]byte, error) {
	u = u.DeepCopy()
	object := u.Object
	for _, field := range []string{
		"resourceVersion", "generation", "uid", "selfLink", "creationTimestamp", "deletionTimestamp", "managedFields", "ownerReferences",
	} {
		unstructured.RemoveNestedField(object, "metadata", field)
	}
	for _, annotation := range []string{"kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision"} {
		unstructured.RemoveNestedField(object, "metadata", "annotations", annotation)
	}
	if len(u.GetAnnotations()) == 0 {
		unstructured.RemoveNestedField(object, "metadata", "annotations")
	}
	delete(object, "status")
	switch u.GroupVersionKind() {
	case schema.GroupVersionKind{Version: "v1", Kind: "Service"}:
		if err := stripService(object); err != nil {
			return nil, err
		}
	case schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}:
		if err := stripJob(object); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	if err := json.NewEncoder(&out).Encode(object); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// stripService removes what the hub allocated for a Service.
func stripService(object map[string]any) error {
	ip, exists, err := unstructured.NestedString(object, "spec", "clusterIP")
	if err != nil {
		return err
	}
	if exists && ip != "None" {
		unstructured.RemoveNestedField(object, "spec", "clusterIP")
		unstructured.RemoveNestedField(object, "spec", "clusterIPs")
	}
	unstructured.RemoveNestedField(object, "spec", "healthCheckNodePort")
	ports, exists, err := unstructured.NestedFieldNoCopy(object, "spec", "ports")
	if err != nil || !exists {
		return err
	}
	list, ok := ports.([]any)
	if !ok {
		return nil // A null list stays as it is.
	}
	for _, port := range list {
		if port, ok := port.(map[string]any); ok {
			delete(port, "nodePort")
		}
	}
	return nil
}

// stripJob removes the labels by which the hub's Job finds its pods, unless
// the user chose the selector.
func stripJob(object map[string]any) error {
	manual, _, err := unstructured.NestedBool(object, "spec", "manualSelector")
	if err != nil || manual {
		return err
	}
	for _, label := range []string{"controller-uid", "batch.kubernetes.io/controller-uid"} {
		unstructured.RemoveNestedField(object, "spec", "selector", "matchLabels", label)
		unstructured.RemoveNestedField(object, "spec", "template", "metadata", "labels", label)
	}
	unstructured.RemoveNestedField(object, "spec", "template", "metadata", "creationTimestamp")
	return nil
}
