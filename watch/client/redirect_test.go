package client

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// TestRedirects checks that no request, and so no token, follows a redirect to another
// server, and that one to the same server is followed.
func TestRedirects(t *testing.T) {
	var elsewhere, here atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	target := other.URL
	hub := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/moved"):
			here.Add(1)
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(`{}`))
		case target == "":
			http.Redirect(w, r, "/moved"+r.URL.Path, http.StatusTemporaryRedirect)
		default:
			http.Redirect(w, r, target+r.URL.Path+"?secret=1", http.StatusTemporaryRedirect)
		}
	}))
	defer hub.Close()
	c, err := New(engine.NewHubName("hub", ""), &rest.Config{Host: hub.URL, BearerToken: "token", TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	requests := map[string]func() error{
		"read": func() error {
			_, err := c.Do(t.Context(), c.At(http.MethodGet, engine.KindClusterStagedUpdateRun, "", "r"))
			return err
		},
		"write": func() error {
			_, err := c.Do(t.Context(), c.At(http.MethodPatch, engine.KindClusterStagedUpdateRun, "", "r").Body([]byte(`{}`)))
			return err
		},
		"stream": func() error {
			body, err := c.Stream(t.Context(), c.At(http.MethodGet, engine.KindClusterStagedUpdateRun, "", ""), Limits{})
			if err == nil {
				return body.Close()
			}
			return err
		},
	}
	for name, send := range requests {
		var redirect *RedirectError
		if err := send(); !errors.As(err, &redirect) || redirect.To != other.URL {
			t.Errorf("%s: %v", name, err)
		} else if f := c.Failure(err); !strings.Contains(f.Err.String(), other.URL) || strings.Contains(f.Err.String(), "secret") || !strings.Contains(f.Hint.String(), "kubeconfig") {
			t.Errorf("%s: error %q, hint %q", name, f.Err, f.Hint)
		}
	}
	if elsewhere.Load() != 0 {
		t.Errorf("%d requests reached the other server", elsewhere.Load())
	}
	target = strings.Replace(hub.URL, "https://", "http://", 1)
	var redirect *RedirectError
	if err := requests["read"](); !errors.As(err, &redirect) || redirect.To != target {
		t.Errorf("a redirect to clear text: %v", err)
	}
	target = ""
	for name, send := range requests {
		if err := send(); err != nil {
			t.Errorf("%s, same server: %v", name, err)
		}
	}
	if int(here.Load()) != len(requests) {
		t.Errorf("%d requests followed a redirect of the same server", here.Load())
	}
}

func TestAddress(t *testing.T) {
	for _, same := range [][2]string{{"https://hub.example", "https://HUB.example:443/x"}, {"http://[::1]", "http://[::1]:80"}} {
		a, b := mustParse(t, same[0]), mustParse(t, same[1])
		if address(a) != address(b) {
			t.Errorf("%s is not %s", address(a), address(b))
		}
	}
	for _, other := range [][2]string{{"https://hub.example", "http://hub.example"}, {"https://hub.example", "https://hub.example:6443"}, {"https://hub.example", "https://hub.example.org"}} {
		if a := address(mustParse(t, other[0])); a == address(mustParse(t, other[1])) {
			t.Errorf("%s is %s", a, other[1])
		}
	}
}

func mustParse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
