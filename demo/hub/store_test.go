package hub_test

import (
	"bytes"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stagewatch/stagewatch/demo/hub"
)

// A change past the API server undoes none that someone else makes meanwhile, and creates nothing.
func TestAChangeOfTheStoreUndoesNoOther(t *testing.T) {
	admin := client(t, shared, hub.AdminUser)
	c := admin.Resource(widgets).Namespace("team")
	create(t, admin, widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: changed, namespace: team, labels: {by: nobody}}}`)
	change := func(meanwhile func()) (called bool) {
		t.Helper()
		err := shared.Change(t.Context(), widgets.GroupResource(), "team", "changed", func(raw []byte) ([]byte, error) {
			called = true
			meanwhile()
			return bytes.Replace(raw, []byte(`"by":"nobody"`), []byte(`"by":"me"`), 1), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return called
	}
	is := func(want string) {
		t.Helper()
		if w, err := c.Get(t.Context(), "changed", metav1.GetOptions{}); err != nil || w.GetLabels()["by"] != want {
			t.Errorf("changed by %q, %v, want %q", w.GetLabels()["by"], err, want)
		}
	}
	change(func() {
		if _, err := c.Patch(t.Context(), "changed", types.MergePatchType, []byte(`{"metadata":{"annotations":{"also":"changed"}}}`), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	})
	is("nobody")
	change(func() {})
	is("me")
	change(func() {
		if err := c.Delete(t.Context(), "changed", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := c.Get(t.Context(), "changed", metav1.GetOptions{}); !gone(err) {
		t.Errorf("after it was deleted: %v", err)
	}
	if change(func() {}) {
		t.Error("an object that does not exist is changed")
	}
}
