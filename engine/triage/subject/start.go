package subject

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// InStage names a stage in parentheses.
func InStage(s *engine.StageView) engine.Text {
	if s.Deletion {
		return engine.Lit("deletion stage")
	}
	return engine.StageName(s)
}

// NoBinding is Evidence that the cluster has no binding.
func (k *Subject) NoBinding() engine.Evidence {
	return Field(Object(k.View.Placement), engine.Lit("bindings"), engine.Textf("none for cluster %s", k.Cluster.Name))
}

// Started is Evidence of the cluster's start.
func (k *Subject) Started() []engine.Evidence {
	cl := k.Cluster
	if cl == nil || cl.Started.IsZero() {
		return nil
	}
	return []engine.Evidence{{
		Object: Object(k.View.ID), Field: engine.Textf("%s.clusters[%s].conditions[Started]", stagePath(&k.View.Stages[cl.Stage]), cl.Name),
		Value: engine.Lit("True"), Since: cl.Started,
	}}
}

// OverrideStep is the step for an override that fails, by whether it has changed since the
// run was initialized; several is set when it is one of several.
func OverrideStep(o world.OverrideUse, several bool) engine.Text {
	switch {
	case o.Latest == "":
		return engine.Textf("Create a new run ({clone}): override %s was deleted after this run was initialized, and a new run does not use it.", o.Title())
	case o.Latest != o.Used:
		return engine.Textf("{fixes-first}Check that snapshot %s, now the latest of override %s, fixes the cause. Then create a new run ({clone}): this run keeps %s.", o.Latest, o.Title(), o.Used)
	case several:
		return engine.Textf("{fixes-first}Check override %s, which has not changed since this run was initialized: fix it if it is the one that fails, then create a new run ({clone}).", o.Title())
	}
	return engine.Textf("{fixes-first}Fix override %s, which has not changed since this run was initialized. Then create a new run ({clone}).", o.Title())
}

// NextStage returns the stage after the current one that has work, nil when
// there is none.
func NextStage(v *engine.RunView) *engine.StageView {
	for i := v.At + 1; i >= 0 && i < len(v.Stages); i++ {
		if v.Stages[i].Total > 0 {
			return &v.Stages[i]
		}
	}
	return nil
}
