package controller

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/store"
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
			w, err := store.New(&rest.Config{Host: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			err = w.AskAll(t.Context())
			if got := ProblemOf(err); got != tc.want || (err != nil) != (tc.want != Other) {
				t.Errorf("problem %v (%v), want %v", got, err, tc.want)
			}
		})
	}
}

// A run that begins reads the members that its bindings name; only many of them
// are worth a list of all.
func TestReadMembers(t *testing.T) {
	var many []string
	for i := range membersEach + 1 {
		many = append(many, fmt.Sprint("m-", i))
	}
	for _, tc := range []struct {
		name  string
		names []string
		code  int // of members that are asked for by name
		want  []string
		fails bool
	}{
		{name: "none", want: nil},
		{name: "a few, one of them twice", names: []string{"b", "a", "b"}, want: []string{"a", "b"}},
		{name: "gone", names: []string{"a"}, code: http.StatusNotFound, want: []string{"a"}},
		{name: "refused", names: []string{"a"}, code: http.StatusForbidden, want: []string{"a"}, fails: true},
		{name: "many", names: many, want: []string{"memberclusters"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var mu sync.Mutex
			asked := map[string]bool{}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				name := path.Base(r.URL.Path)
				mu.Lock()
				asked[name] = true
				mu.Unlock()
				w.Header().Set("Content-Type", "application/json")
				switch {
				case name == "memberclusters":
					_, _ = fmt.Fprint(w, `{"kind":"MemberClusterList","apiVersion":"cluster.kubernetes-fleet.io/v1beta1","metadata":{"resourceVersion":"9"},"items":[]}`)
				case tc.code != 0:
					w.WriteHeader(tc.code)
					_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d}`,
						map[int]string{http.StatusForbidden: "Forbidden", http.StatusNotFound: "NotFound"}[tc.code], tc.code)
				default:
					_, _ = fmt.Fprintf(w, `{"kind":"MemberCluster","apiVersion":"cluster.kubernetes-fleet.io/v1beta1","metadata":{"name":%q,"resourceVersion":"8"}}`, name)
				}
			}))
			defer server.Close()
			w, err := store.New(&rest.Config{Host: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			if err := readMembers(t.Context(), w, tc.names); (err != nil) != tc.fails {
				t.Errorf("error %v", err)
			}
			if got := slices.Sorted(maps.Keys(asked)); !slices.Equal(got, tc.want) {
				t.Errorf("asked for %v, want %v", got, tc.want)
			}
			if tc.code == 0 && len(tc.names) <= membersEach && len(w.Members.Named(tc.names)) != len(tc.want) {
				t.Error("not all members are known")
			}
		})
	}
}
