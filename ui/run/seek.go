package run

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// nextProblem moves to the next cluster in trouble.
func (p *Pane) nextProblem() {
	stage, was := p.stage, p.list.Sel
	switch found := p.seek(1, InTrouble); {
	case found && p.stage == stage && p.list.Sel == was:
		p.scene.Say(theme.Sub, engine.Lit("No other listed cluster is slow, stuck, preempted or failed."))
	case !found && p.filter.On():
		p.scene.Say(theme.Sub, engine.Lit("No listed cluster is slow, stuck, preempted or failed."))
	case !found:
		p.scene.Say(theme.Done, engine.Lit("No cluster of this run is slow, stuck, preempted or failed."))
	}
}

// nextMatch moves among the clusters that the filter lists, through all stages.
func (p *Pane) nextMatch(d int) {
	if !p.filter.On() {
		p.scene.Say(theme.Sub, engine.Lit("No filter is set: {filter} starts one."))
	} else if !p.seek(d, func(*engine.ClusterView) bool { return true }) {
		p.scene.Say(theme.Sub, engine.Lit("No matches in this run."))
	}
}

// seek moves to the next cluster for which ok holds, from the one under the cursor on
// through the stages and around.
func (p *Pane) seek(d int, ok func(*engine.ClusterView) bool) bool {
	if p.view == nil {
		return false
	}
	n := len(p.view.Stages)
	for step := range n + 1 {
		i := ((p.stage+d*step)%n + n) % n
		all := p.clusters(i)
		at := -1
		if d < 0 {
			at = len(all)
		}
		if step == 0 {
			for j := range all {
				if all[j].Name == p.list.Sel {
					at = j
				}
			}
		}
		for j := at + d; j >= 0 && j < len(all); j += d {
			if c := &all[j]; ok(c) && p.filter.Cluster(&p.view.Stages[i], c) {
				p.chosen = true
				p.choose(i)
				p.list.Sel, p.list.Held = c.Name, true
				return true
			}
		}
	}
	return false
}
