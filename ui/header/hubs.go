package header

import (
	"cmp"
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// byTrouble returns the hubs of the list, those without a live connection first, by state.
func (h *Header) byTrouble() []*engine.Snapshot {
	out := slices.Clone(h.scene.Snap.Hubs)
	slices.SortStableFunc(out, func(a, b *engine.Snapshot) int {
		return cmp.Or(trouble(b)-trouble(a), cmp.Compare(b.Link.State, a.Link.State))
	})
	return out
}

func trouble(s *engine.Snapshot) int {
	if s.Link.State != engine.LinkLive || s.Scope.NoHub {
		return 1
	}
	return 0
}

// hubs names the hubs of the list with the state of their connections, in room cells: each
// with its own, or else by state. Those that have no room are counted: the first ones are those
// that are not live.
func (h *Header) hubs(room int) cell.Spans {
	var out cell.Spans
	all := h.byTrouble()
	for i, s := range all {
		if i > 0 {
			out = append(out, cell.Styled(theme.Sub, "   "))
		}
		out = append(out, h.named(s, room)...)
		if left := h.lifted(s); left != "" {
			out = append(out, cell.Styled(theme.Bad|theme.Bold, " "+left))
		}
		out = append(append(out, cell.Styled(theme.Sub, " ")), h.link(s)...)
	}
	if out.Width() <= room {
		return out
	}
	return h.byState(all, room)
}

// named is the name of one of several hubs.
func (h *Header) named(s *engine.Snapshot, room int) cell.Spans {
	return cell.Spans{h.marked(&s.Hub, cell.CutMiddle(h.scene.Theme, cell.Text(h.scene.Theme, label.Hub(&s.Hub)), max(10, room/2)))}
}

// byState names hubs behind the states of their connections, one that has data with its age.
func (h *Header) byState(all []*engine.Snapshot, room int) cell.Spans {
	var out cell.Spans
	was := ""
	for i, s := range all {
		state := h.link(s)
		next := cell.Spans{cell.Styled(theme.Sub, ", ")}
		if now := state[0].Text; i == 0 || now != was {
			next = cell.Spans{cell.Styled(theme.Sub, "   "), state[0], cell.Styled(theme.Sub, " ")}
			was = now
		}
		if i == 0 {
			next = next[1:]
		}
		next = append(next, h.named(s, room)...)
		if len(s.Runs) > 0 || s.Link.State == engine.LinkLive {
			next = append(next, state[1:]...)
		}
		if left := h.lifted(s); left != "" {
			next = append(next, cell.Styled(theme.Bad|theme.Bold, " "+left))
		}
		more, rest := cell.Spans{}, len(all)-i-1
		if rest > 0 {
			more = uncounted(rest)
		}
		if i > 0 && out.Width()+next.Width()+more.Width() > room {
			return append(out, uncounted(rest+1)...)
		}
		out = append(out, next...)
	}
	return out
}

// uncounted counts what has no room.
func uncounted(n int) cell.Spans {
	return cell.Spans{cell.Styled(theme.Sub, "   +"+engine.Count(n, "hub").String())}
}

// leastReason is how many cells a hub and the reason why it is not live need, mostReason how
// many they take while another one needs room.
const (
	leastReason = 34
	mostReason  = 48
)

// notices writes that writes to several hubs are off, and why these are not live.
func (h *Header) notices(r *cell.Row, hubs []*engine.Snapshot) {
	th := h.scene.Theme
	r.Put(theme.Wait, "writes are off").Put(theme.Sub, " "+th.Glyph.Dot+" ")
	for i, s := range hubs {
		rest := len(hubs) - i - 1
		name := cell.CutMiddle(th, cell.Text(th, label.Hub(&s.Hub)), 20)
		why := h.age(s) + cell.Text(th, s.Link.Err)
		need := cell.Width(name) + 2 + cell.Width(why)
		if i > 0 && r.Left()-3 < min(need, leastReason) {
			if more := uncounted(rest + 1); more.Width() <= r.Left() {
				r.Spans(more)
			}
			return
		}
		if i > 0 {
			r.Put(theme.Sub, "   ")
		}
		room := r.Left()
		if rest > 0 {
			room = min(room-uncounted(rest).Width(), max(mostReason, room/(rest+1)-3))
		}
		r.Put(h.scene.OfHub(s.Hub.Name), name).Put(theme.Sub, ": ").Put(theme.Text, cell.Cut(th, why, room-cell.Width(name)-2))
	}
}
