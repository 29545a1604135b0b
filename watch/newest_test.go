package watch

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// TestBindingsAreCheckedByOneName checks that what asks for the newest version of a set of
// bindings names one object, and is answered with a version as new as the last write: to find
// two of a placement, an API server would read the bindings of all placements, and a screen has
// such sets by the dozen.
func TestBindingsAreCheckedByOneName(t *testing.T) {
	t.Parallel()
	for _, sc := range scopes {
		t.Run(sc.name, func(t *testing.T) {
			p := somebody(t, shared)
			if sc.ns != "" {
				p.namespace(sc.ns)
			}
			p.make(aRun(t, sc.ns, "checked", "checked", "Run", "UpdateRunStuck"))
			binding := p.make(aBinding(t, sc.ns, "checked", "checked-a", "checked"))
			cfg := Config{REST: shared.AdminConfig(), ClusterOnly: sc.ns == "", NamespacedOnly: sc.ns != ""}
			cfg.REST.UserAgent = t.Name()
			checks := make(chan *url.URL, 100)
			onWay(t, t.Name(), func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if strings.HasSuffix(r.URL.Path, "bindings") && r.URL.Query().Has("limit") {
						checks <- r.URL
					}
					next.ServeHTTP(w, r)
				})
			})
			s, snap, err := OpenLive(t.Context(), cfg, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err = s.OpenRun(t.Context(), snap, named(snap, sc.runKind(), sc.ns, "checked").ID); err != nil {
				t.Fatal(err)
			}
			check := <-checks
			if got := check.Query().Get("fieldSelector"); !strings.HasPrefix(got, "metadata.name=") {
				t.Errorf("%s names no object", check)
			}
			list := p.send(p.c.Get().RequestURI(check.String()), nil)
			if items, _ := list["items"].([]any); len(items) > 0 {
				t.Errorf("%s returned %v", check, items)
			}
			if at, written := versionOf(t, list), versionOf(t, binding); at < written {
				t.Errorf("%s returned version %d, the binding was written at %d", check, at, written)
			}
		})
	}
}

// versionOf is the resourceVersion of an object or a list.
func versionOf(t *testing.T, o map[string]any) int {
	t.Helper()
	meta, _ := o["metadata"].(map[string]any)
	text, _ := meta["resourceVersion"].(string)
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
