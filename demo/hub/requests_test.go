package hub_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stagewatch/stagewatch/demo/hub"
)

// told is what a hub was asked since a moment, of one verb and resource.
func told(t *testing.T, h *hub.Hub, since time.Time, verb, resource string) []hub.Request {
	t.Helper()
	all, err := h.Requests(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(r hub.Request) bool { return r.At.Before(since) || r.Verb != verb || r.Resource != resource })
}

func TestRequestsCountAPICalls(t *testing.T) {
	h := disturbed(t)
	admin := client(t, h, hub.AdminUser)
	c := admin.Resource(widgets).Namespace("team")
	w := object(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: one, namespace: team}}`)
	all := []string{metav1.DryRunAll}
	if _, err := c.Create(t.Context(), w, metav1.CreateOptions{DryRun: all}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Create(t.Context(), w, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	patch := []byte(`{"status":{"phase":"x"}}`)
	if _, err := c.Patch(t.Context(), "one", types.MergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
	stream, err := c.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Stop()
	if _, err := client(t, h, hub.StrangerUser).Resource(widgets).List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Fatal("the stranger may list")
	}
	wrong := h.AdminConfig()
	wrong.BearerToken = "wrong"
	get(t, wrong, "/apis/example.com/v1/widgets")
	if err := c.Delete(t.Context(), "one", metav1.DeleteOptions{DryRun: all}); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), "one", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}

	type row struct {
		user, verb, subresource, name string
		dry, mutating                 bool
		code                          int
	}
	want := []row{
		{hub.AdminUser, "create", "", "", true, true, http.StatusCreated},
		{hub.AdminUser, "create", "", "", false, true, http.StatusCreated},
		{hub.AdminUser, "patch", "status", "one", false, true, http.StatusOK},
		{hub.AdminUser, "watch", "", "", false, false, http.StatusOK},
		{hub.StrangerUser, "list", "", "", false, false, http.StatusForbidden},
		{"", "list", "", "", false, false, http.StatusUnauthorized},
		{hub.AdminUser, "delete", "", "one", true, true, http.StatusOK},
		{hub.AdminUser, "delete", "", "one", false, true, http.StatusOK},
	}
	requests, err := h.Requests(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	requests = slices.DeleteFunc(requests, func(r hub.Request) bool { return r.Resource != "widgets" })
	var got []row
	for _, r := range requests {
		name := r.Name
		if r.Verb == "create" {
			name = "" // known only after the body was read
		}
		got = append(got, row{r.User, r.Verb, r.Subresource, name, r.DryRun, r.Mutating(), r.Code})
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
	if body := requests[2]; string(body.Body) != string(patch) {
		t.Errorf("the patch was noted as %s", body.Body)
	}
}

func TestRequestsKeepsTheLatest(t *testing.T) {
	h := started(t, hub.Options{KeepRequests: 3})
	for range 5 {
		get(t, h.AdminConfig(), "/version")
	}
	get(t, h.AdminConfig(), "/api/v1/namespaces")
	all, err := h.Requests(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || all[2].Resource != "namespaces" {
		t.Errorf("kept %+v", all)
	}
	without := started(t, hub.Options{})
	if _, err := without.Requests(t.Context()); err == nil {
		t.Error("a hub that keeps no requests told some")
	}
}
