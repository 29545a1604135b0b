package scenario

import (
	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/demo/members"
)

// memberContexts are the kubeconfig contexts of the members, each under the
// member's name. The last three show what goes wrong with contexts: one leads to
// another member, one has no rights, and one never answers.
func memberContexts(all []Member) []hub.Context {
	var contexts []hub.Context
	for i, m := range all {
		c := hub.Context{Name: m.Name, User: hub.AdminUser, Path: members.Path + m.Name}
		switch {
		case misnamedMember(all, i):
			c.Path = members.Path + all[0].Name
		case forbiddenMember(all, i):
			c.User = hub.StrangerUser
		}
		contexts = append(contexts, c)
	}
	return contexts
}

// misnamedMember reports whether the context with this member's name leads to
// another member, the first.
func misnamedMember(all []Member, i int) bool { return len(all) > 4 && i == len(all)-3 }

// forbiddenMember tells whether the context of this member has no rights.
func forbiddenMember(all []Member, i int) bool { return len(all) > 3 && i == len(all)-2 }

// hangingMember is the name of the member that never answers; empty when there
// is none.
func hangingMember(all []Member) string {
	if len(all) <= 3 {
		return ""
	}
	return all[len(all)-1].Name
}
