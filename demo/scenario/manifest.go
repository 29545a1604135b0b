package scenario

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/members"
)

// appNamespace is where a placement's resources live: a ResourcePlacement takes
// them from its own namespace, a ClusterResourcePlacement takes a whole one.
func appNamespace(p Placement) string {
	if p.Namespace != "" {
		return p.Namespace
	}
	return p.Name
}

// objectName is the name of the placement's manifests.
func objectName(p Placement) string { return cmp.Or(p.Object, p.Name) }

// manifests are the resources that the placement selects in the state of the
// snapshot, in the order and the stored form of a resource snapshot: with what
// the demo's hub adds when it stores them, so that a run which names no
// snapshot finds that nothing has changed since the newest
// (docs/kubefleet.md#new-snapshot, G).
func manifests(p Placement, snap Snapshot) ([]placement.ResourceContent, error) {
	namespace, name, tag := appNamespace(p), objectName(p), snap.Tag
	labels := map[string]any{"app.kubernetes.io/name": name}
	meta := map[string]any{"name": name, "namespace": namespace, "labels": labels}
	pods := maps.Clone(labels)
	if snap.Component != "" {
		pods["app.kubernetes.io/component"] = snap.Component
	}
	var objects []map[string]any
	if p.Namespace == "" {
		objects = append(objects, map[string]any{
			"apiVersion": "v1", "kind": "Namespace",
			"metadata": map[string]any{"name": namespace, "labels": map[string]any{
				"app.kubernetes.io/name": p.Name, "kubernetes.io/metadata.name": namespace,
			}},
			"spec": map[string]any{"finalizers": []any{"kubernetes"}},
		})
	}
	objects = append(objects,
		map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta,
			"data": map[string]any{"LOG_LEVEL": "info", "RELEASE": tag},
		},
		map[string]any{
			"apiVersion": "v1", "kind": "Service", "metadata": meta,
			"spec": map[string]any{
				"selector": labels,
				"ports":    []any{map[string]any{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080}},
				"type":     "ClusterIP", "sessionAffinity": "None",
			},
		},
		map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta,
			"spec": map[string]any{
				"replicas": members.Replicas,
				"selector": map[string]any{"matchLabels": pods},
				"strategy": map[string]any{},
				"template": map[string]any{
					"metadata": map[string]any{"labels": pods},
					"spec": map[string]any{"containers": []any{map[string]any{
						"name": name, "image": p.Image + ":" + tag,
						"ports":     []any{map[string]any{"containerPort": 8080, "name": "http"}},
						"resources": map[string]any{},
					}}},
				},
			},
		})
	if p.Certificate {
		objects = append(objects, map[string]any{
			"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": meta,
			"spec": map[string]any{"secretName": name + "-tls", "dnsNames": []any{name + ".contoso.example"}},
		})
	}
	objects = slices.DeleteFunc(objects, func(o map[string]any) bool {
		kind := fmt.Sprint(o["kind"])
		return slices.Contains(snap.Without, kind) || len(p.Only) > 0 && !slices.Contains(p.Only, kind)
	})
	contents := make([]placement.ResourceContent, 0, len(objects))
	for _, object := range objects {
		raw, err := json.Marshal(object)
		if err != nil {
			return nil, fmt.Errorf("encode manifest of %s: %w", p.Key(), err)
		}
		contents = append(contents, placement.ResourceContent{RawExtension: runtime.RawExtension{Raw: raw}})
	}
	return contents, nil
}

// selectors are the resource selectors that lead to the manifests.
func selectors(p Placement) []placement.ResourceSelectorTerm {
	if p.Namespace == "" {
		return []placement.ResourceSelectorTerm{{
			Version: "v1", Kind: "Namespace", Name: appNamespace(p), SelectionScope: placement.SelectNamespaceWithResources,
		}}
	}
	name := objectName(p)
	terms := []placement.ResourceSelectorTerm{
		{Version: "v1", Kind: "ConfigMap", Name: name},
		{Version: "v1", Kind: "Service", Name: name},
		{Group: "apps", Version: "v1", Kind: "Deployment", Name: name},
	}
	return slices.DeleteFunc(terms, func(t placement.ResourceSelectorTerm) bool {
		return len(p.Only) > 0 && !slices.Contains(p.Only, t.Kind)
	})
}

// resourceSnapshot is the snapshot of an index as a placement controller makes
// it (docs/kubefleet.md#new-snapshot).
func resourceSnapshot(p Placement, s Snapshot, latest bool, owner metav1.OwnerReference) (*placement.ResourceSnapshot, error) {
	selected, err := manifests(p, s)
	if err != nil {
		return nil, err
	}
	spec := placement.ResourceSnapshotSpec{SelectedResources: selected}
	raw, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("encode snapshot of %s: %w", p.Key(), err)
	}
	hash := sha256.Sum256(raw)
	index := strconv.Itoa(s.Index)
	return &placement.ResourceSnapshot{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Namespace,
			Name:      placement.MasterSnapshotName(p.Name, index),
			Labels: map[string]string{
				placement.LabelParentPlacement:  p.Name,
				placement.LabelResourceIndex:    index,
				placement.LabelIsLatestSnapshot: strconv.FormatBool(latest),
			},
			Annotations: map[string]string{
				placement.AnnotationResourceHash:              hex.EncodeToString(hash[:]),
				placement.AnnotationNumberOfResourceSnapshots: "1",
				placement.AnnotationNumberOfEnvelopedObject:   "0",
			},
			OwnerReferences: []metav1.OwnerReference{owner},
		},
		Spec: spec,
	}, nil
}
