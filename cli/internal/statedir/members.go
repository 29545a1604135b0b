package statedir

import "fmt"

// membersFile maps the hub's context and a member's name to the context chosen
// for the member.
const membersFile = "members.json"

// MemberContext returns the context that was chosen for a member of a hub, empty
// for none. A file that cannot be read has none; the next ChooseMember returns the
// error.
func (d Dir) MemberContext(hub, member string) string {
	var chosen map[string]map[string]string
	if d.read(membersFile, &chosen) != nil {
		return ""
	}
	return chosen[hub][member]
}

// ChooseMember keeps the context chosen for a member of a hub; an empty one
// removes the choice.
func (d Dir) ChooseMember(hub, member, context string) error {
	chosen := map[string]map[string]string{}
	if err := d.read(membersFile, &chosen); err != nil {
		return fmt.Errorf("read contexts of members: %w", err)
	}
	if chosen == nil { // the file holds null
		chosen = map[string]map[string]string{}
	}
	if chosen[hub][member] == context {
		return nil
	}
	if chosen[hub] == nil {
		chosen[hub] = map[string]string{}
	}
	chosen[hub][member] = context
	if context == "" {
		delete(chosen[hub], member)
	}
	if err := d.replace(membersFile, chosen); err != nil {
		return fmt.Errorf("write contexts of members: %w", err)
	}
	return nil
}
