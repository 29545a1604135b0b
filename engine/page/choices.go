package page

import (
	"sort"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// ChoicesFacts is what Choices are made of.
type ChoicesFacts struct {
	Now        time.Time
	Placements []placement.ResourcePlacement
	Strategies []*placement.StagedUpdateStrategy
	Resources  []placement.ResourceSnapshot
	Bindings   []placement.ResourceBinding
	Gaps       []engine.Gap
	// Refused says, by name, why a run by a strategy would fail now.
	Refused map[string]engine.Text
}

// ChoicesAnswer says what a clone can be made of.
func ChoicesAnswer(f ChoicesFacts) Answer {
	c := engine.Choices{Gaps: f.Gaps}
	// What was read and is empty is not what was not read.
	if f.Placements != nil {
		c.Placements = make([]engine.Option, 0, len(f.Placements))
	}
	if f.Strategies != nil {
		c.Strategies = make([]engine.Option, 0, len(f.Strategies))
	}
	if f.Resources != nil {
		c.Snapshots = []engine.Option{}
	}
	for i := range f.Placements {
		p := &f.Placements[i]
		o := engine.Option{Name: engine.Clean(p.Name), About: policyWords(p.Spec.Policy), Since: p.CreationTimestamp.Time}
		if p.Spec.Strategy.Type != placement.RolloutExternal {
			o.Odd, o.About = true, engine.Lit("not External: rolled out automatically")
		}
		if p.DeletionTimestamp != nil {
			o.Odd, o.About = true, engine.Lit("being deleted")
		}
		c.Placements = append(c.Placements, o)
	}
	for _, s := range f.Strategies {
		o := engine.Option{Name: engine.Clean(s.Name), About: stagesWords(s.Spec.Stages), Since: s.CreationTimestamp.Time, Odd: len(s.Spec.Stages) == 0}
		if why := f.Refused[s.Name]; !why.IsZero() {
			o.Odd, o.About = true, engine.Textf("fails: %s", why)
		}
		c.Strategies = append(c.Strategies, o)
	}
	on := map[string]int{}
	for i := range f.Bindings {
		on[f.Bindings[i].Spec.ResourceSnapshotName]++
	}
	groups := world.GroupSnapshots(f.Resources)
	for i := range groups {
		g := &groups[i]
		n, _ := g.Resources()
		o := engine.Option{Name: engine.OrUnknown(engine.Clean(g.Label)), About: engine.Count(n, "resource"), Since: g.First().CreationTimestamp.Time, Latest: g.Latest, Clusters: on[g.First().Name]}
		if g.Master == nil {
			o.Odd, o.About = true, engine.Lit("its master is missing")
		}
		c.Snapshots = append(c.Snapshots, o)
	}
	for _, options := range [][]engine.Option{c.Placements, c.Strategies} {
		sort.Slice(options, func(i, j int) bool { return options[i].Name.String() < options[j].Name.String() })
	}
	return Answer{At: f.Now, Choices: c}
}

// StrategiesPage lets a person choose the strategy of a run that is only
// imagined, of a placement.
func StrategiesPage(of engine.ID, c engine.Choices) Answer {
	s := Section{Title: engine.Textf("a run of %s", of.Title()), Note: engine.Lit("select a strategy ({open:show its plan})"), Head: []engine.Text{engine.Lit("STRATEGY"), engine.Lit("STAGES")}}
	for i := range c.Strategies {
		o := &c.Strategies[i]
		role := engine.RoleText
		if o.Odd {
			role = engine.RoleBad
		}
		s.Rows = append(s.Rows, Row{Key: o.Name, Cells: []Cell{TextCell(engine.RoleName, o.Name), TextCell(role, o.About)}, Page: NewRunQuestion{of, o.Name}, Copy: o.Name})
	}
	for _, g := range c.Gaps {
		if c.Strategies == nil && g.What == engine.Lit("strategies") {
			s.Head, s.Rows = nil, []Row{TextRow(engine.RoleWait, engine.Textf("not shown: %s", g.Why))}
		}
	}
	if len(s.Rows) == 0 {
		s.Head, s.Rows = nil, []Row{TextRow(engine.RoleWait, engine.Lit("No strategy exists."))}
	}
	return Answer{Object: of, Sections: []Section{s}}
}

// stagesWords says which stages a strategy has, and what stops a run in them.
func stagesWords(stages []placement.StageConfig) engine.Text {
	if len(stages) == 0 {
		return engine.Lit("no stages")
	}
	names := make([]engine.Text, len(stages))
	approvals, waits := 0, 0
	for i := range stages {
		names[i] = engine.Clean(stages[i].Name)
		for _, tasks := range [][]placement.StageTask{stages[i].BeforeStageTasks, stages[i].AfterStageTasks} {
			for j := range tasks {
				switch tasks[j].Type {
				case placement.TaskApproval:
					approvals++
				case placement.TaskTimedWait:
					waits++
				}
			}
		}
	}
	out := []engine.Text{engine.Enumerate(names, 4)}
	if approvals > 0 {
		out = append(out, engine.Count(approvals, "approval"))
	}
	if waits > 0 {
		out = append(out, engine.Count(waits, "wait"))
	}
	return engine.Join(out, "; ")
}
