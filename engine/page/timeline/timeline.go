// Package timeline is the page of what happened to a run and when.
package timeline

import (
	"cmp"
	"slices"
	"sort"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/page"
)

// Facts is what the timeline of a run is made of.
type Facts struct {
	Question page.TimelineQuestion
	Now      time.Time
	// StuckAfter is the hub's stuck threshold.
	StuckAfter time.Duration
	Run        *placement.StagedUpdateRun // of either scope
	Approvals  []placement.ApprovalRequest
	// ApprovalsWhy says why they could not be read.
	ApprovalsWhy engine.Text
	// Seen is what the run went through while it was watched, since Watched.
	Seen    []SeenChange
	Watched time.Time
}

// SeenChange is a change of a run that was seen as it came: of spec.state, or of
// a condition of the run or of one of its stages.
type SeenChange struct {
	At        time.Time
	State     string
	Stage     string // empty for the run's own conditions
	Condition metav1.Condition
}

// happening is one transition.
type happening struct {
	at    time.Time
	mark  page.Mark
	role  engine.Role
	stage string
	what  engine.Text
	note  engine.Text
}

// Page returns the events of a run: as a strip, one row a stage, and as
// a list, newest first. An object holds only the latest time of each condition;
// earlier ones are known if this session saw them.
func Page(f Facts) page.Answer {
	a := page.Answer{At: f.Now}
	run := f.Run
	a.Object = f.Question.Run.Beside(f.Question.Run.Kind(), run.Namespace, run.Name, string(run.UID))
	var all []happening
	add := func(m happening) {
		if !m.at.IsZero() {
			all = append(all, m)
		}
	}
	add(happening{at: run.CreationTimestamp.Time, role: engine.RoleText, what: engine.Lit("run created")})
	if d := run.DeletionTimestamp; d != nil {
		add(happening{at: d.Time, mark: page.MarkNo, role: engine.RoleWait, what: engine.Lit("deletion requested")})
	}
	for _, c := range run.Status.Conditions {
		add(conditionHappening("", engine.Textf("run %s", c.Type), &c))
	}
	stages := slices.Clone(run.Status.StagesStatus)
	if d := run.Status.DeletionStageStatus; d != nil {
		stages = append(stages, *d)
	}
	strip := page.Section{Title: engine.Lit("timeline"), From: run.CreationTimestamp.Time, To: f.Now}
	if end := engine.ReadCondition(run.Status.Conditions, placement.RunSucceeded); end.Truth == engine.TruthYes || end.Truth == engine.TruthNo {
		strip.To = engine.Later(end.Since, strip.From.Add(time.Second))
	}
	for i := range stages {
		s := &stages[i]
		if i == len(stages)-1 && run.Status.DeletionStageStatus != nil {
			if len(s.Clusters) == 0 {
				continue
			}
			s.StageName = "deletion"
		}
		f.stageMoments(s, add)
		strip.Rows = append(strip.Rows, f.strip(s))
	}
	fit(&strip)
	for i := range f.Approvals {
		r := &f.Approvals[i]
		for _, c := range r.Status.Conditions {
			c.LastTransitionTime.Time = engine.Later(c.LastTransitionTime.Time, r.CreationTimestamp.Time) // who approves writes it
			m := conditionHappening(r.Spec.TargetStage, engine.Textf("approval request %s", c.Type), &c)
			if c.Type == placement.ApprovalApproved {
				m.note = engine.Textf("%s (for generation %d, the request is at %d)", engine.Message(c.Message), c.ObservedGeneration, r.Generation)
				if c.Status == metav1.ConditionTrue && c.ObservedGeneration != r.Generation {
					m.mark, m.role = page.MarkNo, engine.RoleBad
				}
			}
			add(m)
		}
	}
	all = f.seen(all)
	sort.SliceStable(all, func(i, j int) bool {
		return cmp.Or(all[j].at.Compare(all[i].at), cmp.Compare(all[j].stage, all[i].stage)) < 0
	})
	list := page.Section{Title: engine.Lit("transitions"), Note: engine.Lit("newest first"), Head: []engine.Text{engine.Lit("WHEN"), engine.Lit("AGO"), engine.Lit("STAGE"), engine.Lit("WHAT")}}
	for i := range all {
		m := &all[i]
		what := page.Cell{Mark: m.mark, Role: m.role, Text: m.what}
		if m.mark == page.MarkNone {
			what.Mark = page.MarkNot
		}
		list.Rows = append(list.Rows, page.Row{Cells: []page.Cell{{Role: engine.RoleText, At: m.at}, {Role: engine.RoleSub, Since: m.at}, page.CleanCell(engine.RoleSub, m.stage), what}, Note: m.note})
	}
	if !f.Watched.IsZero() {
		list.Rows = append(list.Rows, page.TextRow(engine.RoleFaint, engine.Textf("Watched since %s; earlier entries come from the objects only.", f.Watched.UTC().Format("15:04:05"))))
	}
	if !f.ApprovalsWhy.IsZero() {
		list.Rows = append(list.Rows, page.TextRow(engine.RoleWait, engine.Textf("approval requests are not shown: %s", f.ApprovalsWhy)))
	}
	if len(strip.Rows) == 0 {
		strip.Rows = []page.Row{page.TextRow(engine.RoleFaint, engine.Lit("no stage has started"))}
	}
	a.Sections = []page.Section{strip, list}
	return a
}

