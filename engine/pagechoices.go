package engine

import (
	"slices"
	"strings"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// ChoicesFacts is what Choices are made of.
type ChoicesFacts struct {
	Question   Question
	Now        time.Time
	Placements []placement.ResourcePlacement
	Strategies []*placement.StagedUpdateStrategy
	Resources  []placement.ResourceSnapshot
	Bindings   []placement.ResourceBinding
	Gaps       []PlanGap
	// Refused says, by name, why a run by a strategy would fail now.
	Refused map[string]Text
}

// ChoicesAnswer tells what a clone can be made of.
func ChoicesAnswer(f ChoicesFacts) Answer {
	c := Choices{Gaps: f.Gaps}
	// What was read and is empty is not what was not read.
	if f.Placements != nil {
		c.Placements = make([]Option, 0, len(f.Placements))
	}
	if f.Strategies != nil {
		c.Strategies = make([]Option, 0, len(f.Strategies))
	}
	if f.Resources != nil {
		c.Snapshots = []Option{}
	}
	for i := range f.Placements {
		p := &f.Placements[i]
		o := Option{Name: Clean(p.Name), About: policyWords(p.Spec.Policy), Since: p.CreationTimestamp.Time}
		if p.Spec.Strategy.Type != placement.RolloutExternal {
			o.Odd, o.About = true, Lit("not External: rolled out automatically")
		}
		if p.DeletionTimestamp != nil {
			o.Odd, o.About = true, Lit("being deleted")
		}
		c.Placements = append(c.Placements, o)
	}
	for _, s := range f.Strategies {
		o := Option{Name: Clean(s.Name), About: stagesWords(s.Spec.Stages), Since: s.CreationTimestamp.Time, Odd: len(s.Spec.Stages) == 0}
		if why := f.Refused[s.Name]; !why.IsZero() {
			o.Odd, o.About = true, Textf("fails: %s", why)
		}
		c.Strategies = append(c.Strategies, o)
	}
	on := map[int]int{}
	for i := range f.Bindings {
		if name := f.Bindings[i].Spec.ResourceSnapshotName; name != "" {
			on[ParseIndex(SnapshotIndex(name))]++
		}
	}
	groups := groupSnapshots(f.Resources)
	for i := range groups {
		g := &groups[i]
		n, _ := g.resources()
		o := Option{Name: itoa(g.index), About: Count(n, "resource"), Latest: g.latest, Clusters: on[g.index]}
		first := g.parts[0]
		if g.master != nil {
			first = g.master
		} else {
			o.Odd, o.About = true, Lit("its master is missing")
		}
		o.Since = first.CreationTimestamp.Time
		c.Snapshots = append(c.Snapshots, o)
	}
	byName := func(a, b Option) int { return strings.Compare(a.Name.String(), b.Name.String()) }
	slices.SortFunc(c.Placements, byName)
	slices.SortFunc(c.Strategies, byName)
	return Answer{Question: f.Question, At: f.Now, Choices: c}
}

// StrategiesPage lets a person choose the strategy of a run that is only
// imagined, of the placement that q is about.
func StrategiesPage(q Question, c Choices) Answer {
	s := Section{Title: Textf("a run of %s", q.About.Title()), Note: Lit("select a strategy; enter shows the plan"), Head: []Text{Lit("STRATEGY"), Lit("STAGES")}}
	for i := range c.Strategies {
		o := &c.Strategies[i]
		page := q
		page.Strategy = o.Name
		role := RoleText
		if o.Odd {
			role = RoleBad
		}
		s.Rows = append(s.Rows, Row{Key: o.Name, Cells: []Cell{cell(RoleName, o.Name), cell(role, o.About)}, Page: page, Copy: o.Name})
	}
	for _, g := range c.Gaps {
		if c.Strategies == nil && g.What == Lit("strategies") {
			s.Head, s.Rows = nil, []Row{say(RoleWait, Textf("not shown: %s", g.Why))}
		}
	}
	if len(s.Rows) == 0 {
		s.Head, s.Rows = nil, []Row{say(RoleWait, Lit("No strategy exists."))}
	}
	return Answer{Question: q, Object: q.About, Sections: []Section{s}}
}

// stagesWords says which stages a strategy has, and what stops a run in them.
func stagesWords(stages []placement.StageConfig) Text {
	if len(stages) == 0 {
		return Lit("no stages")
	}
	names := make([]Text, len(stages))
	approvals, waits := 0, 0
	for i := range stages {
		names[i] = Clean(stages[i].Name)
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
	out := []Text{Enumerate(names, 4)}
	if approvals > 0 {
		out = append(out, Count(approvals, "approval"))
	}
	if waits > 0 {
		out = append(out, Count(waits, "wait"))
	}
	return Join(out, "; ")
}
