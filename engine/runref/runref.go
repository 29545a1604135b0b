// Package runref reads RUN arguments, as commands and the palette take them, and
// looks them up among the runs that are known. Its Match says what an argument
// selects, or why it does not select one run.
package runref

import (
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/shell"
)

// Scope is where RUN arguments are looked up, as the flags and the kubeconfig
// context say.
type Scope struct {
	// Namespace is the one of --namespace; empty when it is not given.
	Namespace string
	// Default is the namespace of the kubeconfig context, which sur/NAME means as
	// it does for kubectl; empty with --all-namespaces.
	Default string
	// NamespacedOnly leaves cluster runs out.
	NamespacedOnly bool
}

// Ref is a RUN argument: NAME, NAMESPACE/NAME, csur/NAME or sur/NAME. The
// zero RunRef names no run.
type Ref struct {
	kind engine.Kind // KindUnknown: cluster runs and namespaced runs
	ns   string      // empty: every namespace
	name string
}

// IsZero reports whether the reference names no run.
func (r Ref) IsZero() bool { return r == Ref{} }

// Kind returns the kind that the reference is limited to; KindUnknown when
// both kinds may have the name.
func (r Ref) Kind() engine.Kind { return r.kind }

// Namespace returns the raw namespace that the reference is limited to, empty
// when there is none.
func (r Ref) Namespace() string { return r.ns }

// Raw returns the name as it was given: for requests, never for the screen.
func (r Ref) Raw() string { return r.name }

// Name returns the name for the screen.
func (r Ref) Name() engine.Text { return engine.Clean(r.name) }

// Exact reports whether only one run can match.
func (r Ref) Exact() bool {
	return r.kind == engine.KindClusterStagedUpdateRun || r.kind == engine.KindStagedUpdateRun && r.ns != ""
}

// Parse reads a RUN argument. It refuses one that has no meaning in the scope.
func (sc Scope) Parse(arg string) (Ref, engine.Refusal) {
	if strings.HasPrefix(arg, "(") && strings.HasSuffix(arg, ")") { // as the list prints it
		return Ref{}, engine.Refusal{
			Why:  engine.Textf("%s is not a run: parentheses mark a placement without a run", engine.Clean(arg)),
			Hint: engine.Textf("see why it has none: stagewatch explain %s", engine.Clean(shell.Quote(arg))),
		}
	}
	parts := strings.Split(arg, "/")
	if slices.ContainsFunc(parts, unnamable) || len(parts) > 3 {
		return Ref{}, malformedRun(arg)
	}
	r := Ref{name: parts[len(parts)-1]}
	switch kind := engine.RunKindOf(parts[0]); {
	case len(parts) == 1 && sc.Namespace == "" && !sc.NamespacedOnly:
	case len(parts) == 1:
		r.kind, r.ns = engine.KindStagedUpdateRun, sc.Namespace
	case len(parts) == 2 && kind == engine.KindStagedUpdateRun:
		r.kind, r.ns = kind, sc.Namespace
		if r.ns == "" {
			r.ns = sc.Default
		}
	case len(parts) == 2 && kind == engine.KindClusterStagedUpdateRun:
		r.kind = kind
		if sc.NamespacedOnly {
			return Ref{}, engine.Refusal{Why: engine.Textf("%s is a cluster run, and --namespaced-only excludes cluster runs", engine.Clean(arg)), Hint: engine.Lit("remove --namespaced-only")}
		}
	case len(parts) == 2:
		r.kind, r.ns = engine.KindStagedUpdateRun, parts[0]
	case kind == engine.KindStagedUpdateRun:
		r.kind, r.ns = kind, parts[1]
	default:
		return Ref{}, malformedRun(arg)
	}
	if r.kind == engine.KindStagedUpdateRun && sc.Namespace != "" && r.ns != sc.Namespace {
		return Ref{}, engine.Refusal{Why: engine.Textf("run %q is not in namespace %q", engine.Clean(arg), engine.Clean(sc.Namespace)), Hint: engine.Lit("remove --namespace, or the namespace of the run")}
	}
	return r, engine.Refusal{}
}

