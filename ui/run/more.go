package run

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/latest"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// moreReasons writes into at most n lines what a pane beside the list has room for below the
// reasons: the steps after the next one, and the evidence.
func (p *Pane) moreReasons(n int) []string {
	all := engine.Lit(": {diagnose} shows them")
	out := p.section(n, "THEN", StepLines(p.scene.Theme, p.reasons().Of, p.w), all)
	return append(out, p.section(n-len(out), "EVIDENCE", EvidenceLines(p.scene.Theme, p.reasons().Of, p.w), all)...)
}

// moreOfRollout writes into at most n lines what there is room for at the end: the failing
// manifests of the cluster under the cursor, what comes next, the other runs of the placement,
// and the clusters of the other stages.
func (p *Pane) moreOfRollout(n int) []string {
	_, failing := failing(p.Cluster())
	out := p.moreOfInitFailed(n)
	out = append(out, p.section(n-len(out), "MANIFESTS "+strings.ToUpper(failing), p.failingLines(), engine.Lit(": {cluster} shows them"))...)
	out = append(out, p.section(n-len(out), "NEXT UP", p.aheadLines(), engine.Lit(": {plan} shows them"))...)
	out = append(out, p.section(n-len(out), "OTHER RUNS OF THE PLACEMENT", p.otherRuns(), engine.Lit(": {placement} shows them"))...)
	room := n - len(out) - latest.Head
	if room < 1 {
		return out
	}
	return append(out, p.section(n-len(out), "OTHER STAGES", p.otherStages(room), engine.Text{})...)
}

// section writes lines with a heading into at most n lines; none where no line has room. all
// says what shows the lines that are left out.
func (p *Pane) section(n int, head string, lines []string, all engine.Text) []string {
	n -= latest.Head
	if n < 1 || len(lines) == 0 {
		return nil
	}
	th := p.scene.Theme
	if cut := len(lines) - n; cut > 0 {
		rest := cell.NewRow(th, p.w, theme.Plain).To(4).Text(theme.Sub, engine.Textf("and %d more lines%s", cut+1, all))
		lines = append(lines[:n-1:n-1], rest.String())
	}
	return append([]string{"", latest.Heading(th, head, p.w)}, lines...)
}

// longText is how many lines a step or a value has at most.
const longText = 3

// StepLines are the next steps after the first, which is part of the reasons, in w cells.
func StepLines(th *theme.Theme, d *engine.Diagnosis, w int) (out []string) {
	for i := 1; i < len(d.Steps); i++ {
		for j, l := range cell.Wrap(th, d.Steps[i], w-5, longText) {
			r := cell.NewRow(th, w, theme.Plain).To(1)
			if j == 0 {
				r.Put(theme.Done, strconv.Itoa(i+1))
			}
			out = append(out, r.To(4).Put(theme.Text, l).String())
		}
	}
	return out
}

// EvidenceLines are the fields that the cause was read from, in w cells.
func EvidenceLines(th *theme.Theme, d *engine.Diagnosis, w int) (out []string) {
	for _, e := range d.Evidence {
		r := cell.NewRow(th, w, theme.Plain).To(1)
		r.Put(theme.Name, cell.CutMiddle(th, cell.Text(th, e.Object), w/2)).Gap(2).Text(theme.Sub, e.Field)
		out = append(out, r.String())
		for _, l := range cell.Wrap(th, e.Value, w-5, longText) {
			out = append(out, cell.NewRow(th, w, theme.Plain).To(4).Put(theme.Text, l).String())
		}
	}
	return out
}

