package engine

import (
	"slices"
)

// RunKind returns the kind of run of an object's scope.
func RunKind(k Kind) Kind { return k.Twin(KindClusterStagedUpdateRun, KindStagedUpdateRun) }

// isRun reports whether the kind is one of the two kinds of run.
func isRun(k Kind) bool { return k == KindClusterStagedUpdateRun || k == KindStagedUpdateRun }

// settled reports whether asking for the set again and again would bring no
// more than there is: it is complete, or it is known why there is nothing.
func (c CoverState) settled() bool {
	return c == CoverComplete || c == CoverForbidden || c == CoverNotServed
}

// complete reports whether every set that was asked for is whole. A set that
// the hub does not permit or does not serve is outside the scope, and a note
// says so; one that failed is missing.
func (w *World) complete() bool {
	whole := false
	for _, k := range w.runKinds() {
		c, asked := w.coverOf(k)
		if !asked || !c.settled() {
			return false
		}
		whole = whole || c != CoverForbidden
	}
	for key, c := range w.Covered {
		if key.Placement.IsZero() && key.Kind != KindMemberCluster && c.State != CoverNotAsked && !c.State.settled() {
			return false
		}
	}
	for id := range w.Printed {
		if w.Runs[id] == nil && w.Broken[id] == "" {
			return false
		}
	}
	return whole
}

// runKinds returns the kinds of run that are asked for.
func (w *World) runKinds() []Kind {
	var out []Kind
	if w.Settings.ClusterRuns {
		out = append(out, KindClusterStagedUpdateRun)
	}
	if w.Settings.NamespacedRuns {
		out = append(out, KindStagedUpdateRun)
	}
	return out
}

// coverOf returns the state of a kind's set, in whatever namespace it was asked
// for. When there are several the least complete one counts.
func (w *World) coverOf(k Kind) (state CoverState, asked bool) {
	worst := CoverComplete
	for key, c := range w.Covered {
		if key.Kind != k || !key.Placement.IsZero() || c.State == CoverNotAsked {
			continue
		}
		asked = true
		if c.State != CoverComplete {
			worst = c.State
		}
	}
	if !asked {
		return CoverNotAsked, false
	}
	return worst, true
}

// covered reports whether the objects of the kind in the namespace are all
// known.
func (w *World) covered(k Kind, ns string) bool {
	return w.Covered[CoverAll(k)].State == CoverComplete ||
		ns != "" && w.Covered[CoverKey{Kind: k, Namespace: ns}].State == CoverComplete
}

// coverNouns name the sets in notes.
var coverNouns = map[Kind]Text{
	KindClusterStagedUpdateRun:   Lit("cluster-scoped runs"),
	KindStagedUpdateRun:          Lit("namespaced runs"),
	KindClusterApprovalRequest:   Lit("approval requests of cluster-scoped runs"),
	KindApprovalRequest:          Lit("approval requests of namespaced runs"),
	KindClusterResourcePlacement: Lit("cluster-scoped placements"),
	KindResourcePlacement:        Lit("namespaced placements"),
	KindMemberCluster:            Lit("member clusters, with their health and heartbeat,"),
}

// coverShort names them where there is little room.
var coverShort = map[Kind]Text{
	KindClusterStagedUpdateRun:   Lit("cluster runs"),
	KindStagedUpdateRun:          Lit("namespaced runs"),
	KindClusterApprovalRequest:   Lit("cluster approvals"),
	KindApprovalRequest:          Lit("namespaced approvals"),
	KindClusterResourcePlacement: Lit("cluster placements"),
	KindResourcePlacement:        Lit("namespaced placements"),
	KindMemberCluster:            Lit("members"),
}

// scope says what is listed, and what cannot be and why.
func (o *observation) scope() Scope {
	w := o.w
	s := Scope{Namespaces: w.Namespaces, ClusterRuns: w.Settings.ClusterRuns}
	keys := make([]CoverKey, 0, len(w.Covered))
	for k := range w.Covered {
		if k.Placement.IsZero() {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b CoverKey) int {
		return NewID(a.Kind, a.Namespace, "", "").Compare(NewID(b.Kind, b.Namespace, "", ""))
	})
	if w.OneNamespace {
		s.Runs = append(s.Runs, RunSet{ID: NewID(KindStagedUpdateRun, "", "", ""), State: CoverForbidden})
	}
	s.NoHub = len(keys) > 0
	var forbidden, others []Text
	for _, k := range keys {
		s.NoHub = s.NoHub && w.Covered[k].State == CoverNotServed
		if isRun(k.Kind) {
			s.Runs = append(s.Runs, RunSet{ID: NewID(k.Kind, k.Namespace, "", ""), State: w.Covered[k].State})
		}
		noun, known := coverNouns[k.Kind]
		if !known {
			continue
		}
		if k.Namespace != "" {
			noun = Textf("%s in %s", noun, k.Namespace)
		}
		switch c := w.Covered[k]; c.State {
		case CoverForbidden:
			s.Hidden = s.Hidden || isRun(k.Kind)
			s.Notes = append(s.Notes, Textf("%s are hidden: this user may not list them", noun))
			if short := coverShort[k.Kind]; !slices.Contains(forbidden, short) {
				forbidden = append(forbidden, short)
			}
		case CoverNotServed:
			others = append(others, Textf("%s are hidden: this hub does not serve %s", noun, k.Kind))
			s.Notes = append(s.Notes, others[len(others)-1])
		case CoverFailed:
			others = append(others, Textf("%s are missing: %s", noun, c.Why))
			s.Notes = append(s.Notes, others[len(others)-1])
		default: // nothing to note
		}
	}
	broken := make([]ID, 0, len(w.Broken))
	for id := range w.Broken {
		if !isRun(id.kind) {
			broken = append(broken, id)
		}
	}
	slices.SortFunc(broken, ID.Compare)
	for _, id := range broken {
		others = append(others, Textf("%s %s could not be read: %s", id.kind.Short(), id.Title(), w.Broken[id]))
		s.Notes = append(s.Notes, others[len(others)-1])
	}
	if len(forbidden) > 0 {
		others = append([]Text{Textf("you may not list %s", Join(forbidden, ", "))}, others...)
	}
	if s.NoHub {
		s.Notes = []Text{Lit("this cluster has no KubeFleet hub API")}
		others = s.Notes
	}
	s.Short = Join(others, " · ")
	return s
}