// seen adds what was seen and is not told by the objects any more. A condition
// that is still there stands in both, with the same time and words.
func (f *Facts) seen(all []happening) []happening {
	told := map[happening]bool{}
	for _, m := range all {
		told[happening{at: m.at, stage: m.stage, what: m.what}] = true
	}
	for _, c := range f.Seen {
		m := happening{at: c.At, role: engine.RoleName, what: engine.Textf("state set to %s", engine.Clean(c.State))}
		if c.State == "" {
			what := engine.Textf("run %s", c.Condition.Type)
			if c.Stage != "" {
				what = engine.Textf("stage %s", c.Condition.Type)
			}
			m = conditionHappening(c.Stage, what, &c.Condition)
			// Upstream writes some conditions anew without moving their time.
			if m.at.IsZero() || c.At.Sub(m.at) > maxDelay {
				m.at = c.At
			}
		}
		key := happening{at: m.at, stage: m.stage, what: m.what}
		if !told[key] {
			told[key] = true
			all = append(all, m)
		}
	}
	return all
}

// fit cuts the strips of a section at its ends: a time set by a person or by
// another clock may lie outside.
func fit(s *page.Section) {
	if s.From.After(s.To) {
		s.From = s.To
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		for j := range r.Strip {
			x := &r.Strip[j]
			x.From, x.To = engine.Later(x.From, s.From), engine.Earlier(x.To, s.To)
		}
		r.Strip = slices.DeleteFunc(r.Strip, func(x page.Stretch) bool { return !x.To.After(x.From) })
	}
}

// maxDelay is the longest time between the time of a condition and its event; a
// longer one means that the time is not that of this change.
const maxDelay = 30 * time.Second

func conditionHappening(stage string, what engine.Text, c *metav1.Condition) happening {
	m := happening{at: c.LastTransitionTime.Time, stage: stage, mark: page.MarkUnknown, role: engine.RoleText, what: engine.Textf("%s %s: %s", what, string(c.Status), c.Reason)}
	switch c.Status {
	case metav1.ConditionTrue:
		m.mark, m.role = page.MarkYes, engine.RoleGood
	case metav1.ConditionFalse:
		m.mark, m.role, m.note = page.MarkNo, engine.RoleWait, engine.Message(message.Core(c.Message))
		switch c.Reason {
		case placement.ReasonRunStuck, placement.ReasonRunFailed, placement.ReasonStageFailed, placement.ReasonRunInitializedFailed:
			m.role = engine.RoleBad
		case placement.ReasonRunWaiting, placement.ReasonStageWaiting, placement.ReasonRunStopped, placement.ReasonStageStopped:
			m.mark = page.MarkUnknown // it goes on later, and nothing is wrong
		case placement.ReasonRunSucceeded, placement.ReasonStageSucceeded, placement.ReasonStageSkipped: // Progressing ends well
			m.mark, m.role, m.note = page.MarkYes, engine.RoleGood, engine.Text{}
		}
	default:
	}
	return m
}

