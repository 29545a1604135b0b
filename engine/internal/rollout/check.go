package rollout

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Condition prints a condition as status/reason, or "-".
func Condition(conditions []metav1.Condition, kind string) string {
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil {
		return "-"
	}
	return string(c.Status) + "/" + c.Reason
}

// ClusterMarks prints the clusters of a stage with a mark each: . not started,
// > started, + succeeded, ! failed.
func ClusterMarks(s *placement.StageStatus) string {
	var out []string
	for _, c := range s.Clusters {
		mark := "."
		switch {
		case meta.IsStatusConditionTrue(c.Conditions, "Succeeded"):
			mark = "+"
		case meta.IsStatusConditionFalse(c.Conditions, "Succeeded"):
			mark = "!"
		case meta.IsStatusConditionTrue(c.Conditions, "Started"):
			mark = ">"
		}
		out = append(out, c.ClusterName+mark)
	}
	return strings.Join(out, " ")
}

// Equal fails the test when two values differ.
func Equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", what, Show(got), Show(want))
	}
}

// Show prints a value for the message of a failed test.
func Show(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %+v", raw, v)
}

// Expand replaces NS/ by the namespace and a slash, and OBJ/ by the same or, without
// a namespace, by nothing.
func Expand(w *World, text string) string {
	object := ""
	if w.Namespace != "" {
		object = w.Namespace + "/"
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "NS/", w.Namespace+"/"), "OBJ/", object)
}
