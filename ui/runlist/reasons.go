package runlist

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/reasons"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// drawnReasons are the reasons as they were drawn last: wrapping their sentences takes longer than
// drawing all rows, which are cached, too.
type drawnReasons struct {
	run   *engine.RunView
	theme *theme.Theme
	keys  cell.Spans
	w, n  int
	drawn []string
}

// lines draws the reasons, unless they are as before. Those with an age are drawn each time.
func (d *drawnReasons) lines(r *reasons.Reasons, w, n int) []string {
	if r.Run == nil || r.Aged() {
		return r.Lines(w, n)
	}
	if d.run != r.Run || d.theme != r.Scene.Theme || d.w != w || d.n != n || !slices.Equal(d.keys, r.Keys) {
		*d = drawnReasons{r.Run, r.Scene.Theme, r.Keys, w, n, r.Lines(w, n)}
	}
	return d.drawn
}
