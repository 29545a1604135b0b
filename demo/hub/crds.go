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
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// crdWorkers is how many CustomResourceDefinitions are worked on at once.
const crdWorkers = 8

// creationDelay is how long the server delays creations after a CRD was
// established.
const creationDelay = 2 * time.Second

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
		if err := establish(ctx, client, created); err != nil {
			return fmt.Errorf("establish CRD %s: %w", crd.Name, err)
		}
		if err := until(ctx, "CRD "+crd.Name, func() (bool, error) { return api.established(crd.Name) }); err != nil {
			return err
		}
		return api.warm(ctx, servedBy(crd))
	}); err != nil {
		return err
	}
	return until(ctx, "discovery", func() (bool, error) { return api.discovers(crds) })
}

// establish gives a new CRD the status that the server's controllers would give
// it, dated back: for two seconds after a CRD was established the server lets
// every creation of its objects wait, so that other servers of the same hub
// hear of the CRD first. This hub has one server.
func establish(ctx context.Context, client apiextensionsclient.CustomResourceDefinitionInterface, crd *apiextensionsv1.CustomResourceDefinition) error {
	since := metav1.NewTime(time.Now().Add(-time.Minute))
	for {
		crd.Status.AcceptedNames = crd.Spec.Names
		crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{
			{Type: apiextensionsv1.NamesAccepted, Status: apiextensionsv1.ConditionTrue, LastTransitionTime: since, Reason: "NoConflicts", Message: "no conflicts found"},
			{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue, LastTransitionTime: since, Reason: "InitialNamesAccepted", Message: "the initial names have been accepted"},
		}
		_, err := client.UpdateStatus(ctx, crd, metav1.UpdateOptions{})
		if !apierrors.IsConflict(err) {
			return err
		}
		// A controller was faster.
		if crd, err = client.Get(ctx, crd.Name, metav1.GetOptions{}); err != nil {
			return err
		}
	}
}

// established tells whether the CRD is served without delay, as far as the
// server's own handlers have heard.
func (a *apiServer) established(name string) (bool, error) {
	crd, err := a.server.Informers.Apiextensions().V1().CustomResourceDefinitions().Lister().Get(name)
	if apierrors.IsNotFound(err) {
		return false, nil // not heard of it yet
	}
	if err != nil {
		return false, err
	}
	found := false
	for _, c := range crd.Status.Conditions {
		switch {
		case c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue:
			found = time.Since(c.LastTransitionTime.Time) > creationDelay
		case c.Type == apiextensionsv1.NamesAccepted && c.Status == apiextensionsv1.ConditionFalse:
			return false, errors.New(c.Message)
		}
	}
	return found, nil
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
	if err := each(crds, func(crd *apiextensionsv1.CustomResourceDefinition) error { return a.warm(ctx, servedBy(crd)) }); err != nil {
		return err
	}
	return until(ctx, "discovery", func() (bool, error) { return a.discovers(crds) })
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
	for _, r := range resources {
		url := a.inside.Host + "/apis/" + r.Group + "/" + r.Version + "/" + r.Resource + "?watch=true&timeoutSeconds=1"
		if err := until(ctx, r.String(), func() (bool, error) {
			code, err := status(ctx, client, url)
			return code == http.StatusOK, err
		}); err != nil {
			return err
		}
	}
	return nil
}

// discovers tells whether clients find everything that the CRDs serve.
func (a *apiServer) discovers(crds []*apiextensionsv1.CustomResourceDefinition) (bool, error) {
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
	for _, crd := range crds {
		if !known.HasAll(servedBy(crd)...) {
			return false, nil
		}
	}
	return true, nil
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
