package ask

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/watch/client"
)

// A selector may name what no object can be called, and no path can be made of
// it: nothing has that name, which is an answer and no gap in the plan.
func TestPlanOfASelectorThatNamesNothing(t *testing.T) {
	for _, name := range []string{"a/b", "..", "a%2Fb"} {
		_, err := NewReader(new(client.Client)).selected(t.Context(), pass.Effect{Op: pass.OpGetObject, Name: name})
		if !apierrors.IsNotFound(err) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
