package hub

import (
	"context"
	"fmt"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// review is a resource that can only be created: the object posted is a
// question, the object returned holds the answer, nothing is stored.
type review struct {
	singular string
	newFunc  func() runtime.Object
	answer   func(ctx context.Context, who user.Info, question runtime.Object) error
}

var (
	_ rest.Creater              = review{}
	_ rest.Scoper               = review{}
	_ rest.SingularNameProvider = review{}
)

func (r review) New() runtime.Object     { return r.newFunc() }
func (r review) Destroy()                {}
func (r review) NamespaceScoped() bool   { return false }
func (r review) GetSingularName() string { return r.singular }

// Create answers the question in obj.
func (r review) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	who, ok := request.UserFrom(ctx)
	if !ok {
		return nil, apierrors.NewBadRequest("no user present on request")
	}
	if validate != nil {
		if err := validate(ctx, obj.DeepCopyObject()); err != nil {
			return nil, err
		}
	}
	if err := r.answer(ctx, who, obj); err != nil {
		return nil, err
	}
	return obj, nil
}

// reviews are the storages of the reviews that a user can create.
func (d *directory) reviews(authz authorizer.Authorizer) map[schema.GroupVersion]map[string]rest.Storage {
	return map[schema.GroupVersion]map[string]rest.Storage{
		authorizationv1.SchemeGroupVersion: {
			"selfsubjectaccessreviews": accessReview(authz),
			"selfsubjectrulesreviews":  d.rulesReview(),
		},
		authenticationv1.SchemeGroupVersion: {"selfsubjectreviews": identityReview()},
	}
}

// accessReview answers whether the user who asks may do one thing.
func accessReview(authz authorizer.Authorizer) review {
	return review{
		singular: "selfsubjectaccessreview",
		newFunc:  func() runtime.Object { return &authorizationv1.SelfSubjectAccessReview{} },
		answer: func(ctx context.Context, who user.Info, question runtime.Object) error {
			q, ok := question.(*authorizationv1.SelfSubjectAccessReview)
			if !ok {
				return wrongQuestion(question)
			}
			res, other := q.Spec.ResourceAttributes, q.Spec.NonResourceAttributes
			if (res == nil) == (other == nil) {
				return apierrors.NewBadRequest("exactly one of nonResourceAttributes or resourceAttributes must be specified")
			}
			about := authorizer.AttributesRecord{User: who}
			if res != nil {
				about.ResourceRequest = true
				about.Verb, about.Namespace, about.Name = res.Verb, res.Namespace, res.Name
				about.APIGroup, about.APIVersion = res.Group, res.Version
				about.Resource, about.Subresource = res.Resource, res.Subresource
			} else {
				about.Verb, about.Path = other.Verb, other.Path
			}
			decision, reason, err := authz.Authorize(ctx, about)
			q.Status = authorizationv1.SubjectAccessReviewStatus{Allowed: decision == authorizer.DecisionAllow, Reason: reason}
			if err != nil {
				q.Status.EvaluationError = err.Error()
			}
			return nil
		},
	}
}

// rulesReview lists what the user who asks may do in a namespace.
func (d *directory) rulesReview() review {
	return review{
		singular: "selfsubjectrulesreview",
		newFunc:  func() runtime.Object { return &authorizationv1.SelfSubjectRulesReview{} },
		answer: func(_ context.Context, who user.Info, question runtime.Object) error {
			q, ok := question.(*authorizationv1.SelfSubjectRulesReview)
			if !ok {
				return wrongQuestion(question)
			}
			if q.Spec.Namespace == "" {
				return apierrors.NewBadRequest("no namespace on request")
			}
			q.Status = d.rulesIn(q.Spec.Namespace, who)
			return nil
		},
	}
}

func (d *directory) rulesIn(namespace string, who user.Info) authorizationv1.SubjectRulesReviewStatus {
	status := authorizationv1.SubjectRulesReviewStatus{
		ResourceRules:    []authorizationv1.ResourceRule{},
		NonResourceRules: []authorizationv1.NonResourceRule{},
	}
	rules, master := d.rulesOf(who)
	if master {
		rules = append(rules, Rule{Verbs: []string{"*"}, Groups: []string{"*"}, Resources: []string{"*"}, Paths: []string{"*"}})
	}
	for _, r := range rules {
		if len(r.Namespaces) > 0 && !slices.Contains(r.Namespaces, namespace) {
			continue
		}
		if len(r.Resources) > 0 {
			status.ResourceRules = append(status.ResourceRules, authorizationv1.ResourceRule{
				Verbs: r.Verbs, APIGroups: r.Groups, Resources: r.Resources, ResourceNames: r.Names,
			})
		}
		if len(r.Paths) > 0 {
			status.NonResourceRules = append(status.NonResourceRules, authorizationv1.NonResourceRule{
				Verbs: r.Verbs, NonResourceURLs: r.Paths,
			})
		}
	}
	return status
}

// identityReview tells the user who asks who they are.
func identityReview() review {
	return review{
		singular: "selfsubjectreview",
		newFunc:  func() runtime.Object { return &authenticationv1.SelfSubjectReview{} },
		answer: func(_ context.Context, who user.Info, question runtime.Object) error {
			q, ok := question.(*authenticationv1.SelfSubjectReview)
			if !ok {
				return wrongQuestion(question)
			}
			q.Status.UserInfo = authenticationv1.UserInfo{Username: who.GetName(), UID: who.GetUID(), Groups: who.GetGroups()}
			for key, values := range who.GetExtra() {
				if q.Status.UserInfo.Extra == nil {
					q.Status.UserInfo.Extra = map[string]authenticationv1.ExtraValue{}
				}
				q.Status.UserInfo.Extra[key] = values
			}
			return nil
		},
	}
}

func wrongQuestion(obj runtime.Object) error {
	return apierrors.NewBadRequest(fmt.Sprintf("cannot review a %T", obj))
}
