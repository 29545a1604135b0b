package watch

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"
)

func TestMembersAreOnlyRead(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	c, err := newMemberClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, r := range []*rest.Request{c.request("POST"), c.request("PUT"), c.request("DELETE"), c.request("PATCH")} {
		if _, err := c.do(t.Context(), r.AbsPath("/api/v1").Namespace("shop").Resource("pods")); !errors.Is(err, errMemberReadOnly) {
			t.Errorf("got %v", err)
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the member got %d requests", n)
	}
}
