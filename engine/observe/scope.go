package observe

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// coverNouns name the sets in notes.
var coverNouns = map[engine.Kind]engine.Text{
	engine.KindClusterStagedUpdateRun:   engine.Lit("cluster-scoped runs"),
	engine.KindStagedUpdateRun:          engine.Lit("namespaced runs"),
	engine.KindClusterApprovalRequest:   engine.Lit("approval requests of cluster-scoped runs"),
	engine.KindApprovalRequest:          engine.Lit("approval requests of namespaced runs"),
	engine.KindClusterResourcePlacement: engine.Lit("cluster-scoped placements"),
	engine.KindResourcePlacement:        engine.Lit("namespaced placements"),
	engine.KindMemberCluster:            engine.Lit("member clusters, with their health and heartbeat,"),
}

// coverShort names them where there is little room.
var coverShort = map[engine.Kind]engine.Text{
	engine.KindClusterStagedUpdateRun:   engine.Lit("cluster runs"),
	engine.KindStagedUpdateRun:          engine.Lit("namespaced runs"),
	engine.KindClusterApprovalRequest:   engine.Lit("cluster approvals"),
	engine.KindApprovalRequest:          engine.Lit("namespaced approvals"),
	engine.KindClusterResourcePlacement: engine.Lit("cluster placements"),
	engine.KindResourcePlacement:        engine.Lit("namespaced placements"),
	engine.KindMemberCluster:            engine.Lit("members"),
}

// scope says what is listed, and what cannot be and why.
func (o *observation) scope() engine.Scope {
	w := o.w
	s := engine.Scope{Namespaces: w.Namespaces, ClusterRuns: w.Settings.ClusterRuns}
	sets := make([]engine.ID, 0, len(w.Covered))
	for k := range w.Covered {
		if k.Placement.IsZero() {
			sets = append(sets, engine.NewID(k.Kind, k.Namespace, "", ""))
		}
	}
	sortIDs(sets)
	if w.OneNamespace {
		s.Runs = append(s.Runs, engine.RunSet{ID: engine.NewID(engine.KindStagedUpdateRun, "", "", ""), State: engine.CoverForbidden})
	}
	s.NoHub = len(sets) > 0
	var forbidden, others []engine.Text
	for _, set := range sets {
		k := world.CoverKey{Kind: set.Kind(), Namespace: set.RawNamespace()}
		s.NoHub = s.NoHub && w.Covered[k].State == engine.CoverNotServed
		if engine.IsRun(k.Kind) {
			s.Runs = append(s.Runs, engine.RunSet{ID: set, State: w.Covered[k].State, Named: w.Covered[k].Named})
		}
		noun, known := coverNouns[k.Kind]
		if !known {
			continue
		}
		if k.Namespace != "" {
			noun = engine.Textf("%s in %s", noun, k.Namespace)
		}
		switch c := w.Covered[k]; c.State {
		case engine.CoverForbidden:
			s.Hidden = s.Hidden || engine.IsRun(k.Kind)
			s.Notes = append(s.Notes, engine.Textf("%s are hidden: this user may not list them", noun))
			if short := coverShort[k.Kind]; !slices.Contains(forbidden, short) {
				forbidden = append(forbidden, short)
			}
		case engine.CoverNotServed:
			others = append(others, engine.Textf("%s are hidden: this hub does not serve %s", noun, k.Kind))
			s.Notes = append(s.Notes, others[len(others)-1])
		case engine.CoverFailed:
			others = append(others, engine.Textf("%s are missing: %s", noun, c.Why))
			s.Notes = append(s.Notes, others[len(others)-1])
		case engine.CoverTruncated:
			others = append(others, engine.Textf("%s are incomplete: %s", noun, c.Truncated()))
			s.Notes = append(s.Notes, others[len(others)-1])
		default: // nothing to note
		}
	}
	broken := make([]engine.ID, 0, len(w.Broken))
	for id := range w.Broken {
		if !engine.IsRun(id.Kind()) {
			broken = append(broken, id)
		}
	}
	sortIDs(broken)
	for _, id := range broken {
		others = append(others, engine.Textf("%s %s could not be read: %s", id.Kind().Short(), id.Title(), w.Broken[id]))
		s.Notes = append(s.Notes, others[len(others)-1])
	}
	if len(forbidden) > 0 {
		others = append([]engine.Text{engine.Textf("you may not list %s", engine.Join(forbidden, ", "))}, others...)
	}
	if s.NoHub {
		s.Notes = []engine.Text{engine.Lit("this cluster has no KubeFleet hub API")}
		others = s.Notes
	}
	s.Short = engine.Join(others, " · ")
	return s
}
