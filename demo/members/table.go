package members

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
)

// memberColumns are what kubectl get prints of each kind, beside the age.
var memberColumns = map[string][]string{
	"Pod":           {"Name", "Ready", "Status", "Restarts", "Age"},
	"Deployment":    {"Name", "Ready", "Up-to-date", "Available", "Age"},
	"ReplicaSet":    {"Name", "Desired", "Current", "Ready", "Age"},
	"Namespace":     {"Name", "Status", "Age"},
	"ConfigMap":     {"Name", "Data", "Age"},
	"Service":       {"Name", "Type", "Age"},
	kindAppliedWork: {"Name", "Age"},
	"Event":         {"Last Seen", "Type", "Reason", "Object", "Message"},
}

// memberTable is the list as kubectl wants it printed.
func memberTable(kind string, items []unstructured.Unstructured) *metav1.Table {
	t := &metav1.Table{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "Table"}, Rows: []metav1.TableRow{}}
	for _, name := range memberColumns[kind] {
		t.ColumnDefinitions = append(t.ColumnDefinitions, metav1.TableColumnDefinition{Name: name, Type: "string"})
	}
	for i := range items {
		part := &metav1.PartialObjectMetadata{
			TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"},
			ObjectMeta: metav1.ObjectMeta{
				Name: items[i].GetName(), Namespace: items[i].GetNamespace(), Labels: items[i].GetLabels(), CreationTimestamp: items[i].GetCreationTimestamp(),
			},
		}
		t.Rows = append(t.Rows, metav1.TableRow{Cells: memberCells(kind, items[i].Object), Object: runtime.RawExtension{Object: part}})
	}
	return t
}

func memberCells(kind string, o map[string]any) []any {
	get := func(path ...string) any {
		v, _, err := unstructured.NestedFieldNoCopy(o, path...)
		if err != nil || v == nil {
			return ""
		}
		return v
	}
	age := func(path ...string) any {
		at, err := time.Parse(time.RFC3339, fmt.Sprint(get(path...)))
		if err != nil {
			return "<unknown>"
		}
		return duration.HumanDuration(time.Since(at))
	}
	name, old := get("metadata", "name"), age("metadata", "creationTimestamp")
	switch kind {
	case "Pod":
		state, ready, restarts := get("status", "phase"), "0/1", any(0)
		if list, ok := get("status", "containerStatuses").([]any); ok && len(list) > 0 {
			if c, ok := list[0].(map[string]any); ok {
				restarts = c["restartCount"]
				if c["ready"] == true {
					ready = "1/1"
				}
				if reason, found, err := unstructured.NestedString(c, "state", "waiting", "reason"); found && err == nil {
					state = reason
				}
			}
		}
		return []any{name, ready, state, restarts, old}
	case "Deployment":
		return []any{name, fmt.Sprintf("%v/%v", get("status", "readyReplicas"), get("spec", "replicas")), get("status", "updatedReplicas"), get("status", "availableReplicas"), old}
	case kindAppliedWork:
		return []any{name, old}
	case "ReplicaSet":
		return []any{name, get("spec", "replicas"), get("status", "replicas"), get("status", "readyReplicas"), old}
	case "Namespace":
		return []any{name, "Active", old}
	case "ConfigMap":
		data, ok := get("data").(map[string]any)
		if !ok {
			data = nil
		}
		return []any{name, len(data), old}
	case "Service":
		return []any{name, get("spec", "type"), old}
	default:
		about := fmt.Sprintf("%s/%v", strings.ToLower(fmt.Sprint(get("involvedObject", "kind"))), get("involvedObject", "name"))
		return []any{age("lastTimestamp"), get("type"), get("reason"), about, get("message")}
	}
}
