package store

import (
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// changedAt returns when a run that is seen now was changed last, as far as the API server
// recorded it: a command that has just started knows no other time.
func changedAt(run *placement.StagedUpdateRun, now time.Time) time.Time {
	for i := range run.ManagedFields {
		if t := run.ManagedFields[i].Time; t != nil && t.Time.Before(now) {
			return t.Time
		}
	}
	return now
}

// seen notes when a run was seen first in its generation, and which version brought the starts of its clusters.
func (f *folder) seen(id engine.ID, old, run *placement.StagedUpdateRun, now time.Time) {
	w := f.world
	seen, ok := w.FirstSeen[id]
	if !ok || seen.Generation != run.Generation {
		seen = world.Seen{Generation: run.Generation, At: changedAt(run, now), Changed: ok, First: seen.First, Starts: seen.Starts}
	}
	came := world.Arrival{At: now, Version: run.ResourceVersion}
	switch {
	case ok && w.Packed[id].IsRowOnly(): // which starts are new is not known
	case ok:
		seen.Starts = startsSeen(seen.Starts, old, run, came)
	default:
		seen.First = came
	}
	w.FirstSeen[id] = seen
}

// startsFor is how long the arrival of a start is kept.
const startsFor = time.Minute

// startsSeen returns the versions that brought the starts of clusters that an older version of the
// run did not have: those of the last minute, with those that come now.
func startsSeen(seen map[string]world.Arrival, old, run *placement.StagedUpdateRun, now world.Arrival) map[string]world.Arrival {
	var out map[string]world.Arrival // most changes of a run start no cluster
	add := func(name string, came world.Arrival) {
		if out == nil {
			out = map[string]world.Arrival{}
		}
		out[name] = came
	}
	for name, came := range seen {
		if now.At.Sub(came.At) < startsFor {
			add(name, came)
		}
	}
	for i := range run.Status.StagesStatus {
		for j := range run.Status.StagesStatus[i].Clusters {
			if c := &run.Status.StagesStatus[i].Clusters[j]; started(c) && !started(clusterAt(old, i, j, c.ClusterName)) {
				add(c.ClusterName, now)
			}
		}
	}
	return out
}

// clusterAt returns a cluster at its place in a run, nil when the run does not have it there.
func clusterAt(run *placement.StagedUpdateRun, stage, at int, name string) *placement.ClusterStatus {
	if run == nil || stage >= len(run.Status.StagesStatus) || at >= len(run.Status.StagesStatus[stage].Clusters) {
		return nil
	}
	if c := &run.Status.StagesStatus[stage].Clusters[at]; c.ClusterName == name {
		return c
	}
	return nil
}

func started(c *placement.ClusterStatus) bool {
	return c != nil && engine.ReadCondition(c.Conditions, placement.ClusterStarted).Truth == engine.TruthYes
}
