package hub

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/stagewatch/stagewatch/deploy/rbac"
)

// The names of the default users.
const (
	// AdminUser may do everything; it is in the group system:masters.
	AdminUser = "admin"
	// ViewerUser may read everything that belongs to rollouts, in every
	// namespace, and change nothing.
	ViewerUser = "viewer"
	// ApproverUser may read what ViewerUser reads, and write the status of
	// approval requests of both scopes.
	ApproverUser = "approver"
	// TenantUser has rights in one namespace only: read everything that belongs
	// to rollouts there, change runs, strategies and approval requests there.
	TenantUser = "tenant"
	// StrangerUser can log in, and has no rights beyond that.
	StrangerUser = "stranger"
)

const (
	placementGroup = "placement.kubernetes-fleet.io"
)

// User is a user with a bearer token, which the hub creates.
type User struct {
	// Name must be unique among the users.
	Name string
	// Groups are the user's groups beside system:authenticated. Members of
	// system:masters may do everything.
	Groups []string
	// Rules are the user's rights. Everybody who is logged in may in addition
	// discover the API and review their own rights.
	Rules []Rule
}

// DefaultUsers are the admin, viewer, approver, tenant and stranger of the
// package's constants; namespace is the tenant's.
func DefaultUsers(namespace string) []User {
	read := []string{"get", "list", "watch"}
	view := append(rulesOfRoles(rbac.Viewer),
		// What the demo's placements select.
		Rule{Verbs: read, Groups: []string{""}, Resources: []string{"configmaps", "services"}},
		Rule{Verbs: read, Groups: []string{"apps"}, Resources: []string{"deployments"}},
		Rule{Verbs: read, Groups: []string{"apiextensions.k8s.io"}, Resources: []string{"customresourcedefinitions"}},
		Rule{Verbs: []string{"get"}, Paths: []string{"/members/*"}},
	)
	approve := rulesOfRoles(rbac.Approver)
	in := []string{namespace}
	tenant := []Rule{
		{Namespaces: in, Verbs: read, Groups: []string{placementGroup}, Resources: []string{"*"}},
		{Namespaces: in, Verbs: read, Groups: []string{""}, Resources: []string{"namespaces", "events", "configmaps", "services"}},
		{Namespaces: in, Verbs: read, Groups: []string{"apps"}, Resources: []string{"deployments"}},
		{
			Namespaces: in, Verbs: []string{"create", "update", "patch", "delete"}, Groups: []string{placementGroup},
			Resources: []string{"stagedupdateruns", "stagedupdatestrategies", "approvalrequests", "approvalrequests/status"},
		},
	}
	return []User{
		{Name: AdminUser, Groups: []string{user.SystemPrivilegedGroup}},
		{Name: ViewerUser, Rules: view},
		{Name: ApproverUser, Rules: slices.Concat(view, approve)},
		{Name: TenantUser, Rules: tenant},
		{Name: StrangerUser},
	}
}

// directory is the immutable set of users with their tokens.
type directory struct {
	byName  map[string]User
	tokens  map[string]string            // name to token
	byToken map[string]*user.DefaultInfo // token to identity
	order   []string
}

func newDirectory(users []User) (*directory, error) {
	if users == nil {
		users = DefaultUsers("default")
	}
	if !slices.ContainsFunc(users, func(u User) bool { return u.Name == AdminUser }) {
		users = append(slices.Clone(users), User{Name: AdminUser, Groups: []string{user.SystemPrivilegedGroup}})
	}
	d := &directory{byName: map[string]User{}, tokens: map[string]string{}, byToken: map[string]*user.DefaultInfo{}}
	for _, u := range users {
		if u.Name == "" {
			return nil, errors.New("read users: a user without a name")
		}
		if _, twice := d.byName[u.Name]; twice {
			return nil, fmt.Errorf("read users: %q is there twice", u.Name)
		}
		token := rand.Text()
		d.byName[u.Name] = u
		d.tokens[u.Name] = token
		d.byToken[token] = &user.DefaultInfo{Name: u.Name, Groups: u.Groups}
		d.order = append(d.order, u.Name)
	}
	return d, nil
}

func (d *directory) token(name string) string { return d.tokens[name] }
