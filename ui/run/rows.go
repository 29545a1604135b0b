package run

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// troubledStage is where a person wants to look first: a stage in trouble,
// else the one that acts or waits, else the last that was finished.
func troubledStage(v *engine.RunView) int {
	for i := range v.Stages {
		s := &v.Stages[i]
		if s.Stuck > 0 || s.Preempted > 0 || s.State == engine.StageFailed {
			return i
		}
	}
	if v.At >= 0 {
		return v.At
	}
	last := 0
	for i := range v.Stages {
		if v.Stages[i].State == engine.StageDone && v.Stages[i].Total > 0 {
			last = i
		}
	}
	return last
}

// listed is what the rows of clusters depend on.
type listed struct {
	detail   *engine.Detail
	view     *engine.RunView
	stage    int
	problems bool
	filter   string
	theme    *theme.Theme
}

// listClusters lists the clusters of the chosen stage, after the filter, unless they are listed
// already: there may be 100,000, and it is called for every key.
func (p *Pane) listClusters() {
	now := listed{p.detail, p.view, p.stage, p.problems, p.filter.Text, p.scene.Theme}
	if now == p.listed && !p.filter.Timed() {
		return
	}
	p.listed = now
	p.rows = p.rows[:0:0]
	var keys []engine.Text
	if all := p.clusters(p.stage); all != nil {
		keys = make([]engine.Text, 0, len(all))
		for i := range all {
			c := &all[i]
			if (p.problems && !InTrouble(c)) || !p.filter.Cluster(&p.view.Stages[p.stage], c) {
				continue
			}
			p.rows = append(p.rows, c)
			keys = append(keys, c.Name)
		}
	}
	p.list.Set(keys)
	p.list.Rest(worst(p.rows, p.view))
	p.widest, p.widestOfAll, p.widestState = 0, 0, len("STATE")
	for _, c := range p.rows {
		p.widest = max(p.widest, cell.Width(cell.Text(p.scene.Theme, c.Name)))
	}
	for i := range p.view.Stages {
		all := p.clusters(i)
		for j := range all {
			p.widestOfAll = max(p.widestOfAll, cell.Width(cell.Text(p.scene.Theme, all[j].Name)))
			p.widestState = max(p.widestState, 2+len(all[j].State.String()))
		}
	}
}

// clusters returns the clusters of stage i, nil while they are not known.
func (p *Pane) clusters(i int) []engine.ClusterView {
	if p.detail == nil || i < 0 || i >= len(p.detail.Clusters) {
		return nil
	}
	return p.detail.Clusters[i]
}

// InTrouble reports whether a cluster is a problem: what ! and z look for.
func InTrouble(c *engine.ClusterView) bool {
	switch c.State {
	case engine.ClusterSlow, engine.ClusterStuck, engine.ClusterPreempted, engine.ClusterFailed:
		return true
	}
	return false
}

// worst returns the row to look at first: the one that holds the run up, the
// first in trouble, else the first that updates.
func worst(rows []*engine.ClusterView, v *engine.RunView) int {
	if v != nil && !v.Why.Member.IsZero() {
		for i, c := range rows {
			if c.Member == v.Why.Member {
				return i
			}
		}
	}
	busy := -1
	for i, c := range rows {
		switch {
		case InTrouble(c):
			return i
		case busy < 0 && (c.State == engine.ClusterUpdating || c.State == engine.ClusterDeleting):
			busy = i
		}
	}
	return max(0, busy)
}
