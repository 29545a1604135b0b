// Package wanted says for which placements bindings are read, from what a Snapshot shows.
package wanted

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/evidence"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/store"
)

// While a screen is open, the bindings of leastBindingSets placements are watched at
// once; of more, up to bindingSets, as long as all of them have no more than
// manyClusters clusters: a set costs one request in six seconds, and a binding memory.
const (
	leastBindingSets = 10
	bindingSets      = 30
	manyClusters     = 2000
)

// Reach says for which placements bindings are read.
type Reach uint8

const (
	// ReachScreen reads those of the opened run, the row that the cursor was moved to, placements
	// in trouble and, last, the first row, up to leastBindingSets or bindingSets; while the list is
	// filtered by causes, one after the other those that a cause depends on.
	ReachScreen Reach = iota
	// ReachList reads those of ReachScreen, then, within the same limits, those of every
	// placement that a diagnosis depends on.
	ReachList
	// ReachFocus reads those of the opened run and of the row under the cursor.
	ReachFocus
	// ReachTrouble reads those of every placement that a diagnosis depends on, each once.
	ReachTrouble
	// ReachHub reads nothing but what the hub serves: there seem to be no runs.
	ReachHub
)

// ReadsAgain reports whether bindings that are older than their run are read again: where
// nobody waits for a watch to bring newer ones.
func (r Reach) ReadsAgain() bool { return r == ReachFocus || r == ReachTrouble }

// Wants says which placements' bindings are needed.
type Wants struct {
	Placements []engine.ID
	// Again are those of them whose bindings are older than a run that depends on them.
	Again []engine.ID
	// Made is that of the Snapshot.
	Made time.Time
	// Ahead is the opened run while only its row is known.
	Ahead engine.ID
	// Rows are the runs of which only the rows were read and more is needed (engine.RunView.RowOnly), most needed first.
	Rows []engine.ID
	// Since is the version of the newest run of each placement that is updating clusters: what
	// their bindings have is compared with it.
	Since map[engine.ID]string
	// Opened is set while a run is open: then nothing waits for the cursor to
	// come to rest.
	Opened bool
}

// Last is what the last publication wanted. The zero Last is that of none.
type Last struct {
	wants Wants
	rows  []*engine.RunView
	focus engine.Focus
}

// Of returns what a publication wants. If rows and Focus are those of the last one, only Made changes, unless far reads
// bindings again: while nothing changes on the hub, a screen costs the same with any number of runs.
func (l *Last) Of(p store.Publication, far Reach) Wants {
	rows := p.Snapshot.Runs
	same := len(rows) > 0 && len(rows) == len(l.rows) && &rows[0] == &l.rows[0] && p.Focus.Equal(l.focus)
	if !same || far.ReadsAgain() { // that depends on which sets were read, too
		l.wants, l.rows, l.focus = of(p, placements(p.Snapshot, p.Focus, l.wants.Placements, far), far), rows, p.Focus
	}
	l.wants.Made = p.Made
	return l.wants
}

// of returns what a publication wants, with the placements of its Snapshot.
func of(p store.Publication, placements []engine.ID, far Reach) Wants {
	w := Wants{Placements: placements, Made: p.Made, Since: updating(p.Snapshot), Opened: far != ReachScreen || !p.Focus.Run.IsZero()}
	if far.ReadsAgain() {
		w.Again = outdated(p)
	}
	if v := p.Snapshot.Find(p.Focus.Run); v != nil && v.Partial {
		w.Ahead = v.ID
	}
	w.Rows = rowOnly(p.Snapshot, p.Focus)
	return w
}

