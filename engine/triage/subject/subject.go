// Package subject contains the case that a diagnosis is about, and what entries of the
// catalogue show of it: evidence, chain of causes, kubectl commands.
package subject

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Subject is a case, with the cluster, manifest or pod that the diagnosis is about.
type Subject struct {
	Case     *world.Case
	View     *engine.RunView
	Cluster  *world.CaseCluster
	Manifest *placement.FailedResourcePlacement
	Named    map[string]string // what the hub's message names
	// Other is a placement that applies the same object.
	Other engine.ID
	// Pod is what keeps workload from becoming ready, as its member returned it.
	Pod      *world.PodTrouble
	Workload *world.MemberWorkload
}

// NewSubject returns the Subject of a whole case.
func NewSubject(c *world.Case) *Subject { return &Subject{Case: c, View: c.View} }

// About returns the Subject of one cluster of the case.
func (k *Subject) About(cl *world.CaseCluster) *Subject {
	return &Subject{Case: k.Case, View: k.View, Cluster: cl}
}

// Namespaced reports whether the case is of the namespaced scope.
func (k *Subject) Namespaced() bool { return k.View.ID.Kind().Namespaced() }

// InNamespace ends a clause with the run's namespace: " in namespace shop"; empty for a
// cluster run.
func (k *Subject) InNamespace() engine.Text {
	if ns := k.View.ID.Namespace(); !ns.IsZero() {
		return engine.Textf(" in namespace %s", ns)
	}
	return engine.Text{}
}

// Strategy names a strategy of the run's scope for Evidence.
func (k *Subject) Strategy(name string) engine.Text {
	return engine.Textf("%s %s", k.Plural("ClusterStagedUpdateStrategy", "StagedUpdateStrategy"), name)
}

// LastOf drops the namespace, or the leading slash, of a name in a message.
func LastOf(name string) string { return name[strings.LastIndex(name, "/")+1:] }

// Object names an object for Evidence.
func Object(id engine.ID) engine.Text { return engine.Textf("%s %s", id.Kind(), id.Title()) }

// Condition is Evidence of one condition of an object.
func Condition(of engine.Text, typ string, f engine.Fact) engine.Evidence {
	e := engine.Evidence{Object: of, Field: engine.Textf("status.conditions[%s]", typ), Value: engine.Textf("%s", f.Truth), Since: f.Since}
	switch {
	case f.Reason != "" && f.Message != "":
		e.Value = engine.Textf("%s %s: %s", f.Truth, f.Reason, engine.Message(f.Message))
	case f.Reason != "":
		e.Value = engine.Textf("%s %s", f.Truth, f.Reason)
	}
	return e
}

// BindingCondition is Evidence of a condition of a binding. It has the observedGeneration if
// that decides what the condition says: the controller ignores one of an older generation.
func BindingCondition(b *world.Binding, typ string) engine.Evidence {
	f := engine.ReadCondition(b.Conditions, typ)
	e := Condition(Object(b.ID), typ, f)
	if f.Truth != engine.TruthAbsent && (typ == placement.BindingRolloutStarted || !f.At(b.Generation)) {
		e.Value = engine.Textf("%s (observedGeneration %d, generation of the binding %d)", e.Value, f.Generation, b.Generation)
	}
	return e
}

// RunCondition returns a condition of the run as Evidence.
func (k *Subject) RunCondition(typ string) []engine.Evidence {
	var f engine.Fact
	switch typ {
	case placement.RunInitialized:
		f = k.Case.Initialized
	case placement.RunProgressing:
		f = k.Case.Progressing
	case placement.RunSucceeded:
		f = k.Case.Succeeded
	}
	if typ == "" {
		return nil
	}
	return []engine.Evidence{Condition(Object(k.View.ID), typ, f)}
}

// Unread says why nothing is known of the placement's bindings.
func (k *Subject) Unread() engine.Text {
	if c := k.Case.Bindings; c.State != engine.CoverNotAsked && c.State != engine.CoverComplete {
		return world.Unread(c, engine.Lit("the placement's bindings"))
	}
	// Bindings are watched for the runs most in need of attention only
	// (docs/architecture.md#data-flow).
	return engine.Lit("the placement's bindings are read when the run is opened")
}

// Field is Evidence of a field that has no time of its own.
func Field(of engine.Text, name, value engine.Text) engine.Evidence {
	return engine.Evidence{Object: of, Field: name, Value: value}
}

// Scheduled reads the placement's overall Scheduled condition, whose type has
// the kind as its prefix.
func Scheduled(kind engine.Kind, conds []metav1.Condition) (string, engine.Fact) {
	name := placement.ClusterResourcePlacementConditionPrefix + placement.PlacementScheduled
	if kind.Namespaced() {
		name = placement.ResourcePlacementConditionPrefix + placement.PlacementScheduled
	}
	return name, engine.ReadCondition(conds, name)
}

// MemberID returns the ID of a member cluster of the hub of an object. The member
// need not exist.
func MemberID(of engine.ID, name string) engine.ID {
	return of.Beside(engine.KindMemberCluster, "", name, "")
}

// openApproval returns the approval of the current stage that a person is asked
// for; nil when there is none.
func openApproval(v *engine.RunView) *engine.GateView {
	if g := v.Gate(engine.GateNotAccepted); g != nil {
		return g
	}
	return v.Gate(engine.GateOpen)
}

// AskedIndex is the index that the run asks for, as it is written there.
func AskedIndex(k *Subject) string {
	if k.Case.Run == nil {
		return k.Named["idx"]
	}
	return k.Case.Run.Spec.ResourceSnapshotIndex
}

// StrategyOf is the strategy of the run; empty for a case without a run.
func StrategyOf(k *Subject) string {
	if k.Case.Run == nil {
		return ""
	}
	return k.Case.Run.Spec.StagedRolloutStrategyName
}
