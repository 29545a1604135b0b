package run

import (
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// head is the state of the run in one line: state word, age, what is asked for, the
// stage line, the counts.
func (p *Pane) head() string {
	th, w, v := p.scene.Theme, p.w, p.view
	r := cell.NewRow(th, w, theme.Plain).To(1)
	if v == nil {
		return r.String()
	}
	k := label.StateStyle(v) | theme.Bold
	if p.gone {
		return r.Put(theme.Bad|theme.Bold, th.Glyph.No+" GONE").Put(theme.Text, "  this run is no longer on the hub; below is its last known state").String()
	}
	r.Put(k, th.Glyph.Words[v.Word]+" "+column.StateAt(v, p.scene.HubNow()).String())
	switch {
	case v.Word == engine.WordWaiting && v.Until.After(p.scene.HubNow()): // its state has the time left
		r.Put(theme.Text, " left")
	case !v.Since.IsZero():
		r.Put(theme.Text, " for "+engine.Age(p.scene.Since(v.Since)).String())
	}
	var tail cell.Spans
	if f := p.forecastText(w >= 120); f != "" {
		tail = append(tail, cell.Styled(theme.Sub, "  "+f))
	}
	if d := column.Done(v).String(); d != "" {
		tail = append(tail, cell.Styled(theme.Text, "  "+d))
		if v.Total > 0 && v.Word != engine.WordNoRun {
			tail = append(tail, cell.Styled(theme.Sub, "  "+strconv.Itoa(v.Percent())+"%"))
		}
	}
	tailW := tail.Width()
	if w >= 90 {
		if !v.State.IsZero() {
			r.Put(theme.Sub, "   state ").Text(theme.Text, v.State)
		}
		if v.Generation > 0 { // else it is not read yet
			r.Put(theme.Sub, "  generation ").Put(theme.Text, strconv.FormatInt(v.Generation, 10))
		}
		if v.Observed < v.Generation && !v.Partial {
			r.Put(theme.Wait, " (observed "+strconv.FormatInt(v.Observed, 10)+")")
		}
	}
	if room := w - r.At() - 4 - tailW; room >= 10 {
		r.Gap(3)
		n := min(room, 72)
		at := r.At()
		stages.Line(th, r, v, n)
		r.To(at + n)
	}
	r.Spans(tail)
	return r.String()
}