// rowOnly lists the runs of which only the rows were read and of which more is needed: the opened run and the one under the
// cursor; those on the screen; the other runs of the placement of the opened run, and of each run that is not over; those that
// preempted another run, or may have; and the youngest run of each placement with a run that has failed. With AllRows it lists
// all. A run may be listed twice, or be read already.
func rowOnly(s *engine.Snapshot, focus engine.Focus) (out []engine.ID) {
	if !slices.ContainsFunc(s.Runs, func(v *engine.RunView) bool { return v.RowOnly }) {
		return nil
	}
	type placement struct { // with a run that has not succeeded
		open      bool            // a run is not over
		preempted time.Time       // when the first run that is preempted was created; zero for none
		youngest  *engine.RunView // of those that have succeeded
	}
	of := map[engine.ID]*placement{}
	var winners []engine.ID
	for _, v := range s.Runs {
		if v.Word == engine.WordDone {
			continue
		}
		key := v.Placement.Key()
		p := of[key]
		if p == nil {
			p = &placement{}
			of[key] = p
		}
		p.open = p.open || !v.Terminal && engine.IsRun(v.ID.Kind())
		if v.Word == engine.WordPreempted {
			p.preempted, winners = engine.Earlier(p.preempted, v.Created), append(winners, v.PreemptedBy)
		}
	}
	for _, v := range s.Runs {
		if v.Word != engine.WordDone {
			continue
		}
		p := of[v.Placement.Key()]
		if p != nil && (p.youngest == nil || cmp.Or(v.Created.Compare(p.youngest.Created), cmp.Compare(v.ID.RawName(), p.youngest.ID.RawName())) > 0) {
			p.youngest = v
		}
	}
	opened := s.Find(focus.Run)
	out = append([]engine.ID{focus.Run, focus.Cursor}, focus.Rows...)
	for _, v := range s.Runs { // in the order of the list
		if !v.RowOnly {
			continue
		}
		p := of[v.Placement.Key()] // or nil
		beside := opened != nil && opened.Placement.Key() == v.Placement.Key() && !v.Placement.IsZero()
		needed := p != nil && (p.open || p.youngest == v || !p.preempted.IsZero() && v.Created.After(p.preempted))
		if focus.AllRows || beside || needed || slices.Contains(winners, v.ID) {
			out = append(out, v.ID)
		}
	}
	return out
}

// placements lists the placements whose bindings are needed, most needed
// first: that of the opened run, that of the row under the cursor, then those
// in trouble, of which the ones in open stay in front so that streams are not
// started and ended in turn. Until the cursor is moved (Focus.Top), its row comes last: its
// bindings may change which row is first.
func placements(s *engine.Snapshot, focus engine.Focus, open []engine.ID, far Reach) []engine.ID {
	var want []engine.ID
	there, size, all := map[engine.ID]bool{}, sizes(s), 0
	add := func(id engine.ID) {
		fits := len(want) < leastBindingSets || len(want) < bindingSets && all+size[id] <= manyClusters
		if !id.IsZero() && (far > ReachList || fits) && !there[id] {
			there[id] = true
			want = append(want, id)
			all += size[id]
		}
	}
	addOf := func(run engine.ID) {
		if v := s.Find(run); v != nil && !run.IsZero() {
			add(v.Placement.Key())
		}
	}
	if !focus.Top {
		addOf(focus.Run)
		addOf(focus.Cursor)
	}
	if far == ReachFocus {
		return want
	}
	groups := [][]engine.ID{nil, evidence.Troubled(s), nil}
	switch far {
	case ReachTrouble:
		groups[1] = evidence.Bindings(s)
	case ReachList:
		groups[2] = evidence.Bindings(s)
	}
	if focus.Causes { // each is read once: what it shows is kept
		for _, v := range s.Runs {
			if v.Unread() && !v.Unreadable {
				groups[0] = append(groups[0], v.Placement.Key())
			}
		}
	}
	for _, group := range groups {
		in := make(map[engine.ID]bool, len(group))
		for _, id := range group {
			in[id] = true
		}
		for _, id := range open {
			if in[id] {
				add(id)
			}
		}
		for _, id := range group {
			add(id)
		}
	}
	addOf(focus.Cursor)
	return want
}

// updating returns the version of the newest run of each placement that is updating clusters.
func updating(s *engine.Snapshot) map[engine.ID]string {
	out := map[engine.ID]string{}
	for _, v := range s.Runs {
		if v.Updating+v.Stuck == 0 {
			continue
		}
		key, version := v.Placement.Key(), v.ResourceVersion.Value()
		if order, err := resourceversion.CompareResourceVersion(version, cmp.Or(out[key], version)); err == nil && order >= 0 {
			out[key] = version
		}
	}
	return out
}

// outdated lists the placements of runs that are Outdated and whose bindings are not being
// read.
func outdated(p store.Publication) (out []engine.ID) {
	for _, v := range p.Snapshot.Runs {
		key := v.Placement.Key()
		if v.Outdated && p.Covered[world.CoverBindings(key)].State == engine.CoverComplete && !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// sizes are the clusters of each placement, as far as its runs say.
func sizes(s *engine.Snapshot) map[engine.ID]int {
	out := map[engine.ID]int{}
	for _, v := range s.Runs {
		if v.Total > 0 {
			key := v.Placement.Key()
			out[key] = max(out[key], v.Total)
		}
	}
	return out
}
