package hub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
)

const (
	membersPath           = "/members/"
	aggregatedContentType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
)

// routes serves what the API server does not serve by itself: the root of the
// API groups, in the aggregated and in the older form (on a real hub that is
// the aggregator's work), and the members.
func (h *Hub) routes(groups aggregated.ResourceManager, next http.Handler) http.Handler {
	root := aggregated.WrapAggregatedDiscoveryToHandler(olderRoot(groups), groups, nil)
	// The API server writes into the one object that it encodes for a group's
	// discovery (/apis/GROUP): two at once would race.
	var group sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/apis" || r.URL.Path == "/apis/":
			root.ServeHTTP(w, r)
		case isMemberPath(r):
			if members := h.members.Load(); members != nil {
				(*members).ServeHTTP(w, r)
				return
			}
			http.NotFound(w, r)
		case strings.HasPrefix(r.URL.Path, "/apis/") && !strings.Contains(strings.Trim(r.URL.Path[len("/apis/"):], "/"), "/"):
			group.Lock()
			defer group.Unlock()
			next.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// olderRoot answers clients that do not ask for aggregated discovery, from the
// same source.
func olderRoot(groups http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		found, err := discover(groups)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(groupList(found)); err != nil {
			return // the client is gone
		}
	})
}

// discover asks the source of aggregated discovery.
func discover(groups http.Handler) (*apidiscovery.APIGroupDiscoveryList, error) {
	ask, err := http.NewRequest(http.MethodGet, "/apis", nil)
	if err != nil {
		return nil, err
	}
	ask.Header.Set("Accept", aggregatedContentType)
	answer := bodyWriter{header: http.Header{}}
	groups.ServeHTTP(&answer, ask)
	var found apidiscovery.APIGroupDiscoveryList
	if err := json.Unmarshal(answer.body.Bytes(), &found); err != nil {
		return nil, fmt.Errorf("read aggregated discovery: %w", err)
	}
	return &found, nil
}

func groupList(found *apidiscovery.APIGroupDiscoveryList) *metav1.APIGroupList {
	list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{}}
	for _, g := range found.Items {
		if len(g.Versions) == 0 {
			continue
		}
		group := metav1.APIGroup{Name: g.Name}
		for _, v := range g.Versions {
			group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: g.Name + "/" + v.Version, Version: v.Version})
		}
		group.PreferredVersion = group.Versions[0]
		list.Groups = append(list.Groups, group)
	}
	return list
}

func isMemberPath(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, membersPath) }

// bodyWriter keeps the body of an answer in memory.
type bodyWriter struct {
	header http.Header
	body   bytes.Buffer
}

func (w *bodyWriter) Header() http.Header         { return w.header }
func (w *bodyWriter) Write(p []byte) (int, error) { return w.body.Write(p) }
func (w *bodyWriter) WriteHeader(int)             {}
