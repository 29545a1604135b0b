package repair

import (
	"slices"
	"sort"
	"strconv"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// SnapshotEvidence shows a resource snapshot.
func SnapshotEvidence(k *subject.Subject, s *world.SnapshotRow) engine.Evidence {
	value := engine.Lit("exists now")
	if s.Latest {
		value = engine.Lit("exists now, the newest")
	}
	return engine.Evidence{Object: engine.Textf("%s %s", k.Plural("ClusterResourceSnapshot", "ResourceSnapshot"), s.Name), Field: engine.Lit("metadata.creationTimestamp"), Value: value, Since: s.Created}
}

// indices lists snapshots, those next to the meant one first.
func indices(rows []world.SnapshotRow, meant int) engine.Text {
	rows = slices.Clone(rows)
	newest := 0
	for i := range rows {
		newest = max(newest, rows[i].Index)
	}
	away := func(s world.SnapshotRow) int { return max(s.Index-meant, meant-s.Index) }
	sort.SliceStable(rows, func(i, j int) bool { return away(rows[i]) < away(rows[j]) })
	out := make([]engine.Text, len(rows))
	for i := range rows {
		out[i] = engine.OrUnknown(engine.Clean(rows[i].Label))
		if rows[i].Latest && rows[i].Index == newest {
			out[i] = engine.Textf("%s (newest)", out[i])
		}
	}
	return engine.Enumerate(out, namesShown)
}

// whole are the snapshots that a run can use.
func whole(rows []world.SnapshotRow) []world.SnapshotRow {
	return slices.DeleteFunc(slices.Clone(rows), func(s world.SnapshotRow) bool { return !s.Whole() })
}

// olderThan are the snapshots that are older than the newest, which the clusters have.
func olderThan(newest *world.SnapshotRow, rows []world.SnapshotRow) []world.SnapshotRow {
	return slices.DeleteFunc(rows, func(s world.SnapshotRow) bool { return s.Index >= newest.Index })
}

// noneWhole is the step when no snapshot can be used.
var noneWhole = engine.Lit("Create a new run ({clone}) without an index: the newest snapshot is not complete, so the controller completes it, or creates one.")

// labelled returns the snapshot with the index label; nil for none. The controller compares
// it as text.
func labelled(rows []world.SnapshotRow, label string) *world.SnapshotRow {
	if i := slices.IndexFunc(rows, func(s world.SnapshotRow) bool { return s.Label == label }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// partCountNow is the present of a resource snapshot whose annotation with the number of its
// parts was not a positive number.
func partCountNow(k *subject.Subject) Outcome {
	rows, _ := k.Case.Nearby.Snapshots()
	for i := range rows {
		s := &rows[i]
		if message.SnapshotIndex(s.Name) != message.SnapshotIndex(k.Named["snapshot"]) {
			continue
		}
		evidence := SnapshotEvidence(k, s)
		if s.Want > 0 {
			return afterRepair(k, engine.Textf("Snapshot %s has a valid number of parts now (%d)", s.Label, s.Want), evidence)
		}
		o := then(
			engine.Textf("{fixes-first}Set annotation %s of resource snapshot %s to %d, the number of its parts. Then create a new run ({clone}).", placement.AnnotationNumberOfResourceSnapshots, k.Named["snapshot"], s.Parts),
			catalogue.OtherSnapshot.Text(),
		)
		o.Evidence = []engine.Evidence{evidence}
		return o
	}
	return Outcome{}
}

// snapshotsNow is the present of a resource snapshot that was not there, or not
// whole.
func snapshotsNow(k *subject.Subject) Outcome {
	var evidence []engine.Evidence
	if p := k.Case.Placement; p != nil && p.ObservedIndex != "" {
		evidence = append(evidence, subject.Field(subject.Object(p.ID), engine.Lit("status.observedResourceIndex"), engine.Clean(p.ObservedIndex)))
	}
	rows, read := k.Case.Nearby.Snapshots()
	if !read {
		return Outcome{Evidence: evidence}
	}
	text := subject.AskedIndex(k)
	n, err := strconv.Atoi(text)
	var named *world.SnapshotRow
	if text == "" {
		named = k.Case.Nearby.Newest()
	}
	meant := err == nil && strconv.Itoa(n) != text && labelled(rows, strconv.Itoa(n)) != nil
	if err == nil {
		named = labelled(rows, text)
	}
	if named != nil {
		evidence = append(evidence, SnapshotEvidence(k, named))
	}
	var out Outcome
	switch {
	case len(rows) == 0:
		out = then(engine.Lit("Create a new run ({clone}) without an index: the controller then creates the first snapshot. The placement has none."))
	case len(whole(rows)) == 0 && named == nil:
		out = then(noneWhole)
	case named == nil && meant:
		out = then(engine.Textf("Create a new run ({clone}) with index %d: the index is compared as text, and no snapshot has the index label %q.", n, text))
	case err != nil && text != "":
		out = then(engine.Textf("Create a new run ({clone}) without an index, which uses the newest snapshot, or with an existing one: %s.", indices(whole(rows), rows[0].Index)))
	case named == nil:
		out = then(engine.Textf("Create a new run ({clone}) with a snapshot that exists: %s.", indices(whole(rows), n)))
	case !named.Whole():
		parts := engine.Textf("%d of %d parts", named.Parts, named.Want)
		if !named.Master {
			parts = engine.Lit("its first part is missing")
		}
		use := noneWhole
		if others := whole(rows); len(others) > 0 {
			use = engine.Textf("Create a new run ({clone}) with another snapshot: %s.", indices(others, named.Index))
		}
		out = then(engine.Textf("%s Snapshot %s is still incomplete (%s).", use, named.Label, parts))
	case k.Namespaced() && named.Want > 1 && catalogue.StillCreated(k.Case.Initialized.Message):
		out = then(engine.Textf("{fixes-first}Reduce the placed resources to less than 800 KiB, then create a new run ({clone}) without an index: snapshot %s has %d parts. The controller never accepts a namespaced snapshot of several parts while an override exists on the hub.", named.Label, named.Want))
		out.Evidence = evidence
		return out
	default:
		fixed := engine.Textf("Snapshot %s is complete now (created %s)", named.Label, k.Case.Clock(named.Created))
		if k.Named["idx"] != "" {
			fixed = engine.Textf("Snapshot %s exists now (created %s)", named.Label, k.Case.Clock(named.Created))
		}
		return afterRepair(k, fixed, evidence...)
	}
	if newest := k.Case.Nearby.Newest(); err == nil && named == nil && !meant && newest != nil && n < newest.Index {
		out.Steps = append(out.Steps, engine.Lit("The revision history limit of the placement removes old snapshots."))
	}
	other := named == nil && meant && n != k.Case.Nearby.Newest().Index // a snapshot that exists was asked for, and clusters do not have it
	if done := UpToDate(k); !done.IsZero() && !other {
		out.Recovery, out.RecoveryText = engine.RecoveryByNewRun, engine.Lit("Needs a new run only for changes since the newest snapshot, or for a rollback: this run has failed permanently.")
		out.Steps[0] = engine.Textf("%s In that case create a new run ({clone}) without an index.", done)
		if older := olderThan(k.Case.Nearby.Newest(), whole(rows)); len(older) > 0 {
			out.Steps = slices.Insert(out.Steps, 1, engine.Textf("To roll back, create a new run ({clone}) with an older snapshot: %s.", indices(older, n)))
		}
	}
	out.Evidence = evidence
	return out
}

// UpToDate says that every cluster of the placement has the newest snapshot, so that a run
// is needed only for what is in no snapshot yet; empty when that is not so, or not known.
func UpToDate(k *subject.Subject) engine.Text {
	newest := k.Case.Nearby.Newest()
	bindings, known := k.Case.PlacementBindings()
	if !known || newest == nil {
		return engine.Text{}
	}
	all := 0
	for _, b := range bindings {
		switch {
		case !subject.Picks(b):
		case b.State != string(placement.BindingBound) || message.SnapshotIndex(b.SnapshotName) != strconv.Itoa(newest.Index):
			return engine.Text{}
		default:
			all++
		}
	}
	if all == 0 {
		return engine.Text{}
	}
	return engine.Textf("Nothing to do unless the resources, the overrides or the apply strategy were changed since %s: %s %s snapshot %d, the newest.",
		k.Case.Clock(newest.Created), engine.Uncapital(subject.CountOf(all, all)), subject.Agree(all, "has", "have"), newest.Index)
}

// WaitingSnapshot says which snapshot waits for how many clusters of a placement
// without a run, and on which of them something fails; empty when the snapshots were not
// read.
func WaitingSnapshot(k *subject.Subject) (says, failing engine.Text, evidence []engine.Evidence) {
	rows, read := k.Case.Nearby.Snapshots()
	if !read {
		return engine.Text{}, engine.Text{}, nil
	}
	if len(rows) == 0 {
		return engine.Lit("No resource snapshot exists yet: the first run creates one."), engine.Text{}, nil
	}
	newest := k.Case.Nearby.Newest()
	bindings, known := k.Case.PlacementBindings()
	waiting, all := 0, 0
	var fails []engine.Text
	for _, b := range bindings {
		if !subject.Picks(b) {
			continue
		}
		all++
		if typ := failingCondition(b); typ != "" {
			fails = append(fails, engine.Textf("%s (%s False)", b.Cluster, typ))
		}
		if b.State != string(placement.BindingBound) || message.SnapshotIndex(b.SnapshotName) != strconv.Itoa(newest.Index) {
			waiting++
		}
	}
	if !known {
		all = k.View.Total
		if k.View.Index != engine.Textf("%d", newest.Index) {
			waiting = all
		}
	}
	evidence = []engine.Evidence{SnapshotEvidence(k, newest)}
	broken := engine.Text{}
	if len(fails) > 0 {
		failing = engine.Enumerate(fails, 3)
		broken = engine.Textf(" What was rolled out last fails on %s: a run with the same resources gets stuck there.", failing)
	}
	switch {
	case all == 0:
		says = engine.Textf("The placement has no binding; snapshot %d (created %s) is the newest.", newest.Index, k.Case.Clock(newest.Created))
	case waiting == 0:
		says = engine.Textf("Its %s %s snapshot %d, the newest.%s", engine.Count(all, "cluster"), subject.Agree(all, "has", "have"), newest.Index, broken)
	default:
		says = engine.Textf("%d of %s %s not have snapshot %d (created %s).%s", waiting, engine.Count(all, "cluster"), subject.Agree(waiting, "does", "do"), newest.Index, k.Case.Clock(newest.Created), broken)
	}
	return says, failing, evidence
}

// failingCondition returns the first condition of a binding that is False about its present
// generation; empty for none.
func failingCondition(b *world.Binding) string {
	for _, typ := range []string{placement.BindingOverridden, placement.BindingWorkSynchronized, placement.BindingApplied, placement.BindingAvailable} {
		if f := engine.ReadCondition(b.Conditions, typ); f.Truth == engine.TruthNo && f.At(b.Generation) {
			return typ
		}
	}
	return ""
}

// SnapshotGone returns the index of the run's resource snapshot when that does not exist
// any more; empty when it does, or when the snapshots were not read.
func SnapshotGone(k *subject.Subject) engine.Text {
	rows, read := k.Case.Nearby.Snapshots()
	if !read || k.View.Index.IsZero() || labelled(rows, k.View.Index.String()) != nil {
		return engine.Text{}
	}
	return k.View.Index
}

// snapshotGoneNow is the present of a run whose snapshot was deleted while it
// was in progress.
func snapshotGoneNow(k *subject.Subject) Outcome {
	rows, read := k.Case.Nearby.Snapshots()
	used, err := strconv.Atoi(k.View.Index.String())
	switch {
	case !read || err != nil:
		return Outcome{}
	case len(rows) == 0:
		return then(engine.Lit("Create a new run ({clone}) without an index: the controller then creates a snapshot. The placement has none."))
	}
	if s := labelled(rows, k.View.Index.String()); s != nil && s.Whole() {
		p := then(
			engine.Textf("Wait for the controller's retry: snapshot %d exists (created %s).", used, k.Case.Clock(s.Created)),
			engine.Lit("If this persists, create a new run ({clone})."),
		)
		p.Recovery, p.RecoveryText = engine.RecoveryAutomatic, engine.Lit("Recovers automatically when the controller has read the snapshot.")
		p.Evidence = []engine.Evidence{SnapshotEvidence(k, s)}
		return p
	}
	if rows[0].Index < used {
		return then(engine.Textf("Create a new run ({clone}) without an index: it creates a snapshot of the placement's current resources. The existing snapshots are older (%s): on clusters that have snapshot %d they would be a rollback.", indices(rows, used), used))
	}
	newer := slices.DeleteFunc(whole(rows), func(s world.SnapshotRow) bool { return s.Index < used }) // the others would be a rollback
	if len(newer) == 0 {
		return then(noneWhole)
	}
	return then(engine.Textf("Create a new run ({clone}) without an index, which uses the newest snapshot, or with an existing one: %s.", indices(newer, used)))
}

// RolledOut returns how many clusters the stages of the run have when the bindings of all have
// what it rolls out; otherwise 0.
func RolledOut(k *subject.Subject) (n int) {
	all, known := k.Case.PlacementBindings()
	if !known {
		return 0
	}
	has := map[string]*world.Binding{}
	for _, b := range all {
		if b.Deleting.IsZero() {
			has[b.Cluster] = b
		}
	}
	for i := range k.View.Stages {
		if k.View.Stages[i].Deletion {
			if k.View.Stages[i].Total > 0 {
				return 0
			}
			continue
		}
		status := k.Case.Stage(i)
		for j := range status.Clusters {
			c := &status.Clusters[j]
			if b := has[c.ClusterName]; b == nil || !k.InSync(b, c) {
				return 0
			}
			n++
		}
	}
	return n
}
