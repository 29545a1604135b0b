// Package builtin serves the built-in kinds of the demo's hub (namespaces, events,
// configuration, services, Deployments and pods) from the store of the API server.
// It has their defaults, their tables for kubectl and the logs of pods.
package builtin

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Kind describes one stored kind that the hub serves beside the custom
// resources. The functions get objects of the kind and of no other.
type Kind struct {
	gv         schema.GroupVersion
	kind       string
	resource   string
	singular   string
	shortNames []string
	namespaced bool
	Empty      func() runtime.Object
	EmptyList  func() runtime.Object
	// validName is the rule for names of the kind.
	validName validation.ValidateNameFunc
	// prepare fills defaults, and what the API rather than the user decides;
	// old is nil at creation.
	prepare func(obj, old runtime.Object)
	// keepStatus gives obj the status of old (an empty one when old is nil). It
	// is nil for kinds without a status subresource.
	keepStatus func(obj, old runtime.Object)
	// fields are what field selectors may name, beside metadata.
	fields func(obj runtime.Object) fields.Set
	table  table
}

func (b Kind) gvk() schema.GroupVersionKind { return b.gv.WithKind(b.kind) }

// Kinds are the stored kinds, in the order in which discovery shows them; pods
// are for a hub that runs its controller.
func Kinds(pods bool) []Kind {
	kinds := []Kind{namespaceKind(), eventKind(), configMapKind(), secretKind(), serviceKind(), deploymentKind()}
	if pods {
		kinds = append(kinds, podKind())
	}
	return kinds
}

func namespaceKind() Kind {
	return Kind{
		gv: corev1.SchemeGroupVersion, kind: "Namespace", resource: "namespaces", singular: "namespace", shortNames: []string{"ns"},
		Empty:     func() runtime.Object { return &corev1.Namespace{} },
		EmptyList: func() runtime.Object { return &corev1.NamespaceList{} },
		validName: validation.NameIsDNSLabel,
		prepare: on(func(ns, old *corev1.Namespace) {
			if ns.Labels == nil {
				ns.Labels = map[string]string{}
			}
			ns.Labels[corev1.LabelMetadataName] = ns.Name
			ns.Status.Phase = corev1.NamespaceActive
			// The API server's own finalizer is part of what a placement takes of
			// a namespace. Here it holds up nothing; no update changes it.
			if old != nil {
				ns.Spec.Finalizers = old.Spec.Finalizers
			} else if !slices.Contains(ns.Spec.Finalizers, corev1.FinalizerKubernetes) {
				ns.Spec.Finalizers = append(ns.Spec.Finalizers, corev1.FinalizerKubernetes)
			}
		}),
		keepStatus: on(func(ns, old *corev1.Namespace) {
			ns.Status = corev1.NamespaceStatus{}
			if old != nil {
				ns.Status = old.Status
			}
		}),
		fields: fieldsOf(func(ns *corev1.Namespace) fields.Set { return fields.Set{"status.phase": string(ns.Status.Phase)} }),
		table:  namespaceTable(),
	}
}

func eventKind() Kind {
	return Kind{
		gv: corev1.SchemeGroupVersion, kind: "Event", resource: "events", singular: "event", shortNames: []string{"ev"}, namespaced: true,
		Empty:     func() runtime.Object { return &corev1.Event{} },
		EmptyList: func() runtime.Object { return &corev1.EventList{} },
		validName: validation.NameIsDNSSubdomain,
		prepare:   func(_, _ runtime.Object) {},
		fields: fieldsOf(func(e *corev1.Event) fields.Set {
			source := e.Source.Component
			if source == "" {
				source = e.ReportingController
			}
			return fields.Set{
				"involvedObject.kind":            e.InvolvedObject.Kind,
				"involvedObject.namespace":       e.InvolvedObject.Namespace,
				"involvedObject.name":            e.InvolvedObject.Name,
				"involvedObject.uid":             string(e.InvolvedObject.UID),
				"involvedObject.apiVersion":      e.InvolvedObject.APIVersion,
				"involvedObject.resourceVersion": e.InvolvedObject.ResourceVersion,
				"involvedObject.fieldPath":       e.InvolvedObject.FieldPath,
				"reason":                         e.Reason,
				"reportingComponent":             e.ReportingController,
				"source":                         source,
				"type":                           e.Type,
			}
		}),
		table: eventTable(),
	}
}

func configMapKind() Kind {
	return Kind{
		gv: corev1.SchemeGroupVersion, kind: "ConfigMap", resource: "configmaps", singular: "configmap", shortNames: []string{"cm"}, namespaced: true,
		Empty:     func() runtime.Object { return &corev1.ConfigMap{} },
		EmptyList: func() runtime.Object { return &corev1.ConfigMapList{} },
		validName: validation.NameIsDNSSubdomain,
		prepare:   func(_, _ runtime.Object) {},
		table:     configMapTable(),
	}
}

func secretKind() Kind {
	return Kind{
		gv: corev1.SchemeGroupVersion, kind: "Secret", resource: "secrets", singular: "secret", namespaced: true,
		Empty:     func() runtime.Object { return &corev1.Secret{} },
		EmptyList: func() runtime.Object { return &corev1.SecretList{} },
		validName: validation.NameIsDNSSubdomain,
		prepare: on(func(s, _ *corev1.Secret) {
			if s.Type == "" {
				s.Type = corev1.SecretTypeOpaque
			}
			for key, value := range s.StringData {
				if s.Data == nil {
					s.Data = map[string][]byte{}
				}
				s.Data[key] = []byte(value)
			}
			s.StringData = nil
		}),
		fields: fieldsOf(func(s *corev1.Secret) fields.Set { return fields.Set{"type": string(s.Type)} }),
		table:  secretTable(),
	}
}

