package engine

import placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"

// printedView makes the row of a run of which only the hub's table is known
// yet. Only what the three printed conditions settle for good is told; the rest
// is loading.
func printedView(id ID, p PrintedRun) *RunView {
	v := &RunView{
		ID: id, Word: WordUnknown, Partial: true, At: -1,
		Placement:    PlacementKey(id, p.Placement),
		IndexAsked:   Clean(p.Index),
		Created:      p.Created,
		PlacementRaw: NewRaw(p.Placement),
	}
	switch {
	case p.Initialized == "False":
		v.Word, v.Terminal = WordInitFailed, true
	case p.Succeeded == "False":
		v.Word, v.Terminal = WordFailed, true
	case p.Succeeded == "True" && p.Initialized == "True":
		v.Word, v.Terminal = WordDone, true
	}
	return v
}

// brokenView makes the row of a run whose object could not be decoded.
func brokenView(id ID) *RunView {
	return &RunView{
		ID: id, Word: WordUnreadable, Partial: true, At: -1,
	}
}

// noRuns makes a row for each External placement that no run rolls out: no run
// names it, or only runs that failed initialization. It makes none of a scope whose
// runs or placements are not all known: a run that is not loaded yet would be
// denied.
func (o *observation) noRuns() []*RunView {
	w := o.w
	var out []*RunView
	named := map[ID]bool{}
	o.initFailed = map[ID][]ID{}
	for id, run := range w.Runs {
		key := PlacementKey(id, run.Spec.PlacementName)
		if ReadCondition(run.Status.Conditions, placement.RunInitialized).Truth == TruthNo {
			o.initFailed[key] = append(o.initFailed[key], id)
			continue
		}
		named[key] = true
	}
	for id, p := range w.Printed {
		if w.Runs[id] == nil && p.Initialized != "False" {
			named[PlacementKey(id, p.Placement)] = true
		}
	}
	unread := map[Kind]bool{} // a run that cannot be read may name any placement
	for id := range w.Broken {
		unread[id.Kind()] = true
	}
	for id, p := range w.Placements {
		run := KindClusterStagedUpdateRun
		asked := w.Settings.ClusterRuns
		if id.Kind().Namespaced() {
			run, asked = KindStagedUpdateRun, w.Settings.NamespacedRuns
		}
		if !p.External || !asked || named[id.Key()] || unread[run] ||
			!w.Known(id.Kind(), id.RawNamespace()) || !w.Known(run, id.RawNamespace()) {
			continue
		}
		v := &RunView{
			ID: id, Word: WordNoRun, At: -1, Placement: id,
			Since: p.Created, Created: p.Created, Generation: p.Generation,
			Index: Clean(p.ObservedIndex), Total: p.Clusters,
			PlacementRaw: NewRaw(id.RawName()),
		}
		out = append(out, v)
	}
	return out
}
