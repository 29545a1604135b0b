package builtin

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// NamespaceStore is what the hub itself needs of the Namespaces.
type NamespaceStore interface {
	rest.Getter
	rest.Creater
}

// NamespaceGuard refuses new objects in a namespace that does not exist, as the
// NamespaceLifecycle admission of a real hub does.
type NamespaceGuard struct {
	// Namespaces is set before the first request is served.
	Namespaces NamespaceStore
}

var _ admission.ValidationInterface = (*NamespaceGuard)(nil)

// Handles wants creations only.
func (g *NamespaceGuard) Handles(operation admission.Operation) bool {
	return operation == admission.Create
}

// Validate looks for the namespace of what is created.
func (g *NamespaceGuard) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetNamespace() == "" || a.GetKind().GroupKind() == corev1.SchemeGroupVersion.WithKind("Namespace").GroupKind() {
		return nil
	}
	// Namespaces have no namespace themselves.
	if _, err := g.Namespaces.Get(request.WithNamespace(ctx, metav1.NamespaceNone), a.GetNamespace(), &metav1.GetOptions{}); err != nil {
		if apierrors.IsNotFound(err) {
			return apierrors.NewNotFound(corev1.Resource("namespaces"), a.GetNamespace())
		}
		return apierrors.NewInternalError(err)
	}
	return nil
}

// Seed makes the namespaces that every hub has.
func (g *NamespaceGuard) Seed(ctx context.Context) error {
	for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem} {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		_, err := g.Namespaces.Create(request.WithNamespace(ctx, metav1.NamespaceNone), ns, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}
