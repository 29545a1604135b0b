package engine

import (
	"slices"
)

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
		if !isRun(id.Kind()) {
			broken = append(broken, id)
		}
	}
	slices.SortFunc(broken, ID.Compare)
	for _, id := range broken {
		others = append(others, Textf("%s %s could not be read: %s", id.Kind().Short(), id.Title(), w.Broken[id]))
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