// failingLines are the manifests of the cluster under the cursor that are not fine, where its
// conditions have no room for them beside.
func (p *Pane) failingLines() (out []string) {
	th, c := p.scene.Theme, p.Cluster()
	if c == nil || p.w >= cardBeside {
		return nil
	}
	k, _ := failing(c)
	for _, m := range c.Failing {
		r := cell.NewRow(th, p.w, theme.Plain).To(1).Put(k, th.Glyph.No+" ").Text(theme.Name, m.What).Gap(2).Text(theme.Text, m.Reason)
		if !m.Since.IsZero() {
			r.Put(theme.Sub, " "+engine.Age(p.scene.Since(m.Since)).String())
		}
		out = append(out, r.String())
		for _, l := range cell.Wrap(th, m.Why, p.w-5, longText) {
			out = append(out, cell.NewRow(th, p.w, theme.Plain).To(4).Put(theme.Sub, l).String())
		}
	}
	return out
}

// aheadLines are the approvals and waits that the run has not passed, and the clusters that
// start next, in their order.
func (p *Pane) aheadLines() (out []string) {
	th, v := p.scene.Theme, p.view
	if v.Over() {
		return nil
	}
	for i := max(0, v.At); i < len(v.Stages); i++ {
		s := &v.Stages[i]
		gates := func(all []engine.GateView) {
			for j := range all {
				g := &all[j]
				if g.State == engine.GatePassed || g.State == engine.GateSkipped {
					continue
				}
				what := engine.Lit("approval")
				if g.Timed {
					what = engine.Textf("wait of %s", engine.Span(g.Wait))
				}
				r := cell.NewRow(th, p.w, theme.Plain).To(1).Text(theme.Text, engine.Textf("%s %s %s", what, engine.BeforeAfter(g), engine.StageName(s)))
				switch says := page.GateWord(v, s, g); {
				case g.Foreign():
					r.Put(theme.Bad, "  ").Text(theme.Bad, says)
				case g.State != engine.GateComing:
					r.Put(theme.Ask, "  ").Text(theme.Ask, says)
				}
				out = append(out, r.String())
			}
		}
		gates(s.Before)
		if len(s.Coming) > 0 {
			more := engine.Text{}
			if s.ComingMore > 0 {
				more = engine.Textf(" and %d more", s.ComingMore)
			}
			for _, l := range cell.Wrap(th, engine.Textf("%s: %s%s", engine.StageName(s), engine.Join(s.Coming, ", "), more), p.w-2, longText) {
				out = append(out, cell.NewRow(th, p.w, theme.Plain).To(1).Put(theme.Text, l).String())
			}
		}
		gates(s.After)
	}
	return out
}

// otherRuns are the runs of the same placement: what the clusters get when this one does not
// continue, or have from before.
func (p *Pane) otherRuns() (out []string) {
	if p.view.Placement.IsZero() {
		return nil
	}
	for _, v := range p.scene.Snap.Runs {
		if v.ID == p.view.ID || v.Word == engine.WordNoRun || v.Placement.Key() != p.view.Placement.Key() {
			continue
		}
		out = append(out, p.otherRun(v, engine.Textf("snapshot %s  %s", engine.OrUnknown(v.UsedSnapshot()), column.Done(v))))
	}
	return out
}

// otherStages are the clusters of the stages that are not chosen: what comes next first. The
// lines for which there is no room are empty.
func (p *Pane) otherStages(room int) (out []string) {
	if p.detail == nil {
		return nil
	}
	th, k := p.scene.Theme, p.fit()
	for i := range p.view.Stages {
		at := (p.stage + 1 + i) % len(p.view.Stages)
		s, all := &p.view.Stages[at], p.clusters(at)
		if at == p.stage || len(all) == 0 {
			continue
		}
		name := cell.Text(th, s.Name)
		if s.Deletion {
			name = "deletion"
		}
		r := cell.NewRow(th, p.w, theme.Plain).To(1).Put(theme.Name, strconv.Itoa(at+1)+" "+name)
		r.Put(theme.Sub, "  "+p.view.StageWord(s.State)+", "+strconv.Itoa(s.Done)+" of "+label.Plural(s.Total, "cluster")+" done")
		out = append(out, r.String())
		drawn := min(len(all), max(0, room-len(out)))
		for j := range drawn {
			out = append(out, p.clusterRow(&all[j], k, false))
		}
		out = append(out, make([]string, len(all)-drawn)...)
	}
	return out
}
