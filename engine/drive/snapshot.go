package drive

import (
	"errors"
	"strconv"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// chooseSnapshot finds the group of resource snapshots that the run rolls out,
// and its master: the one with the index that the run names, else one with what
// the placement selects now (docs/kubefleet.md#initialize, row 12).
func (p *initializer) chooseSnapshot() (group []*placement.ResourceSnapshot, master *placement.ResourceSnapshot, err error) {
	index := p.run.Spec.ResourceSnapshotIndex
	if index == "" {
		if err := p.in.Failed.ResourceSnapshots; err != nil {
			return nil, nil, server(err)
		}
		group, master, err = p.makeSnapshot()
		if errors.Is(err, errUser) {
			err = invalid(err)
		}
		return group, master, err
	}
	number, err := strconv.Atoi(index)
	if err != nil || number < 0 {
		return nil, nil, invalid(user("invalid resource snapshot index `%s` provided, expected an integer >= 0", index))
	}
	if err := p.in.Failed.ResourceSnapshots; err != nil {
		return nil, nil, server(err)
	}
	// The label is compared with the text as given: `01` finds nothing.
	group = p.group(index)
	if len(group) == 0 {
		return nil, nil, invalid(user("no resourceSnapshots with index `%d` found for placement `%s`", number, p.placementKey()))
	}
	if master = masterOf(group); master == nil {
		return nil, nil, invalid(unexpected("no master resourceSnapshot found for placement %s", p.placementKey()))
	}
	return group, master, nil
}
