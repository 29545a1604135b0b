package initialize

import (
	"errors"
	"strconv"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// ChooseSnapshot finds the group of resource snapshots that the run rolls out,
// and its master: the one with the index that the run names, else one with what
// the placement selects now (docs/kubefleet.md#initialize, row 12).
func (p *Initializer) ChooseSnapshot() (group []*placement.ResourceSnapshot, master *placement.ResourceSnapshot, err error) {
	index := p.Run.Spec.ResourceSnapshotIndex
	if index == "" {
		if err := p.In.Failed.ResourceSnapshots; err != nil {
			return nil, nil, pass.ServerError(err)
		}
		group, master, err = p.makeSnapshot()
		if errors.Is(err, pass.ErrUser) {
			err = pass.InvalidError(err)
		}
		return group, master, err
	}
	number, err := strconv.Atoi(index)
	if err != nil || number < 0 {
		return nil, nil, pass.InvalidError(pass.UserError("invalid resource snapshot index `%s` provided, expected an integer >= 0", index))
	}
	if err := p.In.Failed.ResourceSnapshots; err != nil {
		return nil, nil, pass.ServerError(err)
	}
	// The label is compared with the text as given: `01` finds nothing.
	group = p.group(index)
	if len(group) == 0 {
		return nil, nil, pass.InvalidError(pass.UserError("no resourceSnapshots with index `%d` found for placement `%s`", number, p.PlacementKey()))
	}
	if master = masterOf(group); master == nil {
		return nil, nil, pass.InvalidError(pass.UnexpectedError("no master resourceSnapshot found for placement %s", p.PlacementKey()))
	}
	return group, master, nil
}