// ParseLine reads what is typed behind a command of the screen: a RUN argument, with -n and -A as
// commands take them.
func (sc Scope) ParseLine(line string) (Ref, engine.Refusal) {
	var run []string
	for words := strings.Fields(line); len(words) > 0; {
		w := words[0]
		words = words[1:]
		name, ns, valued := strings.Cut(w, "=")
		switch {
		case w == "-A" || w == "--all-namespaces":
			sc.Namespace, sc.Default = "", ""
			continue
		case name == "-n" || name == "--namespace":
		case strings.HasPrefix(w, "-n"):
			ns, valued = w[len("-n"):], true
		case strings.HasPrefix(w, "-"):
			return Ref{}, engine.Refusal{Why: engine.Textf("unknown flag: %s", engine.Clean(w)), Hint: engine.Lit("flags here are -n NAMESPACE and -A")}
		default:
			run = append(run, w)
			continue
		}
		if !valued && len(words) > 0 {
			ns, words = words[0], words[1:]
		}
		if ns == "" {
			return Ref{}, engine.Refusal{Why: engine.Textf("flag needs an argument: %s", engine.Clean(name)), Hint: engine.Lit("write -n NAMESPACE NAME")}
		}
		sc.Namespace, sc.Default = ns, ns
	}
	if len(run) == 0 {
		return Ref{}, engine.Refusal{Why: engine.Lit("no run is named"), Hint: engine.Lit("write {command}open NAME")}
	}
	r, no := sc.Parse(strings.Join(run, " "))
	if no.Refused() && strings.HasPrefix(line, "(") {
		no.Hint = engine.Lit("select it in the list to see why")
	}
	return r, no
}

// unnamable reports whether no object can have the name: the API server refuses
// it in a path.
func unnamable(s string) bool { return s == "" || s == "." || s == ".." || strings.Contains(s, "%") }

func malformedRun(arg string) engine.Refusal {
	return engine.Refusal{Why: engine.Textf("invalid run %q", engine.Clean(arg)), Hint: engine.Lit("write NAME, NAMESPACE/NAME, csur/NAME (cluster run) or sur/NAME (namespaced run)")}
}

// Kubectl returns the argument that kubectl get -o name prints for a run, with the namespace
// unless the scope names it: runs of several namespaces may have the same name.
func (sc Scope) Kubectl(id engine.ID) engine.Text {
	kind := engine.Textf("%s.%s", engine.Clean(strings.ToLower(id.Kind().String())), engine.Clean(engine.RunGroup))
	if id.Kind() == engine.KindClusterStagedUpdateRun || sc.Namespace != "" {
		return engine.Textf("%s/%s", kind, id.RawName())
	}
	return engine.Textf("%s/%s/%s", kind, id.RawNamespace(), id.RawName())
}

// Forms writes the RUN arguments that select the runs of one list.
type Forms struct {
	scope Scope
	named map[string]int
}

// Forms returns the RunForms of the runs with the given IDs in the scope.
func (sc Scope) Forms(ids []engine.ID) Forms {
	f := Forms{scope: sc, named: map[string]int{}}
	for _, id := range ids {
		f.named[id.RawName()]++
	}
	return f
}

// FormsIn returns the Forms of the rows of a Snapshot.
func (sc Scope) FormsIn(s *engine.Snapshot) Forms {
	ids := make([]engine.ID, 0, len(s.Runs))
	for _, r := range s.Runs {
		if r.Word != engine.WordNoRun {
			ids = append(ids, r.ID)
		}
	}
	return sc.Forms(ids)
}

// All returns every argument that selects the run, the most usual first.
func (f Forms) All(id engine.ID) []engine.Text {
	var out []engine.Text
	bare := f.named[id.RawName()] == 1
	if f.scope.Namespace != "" {
		bare = id.Kind() == engine.KindStagedUpdateRun
	}
	switch {
	case id.Kind() == engine.KindClusterStagedUpdateRun:
		if bare {
			out = append(out, engine.Clean(id.RawName()))
		}
		return append(out, engine.Textf("%s/%s", id.Kind().Short(), id.RawName()), f.scope.Kubectl(id))
	case engine.RunKindOf(id.RawNamespace()) == engine.KindUnknown:
		out = append(out, id.Title())
	}
	out = append(out, engine.Textf("%s/%s/%s", id.Kind().Short(), id.RawNamespace(), id.RawName()))
	if bare {
		out = append(out, engine.Clean(id.RawName()))
	}
	if ns := f.scope.Namespace; ns == id.RawNamespace() || ns == "" && f.scope.Default == id.RawNamespace() {
		out = append(out, engine.Textf("%s/%s", id.Kind().Short(), id.RawName()))
	}
	return append(out, f.scope.Kubectl(id))
}

// Of returns the argument that selects the run.
func (f Forms) Of(id engine.ID) engine.Text { return f.All(id)[0] }
