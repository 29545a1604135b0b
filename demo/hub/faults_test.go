package hub_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/stagewatch/stagewatch/demo/hub"
)

// disturbed is a hub of the test's own with the widgets on it.
func disturbed(t *testing.T) *hub.Hub {
	t.Helper()
	h := started(t, hub.Options{KeepRequests: 100, Users: hub.DefaultUsers("team")})
	if err := prepare(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	return h
}

// faulty is the shared hub, whose faults end with the test.
func faulty(t *testing.T) *hub.Hub {
	t.Helper()
	t.Cleanup(func() {
		shared.SetIntercept(nil)
		shared.SetFaults(nil)
		shared.HandleMembers(nil)
	})
	return shared
}

func TestRestartKeepsDataAndExpiresOldWatches(t *testing.T) {
	h := disturbed(t)
	admin := client(t, h, hub.AdminUser)
	c := admin.Resource(widgets).Namespace("team")
	if _, err := c.Create(t.Context(), object(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: kept, namespace: team}}`), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	list, err := c.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	old := list.GetResourceVersion()
	if _, err := c.Create(t.Context(), object(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: newer, namespace: team}}`), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	url := h.URL()
	if err := h.StopAPI(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.List(t.Context(), metav1.ListOptions{}); err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
		t.Errorf("while it is down: %v, want a connection error", err)
	}
	begin := time.Now()
	if err := h.StartAPI(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("API back after %v", time.Since(begin))
	if h.URL() != url {
		t.Errorf("the address moved from %s to %s", url, h.URL())
	}
	if list, err = c.List(t.Context(), metav1.ListOptions{}); err != nil || len(list.Items) != 2 {
		t.Fatalf("after the restart: %d items, %v", len(list.Items), err)
	}
	stream, err := c.Watch(t.Context(), metav1.ListOptions{ResourceVersion: old})
	if err == nil {
		e := <-stream.ResultChan()
		stream.Stop()
		if e.Type != watch.Error {
			t.Fatalf("an old watch got %v %v", e.Type, e.Object)
		}
		err = apierrors.FromObject(e.Object)
	}
	if !apierrors.IsResourceExpired(err) {
		t.Errorf("an old watch: %v, want 410 Expired", err)
	}
}

func TestInterceptRefusesAndIsNotTold(t *testing.T) {
	h, begin := faulty(t), time.Now()
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/widgets") {
				http.Error(w, "too much", http.StatusServiceUnavailable)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	if code := get(t, h.AdminConfig(), "/apis/example.com/v1/widgets"); code != http.StatusServiceUnavailable {
		t.Errorf("a refused request: %d", code)
	}
	if code := get(t, h.AdminConfig(), "/api/v1/namespaces"); code != http.StatusOK {
		t.Errorf("another request: %d", code)
	}
	h.SetIntercept(nil)
	if code := get(t, h.AdminConfig(), "/apis/example.com/v1/widgets"); code != http.StatusOK {
		t.Errorf("with the fault gone: %d", code)
	}
	if got := told(t, h, begin, "list", "widgets"); len(got) != 1 {
		t.Errorf("the API was asked for widgets %d times, want once", len(got))
	}
}

func TestReplyIsLostAfterTheAPIActed(t *testing.T) {
	h, begin := faulty(t), time.Now()
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost {
				next.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		})
	})
	c := client(t, h, hub.AdminUser).Resource(widgets).Namespace("team")
	w := object(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: unknown, namespace: team}}`)
	if _, err := c.Create(t.Context(), w, metav1.CreateOptions{}); err == nil {
		t.Fatal("the reply arrived")
	}
	if err := c.Delete(t.Context(), "unknown", metav1.DeleteOptions{}); err != nil {
		t.Errorf("the API did not act: %v", err)
	}
	if got := told(t, h, begin, "create", "widgets"); len(got) != 1 || got[0].Code != http.StatusCreated {
		t.Errorf("requests: %+v", got)
	}
}

func TestFrozenConnectionsGoOnAfterThaw(t *testing.T) {
	h := disturbed(t)
	c := client(t, h, hub.AdminUser).Resource(widgets).Namespace("team")
	if _, err := c.List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	h.Freeze()
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.List(short, metav1.ListOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("frozen, on an open connection: %v", err)
	}
	late := make(chan error, 1)
	go func() {
		_, err := c.List(t.Context(), metav1.ListOptions{})
		late <- err
	}()
	h.Thaw()
	if err := <-late; err != nil {
		t.Errorf("after the thaw: %v", err)
	}
	h.Freeze() // Stop must not wait for a thaw
}

func TestCutConnectionsEndWatches(t *testing.T) {
	h := faulty(t)
	c := client(t, h, hub.AdminUser).Resource(widgets).Namespace("team")
	stream, err := c.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Stop()
	h.CutConnections()
	for e := range stream.ResultChan() {
		if e.Type != watch.Error {
			t.Errorf("a cut watch said %v", e)
		}
	}
	if _, err := c.List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("a new connection: %v", err)
	}
}

func TestMembersAreServedToThoseWhoMay(t *testing.T) {
	h := faulty(t)
	if code := get(t, h.AdminConfig(), "/members/one/api"); code != http.StatusNotFound {
		t.Errorf("without members: %d", code)
	}
	h.HandleMembers(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, ok := request.UserFrom(r.Context())
		if !ok || who.GetName() != hub.ViewerUser {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	if code := get(t, h.Config(hub.ViewerUser), "/members/one/api"); code != http.StatusOK {
		t.Errorf("the viewer: %d", code)
	}
	if code := get(t, h.Config(hub.StrangerUser), "/members/one/api"); code != http.StatusForbidden {
		t.Errorf("the stranger: %d", code)
	}
}

func TestPortInUseIsAnError(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if h, err := hub.Start(t.Context(), hub.Options{Listen: taken.Addr().String()}); err == nil {
		t.Error("started on a port in use", h.Stop())
	}
}

// A fault inside the API is in its log like any other answer, with what was
// sent; one in front of it is not.
func TestFaultsAreInTheLog(t *testing.T) {
	h, begin := faulty(t), time.Now()
	h.SetFaults(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/widgets"):
				http.Error(w, "no", http.StatusServiceUnavailable)
			case r.Method == http.MethodDelete:
				panic(http.ErrAbortHandler)
			default:
				next.ServeHTTP(w, r)
			}
		})
	})
	c := client(t, h, hub.AdminUser).Resource(widgets).Namespace("team")
	w := object(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: refused, namespace: team}}`)
	if _, err := c.Create(t.Context(), w, metav1.CreateOptions{}); err == nil {
		t.Fatal("created")
	}
	if err := c.Delete(t.Context(), "refused", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}); err == nil {
		t.Fatal("deleted")
	}
	h.SetFaults(nil)
	if _, err := c.Create(t.Context(), w, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), "refused", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	created := told(t, h, begin, "create", "widgets")
	if len(created) != 2 || created[0].Code != http.StatusServiceUnavailable || created[1].Code != http.StatusCreated ||
		!strings.Contains(string(created[0].Body), `"refused"`) || !strings.Contains(string(created[1].Body), `"refused"`) {
		t.Errorf("creations: %+v", created)
	}
	deleted := told(t, h, begin, "delete", "widgets")
	if len(deleted) != 2 || deleted[0].Code != http.StatusInternalServerError || !deleted[0].DryRun || deleted[1].Code != http.StatusOK {
		t.Errorf("deletions: %+v", deleted)
	}
}
