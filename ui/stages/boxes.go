// Package stages draws the stages of a run: as one line, as boxes with a progress
// bar each, and as a strip of time. They are written by cells: progress bars of
// Bubbles have two colours and no gates, and a list of 36 stage lines is drawn with
// every snapshot.
package stages

import (
	"strconv"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

const (
	boxLeast = 16 // narrowest box that is of use
	boxMost  = 36
	boxSlim  = 14 // box of an empty deletion stage
)

// BoxRows is the height of the boxes with so many rows of tasks.
func BoxRows(tasks int) int { return 4 + tasks }

// TaskRows is how many rows of tasks the stages of a run need.
func TaskRows(v *engine.RunView) int {
	n := 0
	for i := range v.Stages {
		n = max(n, len(v.Stages[i].Before)+len(v.Stages[i].After))
	}
	return min(n, 3)
}

// fit is which boxes are on screen and how wide they are.
type fit struct {
	from, to int
	box      int // width of a box
	last     int // width of the last box: an empty deletion stage needs little
	arrow    int // width of the arrow between two boxes
}

// fitBoxes fits n boxes into w cells. slim says that the last box is
// empty.
func fitBoxes(n, chosen, w int, slim bool) fit {
	avail := w - 2
	for _, arrow := range []int{3, 1} {
		f := fit{to: n, arrow: arrow}
		f.box = (avail - (n-1)*arrow) / max(n, 1)
		f.last = f.box
		if slim && n > 1 && f.box < 26 {
			f.last = boxSlim
			f.box = (avail - (n-1)*arrow - boxSlim) / (n - 1)
		}
		if f.box >= boxLeast+2*arrow || (arrow == 1 && f.box >= boxLeast) {
			f.box, f.last = min(f.box, boxMost), min(f.last, boxMost)
			return f
		}
	}
	// Not all fit: those around the chosen one, with room for a count of the
	// hidden ones on both sides.
	avail -= 8
	k := max(1, (avail+1)/(boxLeast+1))
	f := fit{arrow: 1, from: max(0, min(chosen-k/2, n-k))}
	f.to = min(n, f.from+k)
	f.box = min((avail-(k-1))/k, boxMost)
	f.last = f.box
	return f
}

// Boxes are the stages of a run, one box each: progress, concurrency and tasks,
// joined by arrows. View changes nothing.
type Boxes struct {
	Theme *theme.Theme
	Run   *engine.RunView
	Now   time.Time // by the hub's clock
	// chosen is the stage that is always on the screen; it stands out if strong.
	Chosen int
	Strong bool
	Tasks  int // rows for the tasks of a stage
}

// fit is which boxes are on a screen of w cells.
func (b *Boxes) fit(w int) fit {
	stages := b.Run.Stages
	end := len(stages) - 1
	slim := end >= 0 && stages[end].Deletion && stages[end].Total == 0
	return fitBoxes(len(stages), b.Chosen, w, slim)
}

// Hit returns the stage whose box is at column x of w, or -1.
func (b *Boxes) Hit(x, w int) int {
	f, at := b.fit(w), 1
	if f.from > 0 || f.to < len(b.Run.Stages) {
		at = 5
	}
	for i := f.from; i < f.to; i++ {
		n := f.box
		if i == len(b.Run.Stages)-1 {
			n = f.last
		}
		if i > f.from {
			at += f.arrow
		}
		if x >= at && x < at+n {
			return i
		}
		at += n
	}
	return -1
}

// View draws the stages in BoxRows(tasks) lines of w cells.
func (b *Boxes) View(w int) []string {
	var out []string
	th, v, chosen, tasks := b.Theme, b.Run, b.Chosen, b.Tasks
	end := len(v.Stages) - 1
	f := b.fit(w)
	from, to, arrow := f.from, f.to, f.arrow
	hidden := from > 0 || to < len(v.Stages)
	for y := range BoxRows(tasks) {
		r := cell.NewRow(th, w, theme.Plain).To(1)
		if hidden {
			if y == 2 && from > 0 {
				r.Put(theme.Sub, strconv.Itoa(from)+" "+th.Glyph.Arrow)
			}
			r.To(5)
		}
		for i := from; i < to; i++ {
			if i > from {
				s := ""
				if y == 2 {
					s = th.Glyph.Arrow
				}
				n := r.At() + arrow
				if y == 2 {
					k := theme.Faint
					if v.Stages[i].State != engine.StageComing {
						k = theme.Sub
					}
					r.Fill(k, th.Glyph.Rule, n-1).Put(k, s)
				}
				r.To(n)
			}
			bw := f.box
			if i == end {
				bw = f.last
			}
			b.line(r, i, y, bw, i == chosen && b.Strong)
		}
		if hidden && y == 2 && to < len(v.Stages) {
			r.Put(theme.Sub, " "+th.Glyph.Arrow+strconv.Itoa(len(v.Stages)-to))
		}
		out = append(out, r.String())
	}
	return out
}

// line writes line y of the box of stage i.
func (b *Boxes) line(r *cell.Row, i, y, bw int, chosen bool) {
	th, s := b.Theme, &b.Run.Stages[i]
	_, k := stageMark(th, s)
	edge := th.Glyph.Thin
	frame := theme.Faint
	if chosen {
		edge = th.Glyph.Thick
		if frame = k; k == theme.Faint {
			frame = theme.Sub
		}
	} else if k == theme.Bad || k == theme.Ask || k == theme.Busy || k == theme.Wait {
		frame = k
	}
	end := r.At() + bw
	switch last := BoxRows(b.Tasks) - 1; y {
	case 0:
		name := cell.Text(th, s.Name)
		label := strconv.Itoa(i+1) + " "
		if s.Deletion {
			name, label = "deletion", ""
		}
		mark, mk := stageMark(th, s)
		r.Put(frame, edge.Tl+edge.H+" ")
		room := bw - 5 - cell.Width(label)
		if mark != "" {
			room -= 2
		}
		nk := theme.Text
		if chosen {
			nk = theme.Name | theme.Bold
		} else if s.State == engine.StageComing || s.State == engine.StageSkipped {
			nk = theme.Sub
		}
		r.Put(nk, label+cell.CutMiddle(th, name, room))
		if mark != "" {
			r.Put(mk|theme.Bold, " "+mark)
		}
		r.Put(frame, " ").Fill(frame, edge.H, end-1).Put(frame, edge.Tr)
	case last:
		r.Put(frame, edge.Bl).Fill(frame, edge.H, end-1).Put(frame, edge.Br)
	default:
		r.Put(frame, edge.V).Gap(1)
		inner := cell.NewRow(th, bw-4, theme.Plain)
		b.inner(inner, s, y-1)
		r.Join(inner.To(bw - 4))
		r.To(end-1).Put(frame, edge.V)
	}
}

// stageMark is glyph and style of a stage: of its state, and where it waits at a
// gate, of that gate.
func stageMark(t *theme.Theme, s *engine.StageView) (string, theme.Style) {
	if s.State == engine.StageGate {
		gates := s.After
		if s.Done < s.Total || s.Total == 0 {
			gates = s.Before
		}
		for _, g := range gates {
			if g.State != engine.GatePassed && g.State != engine.GateSkipped && g.State != engine.GateComing {
				mark, k := t.Glyph.GateMark(g)
				return mark, k &^ theme.Bold
			}
		}
	}
	return t.Glyph.Stages[s.State], theme.OfStage(s.State)
}

// inner writes line y of what is inside a box: bar, concurrency, tasks.
func (b *Boxes) inner(r *cell.Row, s *engine.StageView, y int) {
	th := b.Theme
	switch y {
	case 0:
		if s.Total == 0 {
			if s.Deletion {
				r.Put(theme.Faint, cell.Fitting(r.Limit(), "nothing to remove", "nothing"))
			} else {
				r.Put(theme.Faint, "no clusters")
			}
			return
		}
		count := " " + strconv.Itoa(s.Done) + "/" + strconv.Itoa(s.Total)
		stageBar(th, r, s, r.Limit()-cell.Width(count))
		k := theme.Text
		if s.State == engine.StageComing {
			k = theme.Sub
		}
		r.Put(k, count)
	case 1:
		b.note(r, s)
	default:
		i := y - 2
		if i < len(s.Before) {
			b.task(r, s.Before[i])
		} else if i -= len(s.Before); i < len(s.After) {
			b.task(r, s.After[i])
		} else if i == len(s.After) {
			note := cell.NewRow(th, r.Limit(), theme.Plain)
			if !b.note(note, s) {
				r.Put(theme.Faint, cell.Text(th, engine.Concurrency(s.AtOnce)))
			}
		}
	}
}

// note says what is updating or in trouble, and the concurrency. It returns false if
// there is no room for the concurrency.
func (b *Boxes) note(r *cell.Row, s *engine.StageView) bool {
	put := func(n int, k theme.Style, word string) {
		if n == 0 {
			return
		}
		if r.At() > 0 {
			r.Put(theme.Sub, ", ")
		}
		r.Put(k, strconv.Itoa(n)+" "+word)
	}
	put(s.Stuck, theme.Bad|theme.Bold, "stuck")
	put(s.Preempted, theme.Bad|theme.Bold, "preempted")
	put(s.Updating, theme.Busy, "updating")
	if r.At() > 0 || s.Total == 0 {
		if s.AtOnce == 0 || s.Total == 0 {
			return true
		}
		most := ", " + cell.Text(b.Theme, engine.Concurrency(s.AtOnce))
		if len(most) > r.Left() {
			return false
		}
		r.Put(theme.Faint, most)
		return true
	}
	switch {
	case s.State == engine.StageDone && !s.Ended.IsZero() && !s.Started.IsZero():
		r.Put(theme.Sub, "took "+engine.Age(s.Ended.Sub(s.Started)).String())
	case s.Deletion:
		r.Put(theme.Faint, "all at once")
	case s.AtOnce > 0:
		r.Put(theme.Faint, cell.Text(b.Theme, engine.Concurrency(s.AtOnce)))
	}
	if c := cell.Text(b.Theme, s.Concurrency); len(c) > 0 && c[len(c)-1] == '%' && s.State != engine.StageDone && r.Left() > len(c)+3 {
		r.Put(theme.Faint, " ("+c+")")
	}
	return true
}

// task writes a gate as text.
func (b *Boxes) task(r *cell.Row, g engine.GateView) {
	mark, k := b.Theme.Glyph.GateMark(g)
	side := "after "
	if g.Before {
		side = "before "
	}
	r.Put(theme.Sub, side).Put(k, mark+" ")
	words, room := k&^theme.Bold, r.Left()
	switch {
	case g.Timed && g.State == engine.GateRunning:
		left := engine.Age(b.left(g.Until)).String()
		r.Put(words|theme.Bold, cell.Fitting(room, "wait "+left+" left", left+" left", left))
	case g.Timed && g.State == engine.GatePassed:
		r.Put(theme.Sub, cell.Fitting(room, "waited "+engine.Span(g.Wait).String(), engine.Span(g.Wait).String()))
	case g.Timed:
		r.Put(words, cell.Fitting(room, "wait "+engine.Span(g.Wait).String(), engine.Span(g.Wait).String()))
	case g.State == engine.GatePassed:
		r.Put(theme.Sub, cell.Fitting(room, "approved", "ok"))
	case g.State == engine.GateOpen:
		r.Put(words|theme.Bold, cell.Fitting(room, "approval", "open"))
		if age := " " + engine.Age(b.since(g.Since)).String(); !g.Since.IsZero() && r.At()+cell.Width(age) <= r.Limit() {
			r.Put(theme.Sub, age)
		}
	case g.State == engine.GateNotAccepted:
		r.Put(words|theme.Bold, cell.Fitting(room, "not accepted", "ignored", "bad"))
	case g.State == engine.GateSent:
		r.Put(words, cell.Fitting(room, "approval sent", "sent"))
	default:
		r.Put(words, cell.Fitting(room, "approval", "ask"))
	}
}

// stageBar writes the progress of a stage into n cells: done in eighths of a cell,
// then trouble, then what is updating, then the rest.
func stageBar(t *theme.Theme, r *cell.Row, s *engine.StageView, n int) {
	end := r.At() + n
	if s.State == engine.StageDone {
		r.Fill(theme.Done, t.Glyph.Eighths[8], end)
		return
	}
	_, busy, bad := shares(s.Done, s.Updating, s.Stuck+s.Preempted, s.Total, n)
	room := n - busy - bad
	eighths := min(s.Done*n*8/max(1, s.Total), room*8)
	if s.Done < s.Total && busy+bad == 0 {
		eighths = min(eighths, n*8-1)
	}
	r.Fill(theme.Done, t.Glyph.Eighths[8], r.At()+eighths/8)
	next := theme.Faint
	if bad > 0 {
		next = theme.Bad
	} else if busy > 0 {
		next = theme.Busy
	}
	if part := eighths % 8; part > 0 && r.At() < end {
		switch {
		case next == theme.Faint || t.Glyph.Mono:
			r.Put(theme.Done, t.Glyph.Eighths[part])
		default:
			// The cell belongs to both: its right side is the next colour.
			r.Pair(theme.Done, next, t.Glyph.Eighths[part])
			if bad > 0 {
				bad--
			} else {
				busy--
			}
		}
	}
	// Nothing is pending: what rounding leaves over belongs to the others.
	if over := end - r.At() - bad - busy; over > 0 && s.Done+s.Updating+s.Stuck+s.Preempted >= s.Total {
		if bad > 0 {
			bad += over
		} else if busy > 0 {
			busy += over
		}
	}
	r.Fill(theme.Bad, t.Glyph.BarBad, min(end, r.At()+bad))
	r.Fill(theme.Busy, t.Glyph.BarBusy, min(end, r.At()+busy))
	r.Fill(theme.Faint, t.Glyph.BarRest, end)
}

// left is the time until t; zero when it is over.
func (b *Boxes) left(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return max(0, t.Sub(b.Now))
}

// since is the time from t to now; zero when t is unknown.
func (b *Boxes) since(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return max(0, b.Now.Sub(t))
}
