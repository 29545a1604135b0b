package ask

import (
	"cmp"
	"context"
	"slices"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

const (
	// othersMost is how many runs are read one by one; of more, the whole set is listed.
	othersMost = 16
	// othersAtOnce is how many of them are read at the same time.
	othersAtOnce = 4
)

// others reads the runs of a placement that a plan depends on: those that are not finished, and
// the newest ones. A run of a thousand clusters has hundreds of kilobytes and nothing selects the
// runs of a placement, so the hub's table of all runs names them. Where it does not, all runs of
// the scope are read.
func (rd Reader) others(ctx context.Context, run *placement.StagedUpdateRun) ([]*placement.StagedUpdateRun, error) {
	resource, ns := scoped(run.Namespace, placement.ResourceClusterStagedUpdateRuns, placement.ResourceStagedUpdateRuns), run.Namespace
	if rd.shared != nil { // other runs need the others
		return readSet[placement.StagedUpdateRun](ctx, rd, resource, ns)
	}
	kind := engine.KindClusterStagedUpdateRun
	if ns != "" {
		kind = engine.KindStagedUpdateRun
	}
	rows, err := printed.AllRuns(ctx, rd.hub, world.CoverKey{Kind: kind, Namespace: ns})
	if err == nil {
		if names := namesOfOthers(rows.Runs, run); len(names) <= othersMost {
			if runs, err := rd.runsNamed(ctx, resource, ns, names); err == nil { // else they may be listed, not read
				return runs, nil
			}
		}
	}
	return readAll[placement.StagedUpdateRun](ctx, rd.hub, resource, ns, nil)
}

// namesOfOthers lists the other runs of the placement of a run: those that are not finished, and
// the newest ones.
func namesOfOthers(rows map[engine.ID]world.PrintedRun, run *placement.StagedUpdateRun) []string {
	type other struct {
		name string
		row  world.PrintedRun
	}
	all := []*other{}
	for id, row := range rows {
		if _, name, _ := id.Raw(); row.Placement == run.Spec.PlacementName && name != run.Name {
			all = append(all, &other{name, row})
		}
	}
	slices.SortFunc(all, func(a, b *other) int {
		return cmp.Or(b.row.Created.Compare(a.row.Created), cmp.Compare(a.name, b.name))
	})
	var names []string
	for n, o := range all {
		if finished := o.row.Succeeded == "True" || o.row.Succeeded == "False"; !finished || n < forecast.NewestRuns {
			names = append(names, o.name)
		}
	}
	return names
}

// runsNamed reads runs whole. One that was deleted meanwhile is left out.
func (rd Reader) runsNamed(ctx context.Context, resource, ns string, names []string) ([]*placement.StagedUpdateRun, error) {
	runs, errs := make([]*placement.StagedUpdateRun, len(names)), make([]error, len(names))
	free := make(chan struct{}, othersAtOnce)
	var reads task.Reads
	for i, name := range names {
		reads.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			runs[i], errs[i] = readMaybe[placement.StagedUpdateRun](ctx, rd.hub, resource, ns, name)
		})
	}
	reads.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(runs, func(r *placement.StagedUpdateRun) bool { return r == nil }), nil
}
