package store

import (
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page/timeline"
	"github.com/stagewatch/stagewatch/engine/world"
)

const (
	// diaryEntries is how much is kept of one run, diaryRuns of how many, diaryBytes
	// how many bytes of messages of all runs together.
	diaryEntries = 300
	diaryRuns    = 2000
	diaryBytes   = 32 << 20
)

// diary keeps what runs went through since the session began: an object has only
// the latest of each condition. It is written where streams deliver, before
// anything is skipped.
type diary struct {
	began time.Time

	mu   sync.Mutex
	runs map[engine.ID]*diaryPage
	// order are the runs as they were first seen: the oldest goes first.
	order []engine.ID
	bytes int // of the messages of all changes
}

// diaryPage is what is kept of one run.
type diaryPage struct {
	last    seenStatus            // as it was seen last
	changes []timeline.SeenChange // oldest first
}

// seenStatus is what a diary compares of a run. The run itself is not held on
// to: a deleted one of a thousand clusters would stay in memory. Messages are not
// compared, and not kept here.
type seenStatus struct {
	state  placement.State
	run    []metav1.Condition
	stages []seenStage
}

type seenStage struct {
	name       string
	conditions []metav1.Condition
}

func statusOf(run *placement.StagedUpdateRun) seenStatus {
	// Cloned, since conditions of a run share their memory with those of its
	// clusters.
	s := seenStatus{state: run.Spec.State, run: slices.Clone(run.Status.Conditions), stages: make([]seenStage, len(run.Status.StagesStatus))}
	for i := range run.Status.StagesStatus {
		stage := &run.Status.StagesStatus[i]
		s.stages[i] = seenStage{name: stage.StageName, conditions: slices.Clone(stage.Conditions)}
	}
	return s
}

func newDiary(now time.Time) *diary { return &diary{began: now, runs: map[engine.ID]*diaryPage{}} }

// note compares a run with what it was before. The first version
// of a run has no changes.
func (d *diary) note(o *Object, now time.Time) {
	var run *placement.StagedUpdateRun
	switch v := o.Value.(type) {
	case *placement.StagedUpdateRun:
		run = v
	case *world.PackedRun:
		if v.IsRowOnly() {
			return
		}
		run = v.Run
	default:
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p, seen := d.runs[o.ID], statusOf(run)
	if p == nil {
		if len(d.order) == diaryRuns {
			d.drop(d.runs[d.order[0]], len(d.runs[d.order[0]].changes))
			delete(d.runs, d.order[0])
			d.order = d.order[1:]
		}
		d.runs[o.ID], d.order = &diaryPage{last: seen.withoutMessages()}, append(d.order, o.ID)
		return
	}
	before := p.last
	if seen.state != before.state {
		d.add(p, timeline.SeenChange{At: now, State: string(seen.state)})
	}
	d.addChanged(p, timeline.SeenChange{At: now}, before.run, seen.run)
	for i, s := range seen.stages {
		var was []metav1.Condition
		if i < len(before.stages) && before.stages[i].name == s.name {
			was = before.stages[i].conditions
		}
		d.addChanged(p, timeline.SeenChange{At: now, Stage: s.name}, was, s.conditions)
	}
	p.last = seen.withoutMessages()
	for _, id := range d.order { // of the runs seen first, the oldest changes go first
		if d.bytes <= diaryBytes {
			break
		}
		for other := d.runs[id]; d.bytes > diaryBytes && len(other.changes) > 0 && (other != p || len(p.changes) > 1); {
			d.drop(other, 1)
		}
	}
}

// addChanged adds the conditions whose status or reason changed to the changes of a run; c has the rest of these changes.
func (d *diary) addChanged(p *diaryPage, c timeline.SeenChange, before, after []metav1.Condition) {
	for _, c.Condition = range after {
		if !slices.ContainsFunc(before, func(b metav1.Condition) bool {
			return b.Type == c.Condition.Type && b.Status == c.Condition.Status && b.Reason == c.Condition.Reason
		}) {
			d.add(p, c)
		}
	}
}

// add adds a change to those of a run.
func (d *diary) add(p *diaryPage, c timeline.SeenChange) {
	if len(p.changes) == diaryEntries {
		d.drop(p, 1)
	}
	p.changes = append(p.changes, c)
	d.bytes += len(c.Condition.Message)
}

// drop forgets the n oldest changes of a run.
func (d *diary) drop(p *diaryPage, n int) {
	for _, c := range p.changes[:n] {
		d.bytes -= len(c.Condition.Message)
	}
	p.changes = append(p.changes[:0:0], p.changes[n:]...)
}

// withoutMessages clears the messages, of which s has the only copy.
func (s seenStatus) withoutMessages() seenStatus {
	for i := range s.run {
		s.run[i].Message = ""
	}
	for i := range s.stages {
		for j := range s.stages[i].conditions {
			s.stages[i].conditions[j].Message = ""
		}
	}
	return s
}

// of returns when the diary began and what a run went through since, oldest first.
func (d *diary) of(run engine.ID) (time.Time, []timeline.SeenChange) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.runs[run]
	if p == nil {
		return d.began, nil
	}
	return d.began, append([]timeline.SeenChange(nil), p.changes...)
}
