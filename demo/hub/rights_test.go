package hub_test

import (
	"net/http"
	"slices"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/hub"
)

const fleet = "placement.kubernetes-fleet.io"

var rightsCases = []struct {
	user, verb, group, resource, subresource, namespace string
	allowed                                             bool
}{
	{hub.AdminUser, "delete", fleet, "clusterstagedupdateruns", "", "", true},
	{hub.AdminUser, "impersonate", "", "users", "", "", true},
	{hub.ViewerUser, "watch", fleet, "clusterstagedupdateruns", "", "", true},
	{hub.ViewerUser, "list", fleet, "stagedupdateruns", "", "", true},
	{hub.ViewerUser, "list", "cluster.kubernetes-fleet.io", "memberclusters", "", "", true},
	{hub.ViewerUser, "patch", fleet, "clusterstagedupdateruns", "", "", false},
	{hub.ViewerUser, "patch", fleet, "clusterapprovalrequests", "status", "", false},
	{hub.ViewerUser, "get", "", "secrets", "", "team", false},
	{hub.ApproverUser, "get", fleet, "clusterstagedupdateruns", "", "", true},
	{hub.ApproverUser, "patch", fleet, "clusterapprovalrequests", "status", "", true},
	{hub.ApproverUser, "update", fleet, "approvalrequests", "status", "team", true},
	{hub.ApproverUser, "patch", fleet, "clusterapprovalrequests", "", "", false},
	{hub.ApproverUser, "patch", fleet, "clusterstagedupdateruns", "status", "", false},
	{hub.TenantUser, "list", fleet, "stagedupdateruns", "", "team", true},
	{hub.TenantUser, "patch", fleet, "stagedupdateruns", "", "team", true},
	{hub.TenantUser, "patch", fleet, "stagedupdateruns", "status", "team", false},
	{hub.TenantUser, "patch", fleet, "approvalrequests", "status", "team", true},
	{hub.TenantUser, "get", "", "namespaces", "", "team", true},
	{hub.TenantUser, "list", fleet, "stagedupdateruns", "", "", false},
	{hub.TenantUser, "list", fleet, "stagedupdateruns", "", "default", false},
	{hub.TenantUser, "list", fleet, "clusterstagedupdateruns", "", "", false},
	{hub.TenantUser, "list", "cluster.kubernetes-fleet.io", "memberclusters", "", "", false},
	{hub.StrangerUser, "list", fleet, "stagedupdateruns", "", "team", false},
	{hub.StrangerUser, "create", "authorization.k8s.io", "selfsubjectaccessreviews", "", "", true},
}

func TestAccessReviews(t *testing.T) {
	for _, tt := range rightsCases {
		name := tt.user + " " + tt.verb + " " + tt.resource
		if tt.subresource != "" {
			name += "/" + tt.subresource
		}
		if tt.namespace != "" {
			name += " in " + tt.namespace
		}
		t.Run(name, func(t *testing.T) {
			review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Verb: tt.verb, Group: tt.group, Resource: tt.resource, Subresource: tt.subresource, Namespace: tt.namespace,
				},
			}}
			ask(t, tt.user, review, "authorization.k8s.io", "selfsubjectaccessreviews")
			if review.Status.Allowed != tt.allowed {
				t.Errorf("allowed: %v, want %v", review.Status.Allowed, tt.allowed)
			}
		})
	}
}

func TestAccessReviewOfPaths(t *testing.T) {
	for user, want := range map[string]bool{hub.ViewerUser: true, hub.TenantUser: false} {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			NonResourceAttributes: &authorizationv1.NonResourceAttributes{Verb: "get", Path: "/members/one/api"},
		}}
		ask(t, user, review, "authorization.k8s.io", "selfsubjectaccessreviews")
		if review.Status.Allowed != want {
			t.Errorf("%s reads a member: %v, want %v", user, review.Status.Allowed, want)
		}
	}
}

