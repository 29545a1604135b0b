package client

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// TestLog checks that each line of a log is handed on, that of one which is too long only the
// beginning is, and that a log which breaks off is an error.
func TestLog(t *testing.T) {
	asked, breaks := "", false
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.RequestURI()
		fmt.Fprintf(w, "one\r\n%s\n\nlast", strings.Repeat("x", 3*longestLine))
		if breaks {
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
	}))
	defer hub.Close()
	c, err := New(engine.NewHubName("hub", ""), &rest.Config{Host: hub.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, breaks = range []bool{false, true} {
		var lines []string
		err := c.Log(t.Context(), "shop", "web-1", map[string]string{"container": "web", "previous": ""}, LogRange{Follow: true, Tail: 5, Since: 1500 * time.Millisecond}, func(line string) { lines = append(lines, line) })
		if (err != nil) != breaks || breaks && KindOf(err) != Unreachable {
			t.Errorf("breaks off %v: %v", breaks, err)
		}
		if want := []string{"one", strings.Repeat("x", longestLine), "", "last"}; !slices.Equal(lines, want) {
			t.Errorf("%d lines: %.20q", len(lines), lines)
		}
	}
	if want := "/api/v1/namespaces/shop/pods/web-1/log?container=web&follow=true&sinceSeconds=2&tailLines=5"; asked != want {
		t.Errorf("asked for %s, want %s", asked, want)
	}
}
