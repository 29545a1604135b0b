package subject

import (
	"maps"
	"slices"
	"sort"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// placementLevel is the level of a placement, which is beside the stages of a run.
var placementLevel = engine.Lit("placement")

// PlacementHop is the level of the run's placement, in a state since a time.
func PlacementHop(p engine.ID, state engine.Text, since time.Time) engine.Hop {
	return engine.Hop{Level: placementLevel, Name: p.Title(), State: state, Since: since}
}

// Path is the way from the run to what holds it up: its stage, the cluster and
// what lies below that.
func (k *Subject) Path(cl *world.CaseCluster, below []engine.Hop) []engine.Hop {
	v := k.View
	out := []engine.Hop{{Level: engine.Lit("run"), Name: v.ID.Title(), State: engine.Textf("%s", v.Word), Since: v.Since}}
	if k.Case.Run == nil {
		out[0].Level = placementLevel
		if v.Word != engine.WordNoRun {
			out[0].Level = engine.Lit("run")
		}
		return out
	}
	s := v.Current()
	if cl != nil {
		s = &v.Stages[cl.Stage]
	}
	if s != nil && (len(below) == 0 || below[0].Level != placementLevel) {
		state := engine.Clean(v.StageWord(s.State))
		if s.State == engine.StageFailed && !k.stageFailed(s) {
			state = notFailed(s)
		}
		out = append(out, engine.Hop{Level: engine.Lit("stage"), Name: s.Name, State: state, Since: s.Since})
	}
	if cl != nil {
		since := cl.Since()
		if !cl.PreemptedAt.IsZero() {
			since = cl.PreemptedAt
		}
		out = append(out, engine.Hop{Level: engine.Lit("cluster"), Name: engine.Clean(cl.Name), State: engine.Textf("%s", cl.State), Since: since})
	}
	// What a binding is made of comes after it.
	sort.SliceStable(below, func(i, j int) bool { return depth(below[i]) < depth(below[j]) })
	return append(out, below...)
}

// stageFailed reports whether the controller has recorded the failure of a stage. It fails a
// run at a check without that (updaterun, validate).
func (k *Subject) stageFailed(of *engine.StageView) bool {
	for i := range k.View.Stages {
		if &k.View.Stages[i] == of {
			return engine.ReadCondition(k.Case.Stage(i).Conditions, placement.StageSucceeded).Truth == engine.TruthNo
		}
	}
	return false
}

// notFailed says where a stage was when its run failed.
func notFailed(s *engine.StageView) engine.Text {
	gates := s.After
	switch {
	case s.Done == s.Total:
	case s.Done+s.Updating+s.Stuck+s.Preempted == 0:
		gates = s.Before
	default:
		return engine.Lit("in progress when the run failed")
	}
	for i := range gates {
		if g := &gates[i]; !g.Timed && g.State != engine.GatePassed && !g.Name.IsZero() {
			return engine.Textf("waited for approval %s", g.Name)
		}
	}
	return engine.Lit("waited when the run failed")
}

func depth(h engine.Hop) int {
	return slices.Index([]string{"binding", "manifest", "pod", "member"}, h.Level.String())
}

// Where writes a path in one line.
func Where(path []engine.Hop) engine.Text {
	words := make([]engine.Text, len(path))
	for i, h := range path {
		words[i] = engine.Textf("%s %s", h.Level, h.Name)
		if i == len(path)-1 && !h.State.IsZero() {
			words[i] = engine.Textf("%s %s (%s)", h.Level, h.Name, h.State)
		}
	}
	return engine.Join(words, " > ")
}

// SortedKeys returns the keys of a map in order.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
