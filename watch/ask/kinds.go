package ask

import (
	"context"
	"errors"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// aggregatedDiscovery asks for everything in one document; hubs since
// Kubernetes 1.27 have it, in the older version first.
const aggregatedDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"

var errNoAggregated = errors.New("the hub has no aggregated discovery, which Kubernetes has since 1.27")

// discoveredGroups is what matters here of an APIGroupDiscoveryList.
type discoveredGroups struct {
	Kind  string            `json:"kind"`
	Items []discoveredGroup `json:"items"`
}

type discoveredGroup struct {
	metav1.ObjectMeta `json:"metadata"`
	// Versions begin with the preferred one.
	Versions []discoveredVersion `json:"versions"`
}

type discoveredVersion struct {
	Version   string `json:"version"`
	Freshness string `json:"freshness"`
	Resources []struct {
		Resource     string `json:"resource"`
		ResponseKind struct {
			Group   string `json:"group"`
			Version string `json:"version"`
			Kind    string `json:"kind"`
		} `json:"responseKind"`
		Scope string   `json:"scope"`
		Verbs []string `json:"verbs"`
	} `json:"resources"`
}

// kinds reads which kinds the hub serves: the core ones and those of the groups
// stand in a document each.
func (rd Reader) kinds(ctx context.Context) ([]pass.Kind, error) {
	var (
		documents [2]discoveredGroups
		errs      [2]error
		reads     task.Reads
	)
	for i, path := range []string{"/api", "/apis"} {
		reads.Go(func() {
			errs[i] = fetch(ctx, rd.hub, rd.hub.Request(http.MethodGet).AbsPath(path).SetHeader("Accept", aggregatedDiscovery), &documents[i])
			if errs[i] == nil && documents[i].Kind != "APIGroupDiscoveryList" {
				errs[i] = errNoAggregated
			}
		})
	}
	reads.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	served, preferred := resourceLists(append(documents[0].Items, documents[1].Items...))
	return pass.KindsOf(served, preferred), nil
}

// resourceLists returns what every version serves, and each resource in the version
// in which it is read: the preferred one of its group, or the first that has it. A
// version that the API server could not reach is left out.
func resourceLists(groups []discoveredGroup) (served, preferred []*metav1.APIResourceList) {
	for _, g := range groups {
		seen := map[string]bool{}
		for _, v := range g.Versions {
			if v.Freshness == "Stale" {
				continue
			}
			gv := schema.GroupVersion{Group: g.Name, Version: v.Version}.String()
			all, first := &metav1.APIResourceList{GroupVersion: gv}, &metav1.APIResourceList{GroupVersion: gv}
			for _, r := range v.Resources {
				if r.ResponseKind.Kind == "" || strings.Contains(r.Resource, "/") {
					continue
				}
				resource := metav1.APIResource{Name: r.Resource, Kind: r.ResponseKind.Kind, Namespaced: r.Scope == "Namespaced", Verbs: r.Verbs}
				all.APIResources = append(all.APIResources, resource)
				if !seen[r.Resource] {
					seen[r.Resource] = true
					first.APIResources = append(first.APIResources, resource)
				}
			}
			served, preferred = append(served, all), append(preferred, first)
		}
	}
	return served, preferred
}