// stageMoments adds what happened in a stage.
func (f *Facts) stageMoments(s *placement.StageStatus, add func(happening)) {
	if s.StartTime != nil {
		add(happening{at: s.StartTime.Time, stage: s.StageName, role: engine.RoleName, what: engine.Lit("stage started")})
	}
	if s.EndTime != nil {
		add(happening{at: s.EndTime.Time, stage: s.StageName, role: engine.RoleName, what: engine.Lit("stage ended")})
	}
	if c := engine.ReadCondition(s.Conditions, placement.StageProgressing); c.Truth == engine.TruthNo && s.EndTime == nil {
		add(happening{at: c.Since, stage: s.StageName, mark: page.MarkUnknown, role: engine.RoleAsk, what: engine.Textf("stage %s", c.Reason), note: engine.Message(c.Message)})
	}
	for i := range s.Clusters {
		c := &s.Clusters[i]
		start, end := engine.ReadCondition(c.Conditions, placement.ClusterStarted), engine.ReadCondition(c.Conditions, placement.ClusterSucceeded)
		if start.Truth != engine.TruthYes {
			continue
		}
		add(happening{at: start.Since, stage: s.StageName, mark: page.MarkMine, role: engine.RoleBusy, what: engine.Textf("cluster %s started", c.ClusterName)})
		switch end.Truth {
		case engine.TruthYes:
			add(happening{at: end.Since, stage: s.StageName, mark: page.MarkYes, role: engine.RoleGood, what: engine.Textf("cluster %s done after %s", c.ClusterName, engine.Age(end.Since.Sub(start.Since)))})
		case engine.TruthNo:
			add(happening{at: end.Since, stage: s.StageName, mark: page.MarkNo, role: engine.RoleBad, what: engine.Textf("cluster %s failed", c.ClusterName), note: engine.Message(message.Core(end.Message))})
		default:
			if mark := start.Since.Add(f.StuckAfter); f.StuckAfter > 0 && f.Now.After(mark) {
				add(happening{at: mark, stage: s.StageName, mark: page.MarkNo, role: engine.RoleBad, what: engine.Textf("cluster %s is over the stuck threshold", c.ClusterName)})
			}
		}
	}
	for _, tasks := range [][]placement.TaskStatus{s.BeforeStageTaskStatus, s.AfterStageTaskStatus} {
		for i := range tasks {
			for _, c := range tasks[i].Conditions {
				add(conditionHappening(s.StageName, engine.Textf("task %s", c.Type), &c))
			}
		}
	}
}

// strip is the row of a stage in the strip: updating, waiting, past the stuck
// mark.
func (f *Facts) strip(s *placement.StageStatus) page.Row {
	done, last := 0, time.Time{}
	r := page.Row{Cells: []page.Cell{page.CleanCell(engine.RoleText, s.StageName), {Role: engine.RoleSub}}}
	end := f.Now
	if s.EndTime != nil {
		end = s.EndTime.Time
	}
	stretch := func(role engine.Role, from, to time.Time) {
		if !from.IsZero() && to.After(from) {
			r.Strip = append(r.Strip, page.Stretch{Role: role, From: from, To: to})
		}
	}
	for i := range s.Clusters {
		c := &s.Clusters[i]
		start, over := engine.ReadCondition(c.Conditions, placement.ClusterStarted), engine.ReadCondition(c.Conditions, placement.ClusterSucceeded)
		if start.Truth != engine.TruthYes {
			continue
		}
		to, role := end, engine.RoleBusy
		if over.Truth == engine.TruthYes || over.Truth == engine.TruthNo {
			to, role = over.Since, engine.RoleBad
			last = engine.Later(last, over.Since)
		}
		if over.Truth == engine.TruthYes {
			role = engine.RoleGood
			done++
		}
		stretch(role, start.Since, to)
		if mark := start.Since.Add(f.StuckAfter); f.StuckAfter > 0 && to.After(mark) {
			stretch(engine.RoleBad, mark, to)
		}
	}
	for i := range s.BeforeStageTaskStatus {
		t := &s.BeforeStageTaskStatus[i]
		asked, given := engine.ReadCondition(t.Conditions, placement.TaskApprovalRequestCreated), engine.ReadCondition(t.Conditions, placement.TaskApprovalRequestApproved)
		to := end
		if given.Truth == engine.TruthYes {
			to = given.Since
		}
		if asked.Truth == engine.TruthYes {
			stretch(engine.RoleAsk, asked.Since, to)
		}
	}
	if done == len(s.Clusters) && done > 0 && len(s.AfterStageTaskStatus) > 0 {
		role := engine.RoleWait
		for i := range s.AfterStageTaskStatus {
			if s.AfterStageTaskStatus[i].Type == placement.TaskApproval {
				role = engine.RoleAsk
			}
		}
		stretch(role, last, end)
	}
	if c := engine.ReadCondition(f.Run.Status.Conditions, placement.RunProgressing); c.Truth == engine.TruthNo && c.Reason == placement.ReasonRunStuck && s.StartTime != nil && s.EndTime == nil {
		stretch(engine.RoleBad, c.Since, end) // the hub may call it stuck sooner than is known here
	}
	r.Cells[1].Text = engine.Textf("%d/%d", done, len(s.Clusters))
	return r
}
