package drive_test

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

// cond prints a condition as status/reason, or "-".
func cond(conditions []metav1.Condition, kind string) string {
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil {
		return "-"
	}
	return string(c.Status) + "/" + c.Reason
}

func clustersOf(s *placement.StageStatus) string {
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

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", what, show(got), show(want))
	}
}

func show(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %+v", raw, v)
}

// expand puts the world's namespace in place of NS/, and in place of OBJ/ too,
// which vanishes without one.
func expand(w *world, text string) string {
	object := ""
	if w.ns != "" {
		object = w.ns + "/"
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "NS/", w.ns+"/"), "OBJ/", object)
}
