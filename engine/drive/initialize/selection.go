package initialize

import (
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// selector selects resources for one placement
// (docs/kubefleet.md#new-snapshot). Its errors are final for the run when they
// are the user's, else they are retried.
type selector struct {
	placement   *placement.ResourcePlacement
	kinds       map[schema.GroupVersionKind]pass.Kind
	inOrder     []pass.Kind
	propagation pass.Propagation
	do          func(pass.Effect) (pass.Answer, error)
	// namespace is where namespaced kinds are selected: the placement's own,
	// or that of the term with NamespaceWithResourceSelectors.
	namespace string
	found     []*unstructured.Unstructured
}

var (
	namespaceKind     = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
	namespaceResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	serviceResource   = schema.GroupVersionResource{Version: "v1", Resource: "services"}
)

// selectResources returns what the placement selects, in the order and form of
// a resource snapshot.
func (p *Initializer) selectResources() ([]resource, error) {
	if err := p.In.Failed.Kinds; err != nil {
		return nil, pass.ServerError(err)
	}
	s := &selector{
		placement: p.In.Placement, inOrder: p.In.Kinds, propagation: p.In.Propagation, do: p.Do,
		kinds: make(map[schema.GroupVersionKind]pass.Kind, len(p.In.Kinds)), namespace: p.Run.Namespace,
	}
	for _, k := range p.In.Kinds {
		s.kinds[k.GroupVersionKind] = k
	}
	if err := s.enterNamespace(); err != nil {
		return nil, err
	}
	for i := range s.placement.Spec.ResourceSelectors {
		if err := s.selectTerm(&s.placement.Spec.ResourceSelectors[i]); err != nil {
			return nil, err
		}
	}
	return storedForms(s.found)
}

func (s *selector) clusterScoped() bool { return s.placement.Namespace == "" }

func (s *selector) key() string { return pass.Key(s.placement.Namespace, s.placement.Name) }

func kindOf(term *placement.ResourceSelectorTerm) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: term.Group, Version: term.Version, Kind: term.Kind}
}

// enterNamespace finds the namespace of a NamespaceWithResourceSelectors term:
// the other terms depend on it, wherever it stands in the list.
func (s *selector) enterNamespace() error {
	if !s.clusterScoped() {
		return nil
	}
	for i := range s.placement.Spec.ResourceSelectors {
		term := &s.placement.Spec.ResourceSelectors[i]
		if kindOf(term) != namespaceKind || term.SelectionScope != placement.SelectNamespaceWithResourceSelectors || !s.enabled(namespaceKind) {
			continue
		}
		found, err := s.read(namespaceResource, "", term)
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(found, func(u *unstructured.Unstructured) bool {
			return u.GetDeletionTimestamp() != nil || s.reserved(u.GetName())
		})
		if len(found) == 0 {
			return pass.UserError("invalid clusterResourcePlacement %s: NamespaceWithResourceSelectors mode requires exactly one namespace, but no namespaces were selected", s.placement.Name)
		}
		s.namespace = found[0].GetName()
	}
	return nil
}

func (s *selector) selectTerm(term *placement.ResourceSelectorTerm) error {
	kind := kindOf(term)
	if !s.enabled(kind) {
		return nil
	}
	if kind == namespaceKind {
		return s.selectNamespaces(term)
	}
	known, ok := s.kinds[kind]
	if !ok {
		return pass.UserError("invalid placement %s, failed to get GVR of the selector: %w", s.key(), noMatch(kind))
	}
	gvr := known.GroupVersionResource()
	// A kind at a version that is not preferred counts as namespaced.
	namespaced := known.Namespaced || !known.Preferred
	switch {
	case !namespaced && !s.clusterScoped():
		return pass.UserError("invalid placement %s: cannot select cluster-scoped resource %v in a resourcePlacement", s.key(), gvr)
	case namespaced && s.namespace == "":
		return pass.UserError("invalid placement %s: cannot select namespace-scoped resource %v in a clusterResourcePlacement", s.key(), gvr)
	case namespaced && !known.Namespaced:
		return nil // a cluster-scoped object is in no namespace
	case !namespaced:
		return s.take(gvr, "", term)
	default:
		return s.take(gvr, s.namespace, term)
	}
}

