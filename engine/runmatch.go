package engine

import "slices"

// setText names the set among the others.
func setText(s RunSet, all []RunSet) Text {
	switch {
	case s.ID.kind == KindClusterStagedUpdateRun:
		return Lit("cluster runs")
	case s.ID.ns != "":
		return Textf("runs in namespace %s", s.ID.ns)
	case slices.ContainsFunc(all, func(o RunSet) bool { return o.ID.kind == s.ID.kind && o.ID.ns != "" }):
		return Lit("runs in other namespaces")
	}
	return Lit("namespaced runs")
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

// RunMatch is what a RUN argument selects.
type RunMatch struct {
	Ref RunRef
	// IDs are the runs that match, in the order of IDs.
	IDs []ID
	// Unlisted are the sets that may have another match and were not read.
	Unlisted []Text
	// worst is why: that of the set with the reason that a person can do most
	// about.
	worst CoverState
	forms RunForms
}

// In looks the reference up in a Snapshot.
func (r RunRef) In(s *Snapshot, sc RunScope) RunMatch {
	ids := make([]ID, 0, len(s.Runs))
	for _, v := range s.Runs {
		ids = append(ids, v.ID)
	}
	return r.Among(ids, s.Scope.Runs, sc)
}

// Among looks the reference up among the objects of the given sets. What is no
// run does not match.
func (r RunRef) Among(ids []ID, sets []RunSet, sc RunScope) RunMatch {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id ID) bool { return !IsRun(id.kind) })
	m := RunMatch{Ref: r, forms: sc.Forms(ids)}
	for _, id := range ids {
		if id.name == r.name && (r.kind == KindUnknown || id.kind == r.kind) && (r.ns == "" || id.ns == r.ns) {
			m.IDs = append(m.IDs, id)
		}
	}
	slices.SortFunc(m.IDs, ID.Compare)
	for _, set := range r.unread(sets) {
		m.Unlisted = append(m.Unlisted, setText(set, sets))
		if m.worst != CoverForbidden {
			m.worst = set.State
		}
	}
	return m
}

// unread returns the sets that the reference may point into and that were not
// read. A kind that the hub does not serve has no runs.
func (r RunRef) unread(sets []RunSet) []RunSet {
	var out []RunSet
	asked := false
	for _, s := range sets {
		if r.kind != KindUnknown && s.ID.kind != r.kind || r.ns != "" && s.ID.ns != "" && s.ID.ns != r.ns {
			continue
		}
		if r.ns != "" && s.ID.ns == "" && slices.ContainsFunc(sets, func(o RunSet) bool { return o.ID.kind == s.ID.kind && o.ID.ns == r.ns }) {
			continue // the namespace has a set of its own
		}
		asked = true
		if s.State != CoverComplete && s.State != CoverNotServed {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b RunSet) int { return a.ID.Compare(b.ID) })
	if !asked && r.kind != KindUnknown {
		out = append(out, RunSet{ID: NewID(r.kind, r.ns, "", ""), State: CoverNotAsked})
	}
	return out
}

// Outcome says what the reference selects.
func (m *RunMatch) Outcome() MatchOutcome {
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

// Forbidden reports whether a set that may have the run may not be listed.
func (m *RunMatch) Forbidden() bool { return m.worst == CoverForbidden }

// Note says what was left out of a lookup that may have more matches; empty
// when nothing was.
func (m *RunMatch) Note() Text {
	if len(m.Unlisted) == 0 || m.Outcome() == MatchUnlisted {
		return Text{}
	}
	return Textf("%q may name more runs: %s", m.Ref.Name(), m.unlisted())
}

// unlisted says why the sets were left out.
func (m *RunMatch) unlisted() Text {
	sets := Join(m.Unlisted, " and ")
	switch m.worst {
	case CoverForbidden:
		return Textf("this user may not list %s", sets)
	case CoverNotAsked:
		return Textf("%s are outside the scope of this session", sets)
	}
	return Textf("%s could not be read", sets)
}

// Problem says why the reference does not select one run; it refuses nothing
// when it does.
func (m *RunMatch) Problem() Refusal {
	switch m.Outcome() {
	case MatchSeveral:
		forms := make([]Text, len(m.IDs))
		for i, id := range m.IDs {
			forms[i] = m.forms.Of(id)
		}
		return Refusal{
			Why:  Textf("run name %q is ambiguous: %d runs have it", m.Ref.Name(), len(m.IDs)),
			Hint: Textf("use %s", Join(forms, " or ")),
		}
	case MatchUnlisted:
		r := Refusal{
			Why:  Textf("run %q not found: %s", m.Ref.Name(), m.unlisted()),
			Hint: Lit("run the command again"),
		}
		switch m.worst {
		case CoverForbidden:
			r.Hint = Lit("ask for the right to list them, or use another context")
		case CoverNotAsked:
			r.Hint = Lit("start stagewatch without --namespace and --namespaced-only")
		}
		return r
	case MatchNone:
		return Refusal{Why: m.Ref.notFound(), Hint: Lit("list the runs with stagewatch -o name")}
	case MatchOne:
	}
	return Refusal{}
}

func (r RunRef) notFound() Text {
	switch {
	case r.kind == KindClusterStagedUpdateRun:
		return Textf("cluster run %q not found", r.Name())
	case r.ns != "":
		return Textf("run %q not found in namespace %q", r.Name(), Clean(r.ns))
	case r.kind == KindStagedUpdateRun:
		return Textf("run %q not found in any namespace", r.Name())
	}
	return Textf("run %q not found, neither as a cluster run nor in any namespace", r.Name())
}