// TestRequestsAreDecidedAsReviewsSay sends what the reviews are about.
func TestRequestsAreDecidedAsReviewsSay(t *testing.T) {
	w := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	tests := []struct {
		user  string
		check func(error) bool
		want  string
	}{
		{hub.AdminUser, func(err error) bool { return err == nil }, "success"},
		{hub.ViewerUser, func(err error) bool { return err == nil }, "success"},
		{hub.TenantUser, apierrors.IsForbidden, "403"},
		{hub.StrangerUser, apierrors.IsForbidden, "403"},
		{"nobody we know", apierrors.IsForbidden, "403 as system:anonymous"},
	}
	for _, tt := range tests {
		t.Run(tt.user, func(t *testing.T) {
			_, err := client(t, shared, tt.user).Resource(w).List(t.Context(), metav1.ListOptions{})
			if !tt.check(err) {
				t.Errorf("list: %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := client(t, shared, hub.TenantUser).Resource(configMaps).Namespace("team").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("the tenant at home: %v", err)
	}
}

func TestWrongTokenIsUnauthorized(t *testing.T) {
	cfg := shared.AdminConfig()
	cfg.BearerToken = "wrong"
	if code := get(t, cfg, "/api/v1/namespaces"); code != http.StatusUnauthorized {
		t.Errorf("a wrong token: %d, want 401", code)
	}
	if code := get(t, shared.Config("nobody"), "/version"); code != http.StatusOK {
		t.Errorf("the version, logged in as nobody: %d, want 200", code)
	}
}

func TestRulesReviewListsRights(t *testing.T) {
	review := &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: "team"}}
	ask(t, hub.TenantUser, review, "authorization.k8s.io", "selfsubjectrulesreviews")
	here := len(review.Status.ResourceRules)
	if !slices.ContainsFunc(review.Status.ResourceRules, func(r authorizationv1.ResourceRule) bool {
		return slices.Contains(r.Resources, "stagedupdateruns") && slices.Contains(r.Verbs, "patch")
	}) {
		t.Errorf("at home: %v", review.Status.ResourceRules)
	}
	review.Spec.Namespace = "default"
	review.Status = authorizationv1.SubjectRulesReviewStatus{}
	ask(t, hub.TenantUser, review, "authorization.k8s.io", "selfsubjectrulesreviews")
	if elsewhere := len(review.Status.ResourceRules); elsewhere >= here {
		t.Errorf("%d rules elsewhere, %d at home", elsewhere, here)
	}
	review.Status = authorizationv1.SubjectRulesReviewStatus{}
	ask(t, hub.AdminUser, review, "authorization.k8s.io", "selfsubjectrulesreviews")
	if !slices.ContainsFunc(review.Status.ResourceRules, func(r authorizationv1.ResourceRule) bool {
		return slices.Contains(r.Resources, "*") && slices.Contains(r.Verbs, "*") && slices.Contains(r.APIGroups, "*")
	}) {
		t.Errorf("admin: %v", review.Status.ResourceRules)
	}
}

func TestIdentityReviewTellsWhoAsks(t *testing.T) {
	c := client(t, shared, hub.ApproverUser)
	r := schema.GroupVersionResource{Group: "authentication.k8s.io", Version: "v1", Resource: "selfsubjectreviews"}
	got, err := c.Resource(r).Create(t.Context(), object(`{apiVersion: authentication.k8s.io/v1, kind: SelfSubjectReview}`), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if who := field(got, "status", "userInfo", "username"); who != hub.ApproverUser {
		t.Errorf("I am %q", who)
	}
}

func TestAdminMayActAsAnother(t *testing.T) {
	cfg := shared.AdminConfig()
	cfg.Impersonate = rest.ImpersonationConfig{UserName: hub.StrangerUser}
	if code := get(t, cfg, "/api/v1/namespaces"); code != http.StatusForbidden {
		t.Errorf("as the stranger: %d, want 403", code)
	}
}

// ask posts a review as a user and reads the answer into it.
func ask[T runtime.Object](t *testing.T, user string, review T, group, resource string) {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(review)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetAPIVersion(group + "/v1")
	u.SetKind(map[string]string{
		"selfsubjectaccessreviews": "SelfSubjectAccessReview",
		"selfsubjectrulesreviews":  "SelfSubjectRulesReview",
	}[resource])
	r := schema.GroupVersionResource{Group: group, Version: "v1", Resource: resource}
	got, err := client(t, shared, user).Resource(r).Create(t.Context(), u, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(got.Object, review); err != nil {
		t.Fatal(err)
	}
}
