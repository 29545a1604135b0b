package repair

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// namesShown is how many of the names that exist a step lists.
const namesShown = 5

// strategyNames names the strategies that exist; read is false when they were not
// read.
func strategyNames(k *subject.Subject) (names []string, read bool) {
	if k.Case.Nearby == nil || k.Case.Nearby.Strategies == nil {
		return nil, false
	}
	for _, s := range k.Case.Nearby.Strategies {
		names = append(names, s.Name)
	}
	return names, true
}

// placementNames names the External placements of the scope; known is false when
// not all placements are.
func placementNames(k *subject.Subject) (names []string, known bool) {
	all, known := k.Case.Placements()
	for _, p := range all {
		if _, name, _ := p.ID.Raw(); p.External {
			names = append(names, name)
		}
	}
	return names, known
}

// Later says what a failure of a check means for a run that had passed the check when it
// was initialized; what is said otherwise.
func Later(k *subject.Subject, of engine.Cause, what engine.Text) engine.Text {
	switch {
	case k.Case.Initialized.Truth != engine.TruthYes:
	case of == catalogue.PlacementMissingCause:
		return engine.Textf("Placement %s was deleted after this run had been initialized with it.", k.View.Placement.Name())
	case of == catalogue.NoClusterPickedCause:
		return engine.Lit("The placement no longer had a binding: it picked no cluster, or its bindings were deleted.")
	}
	return what
}

// PlacementMissing is the present of a placement that did not exist, or was deleted.
func PlacementMissing(k *subject.Subject) Outcome {
	p := k.Case.Placement
	evidence := PlacementEvidence(k)
	if p != nil {
		return afterRepair(k, engine.Textf("Placement %s exists now (created %s)", p.ID.Name(), k.Case.Clock(p.Created)), evidence...)
	}
	_, name, _ := k.View.Placement.Raw()
	if subject.Deleted(k.Case) {
		out := then(engine.Textf("{fixes-first}Create placement %s again with strategy type External, then create a new run ({clone}).", name), engine.Lit("If it was deleted on purpose, delete this run ({delete}): nothing is left to roll out."))
		out.Evidence = evidence
		return out
	}
	names, known := placementNames(k)
	out := Outcome{Evidence: evidence}
	switch {
	case !known || name == "":
	case len(names) == 0:
		out.Steps = []engine.Text{engine.Textf("{fixes-first}Create placement %s with strategy type External, then create a new run ({clone}): no External placement exists%s.", name, k.InNamespace())}
	default:
		out.Steps = []engine.Text{engine.Textf("Create a new run ({clone}) for a placement that exists: %s. Or create placement %s first.", engine.Nearest(name, names), name)}
	}
	if k.Namespaced() && out.Steps != nil {
		out.Steps = append(out.Steps, engine.Lit("A namespaced run uses only placements in its own namespace."))
	}
	steps, wrongNamespace := k.Elsewhere(name)
	if wrongNamespace {
		out.Steps = []engine.Text{engine.Textf("Otherwise create placement %s%s with strategy type External first.", name, k.InNamespace())}
	}
	out.Steps = append(steps, out.Steps...)
	return out
}

// Create writes the steps of a run that is not initialized because its placement or its
// strategy does not exist: it is created, or another run names one that exists. A run whose
// index no snapshot has needs a new run: the index cannot be changed, and a placement that
// is created has no snapshot before its first run.
func Create(k *subject.Subject, missing engine.Cause, d *engine.Diagnosis) {
	kind, name := engine.Lit("strategy"), subject.StrategyOf(k)
	object := engine.Textf("strategy %s", name)
	exist, _ := strategyNames(k)
	ofPlacement := missing == catalogue.PlacementMissingCause
	if ofPlacement {
		kind, name = engine.Lit("placement"), k.View.Placement.RawName()
		object = engine.Textf("placement %s with strategy type External", name)
		exist, _ = placementNames(k)
	}
	index, more := otherFailures(k, ofPlacement)
	if index {
		d.Recovery, d.RecoveryText = engine.RecoveryByNewRun, engine.Textf("Needs a new run: no snapshot has the index %s of this run, which cannot be changed.", subject.AskedIndex(k))
		d.NextActions = []engine.NextAction{engine.NextClone, engine.NextPlan}
		step := engine.Textf("Create a new run ({clone}) with a %s and a snapshot that exist, then delete this run ({delete}).", kind)
		if len(exist) > 0 {
			step = engine.Textf("%s The nearest %s: %s.", step, kind, engine.Nearest(name, exist))
		}
		d.Steps = []engine.Text{step}
		return
	}
	steps := []engine.Text{engine.Textf("Create %s%s: the controller then initializes this run.", object, k.InNamespace())}
	if more {
		steps[0] = engine.Textf("Create %s%s, and fix the other failed checks ({plan}), before the controller tries.", object, k.InNamespace())
	}
	if len(exist) > 0 {
		steps = append(steps, engine.Textf("Or create a new run ({clone}) with a %s that exists: %s. Then delete this run ({delete}): its %[1]s cannot be changed.", kind, engine.Nearest(name, exist)))
	}
	d.Steps = append(steps, d.Steps[1:]...)
}

// otherFailures reports whether the index of a run finds no snapshot, and whether other checks
// fail or delay its initialization that do not follow from the missing object.
func otherFailures(k *subject.Subject, ofPlacement bool) (index, more bool) {
	p := k.Case.Plan()
	if p == nil {
		return false, false
	}
	for i := range p.Refusals {
		if i == 0 {
			continue
		}
		f, _ := catalogue.FailureOf(p.Refusals[i].Message.String())
		switch {
		case f == nil:
			more = more || !ofPlacement || p.Refusals[i].Final
		case f.Cause == catalogue.IndexInvalidCause, f.Cause == catalogue.IndexMissingCause:
			index = true
		case !ofPlacement || slices.Contains(ofStrategies, f.Cause.String()):
			more = true
		}
	}
	return index, more
}

func strategyMissing(k *subject.Subject) Outcome {
	name := subject.StrategyOf(k)
	if name == "" {
		name = subject.LastOf(k.Named["strategy"])
	}
	s, read := k.Case.Nearby.Strategy(name)
	if s != nil {
		return afterRepair(k, engine.Textf("Strategy %s exists now (created %s)", name, k.Case.Clock(s.CreationTimestamp.Time)),
			engine.Evidence{Object: k.Strategy(name), Field: engine.Lit("metadata.creationTimestamp"), Value: engine.Lit("exists now"), Since: s.CreationTimestamp.Time})
	}
	if !read {
		return Outcome{}
	}
	names, _ := strategyNames(k)
	step := engine.Textf("Create a new run ({clone}) with a strategy that exists: %s. Or create strategy %s first.", engine.Nearest(name, names), name)
	switch valid := len(validation.IsDNS1123Subdomain(name)) == 0; {
	case len(names) == 0:
		step = engine.Textf("{fixes-first}Create strategy %s, then create a new run ({clone}): no strategy exists%s.", name, k.InNamespace())
	case !valid:
		step = engine.Textf("Create a new run ({clone}) with a strategy that exists: %s. No strategy can be named %s.", engine.Nearest(name, names), name)
	}
	if k.Namespaced() {
		return then(step, engine.Lit("A namespaced run uses only strategies in its own namespace."))
	}
	return then(step)
}
