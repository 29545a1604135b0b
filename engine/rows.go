package engine

// printedView makes the row of a run of which only the hub's table is known
// yet. Only what the three printed conditions settle for good is told; the rest
// is loading.
func printedView(id ID, p PrintedRun) *RunView {
	v := &RunView{
		ID: id, Word: WordUnknown, Partial: true, At: -1,
		Placement:  placementKey(id, p.Placement),
		IndexAsked: Clean(p.Index),
		Created:    p.Created,
		placement:  p.Placement,
	}
	switch {
	case p.Initialized == "False":
		v.Word, v.Terminal = WordInitFailed, true
	case p.Succeeded == "False":
		v.Word, v.Terminal = WordFailed, true
	case p.Succeeded == "True" && p.Initialized == "True":
		v.Word, v.Terminal = WordDone, true
	}
	v.Why.What = Lit("The details of this run are still loading.")
	return v
}

// brokenView makes the row of a run whose object could not be decoded.
func brokenView(id ID, why string) *RunView {
	return &RunView{
		ID: id, Word: WordUnreadable, Partial: true, At: -1,
		Why: Diagnosis{
			What:  Lit("This object could not be read, so nothing is known about the run."),
			Heal:  Lit("Yes, if the object is repaired or written again."),
			Next:  Lit("Look at it with kubectl; a hub of a newer version may need a newer stagewatch."),
			Quote: Clean(why),
		},
	}
}

// noRuns makes a row for each External placement that no run names. It makes
// none of a scope whose runs or placements are not all known: a run that is not
// loaded yet would be denied.
func (o *observation) noRuns() []*RunView {
	w := o.w
	var out []*RunView
	named := map[ID]bool{}
	for id, run := range w.Runs {
		named[placementKey(id, run.Spec.PlacementName)] = true
	}
	for id, p := range w.Printed {
		named[placementKey(id, p.Placement)] = true
	}
	unread := map[Kind]bool{} // a run that cannot be read may name any placement
	for id := range w.Broken {
		unread[id.kind] = true
	}
	for id, p := range w.Placements {
		run := KindClusterStagedUpdateRun
		asked := w.Settings.ClusterRuns
		if id.kind.Namespaced() {
			run, asked = KindStagedUpdateRun, w.Settings.NamespacedRuns
		}
		if !p.External || !asked || named[id.Key()] || unread[run] ||
			!w.covered(id.kind, id.ns) || !w.covered(run, id.ns) {
			continue
		}
		v := &RunView{
			ID: id, Word: WordNoRun, At: -1, Placement: id,
			Since: p.Created, Created: p.Created, Generation: p.Generation,
			Index: Clean(p.ObservedIndex), Total: p.Clusters,
			placement: id.name,
		}
		v.Why.What = Textf("Placement %s rolls out in stages (strategy External), and no run names it: its %s get nothing new.",
			id.Title(), clustersOf(p.Clusters))
		v.Why.Heal = Lit("No: it waits until a person makes a run.")
		v.Why.Next = Lit("Make a run for it.")
		out = append(out, v)
	}
	return out
}

func clustersOf(n int) Text {
	if n == 0 {
		return Lit("clusters")
	}
	return count(n, "cluster")
}
