package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// crdWorkers is how many CustomResourceDefinitions are worked on at once.
const crdWorkers = 8

// InstallCRDs creates the CustomResourceDefinitions of the manifests, one YAML
// or JSON document each, and returns once each of their versions is in discovery
// and answers lists and watches.
func (h *Hub) InstallCRDs(ctx context.Context, manifests ...[]byte) error {
	api := h.running()
	if api == nil {
		return errors.New("install CRDs: the API is down")
	}
	crds := make([]*apiextensionsv1.CustomResourceDefinition, len(manifests))
	for i, manifest := range manifests {
		crds[i] = &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(manifest, crds[i]); err != nil {
			return fmt.Errorf("read CRD: %w", err)
		}
	}
	set, err := clientset.NewForConfig(api.inside)
	if err != nil {
		return fmt.Errorf("install CRDs: %w", err)
	}
	client := set.ApiextensionsV1().CustomResourceDefinitions()
	if err := each(crds, func(crd *apiextensionsv1.CustomResourceDefinition) error {
		created, err := client.Create(ctx, crd, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create CRD %s: %w", crd.Name, err)
		}
		return waitEstablished(ctx, client, created.Name)
	}); err != nil {
		return err
	}
	var resources []schema.GroupVersionResource
	for _, crd := range crds {
		resources = append(resources, servedBy(crd)...)
	}
	return api.warm(ctx, resources)
}

func waitEstablished(ctx context.Context, client apiextensionsclient.CustomResourceDefinitionInterface, name string) error {
	return until(ctx, "CRD "+name, func() (bool, error) {
		crd, err := client.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, c := range crd.Status.Conditions {
			switch {
			case c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue:
				return true, nil
			case c.Type == apiextensionsv1.NamesAccepted && c.Status == apiextensionsv1.ConditionFalse:
				return false, errors.New(c.Message)
			}
		}
		return false, nil
	})
}

func servedBy(crd *apiextensionsv1.CustomResourceDefinition) []schema.GroupVersionResource {
	var out []schema.GroupVersionResource
	for _, v := range crd.Spec.Versions {
		if v.Served {
			out = append(out, schema.GroupVersionResource{Group: crd.Spec.Group, Version: v.Name, Resource: crd.Spec.Names.Plural})
		}
	}
	return out
}

// warmAll warms every custom resource there is.
func (a *apiServer) warmAll(ctx context.Context) error {
	crds, err := a.server.Informers.Apiextensions().V1().CustomResourceDefinitions().Lister().List(labels.Everything())
	if err != nil {
		return fmt.Errorf("list CRDs: %w", err)
	}
	var resources []schema.GroupVersionResource
	for _, crd := range crds {
		resources = append(resources, servedBy(crd)...)
	}
	return a.warm(ctx, resources)
}

// warm asks for each resource until watches are accepted: the first request
// makes the server build the resource's storage, and watches are refused with
// 429 and "retry in a second" until its cache is filled.
func (a *apiServer) warm(ctx context.Context, resources []schema.GroupVersionResource) error {
	client, err := rest.HTTPClientFor(a.inside)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	if err := each(resources, func(r schema.GroupVersionResource) error {
		url := a.inside.Host + "/apis/" + r.Group + "/" + r.Version + "/" + r.Resource + "?watch=true&timeoutSeconds=1"
		return until(ctx, r.String(), func() (bool, error) {
			code, err := status(ctx, client, url)
			return code == http.StatusOK, err
		})
	}); err != nil {
		return err
	}
	return until(ctx, "discovery", func() (bool, error) { return a.discovers(resources) })
}

// discovers tells whether clients find every one of the resources.
func (a *apiServer) discovers(resources []schema.GroupVersionResource) (bool, error) {
	found, err := discover(a.server.GenericAPIServer.AggregatedDiscoveryGroupManager)
	if err != nil {
		return false, err
	}
	known := sets.New[schema.GroupVersionResource]()
	for _, g := range found.Items {
		for _, v := range g.Versions {
			for _, r := range v.Resources {
				known.Insert(schema.GroupVersionResource{Group: g.Name, Version: v.Version, Resource: r.Resource})
			}
		}
	}
	return known.HasAll(resources...), nil
}

// until polls what is described by about, until it is so, fails, or ctx ends.
func until(ctx context.Context, about string, done func() (bool, error)) error {
	for {
		ok, err := done()
		if err != nil {
			return fmt.Errorf("wait for %s: %w", about, err)
		}
		if ok {
			return nil
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", about, ctx.Err())
		}
	}
}

// each calls f for every item, crdWorkers at a time, and joins the errors.
func each[T any](items []T, f func(T) error) error {
	work := make(chan int)
	errs := make([]error, len(items))
	var workers sync.WaitGroup
	for range min(crdWorkers, len(items)) {
		workers.Go(func() {
			for i := range work {
				errs[i] = f(items[i])
			}
		})
	}
	for i := range items {
		work <- i
	}
	close(work)
	workers.Wait()
	return errors.Join(errs...)
}
