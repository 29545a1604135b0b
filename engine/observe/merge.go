package observe

import (
	"maps"
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// Merge makes one list of the runs of several hubs. hubs are their latest Snapshots, in
// the order in which they are shown; all are named, and none is changed. prev is the last
// Snapshot that Merge returned, nil at first. Ages are those of the hub that is looked at.
func Merge(prev *engine.Snapshot, hubs []*engine.Snapshot, looked engine.HubName) *engine.Snapshot {
	s := &engine.Snapshot{
		Complete: true, Missing: map[engine.ID][]engine.Gap{}, Hubs: hubs, Hub: engine.Hub{Context: engine.Count(len(hubs), "hub")},
		Scope: engine.Scope{NoHub: true},
	}
	if prev != nil {
		s.Seq = prev.Seq + 1
	}
	var off, short []engine.Text
	for i, h := range hubs {
		if !h.At.IsZero() && (s.At.IsZero() || h.Hub.Name == looked) { // a hub that was not read has no time
			s.At, s.Skew, s.StuckAfter = h.At, h.Skew, h.StuckAfter
		}
		if i == 0 || worse(h.Link.State, s.Link.State) {
			s.Link = h.Link
			if !s.Link.Err.IsZero() {
				s.Link.Err = engine.Textf("%s: %s", h.Hub.Context, s.Link.Err)
			}
		}
		if s.Scope.Namespaces.IsZero() {
			s.Scope.Namespaces = h.Scope.Namespaces
		}
		s.Runs = append(s.Runs, h.Runs...)
		s.Complete = s.Complete && h.Complete
		s.Beside, s.BesideRead = s.Beside+h.Beside, s.BesideRead+h.BesideRead
		s.Scope.ClusterRuns = s.Scope.ClusterRuns || h.Scope.ClusterRuns
		s.Scope.Hidden = s.Scope.Hidden || h.Scope.Hidden
		s.Scope.NoHub = s.Scope.NoHub && h.Scope.NoHub
		for _, set := range h.Scope.Runs {
			set.ID = set.ID.On(h.Hub.Name)
			s.Scope.Runs = append(s.Scope.Runs, set)
		}
		for _, note := range h.Scope.Notes {
			s.Scope.Notes = append(s.Scope.Notes, engine.Textf("%s: %s", h.Hub.Context, note))
		}
		if !h.Scope.Short.IsZero() {
			short = append(short, engine.Textf("%s: %s", h.Hub.Context, h.Scope.Short))
		}
		maps.Copy(s.Missing, h.Missing)
		if h.Detail != nil {
			s.Detail = h.Detail
		}
		if !h.WritesOff.IsZero() {
			off = append(off, engine.Textf("%s: %s", h.Hub.Context, h.WritesOff))
		}
		s.Raised = engine.Earlier(s.Raised, h.Raised)
	}
	s.Scope.Short = engine.Join(short, " · ")
	if len(off) == len(hubs) {
		s.WritesOff = engine.Join(off, " · ")
	}
	slices.SortFunc(s.Runs, before)
	s.Need = engine.CountNeeds(s.Runs)
	return s
}

// worse reports whether a state of the connection says less about the data than another.
func worse(a, b engine.LinkState) bool {
	order := []engine.LinkState{engine.LinkLive, engine.LinkLoading, engine.LinkStale, engine.LinkReconnecting, engine.LinkRefused}
	return slices.Index(order, a) > slices.Index(order, b)
}
