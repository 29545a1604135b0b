package drive

import (
	"strconv"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// chooseSnapshot finds the group of resource snapshots that the run rolls out,
// and its master (facts 3.2 step 12).
func (p *pass) chooseSnapshot() (group []*placement.ResourceSnapshot, master *placement.ResourceSnapshot, err error) {
	if err := p.in.Failed.ResourceSnapshots; err != nil {
		return nil, nil, server(err)
	}
	index := p.run.Spec.ResourceSnapshotIndex
	number, err := strconv.Atoi(index)
	if err != nil || number < 0 {
		return nil, nil, invalid(user("invalid resource snapshot index `%s` provided, expected an integer >= 0", index))
	}
	// The label is compared with the text as given: `01` finds nothing.
	for _, s := range p.in.ResourceSnapshots {
		if p.owned(s) && s.Labels[labelIndex] == index {
			group = append(group, s)
		}
	}
	if len(group) == 0 {
		return nil, nil, invalid(user("no resourceSnapshots with index `%d` found for placement `%s`", number, p.placementKey()))
	}
	for _, s := range byName(group) {
		if s.Annotations[annotationHash] != "" {
			return group, s, nil
		}
	}
	return nil, nil, invalid(unexpected("no master resourceSnapshot found for placement %s", p.placementKey()))
}
