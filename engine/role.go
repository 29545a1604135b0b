package engine

// Role is what a piece of a page means; the screen gives it its colour.
type Role uint8

// The roles.
const (
	RoleText  Role = iota
	RoleName       // the name of a thing
	RoleSub        // second reading: labels, units, messages
	RoleFaint      // may recede
	RoleGood
	RoleBusy
	RoleBad
	RoleAsk  // waits for a person
	RoleWait // waits for time, or is odd
)
