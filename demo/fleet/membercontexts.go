package fleet

import "github.com/stagewatch/stagewatch/demo/hub"

// memberContexts are the kubeconfig contexts of the members, each under the
// member's name. The last three show what goes wrong with contexts: one leads to
// another member, one has no rights, and one never answers.
func memberContexts(members []Member) []hub.Context {
	var contexts []hub.Context
	for i, m := range members {
		c := hub.Context{Name: m.Name, User: hub.AdminUser, Path: membersPath + m.Name}
		switch {
		case misnamedMember(members, i):
			c.Path = membersPath + members[0].Name
		case forbiddenMember(members, i):
			c.User = hub.StrangerUser
		}
		contexts = append(contexts, c)
	}
	return contexts
}

// misnamedMember reports whether the context with this member's name leads to
// another member, the first.
func misnamedMember(members []Member, i int) bool { return len(members) > 4 && i == len(members)-3 }

// forbiddenMember tells whether the context of this member has no rights.
func forbiddenMember(members []Member, i int) bool { return len(members) > 3 && i == len(members)-2 }

// hangingMember is the name of the member that never answers; empty when there
// is none.
func hangingMember(members []Member) string {
	if len(members) <= 3 {
		return ""
	}
	return members[len(members)-1].Name
}
