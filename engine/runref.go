package engine

import (
	"slices"
	"strings"
)

// RunScope is where RUN arguments are looked up, as the flags and the kubeconfig
// context say.
type RunScope struct {
	// Namespace is the one of --namespace; empty when it is not given.
	Namespace string
	// Default is the namespace of the kubeconfig context, which sur/NAME means as
	// it does for kubectl; empty with --all-namespaces.
	Default string
	// NamespacedOnly leaves cluster runs out.
	NamespacedOnly bool
}

// RunRef is a RUN argument: NAME, NAMESPACE/NAME, csur/NAME or sur/NAME. The
// zero RunRef names no run.
type RunRef struct {
	kind Kind   // KindUnknown: cluster runs and namespaced runs
	ns   string // empty: every namespace
	name string
}

// IsZero reports whether the reference names no run.
func (r RunRef) IsZero() bool { return r == RunRef{} }

// Kind returns the kind that the reference is limited to; KindUnknown when
// both kinds may have the name.
func (r RunRef) Kind() Kind { return r.kind }

// Namespace returns the raw namespace that the reference is limited to, empty
// when there is none.
func (r RunRef) Namespace() string { return r.ns }

// Raw returns the name as it was given: for requests, never for the screen.
func (r RunRef) Raw() string { return r.name }

// Name returns the name for the screen.
func (r RunRef) Name() Text { return Clean(r.name) }

// Exact reports whether only one run can match.
func (r RunRef) Exact() bool {
	return r.kind == KindClusterStagedUpdateRun || r.kind == KindStagedUpdateRun && r.ns != ""
}

// runKindOf returns the kind of run that a word in front of a slash names, as
// kubectl spells resources: short name, singular or plural, with the group or
// without it.
func runKindOf(word string) Kind {
	name, group, _ := strings.Cut(strings.ToLower(word), ".")
	if group != "" && group != runGroup && !strings.HasSuffix(group, "."+runGroup) {
		return KindUnknown
	}
	for _, k := range []Kind{KindClusterStagedUpdateRun, KindStagedUpdateRun} {
		if name == strings.ToLower(k.String()) || name == k.Plural() || name == k.Short() && group == "" {
			return k
		}
	}
	return KindUnknown
}

// runGroup is the API group of runs.
const runGroup = "placement.kubernetes-fleet.io"

// Parse reads a RUN argument. It refuses one that has no meaning in the scope.
func (sc RunScope) Parse(arg string) (RunRef, Refusal) {
	parts := strings.Split(arg, "/")
	if slices.ContainsFunc(parts, unnamable) || len(parts) > 3 {
		return RunRef{}, malformedRun(arg)
	}
	r := RunRef{name: parts[len(parts)-1]}
	switch kind := runKindOf(parts[0]); {
	case len(parts) == 1 && sc.Namespace == "" && !sc.NamespacedOnly:
	case len(parts) == 1:
		r.kind, r.ns = KindStagedUpdateRun, sc.Namespace
	case len(parts) == 2 && kind == KindStagedUpdateRun:
		r.kind, r.ns = kind, sc.Namespace
		if r.ns == "" {
			r.ns = sc.Default
		}
	case len(parts) == 2 && kind == KindClusterStagedUpdateRun:
		r.kind = kind
		if sc.NamespacedOnly {
			return RunRef{}, Refusal{Why: Textf("%s is a cluster run, and --namespaced-only excludes cluster runs", Clean(arg)), Hint: Lit("remove --namespaced-only")}
		}
	case len(parts) == 2:
		r.kind, r.ns = KindStagedUpdateRun, parts[0]
	case kind == KindStagedUpdateRun:
		r.kind, r.ns = kind, parts[1]
	default:
		return RunRef{}, malformedRun(arg)
	}
	if r.kind == KindStagedUpdateRun && sc.Namespace != "" && r.ns != sc.Namespace {
		return RunRef{}, Refusal{Why: Textf("run %q is not in namespace %q", Clean(arg), Clean(sc.Namespace)), Hint: Lit("remove --namespace, or the namespace of the run")}
	}
	return r, Refusal{}
}

// unnamable reports whether no object can have the name: the API server refuses
// it in a path.
func unnamable(s string) bool { return s == "" || s == "." || s == ".." || strings.Contains(s, "%") }

func malformedRun(arg string) Refusal {
	return Refusal{Why: Textf("invalid run %q", Clean(arg)), Hint: Lit("write NAME, NAMESPACE/NAME, csur/NAME (cluster run) or sur/NAME (namespaced run)")}
}

// RunForms writes the RUN arguments that select the runs of one list.
type RunForms struct {
	scope RunScope
	named map[string]int
}

// Forms returns the RunForms of the runs with the given IDs in the scope.
func (sc RunScope) Forms(ids []ID) RunForms {
	f := RunForms{scope: sc, named: map[string]int{}}
	for _, id := range ids {
		f.named[id.name]++
	}
	return f
}

// All returns every argument that selects the run, the most usual first.
func (f RunForms) All(id ID) []Text {
	var out []Text
	bare := f.named[id.name] == 1
	if f.scope.Namespace != "" {
		bare = id.kind == KindStagedUpdateRun
	}
	switch {
	case id.kind == KindClusterStagedUpdateRun:
		if bare {
			out = append(out, Clean(id.name))
		}
		return append(out, Textf("%s/%s", id.kind.Short(), id.name))
	case runKindOf(id.ns) == KindUnknown:
		out = append(out, id.Title())
	}
	out = append(out, Textf("%s/%s/%s", id.kind.Short(), id.ns, id.name))
	if bare {
		out = append(out, Clean(id.name))
	}
	if ns := f.scope.Namespace; ns == id.ns || ns == "" && f.scope.Default == id.ns {
		out = append(out, Textf("%s/%s", id.kind.Short(), id.name))
	}
	return out
}

// Of returns the argument that selects the run.
func (f RunForms) Of(id ID) Text { return f.All(id)[0] }
