package engine

import (
	"fmt"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// proposeDelete makes the intent that deletes a run. Any run may be deleted at
// any time; its bindings stay as they are (docs/kubefleet.md#delete).
func proposeDelete(s *Snapshot, v *RunView) Intent {
	i := Intent{Act: ActDelete, Irreversible: true}
	i.seen(v)
	i.Title = Textf("Delete %s", v.ID.Title())
	i.Effect = deleteEffect(v)
	if !v.Terminal && v.Word != WordDone {
		w := Textf("The run is not finished (%s).", v.Word)
		if v.State.String() == string(placement.StateRun) {
			w = Textf("%s Stop holds it and is reversible.", w)
		}
		i.Warn = append(i.Warn, w)
	}
	if v.Gate(GateOpen) != nil || v.Gate(GateSent) != nil {
		i.Warn = append(i.Warn, Lit("It is being approved right now; its approval request goes with it."))
	}
	i.Undo = Lit("A deletion cannot be undone. A new run of the same placement can continue.")
	i.Twin = kubectl(s, v.ID, "delete", v.ID.Kind().Plural(), v.ID.RawName())
	return i
}

// deleteEffect tells what goes with the run and what stays.
func deleteEffect(v *RunView) []Text {
	out := []Text{Lit("The run and its approval requests are deleted. Bindings are not changed.")}
	if n := v.Updating + v.Stuck; n == 1 {
		out = append(out, Lit("1 cluster is still updating: its update continues, and no run checks the result."))
	} else if n > 0 {
		out = append(out, Textf("%s still updating: their updates continue, and no run checks the result.", Capital(Are(n, "cluster"))))
	}
	left := 0
	for i := range v.Stages {
		if s := &v.Stages[i]; !s.Deletion {
			left += len(s.Coming) + s.ComingMore
		}
	}
	if left > 0 && !v.Terminal && v.Word != WordDone {
		keep := Lit("keep")
		if left == 1 {
			keep = Lit("keeps")
		}
		out = append(out, Textf("%s that it has not started %s the old version.", Count(left, "cluster"), keep))
	}
	return out
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
