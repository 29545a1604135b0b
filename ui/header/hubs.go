package header

import (
	"slices"
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// byTrouble returns the hubs of the list, those without a live connection first.
func (h *Header) byTrouble() []*engine.Snapshot {
	out := slices.Clone(h.scene.Snap.Hubs)
	slices.SortStableFunc(out, func(a, b *engine.Snapshot) int { return trouble(b) - trouble(a) })
	return out
}

func trouble(s *engine.Snapshot) int {
	if s.Link.State != engine.LinkLive || s.Scope.NoHub {
		return 1
	}
	return 0
}

// hubs names the hubs of the list with the state of their connections, in room cells. Those
// that have no room are counted: the first ones are those that are not live.
func (h *Header) hubs(room int) cell.Spans {
	var out cell.Spans
	all := h.byTrouble()
	for i, s := range all {
		next := cell.Spans{h.marked(&s.Hub, cell.CutMiddle(h.scene.Theme, cell.Text(h.scene.Theme, label.Hub(&s.Hub)), max(10, room/2)))}
		if left := h.lifted(s); left != "" {
			next = append(next, cell.Styled(theme.Bad|theme.Bold, " "+left))
		}
		next = append(append(next, cell.Styled(theme.Sub, " ")), h.link(s)...)
		if i > 0 {
			next = append(cell.Spans{cell.Styled(theme.Sub, "   ")}, next...)
		}
		more := "   +" + strconv.Itoa(len(all)-i-1) + " hubs"
		if i == len(all)-1 {
			more = ""
		}
		if out.Width()+next.Width()+len(more) > room {
			if i == 0 {
				return next
			}
			return append(out, cell.Styled(theme.Sub, "   +"+strconv.Itoa(len(all)-i)+" hubs"))
		}
		out = append(out, next...)
	}
	return out
}
