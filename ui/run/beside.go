package run

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Part is what of the screen a pane has.
type Part uint8

// The parts.
const (
	Alone   Part = iota // the whole body
	Beside              // the pane beside the list
	Between             // the pane between the list and the diagnosis, which has the reasons
)

// besideRows are the heights of what a pane beside the list shows: clusters, reasons, and
// below them what happened last. Nothing of it is blank but the end.
type besideRows struct{ clusters, reasons, latest int }

// fewLatest is how many moments the clusters of a stage leave room for.
const fewLatest = 4

func (p *Pane) besideRows() besideRows {
	room := p.h - 3 - p.boxRows() - len(p.besideCard())
	var r besideRows
	if p.part == Beside {
		r.reasons = min(p.reasons().Need(p.w, p.screenRows()), max(p.leastReasons(), room-fewClusters))
	}
	room -= r.reasons
	if n := len(p.moments()); n > 0 {
		r.latest = latestHead + min(n, fewLatest)
	}
	if r.clusters = max(1, min(len(p.rows), room-r.latest)); r.clusters < min(len(p.rows), fewClusters) {
		r.clusters, r.latest = max(1, min(len(p.rows), room)), 0
	}
	r.latest = max(0, room-r.clusters)
	return r
}

// besideCard is what is known of the cluster under the cursor, with a blank below.
func (p *Pane) besideCard() []string {
	card := p.cardLines(p.cardRows())
	n := len(card)
	for n > 0 && card[n-1] == "" {
		n--
	}
	return card[:min(n+1, len(card))]
}

// besideLines draws what stands below the stages in a pane beside the list.
func (p *Pane) besideLines() []string {
	rows := p.besideRows()
	out := append(p.clusterLines(), p.cardDivider())
	out = append(out, p.besideCard()...)
	if rows.reasons > 0 {
		out = append(out, p.reasons().Lines(p.w, rows.reasons)...)
	}
	return append(out, p.latestLines(rows.latest)...)
}

// latestHead is the height of the heading of what happened last, with a blank above.
const latestHead = 2

// latestLines writes what happened last into at most n lines, a line each.
func (p *Pane) latestLines(n int) []string {
	all := p.moments()
	if n <= latestHead || len(all) == 0 {
		return nil
	}
	th, now := p.scene.Theme, p.scene.HubNow()
	out := []string{"", cell.NewRow(th, p.w, theme.Plain).To(1).Put(theme.Faint, "LATEST").String()}
	for _, x := range all[max(0, len(all)-(n-latestHead)):] {
		r := cell.NewRow(th, p.w, theme.Plain).To(1)
		r.Put(theme.Sub, engine.Time(x.at, now).String()).Gap(2).Put(x.k, x.s)
		out = append(out, r.String())
	}
	return out
}