func serviceKind() Kind {
	return Kind{
		gv: corev1.SchemeGroupVersion, kind: "Service", resource: "services", singular: "service", shortNames: []string{"svc"}, namespaced: true,
		Empty:     func() runtime.Object { return &corev1.Service{} },
		EmptyList: func() runtime.Object { return &corev1.ServiceList{} },
		validName: validation.NameIsDNS1035Label,
		prepare: on(func(s, _ *corev1.Service) {
			s.Spec.Type = defaulted(s.Spec.Type, corev1.ServiceTypeClusterIP)
			s.Spec.SessionAffinity = defaulted(s.Spec.SessionAffinity, corev1.ServiceAffinityNone)
			for i := range s.Spec.Ports {
				p := &s.Spec.Ports[i]
				p.Protocol = defaulted(p.Protocol, corev1.ProtocolTCP)
				if p.TargetPort == (intstr.IntOrString{}) {
					p.TargetPort = intstr.FromInt32(p.Port)
				}
			}
		}),
		keepStatus: on(func(s, old *corev1.Service) {
			s.Status = corev1.ServiceStatus{}
			if old != nil {
				s.Status = old.Status
			}
		}),
		table: serviceTable(),
	}
}

func deploymentKind() Kind {
	return Kind{
		gv: appsv1.SchemeGroupVersion, kind: "Deployment", resource: "deployments", singular: "deployment", shortNames: []string{"deploy"}, namespaced: true,
		Empty:     func() runtime.Object { return &appsv1.Deployment{} },
		EmptyList: func() runtime.Object { return &appsv1.DeploymentList{} },
		validName: validation.NameIsDNSSubdomain,
		prepare: on(func(d, old *appsv1.Deployment) {
			if d.Spec.Replicas == nil {
				d.Spec.Replicas = new(int32(1))
			}
			switch {
			case old == nil:
				d.Generation = 1
			case equality.Semantic.DeepEqual(d.Spec, old.Spec):
				d.Generation = old.Generation
			default:
				d.Generation = old.Generation + 1
			}
		}),
		keepStatus: on(func(d, old *appsv1.Deployment) {
			d.Status = appsv1.DeploymentStatus{}
			if old != nil {
				d.Status = old.Status
			}
		}),
		table: deploymentTable(),
	}
}

func defaulted[T ~string](value, otherwise T) T {
	if value == "" {
		return otherwise
	}
	return value
}

// on makes a function for a pair of any objects from one for a pair of T, whose
// second argument may be nil. Objects of another type, which the store of a
// kind never holds, are left alone.
func on[T any](f func(obj, old *T)) func(obj, old runtime.Object) {
	return func(obj, old runtime.Object) {
		o, ok := any(obj).(*T)
		if !ok {
			return
		}
		before, _ := any(old).(*T) // nil when there is none
		f(o, before)
	}
}

func fieldsOf[T any](f func(*T) fields.Set) func(runtime.Object) fields.Set {
	return func(obj runtime.Object) fields.Set {
		if o, ok := any(obj).(*T); ok {
			return f(o)
		}
		return nil
	}
}

// Scheme knows the kinds of builtins and reviews. The Go types of the
// API double as internal types, so that nothing needs converting.
func Scheme(kinds []Kind) (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	internal := func(gv schema.GroupVersion) schema.GroupVersion {
		return schema.GroupVersion{Group: gv.Group, Version: runtime.APIVersionInternal}
	}
	add := func(gv schema.GroupVersion, objects ...runtime.Object) {
		s.AddKnownTypes(gv, objects...)
		s.AddKnownTypes(internal(gv), objects...)
	}
	for _, b := range kinds {
		add(b.gv, b.Empty(), b.EmptyList())
		selectable := b.selectable()
		if err := s.AddFieldLabelConversionFunc(b.gvk(), func(label, value string) (string, string, error) {
			if !selectable.Has(label) {
				return "", "", fmt.Errorf("field label not supported: %s", label)
			}
			return label, value, nil
		}); err != nil {
			return nil, fmt.Errorf("register field selectors of %s: %w", b.resource, err)
		}
	}
	if err := addLogOptions(s); err != nil {
		return nil, fmt.Errorf("register options of logs: %w", err)
	}
	add(authorizationv1.SchemeGroupVersion, &authorizationv1.SelfSubjectAccessReview{}, &authorizationv1.SelfSubjectRulesReview{})
	add(authenticationv1.SchemeGroupVersion, &authenticationv1.SelfSubjectReview{})
	for _, gv := range []schema.GroupVersion{
		corev1.SchemeGroupVersion, appsv1.SchemeGroupVersion,
		authorizationv1.SchemeGroupVersion, authenticationv1.SchemeGroupVersion,
	} {
		metav1.AddToGroupVersion(s, gv)
		if err := s.SetVersionPriority(gv); err != nil {
			return nil, fmt.Errorf("register %s: %w", gv, err)
		}
	}
	s.AddUnversionedTypes(corev1.SchemeGroupVersion,
		&metav1.Status{}, &metav1.APIVersions{}, &metav1.APIGroupList{}, &metav1.APIGroup{}, &metav1.APIResourceList{})
	return s, nil
}

func codecs(s *runtime.Scheme) serializer.CodecFactory { return serializer.NewCodecFactory(s) }