// selectNamespaces selects namespaces, and with them what they hold if the
// term says so.
func (s *selector) selectNamespaces(term *placement.ResourceSelectorTerm) error {
	if !s.clusterScoped() {
		return pass.UserError("invalid placement %s: cannot select cluster-scoped resource Namespace in a resourcePlacement", s.key())
	}
	switch term.SelectionScope {
	case placement.SelectNamespaceOnly, placement.SelectNamespaceWithResourceSelectors:
		return s.take(namespaceResource, "", term)
	}
	if term.Name != "" {
		// The name decides, whether there is such a namespace or not.
		if err := s.refuseReserved(term.Name); err != nil {
			return err
		}
	}
	namespaces, err := s.read(namespaceResource, "", term)
	if err != nil {
		return err
	}
	for _, ns := range namespaces {
		if err := s.refuseReserved(ns.GetName()); err != nil {
			return err
		}
		if ns.GetDeletionTimestamp() != nil {
			continue
		}
		s.found = append(s.found, ns)
		if err := s.takeAllIn(ns.GetName()); err != nil {
			return err
		}
	}
	return nil
}

// takeAllIn selects every object of every known namespaced kind.
func (s *selector) takeAllIn(namespace string) error {
	for _, k := range s.inOrder {
		if !k.Namespaced || !k.Preferred || !s.enabled(k.GroupVersionKind) || !s.enabled(lookedUpAs(k.GroupVersionKind)) {
			continue
		}
		if err := s.take(k.GroupVersionResource(), namespace, &placement.ResourceSelectorTerm{}); err != nil {
			return err
		}
	}
	return nil
}

// lookedUpAs is the kind whose rules apply to another in the selection of whole
// namespaces: upstream looks kinds up without their group there, and finds the
// newer events for the older (docs/kubefleet.md#new-snapshot, B).
func lookedUpAs(kind schema.GroupVersionKind) schema.GroupVersionKind {
	if kind.Group == "" && kind.Kind == "Event" {
		kind.Group = "events.k8s.io"
	}
	return kind
}

// take selects the objects that a term names or matches.
func (s *selector) take(gvr schema.GroupVersionResource, namespace string, term *placement.ResourceSelectorTerm) error {
	objects, err := s.read(gvr, namespace, term)
	if err != nil {
		return err
	}
	for _, u := range objects {
		out, err := s.leftOut(u)
		if err != nil {
			return err
		}
		if !out {
			s.found = append(s.found, u)
		}
	}
	return nil
}

// read reads the objects that a term names or matches; one that does not exist
// is no error.
func (s *selector) read(gvr schema.GroupVersionResource, namespace string, term *placement.ResourceSelectorTerm) ([]*unstructured.Unstructured, error) {
	e := pass.Effect{Op: pass.OpListObjects, Resource: gvr, Namespace: namespace, Selector: labels.Everything()}
	if term.Name != "" {
		e = pass.Effect{Op: pass.OpGetObject, Resource: gvr, Namespace: namespace, Name: term.Name}
	} else if term.LabelSelector != nil {
		matches, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
		if err != nil {
			return nil, pass.UnexpectedError("cannot convert the label selector to a selector: %w", err)
		}
		e.Selector = matches
	}
	answer, err := s.do(e)
	if term.Name != "" && apierrors.IsNotFound(err) {
		return nil, nil
	}
	if errors.Is(err, pass.ErrExpected) {
		return nil, err
	}
	if err != nil {
		return nil, pass.ServerError(err)
	}
	return answer.Items, nil
}

func (s *selector) refuseReserved(namespace string) error {
	if !s.reserved(namespace) {
		return nil
	}
	// The spelling is the wire's (docs/kubefleet.md#new-snapshot, A).
	return pass.UserError("invalid clusterRresourcePlacement %s: namespace %s is not allowed to propagate", s.placement.Name, namespace)
}

// NotSynced is the answer of a loop to a read of a kind that it does not watch
// yet: the pass is retried. Upstream watches the preferred version of each group
// from its start on, and another version from the next tick of its discovery
// after the first read.
func NotSynced(gvr schema.GroupVersionResource) error {
	return fmt.Errorf("%w: informer cache for %v is not synced yet", pass.ErrExpected, gvr)
}

func noMatch(kind schema.GroupVersionKind) error {
	return &meta.NoKindMatchError{GroupKind: kind.GroupKind(), SearchedVersions: []string{kind.Version}}
}
