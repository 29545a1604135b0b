package printed

import (
	"cmp"
	"context"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
)

// mostPages bounds a table that does not end.
const mostPages = 200

// Rows are the runs of a set as kubectl would print them. They are immutable.
type Rows struct {
	Runs map[engine.ID]world.PrintedRun
	// All says that these are all runs of the set.
	All bool
	// Version is that of the list, Server the one that answered; empty if several did.
	Version, Server string

	set      world.CoverKey
	versions map[engine.ID]string // of the runs
	next     string               // continues the list
	// The rows have the column Placement, and those that world.RowOnly needs.
	hasPlacements, hasAll bool
}

// Runs asks for the runs of a set as rows, tableLimit at most.
func Runs(ctx context.Context, h *client.Client, set world.CoverKey) (*Rows, error) {
	r := &Rows{set: set, versions: map[engine.ID]string{}}
	if err := r.page(ctx, h); err != nil {
		return nil, err
	}
	return r, nil
}

// AllRuns asks for all runs of a set as rows, page by page. It returns ErrWhole if the rows do not name
// placements, or do not end.
func AllRuns(ctx context.Context, h *client.Client, set world.CoverKey) (*Rows, error) {
	r, err := Runs(ctx, h, set)
	switch {
	case err != nil:
		return nil, err
	case !r.hasPlacements:
		return nil, ErrWhole
	}
	return r.Whole(ctx, h)
}

// Whole returns the rows with those that the first page did not bring. It returns ErrWhole if they do not end, or if the
// others are of a newer state.
func (r *Rows) Whole(ctx context.Context, h *client.Client) (*Rows, error) {
	all := *r
	all.versions = maps.Clone(r.versions)
	for range mostPages {
		switch {
		case all.Version != r.Version:
			return nil, ErrWhole
		case all.All:
			return &all, nil
		}
		if err := all.page(ctx, h); err != nil {
			return nil, err
		}
	}
	return nil, ErrWhole
}

// page adds the next page.
func (r *Rows) page(ctx context.Context, h *client.Client) error {
	ctx, cancel := h.Within(ctx, client.Deadline)
	defer cancel()
	ctx, server := client.WithServer(ctx)
	t, err := ask(ctx, h, r.set, r.next)
	if err != nil {
		return err
	}
	switch {
	case r.next == "":
		r.Server = *server
	case r.Server != *server:
		r.Server = ""
	}
	runs := t.runs(h.Name(), r.set.Kind)
	maps.Copy(runs, r.Runs)
	r.Runs = runs
	for i := range t.Rows {
		m := &t.Rows[i].Object.Metadata
		r.versions[h.Name().ID(r.set.Kind, m.Namespace, m.Name, m.UID)] = m.ResourceVersion
	}
	r.Version, r.next, r.All = t.Metadata.ResourceVersion, t.Metadata.Continue, t.Metadata.Continue == ""
	r.hasPlacements = t.column("Placement") >= 0
	r.hasAll = r.hasPlacements && t.column("Succeeded") >= 0 && t.column("Initialized") >= 0 && t.column("Strategy") >= 0
	return nil
}

// Run is a run of Rows. Its version is in ObjectMeta.
type Run struct {
	metav1.ObjectMeta
	ID  engine.ID
	Row world.PrintedRun
	// Depends is set for a run that has succeeded and on which a diagnosis of another run depends, or an act.
	Depends bool
}

// isRowOnly reports whether the row of a run is enough for the list.
func (r *Rows) isRowOnly(id engine.ID) bool {
	row := r.Runs[id]
	return r.hasAll && row.HasSucceeded() && r.versions[id] != ""
}

// Succeeded is how many of the runs have succeeded.
func (r *Rows) Succeeded() (n int) {
	for id := range r.Runs {
		if r.isRowOnly(id) {
			n++
		}
	}
	return n
}

// Runs that have succeeded are read as rows, and the others one by one, if at least leastSucceeded have succeeded and there
// are at least rowsPerRun runs for each that has not: an object that is read by itself is compressed only from 128 KB.
// mostUnfinished is how many runs are read one by one before the first watch.
const leastSucceeded, rowsPerRun, mostUnfinished = 24, 3, 128

// IsPreferred reports whether so many of the runs have succeeded that their rows are read, and the other runs one by one.
func (r *Rows) IsPreferred() bool {
	succeeded := r.Succeeded()
	others := len(r.Runs) - succeeded
	return r.Version != "" && succeeded >= leastSucceeded && others <= mostUnfinished && others*rowsPerRun <= len(r.Runs)
}

// Split returns the runs of which the row is enough, and the others. Depends is set for the youngest succeeded run of all, and of
// each placement that has a run among the others.
func (r *Rows) Split() (succeeded, others []*Run) {
	type placement struct {
		others   bool
		youngest *Run // of those that have succeeded
	}
	var all placement
	of := map[Name]*placement{}
	for id, row := range r.Runs {
		ns, name, uid := id.Raw()
		run := &Run{ID: id, Row: row}
		run.Namespace, run.Name, run.UID, run.ResourceVersion = ns, name, types.UID(uid), r.versions[id]
		key := Name{ns, row.Placement}
		p := of[key]
		if p == nil {
			p = &placement{}
			of[key] = p
		}
		if !r.isRowOnly(id) {
			others, p.others = append(others, run), true
			continue
		}
		succeeded = append(succeeded, run)
		for _, p := range []*placement{p, &all} {
			if y := p.youngest; y == nil || cmp.Or(row.Created.Compare(y.Row.Created), cmp.Compare(name, y.Name)) > 0 {
				p.youngest = run
			}
		}
	}
	for _, p := range of {
		if y := p.youngest; y != nil {
			y.Depends = p.others || y == all.youngest
		}
	}
	return succeeded, others
}
