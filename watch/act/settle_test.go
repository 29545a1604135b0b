package act

import (
	"errors"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stagewatch/stagewatch/engine"
)

// Only a 404 that names the object proves that a deletion was carried out.
func TestMissing(t *testing.T) {
	id := engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r1", "u")
	runs := schema.GroupResource{Group: "placement.kubernetes-fleet.io", Resource: "clusterstagedupdateruns"}
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"the object", apierrors.NewNotFound(runs, "web-r1"), true},
		{"another object", apierrors.NewNotFound(runs, "web-r2"), false},
		{"the resource", apierrors.NewGenericServerResponse(http.StatusNotFound, "get", runs, "web-r1", "404 page not found", 0, true), false},
		{"a code alone", &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Message: "a fault"}}, false},
		{"no answer", errors.New("connection reset"), false},
		{"no error", nil, false},
	} {
		if got := isMissing(tt.err, id); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
