package output

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// WritePlan prints a plan for a person: what decides first, then the stages,
// then who else is there.
func WritePlan(w io.Writer, p *plan.Plan) error {
	b := &planPage{}
	b.head(p)
	b.refusals(p.Refusals)
	b.warnings(p.Warnings)
	b.gaps(p.Unknown)
	b.misfits("IN NO STAGE", p.Unplaced)
	b.misfits("IN SEVERAL STAGES", p.Overlapping)
	b.forecast(p)
	for i := range p.Stages {
		b.stage(p, i)
	}
	if len(p.Deletions) > 0 {
		b.line("")
		b.line("DELETION STAGE   after the last stage, resources are deleted from:")
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

func (b *planPage) head(p *plan.Plan) {
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
		"  snapshot\t" + p.Rolls().String(), "  state\t" + Cell(p.State), "  verdict\t" + p.Verdict().String(),
	})
}

func (b *planPage) refusals(list []plan.Refusal) {
	if len(list) == 0 {
		return
	}
	b.line("")
	b.line("REFUSED   the controller reports only the first; the others follow after a fix")
	for i := range list {
		b.line("  %d. %s (%s)", i+1, list[i].Short(), list[i].Fate())
		if !list[i].Hint.IsZero() {
			b.line("     %s", list[i].Hint)
		}
	}
}

func (b *planPage) warnings(list []engine.Text) {
	if len(list) == 0 {
		return
	}
	b.line("")
	b.line("WARNING   what may delay the run")
	for _, w := range list {
		b.line("  %s", w)
	}
}

func (b *planPage) gaps(list []engine.Gap) {
	if len(list) == 0 {
		return
	}
	b.line("")
	b.line("NOT READ   reasons to fail may be missing")
	rows := make([]string, len(list))
	for i, g := range list {
		rows[i] = fmt.Sprintf("  %s\t%s", g.What, g.Why)
	}
	b.table(rows)
}

func (b *planPage) misfits(title string, list []plan.Misfit) {
	if len(list) == 0 {
		return
	}
	b.line("")
	b.line("%s   with the labels that the stages select by", title)
	rows := make([]string, len(list))
	for i := range list {
		m := &list[i]
		rows[i] = fmt.Sprintf("  %s\t%s", m.Cluster, Cell(m.Seen()))
		if len(m.Stages) > 0 {
			rows[i] += "\t" + engine.Join(m.Stages, " and ").String()
		}
	}
	b.table(rows)
}

// forecast prints the times to the second, in UTC as the hub has them.
func (b *planPage) forecast(p *plan.Plan) {
	if !p.Forecasts() {
		return
	}
	f := p.Forecast
	b.line("")
	if !f.Never.IsZero() {
		b.line("FORECAST   no estimate: %s", f.Never)
		return
	}
	b.line("FORECAST   %s", f.Terms())
	at := func(t time.Time) string {
		if t.UTC().Format(time.DateOnly) != f.At.UTC().Format(time.DateOnly) {
			return t.UTC().Format("2006-01-02 15:04")
		}
		return t.UTC().Format(time.TimeOnly)
	}
	row := func(name engine.Text, e plan.Estimate, unknown engine.Text, asked plan.Estimate, waits engine.Text) string {
		cells := []string{name.String(), unknown.String(), "", ""}
		if !e.IsZero() {
			cells = []string{name.String(), at(e.Likely), at(e.Earliest), at(e.Latest)}
		}
		if f.Asks() && asked.IsZero() {
			cells = append(cells, "")
		} else if f.Asks() {
			cells = append(cells, at(asked.Likely))
		}
		return "  " + strings.Join(append(cells, waits.String()), "\t")
	}
	head := "  stage\testimated completion\tearliest\tlatest\t"
	if f.Asks() {
		head += "approval request\t"
	}
	rows := []string{head + "waits for"}
	for i := range f.Stages {
		s := &f.Stages[i]
		rows = append(rows, row(s.Name, s.Finish, s.Known(), s.Asked, s.Waits()))
	}
	b.table(append(rows, row(engine.Lit("the run"), f.Finish, engine.Lit("no estimate"), plan.Estimate{}, engine.Text{})))
	if next := f.Upcoming(); !next.IsZero() {
		b.line("  %s", next)
	}
}

func (b *planPage) stage(p *plan.Plan, i int) {
	s := &p.Stages[i]
	b.line("")
	b.line("STAGE %d/%d   %s   %s", i+1, len(p.Stages), s.Name, s.About())
	b.tasks("before", s.Before)
	rows := make([]string, len(s.Clusters))
	for j := range s.Clusters {
		rows[j] = clusterRow(s, j)
	}
	if len(rows) > 0 {
		b.table(rows)
	}
	b.tasks("after", s.After)
}

// clusterRow says where a cluster stands in the order and what it has now.
func clusterRow(s *plan.Stage, i int) string {
	c := &s.Clusters[i]
	row := fmt.Sprintf("  %d\t%s\t%s\t%s", i+1, c.Name, s.Fate(i), standing(c))
	if !c.SortLabel.IsZero() {
		row += "\tsorted by " + c.SortLabel.String()
	}
	if len(c.Overrides) > 0 {
		row += "\toverrides " + engine.Join(c.Overrides, ", ").String()
	}
	return row
}

func (b *planPage) tasks(when string, list []plan.Task) {
	for i := range list {
		b.line("  %s: %s", when, list[i].What())
	}
}

func (b *planPage) rivals(p *plan.Plan) {
	if len(p.Rivals) == 0 || p.Ended() {
		return
	}
	b.line("")
	b.line("OTHER UNFINISHED RUNS of this placement")
	for i := range p.Rivals {
		r := &p.Rivals[i]
		b.line("  %s   %s", r.Run.Title(), r.About())
		for _, d := range r.Danger() {
			b.line("    %s", d)
		}
	}
}

// standing is what the cluster has before the run touches it, as far as that
// is known.
func standing(c *plan.Cluster) string {
	if c.Now.IsZero() {
		return "-"
	}
	return "has " + c.Now.String()
}
