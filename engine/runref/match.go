package runref

import (
	"slices"
	"sort"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/shell"
)

// setText names the set among the others.
func setText(s engine.RunSet, all []engine.RunSet) engine.Text {
	switch {
	case s.ID.Kind() == engine.KindClusterStagedUpdateRun:
		return engine.Lit("cluster runs")
	case s.ID.RawNamespace() != "":
		return engine.Textf("runs in namespace %s", s.ID.RawNamespace())
	case slices.ContainsFunc(all, func(o engine.RunSet) bool { return o.ID.Kind() == s.ID.Kind() && o.ID.RawNamespace() != "" }):
		return engine.Lit("runs in other namespaces")
	}
	return engine.Lit("namespaced runs")
}

// MatchOutcome says what a RUN argument selects.
type MatchOutcome uint8

// The outcomes of a lookup.
const (
	MatchOne      MatchOutcome = iota
	MatchSeveral               // more than one run has the name
	MatchNone                  // every set that could have the run was read
	MatchUnlisted              // the run may be in a set that was not read
)

// Match is what a RUN argument selects.
type Match struct {
	Ref Ref
	// IDs are the runs that match, in the order of IDs.
	IDs []engine.ID
	// Unlisted are the sets that may have another match and were not read, each kind once.
	Unlisted []engine.Text
	// clusterUnread is set when cluster runs are among them.
	clusterUnread bool
	// worst is why: that of the set with the reason that a person can do most
	// about.
	worst engine.CoverState
	// unnamed is set when not all runs of these sets are known by name.
	unnamed bool
	forms   Forms
	// Similar begins a hint with the name of a run that may be meant; empty for none.
	Similar engine.Text
}

// In looks the reference up in a Snapshot.
func (r Ref) In(s *engine.Snapshot, sc Scope) Match {
	ids := make([]engine.ID, 0, len(s.Runs))
	for _, v := range s.Runs {
		ids = append(ids, v.ID)
	}
	return r.Among(ids, s.Scope.Runs, sc)
}

// Among looks the reference up among the objects of the given sets. What is no
// run does not match.
func (r Ref) Among(ids []engine.ID, sets []engine.RunSet, sc Scope) Match {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id engine.ID) bool { return !engine.IsRun(id.Kind()) })
	m := Match{Ref: r, forms: sc.Forms(ids)}
	var others []string
	for _, id := range ids {
		switch {
		case r.kind != engine.KindUnknown && id.Kind() != r.kind, r.ns != "" && id.RawNamespace() != r.ns:
		case id.RawName() == r.name:
			m.IDs = append(m.IDs, id)
		default:
			others = append(others, id.RawName())
		}
	}
	if len(m.IDs) == 0 {
		m.Similar = engine.DidYouMean(r.name, others)
	}
	sort.Slice(m.IDs, func(i, j int) bool { return m.IDs[i].Compare(m.IDs[j]) < 0 })
	for _, set := range r.unread(sets) {
		if kind := setText(set, sets); !slices.Contains(m.Unlisted, kind) { // of each hub
			m.Unlisted = append(m.Unlisted, kind)
		}
		m.unnamed = m.unnamed || !set.Named
		m.clusterUnread = m.clusterUnread || set.ID.Kind() == engine.KindClusterStagedUpdateRun
		if m.worst != engine.CoverForbidden {
			m.worst = set.State
		}
	}
	return m
}

// unread returns the sets that the reference may point into and that were not
// read. A kind that the hub does not serve has no runs.
func (r Ref) unread(sets []engine.RunSet) []engine.RunSet {
	var out []engine.RunSet
	asked := false
	for _, s := range sets {
		if r.kind != engine.KindUnknown && s.ID.Kind() != r.kind || r.ns != "" && s.ID.RawNamespace() != "" && s.ID.RawNamespace() != r.ns {
			continue
		}
		if r.ns != "" && s.ID.RawNamespace() == "" && slices.ContainsFunc(sets, func(o engine.RunSet) bool { return o.ID.Kind() == s.ID.Kind() && o.ID.RawNamespace() == r.ns }) {
			continue // the namespace has a set of its own
		}
		asked = true
		if s.State != engine.CoverComplete && s.State != engine.CoverNotServed {
			out = append(out, s)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].ID.Compare(out[j].ID) < 0 })
	if !asked && r.kind != engine.KindUnknown {
		out = append(out, engine.RunSet{ID: engine.NewID(r.kind, r.ns, "", ""), State: engine.CoverNotAsked})
	}
	return out
}

// Outcome says what the reference selects.
func (m *Match) Outcome() MatchOutcome {
	switch {
	case len(m.IDs) > 1:
		return MatchSeveral
	case len(m.IDs) == 1:
		return MatchOne
	case len(m.Unlisted) > 0:
		return MatchUnlisted
	}
	return MatchNone
}

// IsNamed reports whether all runs are known by name that may match, whole or not.
func (m *Match) IsNamed() bool { return !m.unnamed }

// Forbidden reports whether a set that may have the run may not be listed.
func (m *Match) Forbidden() bool { return m.worst == engine.CoverForbidden }

