// Package header is the top of the screen: whose data this is and how fresh, and what is
// wrong with it. The line between, which says what is shown, belongs to the root model.
package header

import (
	"cmp"
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Rows is its height. The third row is blank when nothing is wrong, so that nothing
// moves when something is.
const Rows = 3

// Header is the top of the screen.
type Header struct {
	scene *scene.Scene
	ended engine.Text // why there will be no more data
}

// New returns a header over a scene.
func New(sc *scene.Scene) *Header { return &Header{scene: sc} }

// End says that there will be no more data, and why.
func (h *Header) End(why engine.Text) { h.ended = why }

// Lines draws the rows: the hub with the counts of the list, what is shown, what is
// wrong.
func (h *Header) Lines(w int, counts, place string) []string {
	return []string{h.hubLine(w, counts), place, h.noticeLine(w)}
}

// hubLine names context, server and user on the left, the link on the right.
func (h *Header) hubLine(w int, counts string) string {
	th := h.scene.Theme
	r := cell.NewRow(th, w, theme.Bar).To(1)
	var right cell.Spans
	several := h.scene.Snap != nil && len(h.scene.Snap.Hubs) > 0
	switch {
	case h.scene.Snap == nil:
		right = cell.Spans{cell.Styled(theme.Wait|theme.Bold, engine.LinkLoading.String())}
	case several && w >= 60:
		right = cell.Spans{cell.Styled(theme.Text, counts)}
	case !several:
		right = h.link(h.scene.Snap)
		if w >= 60 {
			if loading := h.scene.Snap.Link.Loading; !loading.IsZero() {
				right = append(right, cell.Styled(theme.Text, " "+loading.String()))
			}
			right = append(right, cell.Styled(theme.Text, "   "+counts))
		}
	}
	if w >= 70 {
		right = append(right, cell.Styled(theme.Key|theme.Bold, "   "+h.scene.Theme.Key("help")), cell.Styled(theme.Sub, " help"))
	}
	room := w - right.Width() - 3
	if several {
		r.Spans(h.hubs(room))
	} else if h.scene.Snap != nil {
		hub := h.scene.Snap.Hub
		ctx, server, user := cell.Text(th, label.Hub(&hub)), label.Server(cell.Text(th, hub.Server)), cell.Text(th, hub.User)
		ctx = cell.CutMiddle(th, ctx, max(10, room*2/5))
		r.Spans(cell.Spans{h.marked(&hub, cell.Cut(th, ctx, room-2))})
		room -= r.At() - 1
		if hub.Protected && room >= len(protected)+2 {
			r.Put(theme.Ask|theme.Bold, "  "+protected)
			room -= len(protected) + 2
		}
		if left := h.lifted(h.scene.Snap); left != "" && room >= len(left)+2 {
			r.Put(theme.Bad|theme.Bold, "  "+left)
			room -= len(left) + 2
		}
		if user != "" && room >= 12 {
			user = cell.CutMiddle(th, user, min(32, room-2))
			r.Put(theme.Sub, "  "+user)
			room -= cell.Width(user) + 2
		}
		if server != "" && room >= min(28, cell.Width(server)+2) {
			r.Put(theme.Faint, "  "+cell.CutMiddle(th, server, room-2))
		}
	}
	r.To(w - right.Width() - 1)
	r.Spans(right)
	return r.String()
}

// marked is the name of a hub, in the colour of its context if it has one.
func (h *Header) marked(hub *engine.Hub, name string) cell.Span {
	if k := h.scene.OfHub(hub.Name); k != theme.Name {
		return cell.Styled(k|theme.Bold|theme.Reverse, " "+name+" ")
	}
	return cell.Styled(theme.Name|theme.Bold, name)
}

// protected marks a context in which every write asks for its name.
const protected = "PROTECTED"

// link says how fresh the data of a hub is.
func (h *Header) link(s *engine.Snapshot) cell.Spans {
	l := s.Link
	if !h.ended.IsZero() {
		return cell.Spans{cell.Styled(theme.Bad|theme.Bold, "ENDED")}
	}
	switch l.State {
	case engine.LinkLive:
		if s.Scope.NoHub {
			return cell.Spans{cell.Styled(theme.Bad|theme.Bold, "NOT A HUB")}
		}
		live := cell.Spans{cell.Styled(theme.Done, h.scene.Theme.Glyph.Live), cell.Styled(theme.Text, " live "+engine.Age(h.since(s, l.Heard)).String())}
		if off := skew(s); off != "" {
			live = append(live, cell.Styled(theme.Wait, "  "+off))
		}
		return live
	case engine.LinkLoading:
		return cell.Spans{cell.Styled(theme.Wait|theme.Bold, l.State.String())}
	case engine.LinkReconnecting, engine.LinkStale:
		return cell.Spans{cell.Styled(theme.Wait|theme.Bold, l.State.String()), cell.Styled(theme.Text, " "+engine.Age(h.since(s, l.Since)).String())}
	}
	return cell.Spans{cell.Styled(theme.Bad|theme.Bold, l.State.String())}
}

// mostSkew is how far the hub's clock may be from the local one without a word: ages use
// the hub's clock, and differ from what a person computes.
const mostSkew = 5 * time.Second

// skew says how far the hub's clock is ahead or behind; empty for little.
func skew(s *engine.Snapshot) string {
	switch d := s.Skew; {
	case d > mostSkew:
		return "hub clock +" + engine.Age(d).String()
	case d < -mostSkew:
		return "hub clock -" + engine.Age(-d).String()
	}
	return ""
}

// leastError is how many cells an error needs to say something.
const leastError = 12

// noticeLine says what is wrong with the link, why writes are off and what
// is hidden; the first of them that there is, of the first hub where there is any.
func (h *Header) noticeLine(w int) string {
	th := h.scene.Theme
	r := cell.NewRow(th, w, theme.Plain).To(1)
	switch {
	case h.scene.Snap == nil:
		r.Text(theme.Bad, h.ended)
	case !h.ended.IsZero():
		r.Text(theme.Bad, h.ended).Put(theme.Sub, " "+th.Glyph.Dot+" data is not updated")
	case len(h.scene.Snap.Hubs) == 0:
		h.notice(r, h.scene.Snap)
	default:
		all := h.byTrouble()
		broken := slices.DeleteFunc(slices.Clone(all), func(s *engine.Snapshot) bool { return !broken(s) })
		if len(broken) > 1 {
			h.notices(r, broken)
			return r.String()
		}
		for _, s := range all {
			r.Text(h.scene.OfHub(s.Hub.Name), label.Hub(&s.Hub)).Put(theme.Sub, ": ")
			at := r.At()
			if h.notice(r, s); r.At() > at {
				return r.String()
			}
			r = cell.NewRow(th, w, theme.Plain).To(1)
		}
	}
	return r.String()
}

// broken reports whether the connection to a hub does not work.
func broken(s *engine.Snapshot) bool {
	return s.Link.State == engine.LinkReconnecting || s.Link.State == engine.LinkStale || s.Link.State == engine.LinkRefused
}

// notice writes what is wrong with a hub, if anything.
func (h *Header) notice(r *cell.Row, s *engine.Snapshot) {
	th, l := h.scene.Theme, s.Link
	switch {
	case broken(s):
		r.Put(theme.Wait, cmp.Or(h.age(s), "no data yet, ")+"writes are off")
		sep := " " + th.Glyph.Dot + " "
		if !l.Reset.IsZero() { // rows can be older than before already
			r.Put(theme.Sub, sep).Put(theme.Wait, h.reset(s))
		}
		hint := cell.Text(th, l.Hint)
		// The hint says what to do: where both are too long, the error is cut, unless it names
		// what is not answered.
		room := r.Left() - cell.Width(sep) - cell.Width(sep) - cell.Width(hint)
		if hint == "" || l.Answers {
			room = r.Left() - cell.Width(sep)
		}
		if err := cell.Text(th, l.Err); err != "" && room >= min(leastError, cell.Width(err)) {
			r.Put(theme.Sub, sep).Put(theme.Text, cell.Cut(th, err, room))
		}
		if hint != "" {
			r.Put(theme.Sub, sep).Put(theme.Sub, hint)
		}
	case !l.Reset.IsZero():
		r.Put(theme.Wait, h.reset(s)).
			Put(theme.Sub, " "+th.Glyph.Dot+" it returned older data, all of it was read again")
	case l.State == engine.LinkLive && !s.WritesOff.IsZero():
		r.Put(theme.Wait, "writes are off: ").Text(theme.Text, s.WritesOff)
		if s.Held == engine.HeldReadOnly {
			r.Put(theme.Sub, " "+th.Glyph.Dot+" "+th.Key("command")+"write lifts it")
		}
	case !l.Polled.IsZero():
		instead := " " + th.Glyph.Dot + " lists are read instead"
		r.Put(theme.Wait, cell.Cut(th, cell.Text(th, l.Polled), r.Left()-cell.Width(instead))).Put(theme.Sub, instead)
	case !s.Scope.Short.IsZero() && !s.Scope.NoHub:
		r.Text(theme.Wait, s.Scope.Short)
	}
}

// age is how old the rows of a hub are, and whether some are missing because their set was not
// answered; empty without rows.
func (h *Header) age(s *engine.Snapshot) string {
	age := h.since(s, s.Link.Heard)
	switch {
	case s.Link.Heard.IsZero() || len(s.Runs) == 0:
		return ""
	case s.Link.Answers && !s.Complete && age < engine.StaleAfter:
		return "data is incomplete, "
	}
	return "data is " + engine.Age(age).String() + " old, "
}

// reset says when a hub was found to have been reset.
func (h *Header) reset(s *engine.Snapshot) string {
	return "the hub was reset " + engine.Age(h.since(s, s.Link.Reset)).String() + " ago"
}

// lifted is how long writes to a hub are still allowed; empty while nothing is lifted.
func (h *Header) lifted(s *engine.Snapshot) string {
	left := s.Raised.Sub(h.now(s))
	if s.Raised.IsZero() || left <= 0 {
		return ""
	}
	return "WRITE " + engine.Age(left).String()
}

// now is the present by the clock of a hub.
func (h *Header) now(s *engine.Snapshot) time.Time {
	return h.scene.NowOf(engine.ID{}.On(s.Hub.Name))
}

// since is the time from t to now by the clock of a hub.
func (h *Header) since(s *engine.Snapshot, t time.Time) time.Duration {
	return max(0, h.now(s).Sub(t))
}

// Title is what the terminal's title bar and the tab of a multiplexer show.
func (h *Header) Title() string {
	s := h.scene
	if s.Snap == nil {
		return "stagewatch"
	}
	out := "stagewatch " + cell.Text(s.Theme, label.Hub(&s.Snap.Hub))
	if s.Snap.Link.State != engine.LinkLive {
		return out + " " + s.Snap.Link.State.String()
	}
	for _, n := range s.Snap.Need {
		out += " - " + label.Need(n)
	}
	return out
}
