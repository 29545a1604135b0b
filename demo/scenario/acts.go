package scenario

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
)

// directorLooks is how often the director looks whether it is time for an act.
const directorLooks = 250 * time.Millisecond

// director does what the people and pipelines of a scenario do. Each act is done
// once, so that what somebody does to the demo afterwards stays done.
type director struct {
	world    *store.Store
	scenario Scenario
	log      *slog.Logger
	done     map[int]bool
	// since is when a pipeline first saw its latest run finished.
	since map[int]time.Time
}

func newDirector(w *store.Store, s Scenario, log *slog.Logger) *director {
	return &director{world: w, scenario: s, log: log, done: map[int]bool{}, since: map[int]time.Time{}}
}

// run acts until ctx ends.
func (d *director) run(ctx context.Context) {
	tick := time.NewTicker(directorLooks)
	defer tick.Stop()
	for {
		for i, act := range d.scenario.Acts {
			if d.done[i] {
				continue
			}
			done, err := d.try(ctx, i, act)
			if err != nil && !errors.Is(err, context.Canceled) {
				d.log.Debug("act again", "act", i, "run", act.When.Run, "err", err)
			}
			d.done[i] = done && err == nil
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// try does an act if its time has come, and tells whether it is over.
func (d *director) try(ctx context.Context, i int, act Act) (bool, error) {
	if act.Do.Repeat != nil {
		return false, d.repeat(ctx, i, act)
	}
	run := d.world.Runs.Get(store.Key{Namespace: act.When.Namespace, Name: act.When.Run})
	if run == nil || !reached(run, act.When) {
		return false, nil
	}
	switch {
	case act.Do.Create != nil:
		_, err := d.world.Runs.Place(ctx, runObject(*act.Do.Create))
		return true, err
	case act.Do.Approve != nil:
		return d.approve(ctx, act)
	case act.Do.Relabel != nil:
		return d.relabel(ctx, *act.Do.Relabel)
	case act.Do.Compare != "":
		return d.compare(ctx, store.Key{Namespace: act.When.Namespace, Name: act.Do.Compare})
	default:
		next := run.DeepCopy()
		next.Spec.State = act.Do.State
		_, err := d.world.Runs.Update(ctx, next, "", metav1.UpdateOptions{})
		return true, err
	}
}

func (d *director) relabel(ctx context.Context, r Relabel) (bool, error) {
	member := d.world.Members.Get(store.Key{Name: r.Cluster})
	if member == nil {
		return false, nil
	}
	next := member.DeepCopy()
	next.Labels[labelRing] = r.Ring
	_, err := d.world.Members.Update(ctx, next, "", metav1.UpdateOptions{})
	return true, err
}

// compare lets a placement look at whole objects for drift.
func (d *director) compare(ctx context.Context, k store.Key) (bool, error) {
	p := d.world.Placements.Get(k)
	if p == nil {
		return false, nil
	}
	next := p.DeepCopy()
	next.Spec.Strategy.ApplyStrategy.ComparisonOption = placement.CompareFull
	_, err := d.world.Placements.Update(ctx, next, "", metav1.UpdateOptions{})
	return true, err
}

// reached tells whether a run is as far as the moment says; what the moment says
// of an approval request is not looked at.
func reached(run *placement.StagedUpdateRun, when Moment) bool {
	done, started := 0, 0
	for _, stage := range run.Status.StagesStatus {
		for _, c := range stage.Clusters {
			switch {
			case meta.IsStatusConditionTrue(c.Conditions, placement.ClusterSucceeded):
				done++
			case meta.IsStatusConditionTrue(c.Conditions, placement.ClusterStarted):
				started++
			}
		}
	}
	return done >= when.Done && started >= when.WhileUpdating
}

func (d *director) approve(ctx context.Context, act Act) (bool, error) {
	request := d.world.Approvals.Get(store.Key{Namespace: act.When.Namespace, Name: act.When.Approval})
	if request == nil {
		return false, nil
	}
	approved := metav1.Condition{
		Type: placement.ApprovalApproved, Status: metav1.ConditionTrue,
		Reason: act.Do.Approve.Reason, Message: act.Do.Approve.Message,
		LastTransitionTime: metav1.NewTime(time.Now()), ObservedGeneration: request.Generation,
	}
	if act.Do.Approve.Unobserved {
		approved.ObservedGeneration = 0
	}
	next := request.DeepCopy()
	meta.SetStatusCondition(&next.Status.Conditions, approved)
	_, err := d.world.Approvals.Update(ctx, next, "status", metav1.UpdateOptions{})
	return true, err
}

// repeat lets the next run of a pipeline follow when its latest one is done.
func (d *director) repeat(ctx context.Context, i int, act Act) error {
	first := d.world.Runs.Get(store.Key{Namespace: act.When.Namespace, Name: act.When.Run})
	p, strategy, known := d.placementOf(act.When)
	if !known {
		return fmt.Errorf("repeat %s: the scenario has no such run", act.When.Run)
	}
	runs := d.world.Runs.All(func(r *placement.StagedUpdateRun) bool {
		return r.Namespace == p.Namespace && r.Spec.PlacementName == p.Name
	})
	var finished []*placement.StagedUpdateRun
	for _, r := range runs {
		if !meta.IsStatusConditionTrue(r.Status.Conditions, placement.RunSucceeded) || r.DeletionTimestamp != nil {
			// One is under way, was stopped, or failed: somebody has to look first.
			delete(d.since, i)
			return nil
		}
		finished = append(finished, r)
	}
	if first == nil && len(finished) == 0 {
		return nil
	}
	if d.since[i].IsZero() {
		d.since[i] = time.Now()
	}
	if time.Since(d.since[i]) < act.Do.Repeat.Rest {
		return nil
	}
	delete(d.since, i)
	return d.next(ctx, p, strategy, finished, *act.Do.Repeat)
}

// placementOf is the placement of the moment's run and the run's strategy.
func (d *director) placementOf(when Moment) (p Placement, strategy string, known bool) {
	for _, r := range d.scenario.Runs {
		if r.Namespace != when.Namespace || r.Name != when.Run {
			continue
		}
		for _, p := range d.scenario.Placements {
			if p.Namespace == r.Namespace && p.Name == r.Placement {
				return p, r.Strategy, true
			}
		}
	}
	return Placement{}, "", false
}

// next releases: a snapshot with the next index, a run to it, and only the
// newest of the finished runs kept.
func (d *director) next(ctx context.Context, p Placement, strategy string, finished []*placement.StagedUpdateRun, r Repeat) error {
	number := r.First
	for _, old := range finished {
		if n, err := strconv.Atoi(strings.TrimPrefix(old.Name, r.Prefix)); err == nil {
			number = max(number, n+1)
		}
	}
	index, err := d.release(ctx, p, r.Tag)
	if err != nil {
		return fmt.Errorf("release %s: %w", p.Key(), err)
	}
	slices.SortFunc(finished, func(a, b *placement.StagedUpdateRun) int {
		return b.CreationTimestamp.Compare(a.CreationTimestamp.Time)
	})
	for _, old := range finished[min(r.Keep, len(finished)):] {
		err := d.world.Runs.Delete(ctx, store.Key{Namespace: old.Namespace, Name: old.Name}, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete run %s: %w", old.Name, err)
		}
	}
	run := Run{
		Namespace: p.Namespace, Name: r.Prefix + strconv.Itoa(number), Placement: p.Name,
		Strategy: strategy, Index: strconv.Itoa(index), State: placement.StateRun,
	}
	_, err = d.world.Runs.Place(ctx, runObject(run))
	return err
}

// release makes a resource snapshot after the latest one and prunes the oldest,
// as a changed resource would (docs/kubefleet.md#new-snapshot, G).
func (d *director) release(ctx context.Context, p Placement, tag string) (int, error) {
	k := store.Key{Namespace: p.Namespace, Name: p.Name}
	owner := d.world.Placements.Get(k)
	if owner == nil {
		return 0, errors.New("the placement is gone")
	}
	snapshots := d.world.ResourceSnapshots.Of(k)
	indexOf := func(s *placement.ResourceSnapshot) int {
		n, err := strconv.Atoi(s.Labels[placement.LabelResourceIndex])
		if err != nil {
			return -1
		}
		return n
	}
	slices.SortFunc(snapshots, func(a, b *placement.ResourceSnapshot) int { return indexOf(b) - indexOf(a) })
	index := 0
	if len(snapshots) > 0 {
		index = indexOf(snapshots[0]) + 1
	}
	for _, s := range snapshots {
		if s.Labels[placement.LabelIsLatestSnapshot] != "true" {
			continue
		}
		next := s.DeepCopy()
		next.Labels[placement.LabelIsLatestSnapshot] = "false"
		if _, err := d.world.ResourceSnapshots.Update(ctx, next, "", metav1.UpdateOptions{}); err != nil {
			return 0, err
		}
	}
	const keep = 9 // and the new one: the placement's revisionHistoryLimit
	for _, old := range snapshots[min(keep, len(snapshots)):] {
		err := d.world.ResourceSnapshots.Delete(ctx, store.Key{Namespace: old.Namespace, Name: old.Name}, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return 0, err
		}
	}
	s, err := resourceSnapshot(p, Snapshot{Index: index, Tag: fmt.Sprintf(tag, index)}, true,
		ownerOf(d.world.Kinds.Placements.In(p.Namespace).Kind, owner))
	if err != nil {
		return 0, err
	}
	_, err = d.world.ResourceSnapshots.Place(ctx, s)
	return index, err
}
