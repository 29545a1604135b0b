package hub

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Rule is a right in the manner of RBAC: it allows a request that each of its
// parts matches. A rule is either about resources (Groups, Resources, Names,
// Namespaces) or about other paths (Paths).
type Rule struct {
	// Namespaces limits the rule; when it is empty, the rule holds in every
	// namespace and for objects without one. A namespace belongs to itself.
	Namespaces []string
	// Verbs are get, list, watch, create, update, patch, delete,
	// deletecollection and so on; "*" is every verb.
	Verbs []string
	// Groups are API groups; "" is the core group, "*" every group.
	Groups []string
	// Resources are plural names ("stagedupdateruns"), names with a subresource
	// ("stagedupdateruns/status"), "*/status" for a subresource of everything,
	// or "*".
	Resources []string
	// Names limits the rule to objects of these names; empty is every name.
	Names []string
	// Paths are request paths that are no resources; a "*" at the end matches
	// the rest.
	Paths []string
}

// The rights of everybody, and of everybody who is logged in, as on a real hub
// (system:public-info-viewer, system:discovery, system:basic-user).
var (
	publicRules = []Rule{{Verbs: []string{"get"}, Paths: []string{"/healthz", "/livez", "/readyz", "/version", "/version/"}}}
	basicRules  = []Rule{
		{Verbs: []string{"get"}, Paths: []string{"/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*"}},
		{Verbs: []string{"create"}, Groups: []string{"authorization.k8s.io"}, Resources: []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"}},
		{Verbs: []string{"create"}, Groups: []string{"authentication.k8s.io"}, Resources: []string{"selfsubjectreviews"}},
	}
)

func (r Rule) allows(a authorizer.Attributes) bool {
	if !has(r.Verbs, a.GetVerb()) {
		return false
	}
	if !a.IsResourceRequest() {
		return slices.ContainsFunc(r.Paths, func(p string) bool { return pathMatches(p, a.GetPath()) })
	}
	return has(r.Groups, a.GetAPIGroup()) &&
		slices.ContainsFunc(r.Resources, func(res string) bool {
			return resourceMatches(res, a.GetResource(), a.GetSubresource())
		}) &&
		(len(r.Names) == 0 || slices.Contains(r.Names, a.GetName())) &&
		(len(r.Namespaces) == 0 || slices.Contains(r.Namespaces, a.GetNamespace()))
}

func has(list []string, want string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, want)
}

func pathMatches(pattern, path string) bool {
	prefix, open := strings.CutSuffix(pattern, "*")
	return pattern == path || open && strings.HasPrefix(path, prefix)
}

func resourceMatches(pattern, resource, subresource string) bool {
	if pattern == "*" {
		return true
	}
	if subresource == "" {
		return pattern == resource
	}
	return pattern == resource+"/"+subresource || pattern == "*/"+subresource
}

// rulesOf is every right of a user. Masters are not limited by rules.
func (d *directory) rulesOf(u user.Info) (rules []Rule, master bool) {
	rules = slices.Clone(publicRules)
	groups := u.GetGroups()
	if slices.Contains(groups, user.AllAuthenticated) {
		rules = append(rules, basicRules...)
	}
	if known, ok := d.byName[u.GetName()]; ok {
		rules = append(rules, known.Rules...)
	}
	return rules, slices.Contains(groups, user.SystemPrivilegedGroup)
}

// authorizer decides by the users' rules and by nothing else.
func (d *directory) authorizer() authorizer.Authorizer {
	return authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		if a.GetUser() == nil {
			return authorizer.DecisionNoOpinion, "", nil
		}
		rules, master := d.rulesOf(a.GetUser())
		if master || slices.ContainsFunc(rules, func(r Rule) bool { return r.allows(a) }) {
			return authorizer.DecisionAllow, "", nil
		}
		return authorizer.DecisionNoOpinion, "", nil
	})
}
