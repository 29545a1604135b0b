package trouble

import (
	"slices"
	"sort"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// overrides makes the steps for the overrides as they are now: the run keeps the
// snapshots of its initialization.
func (t *Trouble) overrides(message string) {
	read := t.k.Reads.Answer(t.k.Subject, engine.HubReadOf{Member: subject.MemberID(t.k.View.ID, t.k.Cluster.Name), What: engine.ReadOverrides})
	if t.Check != 0 {
		t.labelStep(message)
		return
	}
	if read == nil || len(read.Overrides) == 0 { // not read, or the hub does not serve them: the run has their names
		used := world.OverrideTitles(t.k.Cluster.Overrides)
		if len(used) > 0 && t.Steps[0] == catalogue.FixOverride {
			fix := engine.Textf("{fixes-first}Fix override %s, then create a new run ({clone}).", used[0])
			if len(used) > 1 {
				fix = engine.Textf("{fixes-first}Fix the override that fails (one of %s), then create a new run ({clone}).", engine.Enumerate(used, overridesNamed))
			}
			t.steps = append([]engine.Text{fix}, t.Steps[1:].Texts()...)
		}
		return
	}
	if t.Cause == catalogue.OverrideSnapshotGone {
		t.overrideGone(read.Overrides, message)
		return
	}
	uses := slices.DeleteFunc(slices.Clone(read.Overrides), func(o world.OverrideUse) bool { return !strings.Contains(message, o.Used) })
	if len(uses) == 0 {
		uses = read.Overrides // the message names none
	}
	same := func(o world.OverrideUse) bool { return o.Latest == o.Used }
	// What was changed since comes first.
	sort.SliceStable(uses, func(i, j int) bool { return !same(uses[i]) && same(uses[j]) })
	for _, o := range uses[:min(len(uses), overridesNamed)] {
		t.steps = append(t.steps, subject.OverrideStep(o, len(uses) > 1))
		t.Evidence = append(t.Evidence, subject.Field(o.Object(), engine.Lit("latest snapshot now"), engine.OrUnknown(engine.Clean(o.Latest))))
	}
	if slices.ContainsFunc(uses, same) {
		t.steps = append(t.steps, t.Steps[1:].Texts()...)
	}
}

// overrideGone makes the step for an override whose snapshot was deleted: the override itself may
// exist, or exist again.
func (t *Trouble) overrideGone(all []world.OverrideUse, message string) {
	for _, o := range all {
		if !strings.Contains(message, o.Used) {
			continue
		}
		step := engine.Textf("{fixes-first}Override %s was deleted: if it is still needed, create it again. Then create a new run ({clone}): it uses the overrides that exist then.", o.Title())
		if o.Latest != "" {
			step = engine.Textf("Create a new run ({clone}): it uses snapshot %s, now the latest of override %s.", o.Latest, o.Title())
		}
		t.steps = append(t.steps, step)
		t.Evidence = append(t.Evidence, subject.Field(o.Object(), engine.Lit("latest snapshot now"), engine.OrUnknown(engine.Clean(o.Latest))))
	}
}

// labelStep names the label that an override uses, the cluster that lacks it, and the override.
func (t *Trouble) labelStep(message string) {
	key := repair.LabelMissing.Groups(message)["key"]
	if key == "" || repair.Checks[t.Check](t.k.Subject).Steps != nil { // labelled since
		return
	}
	of, used := engine.Lit("the override"), world.OverrideTitles(t.k.Cluster.Overrides)
	switch len(used) {
	case 0:
	case 1:
		of = engine.Textf("override %s", used[0])
	default:
		of = engine.Textf("the override that uses it (one of %s)", engine.Enumerate(used, overridesNamed))
	}
	t.steps = t.Steps.Texts()
	t.steps[0] = engine.Textf("Set label %s on member cluster %s, or remove the variable from %s.", key, t.k.Cluster.Name, of)
}

// overridesNamed is how many overrides have a step of their own.
const overridesNamed = 3

// conflict names the other placements whose Works apply the object of a failed
// manifest. They are the cause also where the message says only that the object has an owner.
func (t *Trouble) conflict(m *placement.FailedResourcePlacement) {
	member := subject.MemberID(t.k.View.ID, t.k.Cluster.Name)
	old := m.Condition.Reason == catalogue.ConflictOfStrategies
	read := t.k.Reads.Answer(t.k.Subject, engine.HubReadOf{Member: member, What: engine.ReadObjects})
	if read == nil || read.Gap != nil {
		if old {
			t.steps = append(t.Steps.Texts(), catalogue.SameStrategy.Text())
		}
		return
	}
	name := engine.ManifestName(m)
	var titles []engine.Text
	var works []*world.Work
	for i := range read.Works {
		w := &read.Works[i]
		if w.Placement == t.k.View.Placement.Key() || !w.Applies(m) {
			continue
		}
		works = append(works, w)
		of := subject.Object(w.Placement)
		if ns := w.Placement.RawNamespace(); ns != "" {
			of = engine.Textf("%s %s/%s", w.Placement.Kind(), ns, w.Placement.RawName())
		}
		if slices.Contains(titles, of) {
			continue
		}
		if t.k.Other.IsZero() {
			t.k.Other = w.Placement
		}
		titles = append(titles, of)
		t.Evidence = append(t.Evidence, subject.Field(w.Title(), engine.Lit("status.manifestConditions"), engine.Textf("%s, applied for %s", name, of)))
	}
	if len(titles) == 0 { // removed since; an owner without a Work here does not block (docs/kubefleet.md#member-agent)
		t.steps = []engine.Text{engine.Textf("Wait for the member's agent to retry: no other Work on %s applies %s now.", t.k.Cluster.Name, name), engine.Lit("If the conflict stays for longer than 15 minutes, look at the owners of the object on the member.")}
		t.recovered = len(t.k.Cluster.Binding.Failed) == 1
		return
	}
	others := engine.Enumerate(titles, 3)
	t.Entry, t.recoveryText, t.lead = catalogue.Conflict, catalogue.Conflict.RecoveryText.Text(), engine.Textf("%s also places %s", others, name)
	t.steps = []engine.Text{
		engine.Textf("Remove %s from %s: the member's agent then deletes the object, creates it again for placement %s, and this run continues.", name, others, t.k.View.Placement.Name()),
		engine.Textf("{fixes-first}Or remove it from placement %s, then create a new run ({clone}): this one keeps snapshot %s.", t.k.View.Placement.Name(), engine.OrUnknown(t.k.View.Index)),
	}
	if slices.ContainsFunc(works, func(w *world.Work) bool { return external(t.k.Case, w.Placement) }) {
		t.steps[0] = engine.Textf("%s The removal needs a run of that placement, too: its strategy is External.", t.steps[0])
	}
	if old {
		t.steps = append(t.steps, catalogue.SameStrategy.Text())
	}
	if going := subject.Leaving(t.k.Case, works); !going.IsZero() {
		t.steps = []engine.Text{engine.Textf("Wait: %s. The member's agent then applies the object, and this run continues.", going), engine.Lit("If the Work still exists after a few minutes, look for its finalizers.")}
		t.recovered = len(t.k.Cluster.Binding.Failed) == 1
	}
	t.Path = append(t.Path, engine.Hop{Level: engine.Lit("placement"), Name: titles[0], State: engine.Lit("applies the same object")})
}

// external reports whether a placement is known to have the strategy External: what it no longer
// selects stays on the clusters until a run updates them.
func external(c *world.Case, of engine.ID) bool {
	for _, p := range c.World.Placements {
		if p.External && p.ID.Key() == of.Key() {
			return true
		}
	}
	return false
}
