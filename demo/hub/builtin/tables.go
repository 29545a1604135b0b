package builtin

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metatable "k8s.io/apimachinery/pkg/api/meta/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
)

// table prints a built-in kind in the columns that kubectl users know.
type table struct {
	columns []metav1.TableColumnDefinition
	cells   func(obj runtime.Object, name, age string) []any
}

func newTable[T any](columns []string, cells func(obj *T, name, age string) []any) table {
	t := table{cells: func(obj runtime.Object, name, age string) []any {
		if o, ok := any(obj).(*T); ok {
			return cells(o, name, age)
		}
		return make([]any, len(columns)) // not an object of the kind
	}}
	for _, c := range columns {
		column := metav1.TableColumnDefinition{Name: c, Type: "string"}
		if c == "Name" {
			column.Format = "name"
		}
		t.columns = append(t.columns, column)
	}
	return t
}

// ConvertToTable prints an object or a list.
func (t table) ConvertToTable(_ context.Context, obj, options runtime.Object) (*metav1.Table, error) {
	out := &metav1.Table{}
	if opt, ok := options.(*metav1.TableOptions); !ok || !opt.NoHeaders {
		out.ColumnDefinitions = t.columns
	}
	if list, err := meta.ListAccessor(obj); err == nil {
		out.ResourceVersion = list.GetResourceVersion()
		out.Continue = list.GetContinue()
		out.RemainingItemCount = list.GetRemainingItemCount()
	} else if single, err := meta.CommonAccessor(obj); err == nil {
		out.ResourceVersion = single.GetResourceVersion()
	}
	rows, err := metatable.MetaToTableRow(obj, func(o runtime.Object, _ metav1.Object, name, age string) ([]any, error) {
		return t.cells(o, name, age), nil
	})
	if err != nil {
		return nil, fmt.Errorf("print table: %w", err)
	}
	out.Rows = rows
	return out, nil
}

func namespaceTable() table {
	return newTable([]string{"Name", "Status", "Age"}, func(ns *corev1.Namespace, name, age string) []any {
		return []any{name, string(ns.Status.Phase), age}
	})
}

func eventTable() table {
	return newTable([]string{"Last Seen", "Type", "Reason", "Object", "Message"}, func(e *corev1.Event, _, _ string) []any {
		object := strings.ToLower(e.InvolvedObject.Kind) + "/" + e.InvolvedObject.Name
		return []any{sinceLast(e), e.Type, e.Reason, object, strings.TrimSpace(e.Message)}
	})
}

// sinceLast is the age of an event's latest occurrence.
func sinceLast(e *corev1.Event) string {
	last := e.LastTimestamp.Time
	if last.IsZero() {
		last = e.EventTime.Time
	}
	if e.Series != nil {
		last = e.Series.LastObservedTime.Time
	}
	if last.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(time.Since(last))
}

func configMapTable() table {
	return newTable([]string{"Name", "Data", "Age"}, func(c *corev1.ConfigMap, name, age string) []any {
		return []any{name, len(c.Data) + len(c.BinaryData), age}
	})
}

func secretTable() table {
	return newTable([]string{"Name", "Type", "Data", "Age"}, func(s *corev1.Secret, name, age string) []any {
		return []any{name, string(s.Type), len(s.Data), age}
	})
}

func serviceTable() table {
	return newTable([]string{"Name", "Type", "Cluster-IP", "Port(s)", "Age"}, func(s *corev1.Service, name, age string) []any {
		ports := make([]string, 0, len(s.Spec.Ports))
		for _, p := range s.Spec.Ports {
			ports = append(ports, fmt.Sprintf("%d/%s", p.Port, p.Protocol))
		}
		return []any{name, string(s.Spec.Type), orNone(s.Spec.ClusterIP), orNone(strings.Join(ports, ",")), age}
	})
}

func deploymentTable() table {
	return newTable([]string{"Name", "Ready", "Up-to-date", "Available", "Age"}, func(d *appsv1.Deployment, name, age string) []any {
		var wanted int32
		if d.Spec.Replicas != nil {
			wanted = *d.Spec.Replicas
		}
		return []any{name, fmt.Sprintf("%d/%d", d.Status.ReadyReplicas, wanted), d.Status.UpdatedReplicas, d.Status.AvailableReplicas, age}
	})
}

func orNone(s string) string {
	if s == "" {
		return "<none>"
	}
	return s
}
