package engine

import "maps"

// Verb is what a right allows to do.
type Verb uint8

// The verbs that acts need.
const (
	VerbNone Verb = iota
	VerbUpdate
	VerbPatch
	VerbCreate
	VerbDelete
)

// String returns the verb of the API.
func (v Verb) String() string {
	//exhaustive:enforce
	switch v {
	case VerbUpdate:
		return "update"
	case VerbPatch:
		return "patch"
	case VerbCreate:
		return "create"
	case VerbDelete:
		return "delete"
	case VerbNone:
	}
	return "none"
}

// Right is one thing that a person may or may not do at a hub. It is comparable.
type Right struct {
	Kind Kind
	Verb Verb
	// Status is set when the right is about the status subresource.
	Status bool

	ns string
}

// In returns the right in a namespace; an empty one means everywhere.
func (r Right) In(namespace string) Right { r.ns = namespace; return r }

// Namespace returns the raw namespace for a review; empty for cluster scope and for all namespaces.
func (r Right) Namespace() string { return r.ns }

// Text returns the right in the words of RBAC: "update approvalrequests/status in namespace shop".
func (r Right) Text() Text {
	t := Textf("%s %s", Clean(r.Verb.String()), Clean(r.Kind.Plural()))
	if r.Status {
		t = Textf("%s/status", t)
	}
	if r.ns != "" {
		t = Textf("%s in namespace %s", t, Clean(r.ns))
	}
	return t
}

// Grant is what is known about a right.
type Grant uint8

// The grants. Unknown is neither yes nor no: the hub decides when it is asked.
const (
	GrantUnknown Grant = iota
	GrantYes
	GrantNo
)

// Needs returns the right that an act on a run of the kind in the namespace
// takes. ActNone needs none.
func Needs(act Act, run Kind, namespace string) Right {
	if !run.Namespaced() {
		namespace = ""
	}
	switch act {
	case ActApprove:
		return Right{Kind: run.InScope(KindClusterApprovalRequest, KindApprovalRequest), Verb: VerbUpdate, Status: true, ns: namespace}
	case ActRun, ActStop:
		return Right{Kind: run, Verb: VerbPatch, ns: namespace}
	case ActClone:
		return Right{Kind: run, Verb: VerbCreate, ns: namespace}
	case ActDelete:
		return Right{Kind: run, Verb: VerbDelete, ns: namespace}
	case ActNone:
	}
	return Right{}
}

// Access holds the rights of the user at a hub, as far as they are known. It is
// immutable: With returns a copy. In the zero Access every right is unknown.
type Access struct{ grants map[Right]Grant }

// With returns the Access with one more thing known.
func (a Access) With(r Right, g Grant) Access {
	grants := maps.Clone(a.grants)
	if grants == nil {
		grants = map[Right]Grant{}
	}
	grants[r] = g
	return Access{grants: grants}
}

// Equal reports whether the same is known.
func (a Access) Equal(b Access) bool { return maps.Equal(a.grants, b.grants) }

// Of returns what is known about a right. What is granted in every namespace is
// granted in each; what is not may still be granted in one.
func (a Access) Of(r Right) Grant {
	if g := a.grants[r]; g == GrantYes || r.ns == "" {
		return g
	}
	if a.grants[r.In("")] == GrantYes {
		return GrantYes
	}
	return a.grants[r]
}

// Allowed refuses an act that the hub says this person may not do. What is not
// known is not refused: the hub decides.
func Allowed(s *Snapshot, act Act, run ID) Refusal {
	need := Needs(act, RunKind(run.kind), run.ns)
	if s.Access.Of(need) != GrantNo {
		return Refusal{}
	}
	r := Refusal{
		Why:  Textf("you may not %s on this hub", need.Text()),
		Hint: Lit("ask for this permission, or use another context"),
	}
	if u := s.Hub.User; !u.IsZero() {
		r.Why = Textf("%s may not %s on this hub", u, need.Text())
	}
	return r
}
