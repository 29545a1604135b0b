package member

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
	c, err := Connect(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, r := range []*rest.Request{c.Request("POST"), c.Request("PUT"), c.Request("DELETE"), c.Request("PATCH")} {
		if _, err := c.Do(t.Context(), r.AbsPath("/api/v1").Namespace("shop").Resource("pods")); !errors.Is(err, errReadOnly) {
			t.Errorf("got %v", err)
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the member got %d requests", n)
	}
}
