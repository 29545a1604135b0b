package run

import (
	"github.com/stagewatch/stagewatch/ui/latest"
)

// Part is what of the screen a pane has.
type Part uint8

// The parts.
const (
	Alone   Part = iota // the whole body
	Beside              // the pane beside the list
	Between             // the pane between the list and the diagnosis, which has the reasons
)

// besideRows are the heights of what a pane beside the list shows: clusters, reasons, what
// happened last, and what more there is room for. Nothing of it is blank but the end.
type besideRows struct{ clusters, reasons, latest int }

// fewLatest is how many moments the clusters of a stage leave room for, manyLatest how many
// leave room for what stands below them.
const fewLatest, manyLatest = 4, 8

func (p *Pane) besideRows() besideRows {
	room := p.h - 3 - p.boxRows() - len(p.besideCard())
	var r besideRows
	if p.part == Beside {
		r.reasons = min(p.reasons().Need(p.w, p.screenRows()), max(p.leastReasons(), room-fewClusters))
	}
	room -= r.reasons
	moments := len(p.moments())
	if moments > 0 {
		r.latest = latest.Head + min(moments, fewLatest)
	}
	if r.clusters = max(1, min(len(p.rows), room-r.latest)); r.clusters < min(len(p.rows), fewClusters) {
		r.clusters, r.latest = max(1, min(len(p.rows), room)), 0
	}
	if moments > 0 {
		r.latest = max(0, min(room-r.clusters, latest.Head+min(moments, manyLatest)))
	}
	return r
}

// tall is the height from which a pane has room for what a condition that is not True says.
const tall = 40

// besideCard is what is known of the cluster under the cursor, with a blank below.
func (p *Pane) besideCard() []string {
	card := p.cardLines(p.cardRows())
	if p.h >= tall {
		card = p.cardLines(p.cardRows() + longText)
	}
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
	rest := p.h - 1 - p.boxRows() - len(out) - rows.latest
	if p.part == Beside && p.view.InTrouble() { // else the diagnosis has it, or there is none
		more := p.moreReasons(rest)
		out, rest = append(out, more...), rest-len(more)
	}
	out = append(out, latest.Lines(p.scene.Theme, p.moments(), p.scene.HubNow(), p.w, rows.latest)...)
	return append(out, p.moreOfRollout(rest)...)
}
