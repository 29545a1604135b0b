package initialize

import (
	"maps"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// defaultHistory is how many snapshots a placement keeps when it does not say
// (docs/kubefleet.md#placement).
const defaultHistory = 10

// latestSnapshot is the newest group of resource snapshots of a placement.
type latestSnapshot struct {
	master *placement.ResourceSnapshot
	index  int
	total  int // objects that the group is to have
}

// makeSnapshot gives the run a snapshot of what the placement selects now: the
// latest one if it has the same content, else a new one
// (docs/kubefleet.md#new-snapshot, G). It never waits before it makes one
// (docs/kubefleet.md#new-snapshot, H).
func (p *Initializer) makeSnapshot() (group []*placement.ResourceSnapshot, master *placement.ResourceSnapshot, err error) {
	resources, err := p.selectResources()
	if err != nil {
		return nil, nil, err
	}
	content := hash(resources)
	parts := split(resources)
	latest, err := p.latest()
	if err != nil {
		return nil, nil, err
	}
	if latest != nil && latest.master.Annotations[placement.AnnotationResourceHash] == content {
		return p.reuse(latest, resources, parts)
	}
	index := 0
	if latest != nil {
		index = latest.index + 1
		if latest.master.Labels[placement.LabelIsLatestSnapshot] == pass.LabelTrue {
			if _, err := p.label(latest.master, pass.LabelFalse); err != nil {
				return nil, nil, err
			}
		}
	}
	if err := p.prune(); err != nil {
		return nil, nil, err
	}
	return p.create(nil, nil, index, 0, resources, parts)
}

// reuse takes the latest group, labels it as such again and completes it from
// the end (docs/kubefleet.md#new-snapshot, G2).
func (p *Initializer) reuse(latest *latestSnapshot, resources []resource, parts [][]resource) ([]*placement.ResourceSnapshot, *placement.ResourceSnapshot, error) {
	master := latest.master
	if master.Labels[placement.LabelIsLatestSnapshot] != pass.LabelTrue {
		var err error
		if master, err = p.label(master, pass.LabelTrue); err != nil {
			return nil, nil, err
		}
	}
	group := p.group(strconv.Itoa(latest.index))
	if len(group) == latest.total {
		return group, master, nil
	}
	return p.create(group, master, latest.index, len(group), resources, parts)
}

// latest finds the newest group: the one labelled so, else the highest index.
// It returns nil when the placement has no snapshots.
func (p *Initializer) latest() (*latestSnapshot, error) {
	var labelled, all []*placement.ResourceSnapshot
	for _, s := range ByName(p.In.ResourceSnapshots) {
		if !p.Owned(s) {
			continue
		}
		all = append(all, s)
		if s.Labels[placement.LabelIsLatestSnapshot] == pass.LabelTrue {
			labelled = append(labelled, s)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	candidates := labelled
	if len(labelled) == 0 {
		newest := -1
		for _, s := range all {
			index, err := indexOf(s)
			if err != nil {
				return nil, err
			}
			if index > newest {
				newest, candidates = index, nil
			}
			if index == newest {
				candidates = append(candidates, s)
			}
		}
	}
	master := masterOf(candidates)
	if master == nil {
		return nil, pass.UnexpectedError("no masterResourceSnapshot found for the placement %s", p.PlacementKey())
	}
	index, err := indexOf(master)
	if err != nil {
		return nil, err
	}
	total, err := totalOf(master)
	if err != nil {
		return nil, err
	}
	return &latestSnapshot{master, index, total}, nil
}

// masterOf returns the object of a group that carries the hash, or nil.
func masterOf(group []*placement.ResourceSnapshot) *placement.ResourceSnapshot {
	for _, s := range group {
		if s.Annotations[placement.AnnotationResourceHash] != "" {
			return s
		}
	}
	return nil
}

func indexOf(s *placement.ResourceSnapshot) (int, error) {
	index, err := strconv.Atoi(s.Labels[placement.LabelResourceIndex])
	if err != nil || index < 0 {
		return 0, pass.UnexpectedError("resource snapshot `%s` has an invalid index label `%s`", pass.ObjectName(s), s.Labels[placement.LabelResourceIndex])
	}
	return index, nil
}

func totalOf(master *placement.ResourceSnapshot) (int, error) {
	text := master.Annotations[placement.AnnotationNumberOfResourceSnapshots]
	total, err := strconv.Atoi(text)
	if err != nil || total < 1 {
		return 0, pass.UnexpectedError("master resource snapshot `%s` has an invalid number of snapshots `%s`", pass.ObjectName(master), text)
	}
	return total, nil
}

// group returns the placement's snapshots whose index label is the given text.
func (p *Initializer) group(index string) []*placement.ResourceSnapshot {
	var group []*placement.ResourceSnapshot
	for _, s := range ByName(p.In.ResourceSnapshots) {
		if p.Owned(s) && s.Labels[placement.LabelResourceIndex] == index {
			group = append(group, s)
		}
	}
	return group
}

// label writes whether a snapshot is the latest.
func (p *Initializer) label(s *placement.ResourceSnapshot, latest string) (*placement.ResourceSnapshot, error) {
	s = s.DeepCopy()
	s.Labels[placement.LabelIsLatestSnapshot] = latest
	answer, err := p.Do(pass.Effect{Op: pass.OpUpdateSnapshot, Object: s})
	if err != nil {
		return nil, pass.WriteError(err)
	}
	return snapshotIn(pass.OpUpdateSnapshot, answer)
}

func snapshotIn(op pass.Op, answer pass.Answer) (*placement.ResourceSnapshot, error) {
	s, ok := answer.Object.(*placement.ResourceSnapshot)
	if !ok || s == nil {
		return nil, pass.NoObject(op, answer)
	}
	return s, nil
}

// prune deletes the oldest groups, so that with the one about to be made there
// are as many as the placement keeps. Whether a binding still uses one is not
// looked at (docs/kubefleet.md#new-snapshot, G4).
func (p *Initializer) prune() error {
	keep := defaultHistory
	if n := p.In.Placement.Spec.RevisionHistoryLimit; n != nil {
		keep = int(*n)
	}
	groups := map[int][]*placement.ResourceSnapshot{}
	objects := 0
	for _, s := range ByName(p.In.ResourceSnapshots) {
		if !p.Owned(s) {
			continue
		}
		index, err := indexOf(s)
		if err != nil {
			return err
		}
		groups[index] = append(groups[index], s)
		objects++
	}
	if objects < keep {
		return nil
	}
	indexes := slices.Sorted(maps.Keys(groups))
	slices.Reverse(indexes)
	for _, index := range indexes[min(len(indexes), max(keep-1, 0)):] {
		for _, s := range groups[index] {
			if _, err := p.Do(pass.Effect{Op: pass.OpDeleteSnapshot, Object: s}); err != nil {
				return pass.ServerError(err)
			}
		}
	}
	return nil
}

// create makes the objects of a group from the given position on: 0 is the
// master (docs/kubefleet.md#new-snapshot, G5).
func (p *Initializer) create(group []*placement.ResourceSnapshot, master *placement.ResourceSnapshot, index, from int, resources []resource, parts [][]resource) ([]*placement.ResourceSnapshot, *placement.ResourceSnapshot, error) {
	group = slices.Clone(group)
	for i := from; i < len(parts); i++ {
		s := p.newSnapshot(index, i, parts[i])
		if i == 0 {
			describe(s, resources, len(parts))
		}
		answer, err := p.Do(pass.Effect{Op: pass.OpCreateSnapshot, Object: s})
		if err != nil {
			return nil, nil, pass.ServerError(err)
		}
		made, err := snapshotIn(pass.OpCreateSnapshot, answer)
		if err != nil {
			return nil, nil, err
		}
		if i == 0 {
			master = made
		}
		group = append(group, made)
	}
	return group, master, nil
}

// newSnapshot builds one object of a group, without what only a master has.
func (p *Initializer) newSnapshot(index, position int, resources []resource) *placement.ResourceSnapshot {
	number := strconv.Itoa(index)
	s := &placement.ResourceSnapshot{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Run.Namespace,
			Name:      placement.MasterSnapshotName(p.In.Placement.Name, number),
			Labels: map[string]string{
				placement.LabelParentPlacement: p.In.Placement.Name,
				placement.LabelResourceIndex:   number,
			},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(p.In.Placement, placement.GroupVersion.WithKind(p.placementKind()))},
		},
		Spec: placement.ResourceSnapshotSpec{SelectedResources: make([]placement.ResourceContent, len(resources))},
	}
	for i := range resources {
		s.Spec.SelectedResources[i].RawExtension = runtime.RawExtension{Raw: resources[i].raw}
	}
	if position > 0 {
		part := position - 1
		s.Name = placement.PartSnapshotName(p.In.Placement.Name, number, part)
		s.Annotations = map[string]string{placement.AnnotationSubindex: strconv.Itoa(part)}
	}
	return s
}

// describe gives a master its hash and counts.
func describe(s *placement.ResourceSnapshot, resources []resource, objects int) {
	envelopes := 0
	for i := range resources {
		if resources[i].envelope() {
			envelopes++
		}
	}
	s.Labels[placement.LabelIsLatestSnapshot] = pass.LabelTrue
	s.Annotations = map[string]string{
		placement.AnnotationResourceHash:              hash(resources),
		placement.AnnotationNumberOfResourceSnapshots: strconv.Itoa(objects),
		placement.AnnotationNumberOfEnvelopedObject:   strconv.Itoa(envelopes),
	}
}

func (p *Initializer) placementKind() string {
	if p.Run.Namespace == "" {
		return placement.KindClusterResourcePlacement
	}
	return placement.KindResourcePlacement
}