// ClusterRunsUnread reports whether a cluster run may match, too, and those were not read.
func (m *Match) ClusterRunsUnread() bool { return m.clusterUnread }

// Note says what was left out of a lookup that may have more matches; empty
// when nothing was.
func (m *Match) Note() engine.Text {
	if m.IsNamed() || m.Outcome() == MatchUnlisted {
		return engine.Text{}
	}
	return engine.Textf("%q may name more runs: %s", m.Ref.Name(), m.unlisted())
}

// unlisted says why the sets were left out.
func (m *Match) unlisted() engine.Text {
	sets := engine.Join(m.Unlisted, " and ")
	switch m.worst {
	case engine.CoverForbidden:
		return engine.Textf("this user may not list %s", sets)
	case engine.CoverNotAsked:
		return engine.Textf("%s are outside the scope of this session", sets)
	case engine.CoverLoading:
		return engine.Textf("%s are still being read", sets)
	}
	return engine.Textf("%s could not be read", sets)
}

// Problem says why the reference does not select one run; it refuses nothing
// when it does.
func (m *Match) Problem() engine.Refusal {
	switch m.Outcome() {
	case MatchSeveral:
		var forms []engine.Text
		for _, id := range m.IDs {
			if form := m.forms.Of(id); !slices.Contains(forms, form) { // the same on several hubs
				forms = append(forms, form)
			}
		}
		if hubs := m.hubs(); len(hubs) > 1 {
			r := engine.Refusal{
				Why:  engine.Textf("run name %q is ambiguous: it exists on the hubs %s", m.Ref.Name(), engine.Join(hubs, " and ")),
				Hint: engine.Lit("name one hub with --context"),
			}
			if len(forms) > 1 {
				r.Hint = engine.Textf("%s, and use %s", r.Hint, engine.Join(forms, " or "))
			}
			return r
		}
		return engine.Refusal{
			Why:  engine.Textf("run name %q is ambiguous: %d runs have it", m.Ref.Name(), len(m.IDs)),
			Hint: engine.Textf("use %s", engine.Join(forms, " or ")),
		}
	case MatchUnlisted:
		r := engine.Refusal{
			Why:  engine.Textf("run %q not found: %s", m.Ref.Name(), m.unlisted()),
			Hint: engine.Lit("run the command again"),
		}
		switch m.worst {
		case engine.CoverForbidden:
			r.Hint = engine.Lit("ask for the right to list them, or use another context")
		case engine.CoverNotAsked:
			r.Hint = engine.Lit("start stagewatch without --namespace and --namespaced-only")
		}
		return r
	case MatchNone:
		hint := engine.Textf("%slist the runs with stagewatch get", m.Similar)
		if engine.RunKindOf(m.Ref.name) != engine.KindUnknown && m.Ref.kind != engine.KindClusterStagedUpdateRun {
			hint = engine.Textf("write the kind and the name as %s/NAME; stagewatch get lists all runs", m.Ref.Name())
		}
		return engine.Refusal{Why: m.Ref.notFound(), Hint: hint}
	case MatchOne:
	}
	return engine.Refusal{}
}

// hubs are the names of the hubs that have a match.
func (m *Match) hubs() []engine.Text {
	var out []engine.Text
	for _, id := range m.IDs {
		if hub := id.Hub().Context(); !slices.Contains(out, hub) {
			out = append(out, hub)
		}
	}
	return out
}

func (r Ref) notFound() engine.Text {
	switch {
	case r.kind == engine.KindClusterStagedUpdateRun:
		return engine.Textf("cluster run %q not found", r.Name())
	case r.ns != "":
		return engine.Textf("run %q not found in namespace %q", r.Name(), engine.Clean(r.ns))
	case r.kind == engine.KindStagedUpdateRun:
		return engine.Textf("run %q not found in any namespace", r.Name())
	}
	return engine.Textf("run %q not found, neither as a cluster run nor in any namespace", r.Name())
}

// Placement returns the placement without a run that r names, nil for none, and the refusal when
// several have the name. In brackets a name without a namespace is first that of the cluster
// placement: so the list prints it.
func (r Ref) Placement(s *engine.Snapshot, brackets bool) (*engine.RunView, engine.Refusal) {
	var all []*engine.RunView
	var forms []engine.Text
	for _, v := range s.Runs {
		if v.Word != engine.WordNoRun || v.Placement.RawName() != r.name || r.ns != "" && v.Placement.RawNamespace() != r.ns {
			continue
		}
		if brackets && v.Placement.RawNamespace() == "" {
			return v, engine.Refusal{}
		}
		all, forms = append(all, v), append(forms, engine.Clean(shell.Quote("("+v.Placement.Title().String()+")")))
	}
	switch len(all) {
	case 0:
		return nil, engine.Refusal{}
	case 1:
		return all[0], engine.Refusal{}
	}
	return nil, engine.Refusal{
		Why:  engine.Textf("placement name %q is ambiguous: %d placements without a run have it", r.Name(), len(all)),
		Hint: engine.Textf("use %s", engine.Join(forms, " or ")),
	}
}
