package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// writePlan prints a plan for a person: what decides first, then the stages,
// then who else is there.
func writePlan(w io.Writer, p *engine.Plan) error {
	b := &planPage{}
	b.head(p)
	b.refusals(p.Refusals)
	b.gaps(p.Unknown)
	b.misfits("IN NO STAGE", p.Unplaced)
	b.misfits("IN SEVERAL STAGES", p.Overlapping)
	for i := range p.Stages {
		b.stage(p, i)
	}
	if len(p.Deletions) > 0 {
		b.line("")
		b.line("CLEANUP   after the last stage the placement is removed from:")
		for _, c := range p.Deletions {
			b.line("  %s", c)
		}
	}
	b.rivals(p)
	_, err := b.WriteTo(w)
	return err
}

// planPage collects the lines; a buffer does not fail.
type planPage struct{ bytes.Buffer }

func (b *planPage) line(format string, args ...any) {
	b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// table aligns rows of cells, which are separated by tabs.
func (b *planPage) table(rows []string) {
	var aligned bytes.Buffer
	tw := tabwriter.NewWriter(&aligned, 0, 0, 3, ' ', 0)
	//nolint:errcheck // neither of the two buffers can fail
	fmt.Fprint(tw, strings.Join(rows, "\n")+"\n")
	//nolint:errcheck // as above
	tw.Flush()
	for l := range strings.Lines(aligned.String()) {
		b.line("%s", strings.TrimSuffix(l, "\n"))
	}
}

func (b *planPage) head(p *engine.Plan) {
	scope := "cluster run"
	if p.Run.Kind().Namespaced() {
		scope = "namespaced run"
	}
	title := fmt.Sprintf("%s %s", scope, p.Run.Title())
	if p.Run.Name().IsZero() {
		title = "a " + scope + " that does not exist yet"
		if !p.Run.Namespace().IsZero() {
			title += ", namespace " + p.Run.Namespace().String()
		}
	}
	b.line("PLAN   %s", title)
	b.line("")
	b.table([]string{
		"  placement\t" + p.Placement.String(), "  strategy\t" + p.Strategy.String(),
		"  snapshot\t" + snapshotOf(p), "  state\t" + dash(p.State.String()), "  verdict\t" + verdictOf(p),
	})
}

func snapshotOf(p *engine.Plan) string {
	s := p.Snapshot
	index := dash(s.Index.String())
	switch {
	case s.Index.IsZero() && s.Newest && !p.Finished:
		return "the newest, index not known"
	case s.Made:
		return index + "   the newest: made for this run"
	case s.Newest && !p.Initialized && !p.Finished:
		return index + "   the newest"
	}
	return index
}

// verdictOf is the answer in one line.
func verdictOf(p *engine.Plan) string {
	clusters, left, begun := 0, 0, false
	for i := range p.Stages {
		for j := range p.Stages[i].Clusters {
			clusters++
			if !p.Stages[i].Clusters[j].Succeeded {
				left++
			}
			begun = begun || p.Stages[i].Clusters[j].Started
		}
	}
	switch {
	case p.Finished:
		return "the run has ended or is being deleted: nothing will happen"
	case len(p.Refusals) > 0:
		return fmt.Sprintf("REFUSED: %s", count(len(p.Refusals), "reason"))
	case len(p.Unknown) > 0:
		return "NOT KNOWN: not everything could be read"
	case begun:
		return fmt.Sprintf("goes on: %d of %s left in %s", left, count(clusters, "cluster"), count(len(p.Stages), "stage"))
	}
	return fmt.Sprintf("possible: %s in %s", count(clusters, "cluster"), count(len(p.Stages), "stage"))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (b *planPage) refusals(list []engine.PlanRefusal) {
	if len(list) == 0 {
		return
	}
	b.line("")
	b.line("REFUSED   the controller reports the first; the others come after it is mended")
	for i, r := range list {
		fate := "for good"
		if !r.Final {
			fate = "tried again by itself"
		}
		b.line("  %d. %s (%s)", i+1, r.Message, fate)
	}
}

func (b *planPage) gaps(list []engine.PlanGap) {
	if len(list) == 0 {
		return
	}
	b.line("")
	b.line("NOT READ   what these would tell is missing here, refusals too")
	rows := make([]string, len(list))
	for i, g := range list {
		rows[i] = fmt.Sprintf("  %s\t%s", g.What, g.Why)
	}
	b.table(rows)
}

func (b *planPage) misfits(title string, list []engine.PlanMisfit) {
	if len(list) == 0 {
		return
	}
	b.line("")
	b.line("%s   with the labels that the stages ask about", title)
	rows := make([]string, len(list))
	for i, m := range list {
		labels := make([]string, len(m.Labels))
		for j, l := range m.Labels {
			labels[j] = l.String()
			if !strings.Contains(labels[j], "=") {
				labels[j] += " (not set)"
			}
		}
		rows[i] = fmt.Sprintf("  %s\t%s", m.Cluster, dash(strings.Join(labels, ", ")))
		if len(m.Stages) > 0 {
			rows[i] += "\t" + engine.Join(m.Stages, " and ").String()
		}
	}
	b.table(rows)
}

func (b *planPage) stage(p *engine.Plan, i int) {
	s := &p.Stages[i]
	b.line("")
	about := fmt.Sprintf("%s, %s", count(len(s.Clusters), "cluster"), startsOf(s))
	if s.Skipped {
		about = "no clusters: passed over, its tasks too"
	}
	b.line("STAGE %d/%d   %s   %s", i+1, len(p.Stages), s.Name, about)
	b.tasks("before", s.Before)
	begun := slices.ContainsFunc(s.Clusters, func(c engine.PlanCluster) bool { return c.Started })
	rows := make([]string, len(s.Clusters))
	for j := range s.Clusters {
		rows[j] = clusterRow(s, j, begun)
	}
	if len(rows) > 0 {
		b.table(rows)
	}
	b.tasks("after", s.After)
}

func startsOf(s *engine.PlanStage) string {
	switch {
	case s.AtOnce == 0:
		return "how many at once cannot be read"
	case s.AtOnce == len(s.Clusters) && s.AtOnce > 1:
		return "all at once"
	}
	return fmt.Sprintf("%d at once", s.AtOnce)
}

// clusterRow says where a cluster stands in the order and what it has now.
func clusterRow(s *engine.PlanStage, i int, begun bool) string {
	c := &s.Clusters[i]
	what := ""
	switch {
	case c.Succeeded:
		what = "done"
	case c.Started:
		what = "updating"
	case i < s.AtOnce && !begun:
		what = "starts first"
	}
	row := fmt.Sprintf("  %d\t%s\t%s\t%s", i+1, c.Name, what, dash(c.Now.String()))
	if !c.SortLabel.IsZero() {
		row += "\tsorted by " + c.SortLabel.String()
	}
	if len(c.Overrides) > 0 {
		row += "\toverrides " + engine.Join(c.Overrides, ", ").String()
	}
	return row
}

func (b *planPage) tasks(when string, list []engine.PlanTask) {
	for _, t := range list {
		switch {
		case t.Wait > 0:
			b.line("  %s: wait %s", when, short(t.Wait))
		case strings.HasPrefix(t.Request.String(), "-"): // of a run that has no name yet
			b.line("  %s: approval", when)
		default:
			b.line("  %s: approval %s", when, t.Request)
		}
	}
}

// short leaves out the units of a duration that are nought.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func (b *planPage) rivals(p *engine.Plan) {
	if len(p.Rivals) == 0 || p.Finished {
		return
	}
	b.line("")
	b.line("OTHER UNFINISHED RUNS of this placement")
	for _, r := range p.Rivals {
		about := "state " + dash(r.State.String())
		if !r.Index.IsZero() {
			about += ", snapshot " + r.Index.String()
		}
		b.line("  %s   %s", r.Run.Title(), about)
		if len(r.WillLose) > 0 {
			b.line("    fails when this run takes %s", engine.Join(r.WillLose, ", "))
		}
		if len(r.MayTake) > 0 {
			b.line("    may take %s and make this run fail", engine.Join(r.MayTake, ", "))
		}
		if len(r.WillLose)+len(r.MayTake) == 0 {
			b.line("    wants the same: neither takes a cluster from the other")
		}
	}
}
