package act

import (
	"fmt"
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// proposeDelete makes the intent that deletes a run. Any run may be deleted at
// any time; its bindings stay as they are (docs/kubefleet.md#delete).
func proposeDelete(s *engine.Snapshot, v *engine.RunView) Intent {
	i := Intent{Act: engine.ActDelete, Irreversible: true}
	i.seen(v)
	i.Title = engine.Textf("Delete %s", v.ID.Title())
	i.Effect = deleteEffect(v)
	if !v.Terminal && v.Word != engine.WordDone {
		w := engine.Textf("The run is unfinished (%s).", v.Word)
		if d := deletionStage(v); v.State.String() == string(placement.StateRun) && (d == nil || len(d.Coming) > 0) {
			w = engine.Textf("%s Stop is reversible.", w)
		}
		i.Warn = append(i.Warn, w)
	}
	if (v.Gate(engine.GateOpen) != nil || v.SentGate() != nil) && len(keptRequests(v)) == 0 {
		i.Warn = append(i.Warn, engine.Lit("Its approval request is open; it is deleted with the run."))
	}
	i.Undo = engine.Lit("A deletion cannot be undone. A new run can continue the rollout.")
	if v.ReportDiff {
		i.Undo = engine.Lit("A deletion cannot be undone. A new run can compare the clusters again.")
	}
	if v.Word == engine.WordDone {
		i.Undo = engine.Lit("A deletion cannot be undone.")
	}
	i.Kubectl = kubectl(s, v.ID, "delete", v.ID.Kind().Plural(), v.ID.RawName())
	return i
}

// keptRequests are the approval requests that the controller does not delete with the run,
// since it finds them by their label (docs/kubefleet.md#delete).
func keptRequests(v *engine.RunView) []engine.Text {
	var out []engine.Text
	for i := range v.Stages {
		for g := range v.Stages[i].Gates() {
			if g.Seen != nil && g.Seen.Unlabelled && !g.Foreign() && !slices.Contains(out, g.Name) {
				out = append(out, g.Name)
			}
		}
	}
	return out
}

// deleteEffect says what is deleted with the run and what stays.
func deleteEffect(v *engine.RunView) []engine.Text {
	out := []engine.Text{engine.Lit("The run and its approval requests are deleted. Bindings are not changed.")}
	for _, name := range keptRequests(v) {
		out = append(out, engine.Textf("Approval request %s is not deleted: it has no label %s of this run. A new run called %s uses it, with its approval.", name, placement.LabelTargetUpdateRun, v.ID.Name()))
	}
	if deletionStage(v) != nil {
		return append(out, leftDeletions(v)...)
	}
	switch stuck := engine.Capital(engine.Are(v.Stuck, "cluster")); {
	case v.Stuck > 0 && v.ReportDiff:
		out = append(out, engine.Textf("%s stuck: no run checks what is reported there.", stuck))
	case v.Stuck > 0:
		out = append(out, engine.Textf("%s stuck: what was rolled out stays there as it is, and no run checks it.", stuck))
	}
	if n := v.Updating; n == 1 {
		out = append(out, engine.Lit("1 cluster is updating: its update continues, but no run checks the result."))
	} else if n > 0 {
		out = append(out, engine.Textf("%s updating: their updates continue, but no run checks the result.", engine.Capital(engine.Are(n, "cluster"))))
	}
	left := 0
	for i := range v.Stages {
		if s := &v.Stages[i]; !s.Deletion {
			left += len(s.Coming) + s.ComingMore
		}
	}
	if left > 0 && !v.Terminal && v.Word != engine.WordDone {
		out = append(out, engine.Textf("No new cluster is started: %s.", keep(v, left)))
	}
	return append(out, leftDeletions(v)...)
}

// Create returns what a clone creates, raw: name, placement, strategy, the
// snapshot index and the state, either of which may be empty. For watch.
func (i Intent) Create() (name, placement, strategy, index, state string) {
	m := i.create
	return m.name, m.placement, m.strategy, m.index, m.state
}

// String describes the spec for test failures.
func (m made) String() string {
	return fmt.Sprintf("%s of %s by %s, snapshot %q, state %q", m.name, m.placement, m.strategy, m.index, m.state)
}
