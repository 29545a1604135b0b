package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// Served is what a hub serves.
type Served struct {
	Hub engine.Hub
	// Kubernetes is the version of the API server; Used is that of the placement API which
	// requests have.
	Kubernetes, Used engine.Text
	Kinds            []ServedKind
}

// ServedKind is a kind that stagewatch reads, with the versions in which the hub serves it:
// none if it does not.
type ServedKind struct {
	Kind     engine.Text
	Versions []engine.Text
}

// Serves reads the versions of a hub and of the kinds that it serves. It fails with an
// OnceError: ErrNotServed for a cluster that is no hub, with what was read until then.
func Serves(ctx context.Context, cfg Config) (Served, error) {
	out := Served{Hub: cfg.named()}
	h, err := client.NewKnown(cfg.hub(), cfg.REST, cfg.Known)
	if err != nil {
		return out, err
	}
	defer h.Close()
	out.Hub.Name, out.Hub.Server = h.Name(), engine.Clean(h.Server())
	ctx, cancel := context.WithTimeout(ctx, onceWait)
	defer cancel()
	var info version.Info
	var versions, discovery error
	var reads task.Reads
	reads.Go(func() { versions = fetchInto(ctx, h, pathOf(h, "/version"), &info) })
	reads.Go(func() { discovery = h.Discover(ctx) })
	reads.Wait()
	out.Kubernetes = engine.Clean(info.GitVersion)
	switch {
	case client.KindOf(discovery) == client.NotServed, errors.Is(discovery, client.ErrNoVersion):
		return out, &OnceError{kind: ErrNotServed, Err: engine.Textf("%s does not serve the KubeFleet API", out.Hub.Server), Hint: h.Failure(discovery).Hint}
	case discovery != nil:
		return out, servedError(h, discovery)
	case versions != nil && client.KindOf(versions) != client.Forbidden:
		return out, servedError(h, versions)
	}
	out.Used = engine.Clean(h.ServedVersion())
	served := map[string][]engine.Text{}
	for _, group := range []string{placement.Group, cluster.Group} {
		if err := servedBy(ctx, h, group, served); err != nil {
			return out, servedError(h, err)
		}
	}
	for kind := engine.KindClusterStagedUpdateRun; kind.Plural() != ""; kind++ {
		out.Kinds = append(out.Kinds, ServedKind{engine.Clean(kind.String()), served[kind.Plural()]})
	}
	out.Kinds = append(out.Kinds,
		ServedKind{engine.Lit("ClusterStagedUpdateStrategy"), served[placement.ResourceClusterStagedUpdateStrategies]},
		ServedKind{engine.Lit("StagedUpdateStrategy"), served[placement.ResourceStagedUpdateStrategies]})
	return out, nil
}

// servedBy adds the resources of an API group with their versions, the preferred one first.
func servedBy(ctx context.Context, h *client.Client, name string, into map[string][]engine.Text) error {
	var group metav1.APIGroup
	if err := fetchInto(ctx, h, pathOf(h, "/apis", name), &group); err != nil {
		if client.KindOf(err) == client.NotServed {
			return nil
		}
		return err
	}
	sort.SliceStable(group.Versions, func(i, j int) bool {
		return apart(group.Versions[i], &group) < apart(group.Versions[j], &group)
	})
	for _, v := range group.Versions {
		var list metav1.APIResourceList
		if err := fetchInto(ctx, h, pathOf(h, "/apis", name, v.Version), &list); err != nil {
			return err
		}
		for i := range list.APIResources {
			resource := list.APIResources[i].Name
			into[resource] = append(into[resource], engine.Clean(v.Version))
		}
	}
	return nil
}

// apart is 0 for the preferred version of a group, 1 for others.
func apart(v metav1.GroupVersionForDiscovery, group *metav1.APIGroup) int {
	if v.Version == group.PreferredVersion.Version {
		return 0
	}
	return 1
}

// fetchInto sends a request once and decodes the answer.
func fetchInto(ctx context.Context, h *client.Client, r *rest.Request, into any) error {
	raw, err := h.Do(ctx, r.MaxRetries(0))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read %s: %w: %w", r.URL().Path, client.ErrNotJSON, err)
	}
	return nil
}

// pathOf is the request for a path of the API server.
func pathOf(h *client.Client, path ...string) *rest.Request {
	return h.Request(http.MethodGet).AbsPath(path...)
}

// servedError is the OnceError of a failed request.
func servedError(h *client.Client, err error) error {
	f := h.Failure(err)
	e := &OnceError{kind: ErrUnreachable, Err: f.Err, Hint: f.Hint}
	if f.Kind == client.Forbidden || f.Kind == client.Unauthenticated {
		e.kind = ErrForbidden
	}
	return e
}
