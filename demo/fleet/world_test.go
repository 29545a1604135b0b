package fleet

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"testing"

	"k8s.io/client-go/rest"
)

// An engine that may not read all that the rules read says so and ends. It does
// not wait for rights that may never come.
func TestAnEngineWithoutRights(t *testing.T) {
	for _, tc := range []struct {
		name    string
		answers map[string]int // by resource; 200 otherwise
		want    Problem        // of the error; Other stands for none
	}{
		{name: "all is there", want: Other},
		{name: "no right to read overrides", answers: map[string]int{"resourceoverridesnapshots": http.StatusForbidden}, want: Forbidden},
		{name: "no right to read members", answers: map[string]int{"memberclusters": http.StatusForbidden}, want: Forbidden},
		{name: "no login", answers: map[string]int{"clusterresourceplacements": http.StatusUnauthorized}, want: Forbidden},
		{name: "no overrides on this hub", answers: map[string]int{"clusterresourceoverridesnapshots": http.StatusNotFound}, want: Other},
		{name: "no runs on this hub", answers: map[string]int{"stagedupdateruns": http.StatusNotFound}, want: Absent},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if code := tc.answers[path.Base(r.URL.Path)]; code != 0 {
					w.WriteHeader(code)
					_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d}`,
						map[int]string{http.StatusForbidden: "Forbidden", http.StatusUnauthorized: "Unauthorized", http.StatusNotFound: "NotFound"}[code], code)
					return
				}
				_, _ = fmt.Fprint(w, `{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`)
			}))
			defer server.Close()
			w, err := newWorld(&rest.Config{Host: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			err = w.askAll(t.Context())
			if got := ProblemOf(err); got != tc.want || (err != nil) != (tc.want != Other) {
				t.Errorf("problem %v (%v), want %v", got, err, tc.want)
			}
		})
	}
}
