package triage

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// kit is what entries draw on: the case, and what it turned out to be about.
type kit struct {
	c        *engine.Case
	v        *engine.RunView
	cluster  *engine.CaseCluster
	manifest *placement.FailedResourcePlacement
	said     map[string]string // what the hub's message names
	// pod is what keeps workload from becoming ready, as its member returned it.
	pod      *engine.PodTrouble
	workload *engine.MemberWorkload
}

func newKit(c *engine.Case) *kit { return &kit{c: c, v: c.View} }

// about returns a kit for a cluster of the case.
func (k *kit) about(cl *engine.CaseCluster) *kit { return &kit{c: k.c, v: k.v, cluster: cl} }

// namespaced reports whether the case is of the namespaced scope.
func (k *kit) namespaced() bool { return k.v.ID.Kind().Namespaced() }

// object names an object for Evidence.
func object(id engine.ID) engine.Text { return engine.Textf("%s %s", id.Kind(), id.Title()) }

// condition is Evidence of one condition of an object.
func condition(of engine.Text, typ string, f engine.Fact) engine.Evidence {
	e := engine.Evidence{Object: of, Field: engine.Textf("status.conditions[%s]", typ), Value: engine.Textf("%s", f.Truth), Since: f.Since}
	switch {
	case f.Reason != "" && f.Message != "":
		e.Value = engine.Textf("%s %s: %s", f.Truth, f.Reason, f.Message)
	case f.Reason != "":
		e.Value = engine.Textf("%s %s", f.Truth, f.Reason)
	}
	return e
}

func (k *kit) runCondition(typ string) []engine.Evidence {
	var f engine.Fact
	switch typ {
	case placement.RunInitialized:
		f = k.c.Initialized
	case placement.RunProgressing:
		f = k.c.Progressing
	case placement.RunSucceeded:
		f = k.c.Succeeded
	}
	if typ == "" {
		return nil
	}
	return []engine.Evidence{condition(object(k.v.ID), typ, f)}
}

// unread tells why nothing is known of the placement's bindings.
func (k *kit) unread() engine.Text {
	switch c := k.c.Bindings; c.State {
	case engine.CoverLoading:
		return engine.Lit("the placement's bindings are still being read")
	case engine.CoverForbidden:
		return engine.Lit("you may not read the placement's bindings")
	case engine.CoverNotServed:
		return engine.Lit("this hub does not serve bindings")
	case engine.CoverFailed:
		if !c.Why.IsZero() {
			return engine.Textf("the placement's bindings could not be read (%s)", c.Why)
		}
		return engine.Lit("the placement's bindings could not be read")
	default:
		// Bindings are watched for the runs most in need of attention only
		// (docs/architecture.md#data-flow).
		return engine.Lit("the placement's bindings are read when the run is selected")
	}
}

// field is Evidence of a field that has no time of its own.
func field(of engine.Text, name, value engine.Text) engine.Evidence {
	return engine.Evidence{Object: of, Field: name, Value: value}
}

// scheduled reads the placement's overall Scheduled condition, whose type has
// the kind as its prefix.
func scheduled(kind engine.Kind, conds []metav1.Condition) (string, engine.Fact) {
	name := placement.ClusterResourcePlacementConditionPrefix + placement.PlacementScheduled
	if kind.Namespaced() {
		name = placement.ResourcePlacementConditionPrefix + placement.PlacementScheduled
	}
	return name, engine.ReadCondition(conds, name)
}

// memberID names a member that may not be there.
func memberID(name string) engine.ID { return engine.NewID(engine.KindMemberCluster, "", name, "") }

// openApproval returns the approval of the current stage that a person is asked
// for; nil when there is none.
func openApproval(v *engine.RunView) *engine.GateView {
	if g := v.Gate(engine.GateNotAccepted); g != nil {
		return g
	}
	return v.Gate(engine.GateOpen)
}
